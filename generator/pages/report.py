"""The page of a report: a maintainer's analysis of a run."""

from collections.abc import Sequence
from typing import NamedTuple

from generator.blocks.failure_bars import Bar, build_class_bars, compute_report_attributed_share
from generator.facts.attributions import CLASSES, NOT_CLASSED, format_report_title
from generator.facts.run_lines import build_run_line
from generator.facts.shares import RunLine, Share
from generator.facts.site_data import SiteData
from generator.facts.titles import find_eval_title
from generator.facts.urls import (
    build_attempt_href,
    build_eval_path,
    build_filed_path,
    build_page_frame,
)
from generator.read.summaries import FiledReport, RunSummary
from generator.render.environment import Frame
from records.shapes.report import ClassedFailure, Report
from records.text.run_days import describe_dated_run


class FailureLine(NamedTuple):
    """A failure that a report lists."""

    name: str
    title: str
    href: str
    """The address of the eval's page."""
    kind: str
    tag: str
    """The class of failure as in reports' files; empty for none."""
    note: str
    attempt_href: str


class ReportPage(NamedTuple):
    """The page of a report."""

    template = "pages/report.html"

    frame: Frame
    title: str
    run: RunLine
    report: Report
    share: Share
    attributed: Share | None
    """The share without the failures that the report sets aside; None if it sets none aside."""
    by_class: Sequence[Bar]
    failures: Sequence[FailureLine]
    """The failures in the order of the report; links number them from 1."""
    mended: Sequence[FailureLine]
    """Former failures that pass since the run was graded again."""


def build_report_page(site: SiteData, filed: FiledReport, run: RunSummary) -> ReportPage:
    """Return the page of a report on ``run``."""
    report = filed.report
    return ReportPage(
        frame=build_page_frame(
            format_report_title(filed, run.name),
            build_filed_path(filed),
            f"An analysis of what {run.name} failed in its {describe_dated_run(run)}, "
            f"by {report.author}.",
            "reports",
            site.choose_card_path(run.slug),
        ),
        title=format_report_title(filed, run.name),
        run=build_run_line(site, run),
        report=report,
        share=Share(report.passed, report.planned),
        attributed=compute_report_attributed_share(filed, run),
        by_class=build_class_bars([filed]),
        failures=[_build_failure_line(site, run, failure) for failure in report.failures],
        mended=[_build_failure_line(site, run, failure) for failure in report.mended],
    )


def _build_failure_line(site: SiteData, run: RunSummary, failure: ClassedFailure) -> FailureLine:
    failure_class = failure.failure_class
    return FailureLine(
        name=failure.eval,
        title=find_eval_title(site, failure.eval),
        href=build_eval_path(failure.eval),
        kind=CLASSES[failure_class][0] if failure_class else NOT_CLASSED[0],
        tag=failure_class.value if failure_class else "",
        note=failure.note,
        attempt_href=build_attempt_href(run, failure.eval, failure.sample or 1),
    )
