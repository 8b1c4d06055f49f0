"""Reports: a maintainer's analysis of one run, and the list of all."""

from collections import Counter
from collections.abc import Sequence

from generator.charts.bars import count
from generator.contexts.runs import ReportLine, ReportPage, ReportsPage
from generator.contexts.shared import Bar, Share
from generator.corpus import FiledReport, RunSummary
from generator.pages.classes import attempt_classes
from generator.pages.lines import CLASSES, NOT_CLASSED, filed_path, linked, report_title, run_line
from generator.pages.material import Material
from generator.pages.names import experiment, frame
from generator.pages.rows.failures import failure_rows
from generator.prose import prose
from generator.scores.inputs import SET_ASIDE


def report_page(
    material: Material, filed: FiledReport, run: RunSummary, markdown: str
) -> ReportPage:
    """Gather the page of a report with ``markdown`` below its front matter."""
    report, own = filed.report, filed.analysis
    around = frame(
        report_title(filed, run.name),
        filed_path(filed),
        f"An analysis of what {run.name} failed in its run of {run.date}, by {report.author}.",
        "reports",
        material.card(run.slug),
    )
    return ReportPage(
        frame=around,
        title=report_title(filed, run.name),
        run=run_line(material, run),
        author=report.author,
        date=report.date,
        source=own.source,
        share=Share(report.passed, report.planned),
        attributed=_attributed(filed, run),
        by_class=class_bars([filed]),
        failures=failure_rows(around.root, run, report.failures),
        patterns=own.patterns,
        actions=own.actions,
        net_impact=own.net_impact,
        body=prose(markdown).html,
    )


def reports_page(material: Material) -> ReportsPage:
    """Gather the list of reports, newest first."""
    runs = material.runs
    shown = [filed for filed in material.corpus.reports if filed.report.run in runs]
    return ReportsPage(
        frame=frame(
            "Reports",
            "reports/",
            f"{len(shown)} analyses of runs: which failures are the model's, the task's, the"
            " grader's.",
            "reports",
        ),
        reports=[_line(material, filed, runs[filed.report.run]) for filed in shown],
        by_class=class_bars(shown),
    )


def class_bars(reports: Sequence[FiledReport]) -> list[Bar]:
    """Count the failures that ``reports`` list, by class."""
    found = _classes(reports)
    largest = max(found.values(), default=0)
    return [Bar(label, number, count(number, largest)) for label, number in found.items()]


def _classes(reports: Sequence[FiledReport]) -> dict[str, int]:
    counted = Counter(
        failure.failure_class for filed in reports for failure in filed.report.failures
    )
    order = [(CLASSES[kind][0], counted[kind]) for kind in CLASSES]
    order.append((NOT_CLASSED[0], counted[None]))
    return {label: number for label, number in order if number}


def _line(material: Material, filed: FiledReport, run: RunSummary) -> ReportLine:
    report = filed.report
    classes = _classes([filed])
    return ReportLine(
        href=filed_path(filed),
        title=report.title or f"{report.passed} of {report.planned} passed",
        model=linked(run),
        experiment=experiment(run.experiment),
        version_title=material.version_title(run.version),
        date=report.date,
        author=report.author,
        share=Share(report.passed, report.planned),
        classes=", ".join(f"{label} {number}" for label, number in classes.items()),
    )


def _attributed(filed: FiledReport, run: RunSummary) -> Share | None:
    """Take the attempts set aside out of those planned; None where there are none."""
    report = filed.report
    classes = attempt_classes(report, run.results).values()
    aside = sum(one in SET_ASIDE for each in classes for one in each)
    left = report.planned - aside
    return Share(report.passed, left) if aside and left else None
