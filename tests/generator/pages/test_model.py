"""A model's page: the outcomes of its requests, and its runs over time."""

from pathlib import Path

import pytest

from generator.pages.model import build_model_page
from generator.read.summaries import RequestTally
from records.files.data_folder import DataFolder
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from tests.generator.contexts import gather_site, render_block
from tests.site.corpus import write_field

pytestmark = pytest.mark.unit


def describe_requests(tally: RequestTally) -> str:
    """Return how requests ended, in the words of the page."""
    return render_block("requests", tally, macro="requests_words")


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


def test_a_drawing_over_time_has_one_condition_and_a_baseline_has_none(tmp_path: Path) -> None:
    """Runs of two conditions never share an axis."""
    write_field(DataFolder(tmp_path), models=2, runs=2)
    site = gather_site(DataFolder(tmp_path))
    baseline, model = (build_model_page(site, f"maker{number}/model-{number}") for number in (0, 1))
    assert baseline.baseline
    assert baseline.history == []
    assert [run.experiment for run, _ in model.history] == [DEFAULT, NO_GUIDELINES]
    for _, chart in model.history:
        assert [len(plot.dots) for plot in chart] == [2, 2]
