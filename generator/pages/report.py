"""One report: a maintainer's analysis of one run."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from generator.blocks.count_bars import Bar
from generator.blocks.failure_bars import attributed_share, class_bars
from generator.facts.attributions import CLASSES, NOT_CLASSED
from generator.facts.page_frame import frame
from generator.facts.report_links import report_title
from generator.facts.run_lines import run_line
from generator.facts.shares import RunLine, Share
from generator.facts.site_data import SiteData
from generator.facts.titles import eval_title
from generator.facts.urls import attempt_href, eval_path, filed_path
from generator.read.summaries import FiledReport, RunSummary
from generator.render.environment import Frame
from records.shapes.report import ClassedFailure


class FailureLine(NamedTuple):
    """A failure that a report lists."""

    name: str
    title: str
    href: str
    """Address of the eval's page."""
    kind: str
    tag: str
    """The class of failure as reports write it; empty for none."""
    note: str
    attempt_href: str


class ReportPage(NamedTuple):
    """A maintainer's analysis of one run."""

    template = "pages/report.html"

    frame: Frame
    title: str
    run: RunLine
    author: str
    date: date
    draft: bool
    """The analysis is unfinished; only previews show it."""
    source: str | None
    share: Share
    attributed: Share | None
    """Without the failures noted on the grader or the task; None where there are none."""
    by_class: Sequence[Bar]
    failures: Sequence[FailureLine]
    """Numbered from 1, as links name them."""
    mended: Sequence[FailureLine]
    """Failures that are none any more since the run was graded again."""
    patterns: Sequence[str]
    actions: Sequence[str]
    net_impact: str | None
    body: str
    """Markdown."""


def report_page(site: SiteData, filed: FiledReport, run: RunSummary) -> ReportPage:
    """Gather the page of a report."""
    report = filed.report
    return ReportPage(
        frame=frame(
            report_title(filed, run.name),
            filed_path(filed),
            f"An analysis of what {run.name} failed in its run of {run.date}, by {report.author}.",
            "reports",
            site.card(run.slug),
        ),
        title=report_title(filed, run.name),
        run=run_line(site, run),
        author=report.author,
        draft=report.draft,
        date=report.date,
        source=report.source,
        share=Share(report.passed, report.planned),
        attributed=attributed_share(filed, run),
        by_class=class_bars([filed]),
        failures=[_failure(site, run, failure) for failure in report.failures],
        mended=[_failure(site, run, failure) for failure in report.mended],
        patterns=report.patterns,
        actions=report.actions,
        net_impact=report.net_impact,
        body=report.text,
    )


def _failure(site: SiteData, run: RunSummary, failure: ClassedFailure) -> FailureLine:
    failure_class = failure.failure_class
    return FailureLine(
        name=failure.eval,
        title=eval_title(site, failure.eval),
        href=eval_path(failure.eval),
        kind=CLASSES[failure_class][0] if failure_class else NOT_CLASSED[0],
        tag=failure_class.value if failure_class else "",
        note=failure.note,
        attempt_href=attempt_href(run, failure.eval, failure.sample or 1),
    )
