"""The cached summaries of reports: a report as text, and back."""

from pathlib import Path

from generator.read.summaries import FiledReport
from records.files.data_folder import get_model_slug
from records.shapes.report import Report


def format_report_text(report: Report, digest: str) -> str:
    """Return the summary of a report for the cache; ``digest`` is the digest of its file."""
    return f"{digest} {report.model_dump_json(by_alias=True, exclude_defaults=True)}"


def parse_filed_report(path: Path, text: str, *, local: bool) -> FiledReport:
    """Return the report at ``path`` from its cached summary."""
    digest, _, body = text.partition(" ")
    report = Report.model_validate_json(body)
    return FiledReport(get_model_slug(path), path.name, path, report, local, digest)
