"""Links to the reports on a run, as every page shows them, and what a report is called."""

from generator.read.summaries import FiledReport, RunSummary
from generator.site.parts import Link
from generator.site.shared import SiteBasics
from generator.site.urls import filed_path
from records.failure_classes import SET_ASIDE
from records.report import Report


def report_links(site: SiteBasics, run: RunSummary) -> list[Link]:
    """Return links to the reports on ``run`` that the site has; drafts are left out before."""
    return [
        Link(filed_path(filed), report_title(filed, run.name))
        for filed in site.reports.get(run.run_id, ())
    ]


def report_title(filed: FiledReport, model: str) -> str:
    """Return what a report is called everywhere: headline or run, and day."""
    report = filed.report
    said = report.title or f"{model}, run {report.run[:8]}: {_headline(report)}"
    return f"{said} ({report.date})"


def _headline(report: Report) -> str:
    """Say what a report found: how many failures, and how many are not the model's."""
    if not report.failures:
        return "no failure" if report.passed == report.planned else "no failure classed"
    aside = sum(one.failure_class in SET_ASIDE for one in report.failures)
    number = len(report.failures)
    text = f"{number} {'failure' if number == 1 else 'failures'}"
    return f"{text}, {aside} not the model's" if aside else text
