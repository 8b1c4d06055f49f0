"""Errata: the mended evals, the change of each run's score, and the notes of reports."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from generator.blocks.attributions import find_attribution
from generator.pages.changes import build_errata_page
from generator.pages.model import build_model_page
from generator.read.summaries import FiledReport, ReplacedVerdict
from generator.render.templates import PageContext
from records.files.data_folder import DataFolder
from records.shapes.attempt import Attempt, Outcome, Verdict
from records.shapes.report import ClassedFailure, Report
from tests.generator.contexts import gather_site, render_tree
from tests.records import examples

pytestmark = pytest.mark.unit

MENDED: Final = examples.make_eval_name(2)
WHY: Final = "the order of equal dates was not in the task"
LATER: Final = datetime(2026, 11, 23, 12, tzinfo=UTC)


def make_regraded_attempt(
    name: str, before: Outcome, after: Outcome, *, grader: str = "d", toolchain: str = "e"
) -> Attempt:
    """Return an attempt that an earlier grader or toolchain judged otherwise."""
    now = examples.make_attempt(name, outcome=after)
    assert now.key is not None
    assert now.graded_at is not None
    key = now.key.model_copy(
        update={
            "grader": examples.make_digest(grader),
            "toolchain": examples.make_digest(toolchain),
        }
    )
    earlier = Verdict(
        graded_at=now.graded_at,
        key=key,
        outcome=before,
        failed_step=None,
        reason=None,
        replaced_because=WHY,
    )
    return now.model_copy(update={"graded_at": LATER, "earlier_verdicts": (earlier,)})


def build_page(root: Path, *attempts: Attempt, report: Report | None = None) -> PageContext:
    """Return the errata of a site with one run of these attempts."""
    return build_errata_page(gather_site(write_folder(root, *attempts, report=report)))


def write_folder(root: Path, *attempts: Attempt, report: Report | None = None) -> DataFolder:
    """Write one run of these attempts, and a report on it."""
    run = examples.with_attempts(examples.make_run(), attempts)
    folder = examples.write_runs(DataFolder(root), run)
    if report is not None:
        examples.write_report(folder, report)
    return folder


def make_mended_report(
    *failures: ClassedFailure, planned: int, passed: int, sample: int | None = None
) -> Report:
    """Return a report that called the grader of the mended eval overly strict, and ``failures``."""
    strict = {
        "eval": MENDED,
        "sample": sample,
        "class": "overly_strict",
        "note": "asks for an order",
    }
    return examples.make_report(
        examples.make_run(), planned=planned, passed=passed, failures=failures, mended=(strict,)
    )


def read_verdicts(page: PageContext) -> list[str]:
    """Return the words of the links to attempts."""
    return [link.text() for link in render_tree(page).css("td.text a:not(.blame)")]


def make_passed_attempts(*numbers: int) -> list[Attempt]:
    """Return attempts that passed and were graded once."""
    return [examples.make_attempt(examples.make_eval_name(number)) for number in numbers]


@pytest.mark.parametrize(
    ("before", "after", "part", "points", "label"),
    [
        (Outcome.FAILED, Outcome.PASSED, "grader", 100 / 3, "failed, now passed"),
        # Readers see that the eval was checked; the score did not move.
        (Outcome.PASSED, Outcome.PASSED, "grader", 0, "passed, as before"),
        (Outcome.PASSED, Outcome.FAILED, "toolchain", -100 / 3, "passed, now failed"),
        # An attempt without a verdict is in no mean, so no difference of means is known.
        (Outcome.INFRASTRUCTURE, Outcome.PASSED, "grader", None, "infrastructure, now passed"),
        (Outcome.FAILED, Outcome.INFRASTRUCTURE, "grader", None, "failed, now infrastructure"),
    ],
)
def test_an_eval_graded_again_is_listed_with_its_effects(  # noqa: PLR0913, PLR0917 - a table
    tmp_path: Path, before: Outcome, after: Outcome, part: str, points: float | None, label: str
) -> None:
    """An eval of three moves the score of the run by a third of 100 points."""
    mended = make_regraded_attempt(MENDED, before, after, **{part: "0"})
    page = build_page(tmp_path, *make_passed_attempts(0, 1), mended)
    (erratum,) = page.errata
    assert (erratum.eval.name, erratum.causes, erratum.why) == (MENDED, (part,), WHY)
    assert (erratum.changed, erratum.verdicts) == (before != after, 1)
    assert erratum.date == LATER.date()
    (moved,) = erratum.runs
    assert moved.points == (None if points is None else pytest.approx(points))
    assert read_verdicts(page) == [label]


def test_another_toolchain_without_another_verdict_is_no_erratum(tmp_path: Path) -> None:
    """Otherwise each update of a package would list evals without a mistake."""
    same = make_regraded_attempt(MENDED, Outcome.PASSED, Outcome.PASSED, toolchain="0")
    assert build_page(tmp_path, *make_passed_attempts(0, 1), same).errata == []


def test_a_class_outlives_the_failure(tmp_path: Path) -> None:
    """A report's note on a former failure stays in the errata, and is linked."""
    report = make_mended_report(planned=3, passed=3)
    mended = make_regraded_attempt(MENDED, Outcome.FAILED, Outcome.PASSED, grader="0")
    (erratum,) = build_page(tmp_path, *make_passed_attempts(0, 1), mended, report=report).errata
    (attribution,) = [moved.attribution for moved in erratum.runs if moved.attribution]
    assert (attribution.kind, attribution.note) == ("overly strict grader", "asks for an order")
    assert attribution.href.endswith("#mended-1")


def test_the_class_of_a_mended_attempt_marks_no_other(tmp_path: Path) -> None:
    """The grader was wrong about the first attempt; the second fails without a reason."""
    fails = {"eval": MENDED, "sample": 2, "class": None, "note": ""}
    report = make_mended_report(ClassedFailure.model_validate(fails), planned=2, passed=1, sample=1)
    filed = FiledReport(
        tmp_path / "report.md", report, local=False, digest=examples.make_digest("0")
    )
    basics: Any = SimpleNamespace(reports={"a" * 32: [filed]})
    attribution = find_attribution(basics, "a" * 32, MENDED)
    assert attribution is not None
    assert attribution.href.endswith("#failure-1")
    assert find_attribution(basics, "a" * 32, MENDED, 1, mended=True)


def test_each_regrading_of_an_attempt_is_reported(tmp_path: Path) -> None:
    """Three gradings by three graders are two errata with anchors of their own."""
    last = make_regraded_attempt(MENDED, Outcome.FAILED, Outcome.PASSED, grader="1")
    first = make_regraded_attempt(
        MENDED, Outcome.PASSED, Outcome.FAILED, grader="0"
    ).earlier_verdicts[0]
    twice = last.model_copy(update={"earlier_verdicts": (first, *last.earlier_verdicts)})
    page = build_page(tmp_path, *make_passed_attempts(0, 1), twice)
    assert read_verdicts(page) == ["failed, now passed", "passed, now failed"]
    assert len({erratum.anchor for erratum in page.errata}) == 2


def test_the_log_and_the_models_page_give_the_reason(tmp_path: Path) -> None:
    """The log has a row for each day, and the model's page a line with the run."""
    mended = make_regraded_attempt(MENDED, Outcome.FAILED, Outcome.PASSED, grader="0")
    site = gather_site(write_folder(tmp_path, *make_passed_attempts(0, 1), mended))
    sentence = f"1 attempt graded again, 1 outcome changed: {WHY}"
    (line,) = build_model_page(site, "openai/gpt-example").runs
    assert line.afterwards == [f"{LATER.date()}: {sentence}"]
    (summary,) = site.summaries.runs
    (replaced,) = summary.regraded
    assert isinstance(replaced, ReplacedVerdict)
    assert (replaced.causes, replaced.grader) == (("grader",), examples.make_digest("d"))
