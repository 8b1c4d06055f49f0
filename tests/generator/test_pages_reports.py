"""What reports say of failures, where a run has several samples of each eval."""

import re
from datetime import date
from pathlib import Path

from generator.scores.failure_classes import attempt_classes
from generator.site.data import SiteData
from generator.site.matrix import matrix_page
from generator.site.reports import report_page
from records.folder import DataFolder
from records.report import ClassedFailure, FailureClass, Report, report_text
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
