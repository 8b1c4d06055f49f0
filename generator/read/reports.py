"""From a report to its summary, as text that is kept from build to build, and back."""

import json
from datetime import date
from pathlib import Path

from generator.digests import digest_of
from generator.read.summaries import (
    Analysis,
    FiledReport,
    ReportedFailure,
    ReportSummary,
    compact,
)
from records.report import FailureClass, Report, slug_of_report


def report_text(report: Report, file: str) -> str:
    """Return the summary of a report as text; ``file`` is the digest of its bytes."""
    head = [
        report.run,
        report.author,
        report.date.isoformat(),
        report.title,
        report.planned,
        report.passed,
        [
            [one.eval, one.sample, one.failure_class and one.failure_class.value, one.note]
            for one in report.failures
        ],
    ]
    own = [report.source, report.patterns, report.actions, report.net_impact]
    return f"{file} {compact(head)}\n{compact(own)}"


def report_summary(path: Path, text: str, *, local: bool) -> FiledReport:
    """Return the summary of the report at ``path``."""
    file, _, rest = text.partition(" ")
    body, _, own = rest.partition("\n")
    run, author, day, title, planned, passed, failures = json.loads(body)
    slug = slug_of_report(path)
    return FiledReport(
        slug=slug,
        file_name=path.name,
        path=path,
        report=ReportSummary(
            run=run,
            author=author,
            date=date.fromisoformat(day),
            title=title,
            planned=planned,
            passed=passed,
            failures=[
                ReportedFailure(name, sample, FailureClass(kind) if kind else None, note)
                for name, sample, kind, note in failures
            ],
        ),
        analysis=Analysis(*json.loads(own)),
        local=local,
        digest=digest_of(f"{slug}/{path.name} {local} {body}".encode()),
        record=file,
    )
