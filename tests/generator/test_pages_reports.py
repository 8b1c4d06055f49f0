"""What reports say of failures, where a run has several samples of each eval."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

from generator.scores.attempt_classes import attempt_classes
from generator.site.data import SiteData
from generator.site.leaderboard import version
from generator.site.matrix import matrix_page
from generator.site.models import model_page
from generator.site.reports import report_page
from records.failure_classes import FailureClass
from records.folder import DataFolder
from records.reader import read_run
from records.report import ClassedFailure, Report, report_text
from records.run import Outcome
from records.totals import totals
from records.writer import write_benchmark, write_run
from tests.generator.contexts import site_of
from tests.records.examples import attempt, benchmark, eval_name, run


def test_an_entry_without_a_sample_speaks_for_every_failed_one(tmp_path: Path) -> None:
    """Both failed samples are set aside, in the report's figure and in the table's score."""
    site = _site(tmp_path, _failure(None, FailureClass.OVERLY_STRICT))
    (filed,) = site.summaries.reports
    page = report_page(site, filed, site.summaries.runs[0])
    assert page.attributed is not None
    assert (page.attributed.passed, page.attributed.judged) == (4, 4)
    (entry,) = site.leaderboards["0123456789ab"].entries
    assert entry.row.attributed is not None
    assert (entry.row.attributed.set_aside, entry.row.attributed.failures) == (2, 2)


def test_an_entry_for_one_sample_speaks_for_that_one_only(tmp_path: Path) -> None:
    """The other failed sample of the eval still counts against the model."""
    site = _site(tmp_path, _failure(2, FailureClass.OVERLY_STRICT))
    (filed,) = site.summaries.reports
    page = report_page(site, filed, site.summaries.runs[0])
    assert page.attributed is not None
    assert (page.attributed.passed, page.attributed.judged) == (4, 5)


def test_a_sample_with_its_own_entry_is_left_to_it(tmp_path: Path) -> None:
    """An entry for all samples is taken for those that have none of their own."""
    site = _site(
        tmp_path,
        _failure(1, FailureClass.MODEL_FAULT),
        _failure(None, FailureClass.AMBIGUOUS_TASK),
    )
    (filed,) = site.summaries.reports
    classes = attempt_classes(filed.report.failures, site.summaries.runs[0].results)
    assert classes == {eval_name(2): ("model_fault", "ambiguous_task")}


def test_the_matrix_shows_a_word_on_a_later_sample(tmp_path: Path) -> None:
    """A cell carries the report's letter although the first sample has no entry."""
    site = _site(tmp_path, _failure(2, FailureClass.OVERLY_STRICT))
    page = matrix_page(site, site.leaderboards["0123456789ab"])
    cells = "".join(row.cells for row in page.groups[0].rows)
    assert re.findall(r'class="mark"[^>]*>(.)<', cells) == ["s"]
    assert [attribution.mark for attribution in page.attributions] == ["s"]


def test_of_two_reports_on_a_run_the_newest_is_counted(tmp_path: Path) -> None:
    """The model's page has its entries by class once, and the score sets aside by it alone."""
    older = _site(tmp_path, _failure(None, FailureClass.OVERLY_STRICT))
    (filed,) = older.summaries.reports
    newer = filed.report.model_copy(
        update={
            "date": date(2026, 11, 23),
            "failures": (_failure(None, FailureClass.MODEL_FAULT),),
        }
    )
    folder = DataFolder(tmp_path)
    path = folder.report_file(filed.slug, newer.run, newer.date)
    path.write_text(report_text(newer), encoding="utf-8")
    site = site_of(folder)
    page = model_page(site, filed.slug)
    assert [(bar.label, bar.number) for bar in page.by_class] == [("model fault", 1)]
    (line,) = page.entries
    assert line.attributed is not None
    assert (line.attributed.passed, line.attributed.judged) == (2, 3)


def test_a_run_that_did_not_meet_every_eval_is_not_drawn_over_time(tmp_path: Path) -> None:
    """Two whole runs of two days are; a third of one eval would stand at 100%."""
    _site(tmp_path)
    folder = DataFolder(tmp_path)
    (path,) = folder.run_files()
    whole = read_run(path)
    second = whole.model_copy(
        update={"run_id": "b" * 32, "date": date(2026, 11, 25), "started_at": None}
    )
    write_run(folder, second)
    attempts = tuple(one for one in whole.attempts if one.eval == whole.planned[0])
    partial = {
        "run_id": "c" * 32,
        "date": date(2026, 11, 26),
        "started_at": None,
        "planned": whole.planned[:1],
        "attempts": attempts,
        "totals": totals(attempts),
    }
    write_run(folder, whole.model_copy(update=partial))
    drawn = model_page(site_of(folder), whole.model.slug).history
    assert drawn is not None
    assert drawn.count("<circle") == 2


def test_a_version_says_what_its_definition_does_not_fix(tmp_path: Path) -> None:
    """A minted one fixes all; of one whose graders and prompt were not published, it is said."""
    site = _site(tmp_path)
    (board,) = site.leaderboards.values()
    assert version(site, board, "").unfixed == ""
    evals = {
        name: digests.model_copy(update={"grader": None})
        for name, digests in board.benchmark.evals.items()
    }
    bare = board.benchmark.model_copy(update={"evals": evals, "system_prompt": None})
    assert version(site, replace(board, benchmark=bare), "").unfixed == "graders, prompt"


def _failure(sample: int | None, kind: FailureClass) -> ClassedFailure:
    return ClassedFailure.model_validate(
        {"eval": eval_name(2), "sample": sample, "class": kind, "note": "refused a right answer"}
    )


def _site(place: Path, *failures: ClassedFailure) -> SiteData:
    """Return what pages need of a run with two samples of three evals, both of the last failed."""
    folder = DataFolder(place)
    attempts = tuple(
        attempt(eval_name(number), sample, Outcome.FAILED if number == 2 else Outcome.PASSED)
        for number in range(3)
        for sample in (1, 2)
    )
    made = run().model_copy(update={"samples": 2, "attempts": attempts, "totals": totals(attempts)})
    report = Report(
        schema_version=2,
        run=made.run_id,
        author="a maintainer",
        date=date(2026, 11, 22),
        planned=6,
        passed=4,
        failures=failures,
        text="What happened.\n",
    )
    write_benchmark(folder, benchmark())
    write_run(folder, made)
    path = folder.report_file(made.model.slug, made.run_id, report.date)
    path.parent.mkdir(parents=True)
    path.write_text(report_text(report), encoding="utf-8")
    return site_of(folder)
