"""Links to the reports on a run, as every page shows them, and what a report is called."""

from generator.read.summaries import FiledReport, RunSummary
from generator.site.parts import Link
from generator.site.shared import SiteBasics
from generator.site.urls import filed_path


def report_links(site: SiteBasics, run: RunSummary) -> list[Link]:
    """Return links to the reports on ``run`` that the site has; drafts are left out before."""
    return [
        Link(filed_path(filed), report_title(filed, run.name))
        for filed in site.reports.get(run.run_id, ())
    ]


def report_title(filed: FiledReport, model: str) -> str:
    """Return a report's headline, or who it is about."""
    return filed.report.title or f"{model}: {filed.report.passed} of {filed.report.planned} passed"
