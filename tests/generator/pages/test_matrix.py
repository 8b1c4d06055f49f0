"""The matrix of evals by models: a page for each condition."""

from dataclasses import replace

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from generator.blocks.matrix_cells import build_matrix_rows
from generator.pages import matrix
from generator.render.templates import PageContext
from generator.site_links import abbreviate_condition
from tests.generator.contexts import (
    build_published,
    gather_published_site,
    load_project_templates,
)
from tests.generator.pages.test_evals import OURS, PUBLISHED
from tests.generator.scores.making import change_head

pytestmark = pytest.mark.unit


def _render_page(page: PageContext) -> str:
    return load_project_templates().render(page).decode()


def _find_cells(page: PageContext) -> list[LexborNode]:
    return LexborHTMLParser(_render_page(page)).css("table.matrix td.m")


def test_each_outcome_is_a_word_and_failures_lead_to_their_answers() -> None:
    """No colour or symbol stands alone, and a passed cell adds no tab stop."""
    matrix_cells = _find_cells(build_published(matrix.build_matrix_page, PUBLISHED))
    assert matrix_cells
    for td in matrix_cells:
        outcome = (td.attributes["class"] or "").removeprefix("m ")
        word, *_ = td.css("i")
        assert word.text().strip().startswith(outcome)
        assert (td.css_first("a") is None) is (outcome == "passed")


def test_each_condition_has_its_own_columns() -> None:
    """Every entry of the version is on exactly one of the two pages, which link to each other."""
    leaderboard = gather_published_site().leaderboards[PUBLISHED]
    pages = [
        matrix.build_matrix_page(gather_published_site(), leaderboard, condition)
        for condition in (matrix.WITH_GUIDELINES, matrix.WITHOUT_GUIDELINES)
    ]
    keys = [entry.key for page in pages for entry in page.entries]
    assert sorted(keys) == sorted(entry.key for entry in leaderboard.entries)
    assert [abbreviate_condition(entry.newest) for entry in pages[1].entries] == [
        "no guidelines"
    ] * 2
    for number, page in enumerate(pages):
        assert [link.current for link in page.conditions] == [number == 0, number == 1]
        assert page.conditions[number].href == page.frame.path


def test_rows_that_can_be_hidden_are_those_without_a_failure() -> None:
    """The class that the check box hides is on exactly the rows whose cells all pass."""
    page = build_published(matrix.build_matrix_page, PUBLISHED)
    tree = LexborHTMLParser(_render_page(page))
    rows = tree.css("table.matrix tbody tr:not(.group)")
    passing = [not row.css("td.m:not(.passed)") for row in rows]
    assert any(passing)
    assert not all(passing)
    assert [row.attributes.get("class") == "all" for row in rows] == passing
    assert tree.css_first("input[data-hide-passed]") is not None


def test_baselines_do_not_decide_which_evals_all_pass() -> None:
    """Only models decide: an empty baseline changes nothing, and baselines give no such eval."""
    site = gather_published_site()
    board = site.leaderboards[OURS]
    entries = matrix.list_matrix_entries(board, matrix.WITH_GUIDELINES)
    assert all(entry.newest.baseline for entry in entries)
    assert build_matrix_rows(site, board, entries).passed_by_all == set()
    (oracle,) = [entry for entry in entries if entry.newest.slug == "baseline/oracle"]
    as_model = oracle.newest.head.model.model_copy(update={"kind": "llm"})
    model = replace(oracle, runs=[change_head(run, model=as_model) for run in oracle.runs])
    other_entries = [entry for entry in entries if entry is not oracle]
    assert any(entry.sum_passes(board.list_eval_names()) == 0 for entry in other_entries)
    assert build_matrix_rows(site, board, [model, *other_entries]).passed_by_all == set(
        board.list_eval_names()
    )


def test_a_matrix_of_many_models_goes_on_at_further_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each column is on one page; the counts on each page are those of all models."""
    site, leaderboard = gather_published_site(), gather_published_site().leaderboards[PUBLISHED]
    whole = matrix.build_matrix_page(site, leaderboard)
    monkeypatch.setattr("generator.pages.matrix._PART", 4)
    first, second = (matrix.build_matrix_page(site, leaderboard, part=part) for part in (1, 2))
    assert matrix.count_matrix_parts(leaderboard, matrix.WITH_GUIDELINES) == 2
    assert [*first.entries, *second.entries] == [*whole.entries]
    assert first.frame.path == whole.frame.path
    assert second.frame.path == f"{whole.frame.path}2/"
    assert (first.solved, first.models) == (second.solved, second.models)
    assert (whole.solved, whole.models) == (first.solved, first.models)
    assert [part.label for part in second.parts] == ["1 to 4", "5 to 6"]
    assert [part.current for part in second.parts] == [False, True]
