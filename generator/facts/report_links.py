"""The links to the reports on a run, and the titles of reports."""

from generator.facts.links import Link
from generator.facts.site_basics import SiteBasics
from generator.facts.urls import build_filed_path
from generator.read.summaries import FiledReport, RunSummary
from records.shapes.failure_classes import SET_ASIDE
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
