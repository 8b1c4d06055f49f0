"""The matrix of evals by models: small at size, and a page for each condition."""

from dataclasses import replace
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from generator.blocks.attributions import Attribution
from generator.blocks.matrix_cells import EvalStanding, build_matrix_rows
from generator.pages.matrix import (
    WITH_GUIDELINES,
    WITHOUT_GUIDELINES,
    build_matrix_page,
    count_matrix_parts,
    list_matrix_entries,
)
from generator.render.templates import PageContext, Row
from generator.site_links import EvalLink
from tests.generator.contexts import (
    build_published,
    change_values,
    gather_published_site,
    load_project_templates,
)
from tests.generator.pages.test_evals import OURS, PUBLISHED
from tests.generator.scores.making import change_head

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
MODELS = 59
EVALS = 70
LIMIT = 600_000
_RUN = "runs/20261124T120000Z-0123456789abcdef"
_WORD = Attribution(
    kind="ambiguous task",
    mark="a",
    note="a note",
    href="reports/maker/model/2026-11-24-run/#failure-1",
    published=False,
)


def _render_page(page: PageContext) -> str:
    return load_project_templates().render(page).decode()


def _find_cells(page: PageContext) -> list[LexborNode]:
    return LexborHTMLParser(_render_page(page)).css("table.matrix td.m")


def _make_standing(number: int) -> EvalStanding:
    """Return a standing; every third is not passed, and a report has a note on half of these."""
    answer = f"{_RUN}/002-queries/{number % EVALS:03}-a_name_of_usual_length/"
    word = _WORD if number % 6 == 0 else None
    href = word.href if word else answer
    return EvalStanding(3 if number % 3 else number % 2, 3, "tests", None, word, answer, href)


def _make_row(number: int) -> Row:
    name = f"002-queries/{number:03}-a_name_of_usual_length"
    title = "Create, read, replace, change and delete documents by id"
    return Row(
        eval=EvalLink(name, title, f"evals/{name}/"),
        solved=f"40/{MODELS}",
        note="",
        cells=[_make_standing(number + column) for column in range(MODELS)],
        passed_by_all=False,
    )


def test_the_page_of_many_models_and_evals_is_small() -> None:
    """59 models by 70 evals, a third of the cells not passed, are under 600 KB before packing."""
    page = build_published(build_matrix_page, PUBLISHED)
    rows = [_make_row(number) for number in range(EVALS)]
    large = change_values(
        page,
        columns=[page.columns[0]] * MODELS,
        groups=[change_values(page.groups[0], rows=rows)],
    )
    html = _render_page(large)
    matrix_cells = LexborHTMLParser(html).css("table.matrix td.m")
    assert len(matrix_cells) == MODELS * EVALS
    assert len(html.encode()) < LIMIT


def test_each_outcome_is_a_word_and_failures_lead_to_their_answers() -> None:
    """No colour or symbol stands alone, and a passed cell adds no tab stop."""
    matrix_cells = _find_cells(build_published(build_matrix_page, PUBLISHED))
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
        build_matrix_page(gather_published_site(), leaderboard, condition)
        for condition in (WITH_GUIDELINES, WITHOUT_GUIDELINES)
    ]
    keys = [column.key for page in pages for column in page.columns]
    assert sorted(keys) == sorted(entry.key for entry in leaderboard.entries)
    assert [column.short for column in pages[1].columns] == ["no guidelines"] * 2
    for number, page in enumerate(pages):
        assert [link.current for link in page.conditions] == [number == 0, number == 1]
        assert page.conditions[number].href == page.frame.path


def test_rows_that_can_be_hidden_are_those_without_a_failure() -> None:
    """The class that the check box hides is on exactly the rows whose cells all pass."""
    page = build_published(build_matrix_page, PUBLISHED)
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
    entries = list_matrix_entries(board, WITH_GUIDELINES)
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
    whole = build_matrix_page(site, leaderboard)
    monkeypatch.setattr("generator.pages.matrix._PART", 4)
    first, second = (build_matrix_page(site, leaderboard, part=part) for part in (1, 2))
    assert count_matrix_parts(leaderboard, WITH_GUIDELINES) == 2
    assert [*first.columns, *second.columns] == [*whole.columns]
    assert first.frame.path == whole.frame.path
    assert second.frame.path == f"{whole.frame.path}2/"
    assert (first.by_all, first.models) == (second.by_all, second.models)
    assert (whole.by_all, whole.models) == (first.by_all, first.models)
    assert [part.label for part in second.parts] == ["1 to 4", "5 to 6"]
    assert [part.current for part in second.parts] == [False, True]


def test_counts_and_order_are_of_the_models_that_the_matrix_has() -> None:
    """Two models had no guidelines: counts are out of two, and the least passed come first.

    The sentence and the head of the column name the same condition.
    """
    board = gather_published_site().leaderboards[PUBLISHED]
    page = build_matrix_page(gather_published_site(), board, WITHOUT_GUIDELINES)
    entries = list_matrix_entries(board, WITHOUT_GUIDELINES)
    assert page.models == len(entries) == 2
    for group in page.groups:
        passed = [sum(entry.passes[row.eval.name] > 0 for entry in entries) for row in group.rows]
        assert [row.solved for row in group.rows] == [f"{number}/2" for number in passed]
        rates = [sum(entry.passes[row.eval.name] for entry in entries) for row in group.rows]
        assert rates == sorted(rates)
    tree = LexborHTMLParser(_render_page(page))
    lead, head = tree.css_first("p.lead"), tree.css_first("thead th.num")
    assert lead is not None
    assert head is not None
    assert "by both models asked without guidelines, 13 by none" in " ".join(lead.text().split())
    assert head.text() == "Passed at least once by"
