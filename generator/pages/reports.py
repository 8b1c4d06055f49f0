"""The list of all reports, and their findings by eval."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from typing import NamedTuple

from generator.blocks.failure_bars import Bar, build_class_bars, count_classes
from generator.facts.attributions import CLASSES, NOT_CLASSED, format_report_headline
from generator.facts.run_lines import link_model
from generator.facts.shares import Share
from generator.facts.site_data import SiteData
from generator.facts.titles import describe_run_condition, find_eval_title
from generator.facts.urls import ModelLink, build_eval_path, build_filed_path, build_page_frame
from generator.read.summaries import FiledReport, RunSummary
from generator.render.environment import Frame
from records.shapes.failure_classes import SET_ASIDE, FailureClass


class ReportLine(NamedTuple):
    """A report in the list of reports."""

    href: str
    title: str
    """The title without model and day, which have their own columns."""
    model: ModelLink
    experiment: str
    version_title: str
    date: date
    author: str
    share: Share
    classes: str
    """The failures by class, such as ``model fault 3, overly strict grader 1``."""
    withdrawn: str | None
    """Why the run no longer counts; None if it was not withdrawn."""


class FindingLine(NamedTuple):
    """The findings of reports on all runs about an eval."""

    name: str
    title: str
    href: str
    models: int
    """The number of models whose failure at the eval a report lists."""
    blamed: int
    """The number of these whose failure a report blames on the grader, task or machinery."""
    counts: Sequence[int]
    """The number of models by class of failure; a model may count in several classes."""


class ReportsPage(NamedTuple):
    """The list of all reports, newest first."""

    template = "pages/reports.html"

    frame: Frame
    reports: Sequence[ReportLine]
    withdrawn: int
    """The number of reports on withdrawn runs, which are not in the counts below."""
    by_class: Sequence[Bar]
    classes: Sequence[str]
    """The labels of the classes, in the order of `FindingLine.counts`."""
    findings: Sequence[FindingLine]
    """The evals in reports, those with the most blamed models first."""


def build_reports_page(site: SiteData) -> ReportsPage:
    """Return the list of reports, newest first."""
    runs = site.runs
    filed_reports = [filed for filed in site.summaries.reports if filed.report.run in runs]
    standing = [filed for filed in filed_reports if runs[filed.report.run].withdrawn is None]
    return ReportsPage(
        frame=build_page_frame(
            "Reports",
            "reports/",
            f"{len(filed_reports)} analyses of runs: which failures are the model's, the task's or"
            " the grader's.",
            "reports",
        ),
        reports=[_build_line(site, filed, runs[filed.report.run]) for filed in filed_reports],
        withdrawn=len(filed_reports) - len(standing),
        by_class=build_class_bars(standing),
        classes=[label for label, _ in (*CLASSES.values(), NOT_CLASSED)],
        findings=_build_findings(site),
    )


def _build_findings(site: SiteData) -> list[FindingLine]:
    """Return the findings by eval, over the newest report on each run, most blamed first.

    Withdrawn runs are left out.
    """
    models: dict[str, dict[FailureClass | None, set[str]]] = {}
    for run in site.summaries.runs:
        if run.withdrawn is not None:
            continue
        for filed in site.reports.get(run.run_id, ())[:1]:
            for failure in filed.report.failures:
                kinds = models.setdefault(failure.eval, {})
                kinds.setdefault(failure.failure_class, set()).add(run.slug)
    lines = [_build_finding(site, name, kinds) for name, kinds in models.items()]
    return sorted(lines, key=lambda line: (-line.blamed, -line.models, line.name))


def _build_finding(
    site: SiteData, name: str, kinds: Mapping[FailureClass | None, AbstractSet[str]]
) -> FindingLine:
    aside = [kinds[kind] for kind in SET_ASIDE if kind in kinds]
    return FindingLine(
        name=name,
        title=find_eval_title(site, name),
        href=build_eval_path(name),
        models=len(set[str]().union(*kinds.values())),
        blamed=len(set[str]().union(*aside)),
        counts=[len(kinds.get(kind, ())) for kind in (*CLASSES, None)],
    )


def _build_line(site: SiteData, filed: FiledReport, run: RunSummary) -> ReportLine:
    report = filed.report
    classes = count_classes([filed])
    return ReportLine(
        href=build_filed_path(filed),
        title=report.title or f"run {report.run[:8]}: {format_report_headline(report)}",
        model=link_model(run),
        experiment=describe_run_condition(run),
        version_title=site.find_version_title(run.version),
        date=report.date,
        author=report.author,
        share=Share(report.passed, report.planned),
        classes=", ".join(f"{label} {number}" for label, number in classes.items()),
        withdrawn=run.withdrawn,
    )
