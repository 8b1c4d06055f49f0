"""The reports on a run: links and titles, whose fault each failure is, and bars of the classes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from generator.read.summaries import FiledReport, RunSummary
from generator.scores.inputs import list_attempt_classes
from generator.site_data import SiteBasics, SiteData
from generator.site_links import Link, build_filed_path
from records.shapes.failure_classes import CLASSES, SET_ASIDE
from records.shapes.report import Report
from records.text.numbers import format_count


def build_report_links(site: SiteBasics, run: RunSummary) -> list[Link]:
    """Return links to the reports on ``run``, newest first."""
    return [
        Link(
            build_filed_path(filed),
            f"{filed.report.title or format_report_headline(filed.report)} ({filed.report.date})",
        )
        for filed in site.reports.get(run.run_id, ())
    ]


def format_report_title(filed: FiledReport, model: str) -> str:
    """Return the title of a report's page: its own title or its run and headline, then its day."""
    report = filed.report
    title = report.title or f"{model}, run {report.run[:8]}: {format_report_headline(report)}"
    return f"{title} ({report.date})"


def format_report_headline(report: Report) -> str:
    """Return in words how many failures a report lists, and how many are not the model's fault."""
    if not report.failures:
        return "no failure" if report.passed == report.planned else "no failure classed"
    aside = sum(failure.failure_class in SET_ASIDE for failure in report.failures)
    text = format_count(len(report.failures), "failure")
    return f"{text}, {aside} not the model's" if aside else text


class Attribution(NamedTuple):
    """A report's statement on whose fault a failure is."""

    kind: str
    """The class of the failure in words; `not classed` if nobody has classed it."""
    mark: str
    """A letter for the cells of the matrix."""
    note: str
    href: str
    """The address of the report's paragraph on the failure, below the root."""
    published: bool
    """Whether the publisher of imported results made the attribution."""


def find_attribution(
    site: SiteBasics, run_id: str, name: str, sample: int | None = None, *, mended: bool = False
) -> Attribution | None:
    """Return the attribution of a run's failure at an eval, by the newest report that lists it.

    It is that of a ``sample``, else of all samples; without a sample that of all, else of the first
    sample with one. With ``mended`` also that of failures that pass since a new grading.
    """
    of_run = _collect_from_reports(tuple(site.reports.get(run_id, ())), mended=mended)
    whole = of_run.get((name, None))
    if sample is not None:
        return of_run.get((name, sample), whole)
    samples = [number for evaluation, number in of_run if evaluation == name and number]
    return whole or (of_run[name, min(samples)] if samples else None)


@lru_cache(maxsize=1 << 13)
def _collect_from_reports(
    reports: tuple[FiledReport, ...], *, mended: bool
) -> Mapping[tuple[str, int | None], Attribution]:
    """Return attributions by eval and sample; None stands for all samples."""
    by_attempt: dict[tuple[str, int | None], Attribution] = {}
    for filed in reports:
        page = build_filed_path(filed)
        listed = [("failure", filed.report.failures)]
        listed += [("mended", filed.report.mended)] if mended else []
        for kind, failures in listed:
            for number, failure in enumerate(failures, start=1):
                label, mark = CLASSES[failure.failure_class]
                attribution = Attribution(
                    kind=label,
                    mark=mark,
                    note=failure.note,
                    href=f"{page}#{kind}-{number}",
                    published=filed.report.source is not None,
                )
                by_attempt.setdefault((failure.eval, failure.sample), attribution)
    return by_attempt


def count_attempt_classes(site: SiteData, runs: Sequence[RunSummary]) -> Counter[str]:
    """Return the number of failed attempts of each class.

    The classes are those of the newest report on each of ``runs``; runs without a report are left
    out. Failed attempts that the report does not classify are a class of their own.
    """
    numbers: Counter[str] = Counter()
    for run in runs:
        for filed in site.reports.get(run.run_id, ())[:1]:
            failed = run.tally.judged - run.tally.passed
            for classes in list_attempt_classes(filed.report.failures, run.results).values():
                numbers.update(CLASSES[failure_class][0] for failure_class in classes)
                failed -= len(classes)
            if failed > 0:
                numbers[CLASSES[None][0]] += failed
    return numbers


def count_classes(reports: Sequence[FiledReport]) -> dict[str, int]:
    """Return the number of failures of each class in ``reports``; the keys are the class's words.

    Classes without failures are left out.
    """
    numbers = Counter(
        failure.failure_class for filed in reports for failure in filed.report.failures
    )
    return {label: numbers[kind] for kind, (label, _) in CLASSES.items() if numbers[kind]}
