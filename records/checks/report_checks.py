"""Checks of reports: against the runs that they are about, and against each other."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from records.checks.findings import Problem, find_misplaced, try_reading
from records.checks.run_checks import CheckedRun
from records.files.data_folder import DataFolder, get_model_slug
from records.reader import read_report
from records.shapes.failure_classes import FailureClass
from records.shapes.report import ClassedFailure, Report, build_report_name


def check_reports(folder: DataFolder, runs: Sequence[CheckedRun], problems: list[Problem]) -> None:
    """Check that the runs of reports exist and agree, and that reports agree about classes."""
    by_place = {(run.slug, run.run_id): run for run in runs}
    classed: dict[tuple[str, str, int], tuple[FailureClass, Path]] = {}
    for path in folder.list_report_files():
        report = try_reading(problems, path, read_report)
        if report is None:
            continue
        problems += find_misplaced(path, "run and date", path.with_name(build_report_name(report)))
        run = by_place.get((get_model_slug(path), report.run))
        if run is None:
            reason = f"{report.run} is not a run of {get_model_slug(path)}"
            problems.append(Problem(path, "run", reason))
        else:
            problems += _find_report_problems(path, report, run)
            problems += _find_contradictions(path, report, run, classed)


def _find_contradictions(
    path: Path,
    report: Report,
    run: CheckedRun,
    classed: dict[tuple[str, str, int], tuple[FailureClass, Path]],
) -> Iterator[Problem]:
    """Yield a problem for each attempt that an earlier report gives another class.

    The classes of ``report`` are added to ``classed``.
    """
    single = {(failure.eval, failure.sample) for failure in report.failures}
    for failure in report.failures:
        mine = failure.failure_class
        if mine is None or report.draft:
            continue
        for name, sample in sorted(run.failed):
            # An entry without a sample is about all samples of the eval that have no entry of
            # their own.
            about = failure.sample == sample if failure.sample else (name, sample) not in single
            if name != failure.eval or not about:
                continue
            earlier, where = classed.setdefault((run.run_id, name, sample), (mine, path))
            if earlier is not mine:
                reason = f"{name} sample {sample} is {earlier} in {where}, and {mine} here"
                yield Problem(path, f"{_name_failure(failure)}.class", reason)


def _find_report_problems(path: Path, report: Report, run: CheckedRun) -> Iterator[Problem]:
    for name in ("planned", "passed", "benchmark_version", "experiment"):
        stated, true = getattr(report, name), getattr(run, name)
        if stated is not None and stated != true:
            yield Problem(path, name, f"is {stated}, the run has {true}")
    failed = {name for name, _ in run.failed}
    for failure in report.failures:
        attempt = (failure.eval, failure.sample)
        if failure.eval not in failed or (failure.sample and attempt not in run.failed):
            yield Problem(path, _name_failure(failure), f"{failure.eval} did not fail in the run")
        # A report that others published may have failures to which they gave no class.
        if failure.failure_class is None and not report.draft and report.source is None:
            reason = f"{failure.eval} has no class: give it one, or set draft: true"
            yield Problem(path, f"{_name_failure(failure)}.class", reason)
    still = {*run.failed, *((name, None) for name in failed)}
    for number, failure in enumerate(report.mended):
        if (failure.eval, failure.sample) in still:
            yield Problem(path, f"mended.{number}", f"{failure.eval} still fails in the run")
    if missing := sorted(failed - {failure.eval for failure in report.failures}):
        yield Problem(path, "failures", f"not listed: {', '.join(missing)}")


def _name_failure(failure: ClassedFailure) -> str:
    """Return the place of a failure in a report, in the form of `records.files.problems`."""
    sample = f" sample {failure.sample}" if failure.sample else ""
    return f"failures[{failure.eval}{sample}]"
