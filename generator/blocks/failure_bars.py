"""Bars of counts, and of failures by class."""

from collections import Counter
from collections.abc import Mapping, Sequence

from generator.charts.plots import draw_count_bar
from generator.facts.attributions import CLASSES, NOT_CLASSED
from generator.facts.shares import Share
from generator.facts.site_data import SiteData
from generator.read.summaries import FiledReport, RunSummary
from generator.render.environment import Row
from generator.scores.attribution import list_attempt_classes
from records.shapes.failure_classes import SET_ASIDE, FailureClass


def build_class_bars(reports: Sequence[FiledReport]) -> list[Row]:
    """Return a bar for each class of failure in ``reports``, the most frequent class first."""
    return _build_bars(count_classes(reports))


def build_attempt_class_bars(site: SiteData, runs: Sequence[RunSummary]) -> list[Row]:
    """Return a bar for each class of failed attempts, the most frequent class first.

    The classes are those of the newest report on each of ``runs``; runs without a report are left
    out. Failed attempts that the report does not classify have a bar of their own.
    """
    numbers: Counter[str] = Counter()
    for run in runs:
        for filed in site.reports.get(run.run_id, ())[:1]:
            failed = run.tally.judged - run.tally.passed
            for classes in list_attempt_classes(filed.report.failures, run.results).values():
                numbers.update(CLASSES[FailureClass(failure_class)][0] for failure_class in classes)
                failed -= len(classes)
            if failed > 0:
                numbers[NOT_CLASSED[0]] += failed
    return _build_bars(numbers)


def _build_bars(numbers: Mapping[str, int]) -> list[Row]:
    total = sum(numbers.values())
    by_frequency = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    return [
        Row(label=label, number=number, chart=draw_count_bar(number, total))
        for label, number in by_frequency
    ]


def count_classes(reports: Sequence[FiledReport]) -> dict[str, int]:
    """Return the number of failures of each class in ``reports``; the keys are the class's words.

    Classes without failures are left out.
    """
    numbers = Counter(
        failure.failure_class for filed in reports for failure in filed.report.failures
    )
    order = [(CLASSES[kind][0], numbers[kind]) for kind in CLASSES]
    order.append((NOT_CLASSED[0], numbers[None]))
    return {label: number for label, number in order if number}


def compute_report_attributed_share(filed: FiledReport, run: RunSummary) -> Share | None:
    """Return the share of passed attempts, without the attempts that the report sets aside.

    None if the report sets no attempt aside, or all of them.
    """
    report = filed.report
    classes_by_eval = list_attempt_classes(report.failures, run.results)
    set_aside = sum(
        failure_class in SET_ASIDE
        for classes in classes_by_eval.values()
        for failure_class in classes
    )
    remaining = report.planned - set_aside
    return Share(report.passed, remaining) if set_aside and remaining else None
