"""Failures in reports on a run with several samples of each eval."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from generator.pages.leaderboard import BOTH, build_table_page
from generator.pages.matrix import build_matrix_page
from generator.pages.model import build_model_page
from generator.pages.report import build_report_page, build_reports_page
from generator.scores.inputs import list_attempt_classes
from generator.scores.leaderboards import Leaderboard
from generator.site_data import SiteData
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.attempt import Outcome
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure
from records.shapes.run import Withdrawal
from records.writer import write_run
from tests.generator.contexts import gather_site, render_tree
from tests.generator.scores.making import change_head
from tests.records import examples

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(("sample", "judged"), [(None, 4), (2, 5)])
def test_an_entry_speaks_for_its_sample_or_for_every_failed_one(
    tmp_path: Path, sample: int | None, judged: int
) -> None:
    """The failures are set aside in the report's figure and in the table's score."""
    site = _make_site(tmp_path, _make_failure(sample, FailureClass.OVERLY_STRICT))
    (filed,) = site.summaries.reports
    page = build_report_page(site, filed, site.summaries.runs[0])
    assert page.attributed is not None
    assert (page.attributed.passed, page.attributed.judged) == (4, judged)
    (entry,) = site.leaderboards["0123456789ab"].entries
    assert entry.row.attributed is not None
    assert entry.row.pool.set_aside.sum() == 6 - judged


def test_a_sample_with_its_own_entry_is_left_to_it(tmp_path: Path) -> None:
    """An entry for all samples applies to the samples without an entry of their own."""
    site = _make_site(
        tmp_path,
        _make_failure(1, FailureClass.MODEL_FAULT),
        _make_failure(None, FailureClass.AMBIGUOUS_TASK),
    )
    (filed,) = site.summaries.reports
    classes = list_attempt_classes(filed.report.failures, site.summaries.runs[0].results)
    assert classes == {examples.make_eval_name(2): ("model_fault", "ambiguous_task")}


def test_the_matrix_shows_a_word_on_a_later_sample(tmp_path: Path) -> None:
    """A cell carries the report's letter although the first sample has no entry."""
    site = _make_site(tmp_path, _make_failure(2, FailureClass.OVERLY_STRICT))
    page = build_matrix_page(site, site.leaderboards["0123456789ab"])
    marks = render_tree(page).css("table.matrix td .mark")
    assert [mark.text() for mark in marks] == ["s"]
    assert [mark for _, mark in page.attributions] == ["s"]


def test_of_two_reports_on_a_run_the_newest_is_counted(tmp_path: Path) -> None:
    """Only the newer report classes the model's failures and sets failures aside from the score."""
    older = _make_site(tmp_path, _make_failure(None, FailureClass.OVERLY_STRICT))
    (filed,) = older.summaries.reports
    newer = filed.report.model_copy(
        update={
            "date": date(2026, 11, 23),
            "failures": (_make_failure(None, FailureClass.MODEL_FAULT),),
        }
    )
    folder = DataFolder(tmp_path)
    examples.write_report(folder, newer)
    site = gather_site(folder)
    page = build_model_page(site, site.summaries.runs[0].slug)
    assert page.by_class == {"model fault": 2}
    (line,) = page.entries
    share = line.entry.row.attributed.share
    assert (share.passed, share.judged) == (2, 3)


def test_failures_are_counted_by_attempt(tmp_path: Path) -> None:
    """Two samples of one eval failed at the tests; a report classes one of them."""
    site = _make_site(tmp_path, _make_failure(2, FailureClass.OVERLY_STRICT))
    page = build_model_page(site, site.summaries.runs[0].slug)
    assert page.by_step == {"tests": 2}
    assert page.by_class == {"not classed": 1, "overly strict grader": 1}


def test_findings_count_models_by_eval(tmp_path: Path) -> None:
    """Two entries on one model's eval count it once in each class, and once among the blamed."""
    site = _make_site(
        tmp_path,
        _make_failure(1, FailureClass.OVERLY_STRICT),
        _make_failure(2, FailureClass.AMBIGUOUS_TASK),
    )
    page = build_reports_page(site)
    (line,) = page.findings
    assert (line.eval.name, line.models, line.blamed) == (examples.make_eval_name(2), 1, 1)
    counted = dict(zip(page.classes, line.counts, strict=True))
    assert {label: number for label, number in counted.items() if number} == {
        "overly strict grader": 1,
        "ambiguous task": 1,
    }
    (report,) = page.reports
    assert report.title == "run aaaaaaaa: 2 failures, 2 not the model's"


def test_a_run_that_did_not_meet_every_eval_is_not_drawn_over_time(tmp_path: Path) -> None:
    """Two whole runs of two days are drawn; a third run of a single eval would be at 100%."""
    _make_site(tmp_path)
    folder = DataFolder(tmp_path)
    (path,) = folder.list_run_files()
    whole = read_run(path)
    second = whole.model_copy(
        update={"run_id": "b" * 32, "date": date(2026, 11, 25), "started_at": None}
    )
    write_run(folder, second)
    later = second.model_copy(update={"run_id": "c" * 32, "date": date(2026, 11, 26)})
    attempts = [attempt for attempt in whole.attempts if attempt.eval == whole.planned[0]]
    write_run(folder, examples.with_attempts(later, attempts, planned=whole.planned[:1]))
    ((_, chart),) = build_model_page(gather_site(folder), whole.model.slug).history
    assert [len(plot.dots) for plot in chart] == [2, 2]


def test_a_version_names_parts_that_its_definition_leaves_open(tmp_path: Path) -> None:
    """A minted version fixes all; for another version the page lists unpublished parts."""
    site = _make_site(tmp_path)
    (board,) = site.leaderboards.values()

    def list_unfixed(version: Leaderboard) -> str:
        note = " ".join(render_tree(build_table_page(site, version, BOTH)).text().split())
        return note.partition(" The exact ")[2].partition(" of each run ")[0]

    assert list_unfixed(board) == ""
    evals = {
        name: digests.model_copy(update={"grader": None})
        for name, digests in board.benchmark.evals.items()
    }
    bare = board.benchmark.model_copy(update={"evals": evals, "system_prompt": None})
    assert list_unfixed(replace(board, benchmark=bare)) == "graders and prompt"


def test_a_withdrawn_run_s_report_is_marked_and_not_counted(tmp_path: Path) -> None:
    """The report stays in the list with its mark, and is in no bar and no finding."""
    site = _make_site(tmp_path, _make_failure(1, FailureClass.OVERLY_STRICT))
    assert [*build_reports_page(site).by_class.values()] == [1]
    (run,) = site.summaries.runs
    gone = change_head(run, withdrawn=Withdrawal(by="us", reason="a faulty grader"))
    page = build_reports_page(replace(site, summaries=replace(site.summaries, runs=[gone])))
    assert (page.by_class, page.findings, page.withdrawn) == ({}, [], 1)
    tree = render_tree(page)
    (tag,) = tree.css("table[data-table=reports] tbody .tag.withdrawn")
    assert tag.text() == "run withdrawn"
    (note,) = tree.css("main p.note:not(.data)")
    assert note.text().startswith("1 of 1 reports is on a run that was withdrawn since")


def _make_failure(sample: int | None, kind: FailureClass) -> ClassedFailure:
    return ClassedFailure.model_validate(
        {
            "eval": examples.make_eval_name(2),
            "sample": sample,
            "class": kind,
            "note": "refused a right answer",
        }
    )


def _make_site(root: Path, *failures: ClassedFailure) -> SiteData:
    """Return the data of a site with two samples of three evals; both of the last failed."""
    attempts = tuple(
        examples.make_attempt(
            examples.make_eval_name(number),
            sample,
            Outcome.FAILED if number == 2 else Outcome.PASSED,
        )
        for number in range(3)
        for sample in (1, 2)
    )
    made = examples.with_attempts(examples.make_run(), attempts, samples=2)
    folder = examples.write_runs(DataFolder(root), made)
    report = examples.make_report(made, failures=failures, date=date(2026, 11, 22))
    examples.write_report(folder, report)
    return gather_site(folder)
