"""A model's page: its strengths beside a field, and the outcomes of its requests."""

from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from generator.pages.model import build_model_page, build_models_page, describe_requests
from generator.read.summaries import RequestTally
from records.files.data_folder import DataFolder
from tests.generator.contexts import gather_published_site, gather_site, render_tree
from tests.site.corpus import write_field

pytestmark = pytest.mark.unit


def test_only_counts_that_are_not_zero_are_named() -> None:
    """A zero, such as no refusal, is left out."""
    tally = RequestTally(asked=70, refused=1, cut_off=0, retried=12, spoiled=0)
    sentence = "In all, 70 attempts: 1 refused, 12 answered after a retry."
    assert describe_requests(tally) == sentence


def test_attempts_without_any_trouble_have_a_sentence_of_their_own() -> None:
    """A single attempt has the singular."""
    tally = RequestTally(asked=1, refused=0, cut_off=0, retried=0, spoiled=0)
    sentence = "In all, 1 attempt: all judged, none refused, cut off or retried."
    assert describe_requests(tally) == sentence


def test_strengths_have_an_interval_around_the_difference_from_the_field() -> None:
    """On the imported board, share minus field is inside its own interval."""
    page = build_model_page(gather_published_site(), "openai/gpt-5.3-codex")
    assert page.field_models == 5
    compared = [strength for strength in page.strengths if strength.difference is not None]
    assert compared
    for strength in compared:
        assert strength.share.judged >= 10
        assert strength.field.percent is not None
        change = strength.difference
        assert change.points == pytest.approx(strength.share.percent - strength.field.percent)
        assert change.low < change.points < change.high
        assert not change.real


def test_a_failed_eval_leads_to_its_answer_and_the_worst_stands_first() -> None:
    """Of equally failed evals, the ones with the most passing models come first."""
    page = build_model_page(gather_published_site(), "openai/gpt-5.3-codex")
    assert all("runs/" in row.answer for row in page.failed)
    shares = [(-row.failed / row.judged, -row.field.percent) for row in page.failed]
    assert shares == sorted(shares)
    links = render_tree(page).css("td a[href*='runs/']:not([class])")
    assert [link.text() for link in links if "that failed at" in link.text()]


def test_two_other_models_are_no_field() -> None:
    """A model with fewer than three others beside it has its score by category alone."""
    site = gather_published_site()
    pages = [build_model_page(site, slug) for slug in site.by_model]
    alone = [page for page in pages if page.strengths and not page.field_models]
    assert alone
    for page in alone:
        assert {strength.field for strength in page.strengths} == {None}
        assert {strength.difference for strength in page.strengths} == {None}


def test_a_drawing_over_time_has_one_condition_and_a_baseline_has_none(tmp_path: Path) -> None:
    """Runs of two conditions never share an axis."""
    write_field(DataFolder(tmp_path), models=2, runs=2)
    site = gather_site(DataFolder(tmp_path))
    baseline, model = (build_model_page(site, f"maker{number}/model-{number}") for number in (0, 1))
    assert baseline.baseline
    assert baseline.history == []
    assert [drawing.condition for drawing in model.history] == [
        "with guidelines",
        "without guidelines",
    ]
    for drawing in model.history:
        assert len(LexborHTMLParser(drawing.chart).css("svg.plot:not(.narrow) circle")) == 2


def test_a_score_without_guidelines_is_marked_in_the_row_of_its_model() -> None:
    """The one model that was measured only so has the mark, and no other model has one."""
    tags = {
        row.attributes["data-key"]: tag.text()
        for row in render_tree(build_models_page(gather_published_site())).css("tr[data-key]")
        for tag in row.css("th .tag")
    }
    assert tags == {"google/gemini-3.1-pro-preview": "score without guidelines"}
