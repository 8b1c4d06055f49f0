"""How evals measure, over the published records: by version, over models with guidelines."""

from functools import cache
from pathlib import Path

import pytest

from generator.site.data import SiteData
from generator.site.evals import HealthLine, Measure, eval_page, health_page
from generator.site.leaderboard import WITH, table_page
from generator.site.matrix import columns, matrix_page
from generator.site.models import model_page
from records.folder import DataFolder
from tests.generator.contexts import site_of

ROOT = Path(__file__).parents[2]
PUBLISHED = "convex-evals-66-dbe4c5df"
OURS = "e2063c36c167"
CRONS = "000-fundamentals/003-crons"


@cache
def published() -> SiteData:
    """Everything that pages are made from."""
    return site_of(DataFolder(ROOT / "data"))


def _measures(name: str) -> dict[str, Measure]:
    return {one.version.label: one for one in eval_page(published(), name).measures}


def _lines() -> dict[str, HealthLine]:
    page = health_page(published(), published().leaderboards[PUBLISHED])
    return {line.name: line for group in page.groups for line in group.lines}


def test_versions_are_never_added_up() -> None:
    """The page of an eval has a line for each version, with what that version's runs say."""
    found = _measures(CRONS)
    shares = {label: (one.share.passes, one.share.judged) for label, one in found.items()}
    assert shares == {"convex-evals · 74 evals": ("1", 1), "convex-evals · 66 evals": ("3", 6)}
    assert found["convex-evals · 74 evals"].correlation is None  # one model tells nothing apart


def test_an_eval_s_page_and_the_list_of_all_say_the_same() -> None:
    """Share, correlation and disagreement of each eval are those of the list of its version."""
    for name, line in _lines().items():
        one = _measures(name)["convex-evals · 66 evals"]
        assert (one.share, one.correlation) == (line.share, line.correlation)
        assert one.disagreement == line.disagreement


def test_failures_that_reports_set_aside_are_those_of_the_line() -> None:
    """An eval that all six models pass has none, though a run without guidelines failed it so."""
    line = _lines()["002-queries/012-index_and_filter"]
    assert line.share is not None
    assert (line.share.passes, line.share.judged, line.noted) == ("6", 6, 0)


def test_evals_are_measured_by_models_with_guidelines_alone() -> None:
    """Six models were asked with guidelines; whoever was asked without is in columns only."""
    page = matrix_page(published(), published().leaderboards[PUBLISHED])
    assert page.models == 6
    assert len(page.columns) == 6
    solved = [row.solved for group in page.groups for row in group.rows]
    assert {one.split("/")[1] for one in solved} == {"6"}
    assert (page.by_all, page.by_none) == (solved.count("6/6"), solved.count("0/6"))


def test_a_version_without_models_says_so() -> None:
    """Where only baselines ran, nothing is said of how evals measure."""
    leaderboard = published().leaderboards[OURS]
    assert health_page(published(), leaderboard).models == 0
    assert matrix_page(published(), leaderboard).models == 0
    assert eval_page(published(), leaderboard.evals()[0]).measures == []


def test_baselines_under_two_conditions_are_told_apart() -> None:
    """Each column of a matrix has a head of its own."""
    leaderboard = published().leaderboards[OURS]
    found = columns(leaderboard, leaderboard.baselines_last)
    heads = [(one.model.name, one.short) for one in found]
    assert len(set(heads)) == len(heads) == 6
    assert ("Stub", "baseline, no guidelines") in heads


def test_failures_by_step_and_by_class_are_of_the_same_runs() -> None:
    """Classes that reports give to failures of withdrawn runs are not counted beside."""
    for slug in published().by_model:
        page = model_page(published(), slug)
        if page.by_class:
            by_step = sum(bar.number for bar in page.by_step)
            assert sum(bar.number for bar in page.by_class) == by_step


def test_a_model_with_a_report_has_an_attributed_score() -> None:
    """Where a report sets nothing aside it is the score itself, and not missing."""
    page = table_page(published(), published().leaderboards[PUBLISHED], WITH)
    rows = {row.model.name: row for group in page.groups for row in group.rows}
    flash = rows["Gemini 3 Flash Preview"]
    assert flash.amounts["attributed"].value == pytest.approx(flash.score.share.percent, abs=1e-4)
    assert all(row.amounts["attributed"].value is not None for row in rows.values())


def test_evals_that_stand_out_are_those_of_the_list() -> None:
    """Solved by none, by one, by all: as the lines of the list say; each leads to its attempts."""
    page = health_page(published(), published().leaderboards[PUBLISHED])
    lines = _lines()
    found = {group.key: {one.name for one in group.evals} for group in page.hard}
    none = {name for name, line in lines.items() if line.share and line.share.passed == 0}
    whole = {name for name, line in lines.items() if line.share and line.share.percent == 100}
    assert found["unsolved"] == none
    assert found["saturated"] == whole
    assert found["one"] == {name for name, line in lines.items() if line.note == "passed by one"}
    assert found["unsteady"] == {name for name, line in lines.items() if line.disagreement}
    assert found["blamed"] == {name for name, line in lines.items() if line.noted}
    assert all(one.href.endswith("#models") for group in page.hard for one in group.evals)


def test_nothing_stands_out_where_no_model_ran() -> None:
    """Baselines say nothing of how hard an eval is."""
    assert health_page(published(), published().leaderboards[OURS]).hard == []
