"""Reports: a maintainer's analysis of one run, and the list of all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from typing import NamedTuple

from generator.charts.bars import count
from generator.read.summaries import FiledReport, RunSummary
from generator.render.environment import Frame
from generator.scores.attempt_classes import attempt_classes
from generator.site.attributions import CLASSES, NOT_CLASSED
from generator.site.data import SiteData
from generator.site.labels import eval_title, experiment
from generator.site.parts import (
    Bar,
    ModelLink,
    RunLine,
    Share,
    frame,
)
from generator.site.report_links import headline, report_title
from generator.site.run_lines import linked, run_line
from generator.site.urls import attempt_href, eval_path, filed_path
from records.shapes.failure_classes import SET_ASIDE, FailureClass
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

    template = "report.html"

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


class ReportLine(NamedTuple):
    """A report in the list of reports."""

    href: str
    title: str
    """Without model and day, which have columns of their own."""
    model: ModelLink
    experiment: str
    version_title: str
    date: date
    author: str
    share: Share
    classes: str
    """Such as ``3 model fault, 1 overly strict``."""
    withdrawn: str | None
    """Why its run no longer counts."""


class FindingLine(NamedTuple):
    """An eval, with the findings of reports on all runs."""

    name: str
    title: str
    href: str
    models: int
    """Whose failure at it some report lists."""
    blamed: int
    """Models of these whose failure a report lays on the grader, the task or the machinery."""
    counts: Sequence[int]
    """Models by class of failure; one may count in several."""


class ReportsPage(NamedTuple):
    """Every report, newest first."""

    template = "reports.html"

    frame: Frame
    reports: Sequence[ReportLine]
    withdrawn: int
    """Reports on withdrawn runs, which are counted nowhere below."""
    by_class: Sequence[Bar]
    classes: Sequence[str]
    """Labels of the classes, in the order of a finding's counts."""
    findings: Sequence[FindingLine]
    """Evals that reports speak of; those most often blamed first."""


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
        attributed=_attributed(filed, run),
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


def reports_page(site: SiteData) -> ReportsPage:
    """Gather the list of reports, newest first."""
    runs = site.runs
    filed_reports = [filed for filed in site.summaries.reports if filed.report.run in runs]
    standing = [filed for filed in filed_reports if runs[filed.report.run].withdrawn is None]
    return ReportsPage(
        frame=frame(
            "Reports",
            "reports/",
            f"{len(filed_reports)} analyses of runs: which failures are the model's, the task's or"
            " the grader's.",
            "reports",
        ),
        reports=[_line(site, filed, runs[filed.report.run]) for filed in filed_reports],
        withdrawn=len(filed_reports) - len(standing),
        by_class=class_bars(standing),
        classes=[label for label, _ in (*CLASSES.values(), NOT_CLASSED)],
        findings=_findings(site),
    )


def class_bars(reports: Sequence[FiledReport]) -> list[Bar]:
    """Count the failures that ``reports`` list, by class, most first."""
    return _bars(_classes(reports))


def attempt_class_bars(site: SiteData, runs: Sequence[RunSummary]) -> list[Bar]:
    """Count the failed attempts of ``runs`` by class, as the newest report on each has them."""
    counted: Counter[str] = Counter()
    for run in runs:
        for filed in site.reports.get(run.run_id, ())[:1]:
            failed = run.tally.judged - run.tally.passed
            for classes in attempt_classes(filed.report.failures, run.results).values():
                counted.update(CLASSES[FailureClass(failure_class)][0] for failure_class in classes)
                failed -= len(classes)
            if failed > 0:
                counted[NOT_CLASSED[0]] += failed
    return _bars(counted)


def _bars(counted: Mapping[str, int]) -> list[Bar]:
    total = sum(counted.values())
    listed = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
    return [Bar(label, number, count(number, total)) for label, number in listed]


def _classes(reports: Sequence[FiledReport]) -> dict[str, int]:
    counted = Counter(
        failure.failure_class for filed in reports for failure in filed.report.failures
    )
    order = [(CLASSES[kind][0], counted[kind]) for kind in CLASSES]
    order.append((NOT_CLASSED[0], counted[None]))
    return {label: number for label, number in order if number}


def _findings(site: SiteData) -> list[FindingLine]:
    """Count models by eval and class, over the newest report on each run; blamed evals first.

    Runs that were withdrawn are left out.
    """
    models: dict[str, dict[FailureClass | None, set[str]]] = {}
    for run in site.summaries.runs:
        if run.withdrawn is not None:
            continue
        for filed in site.reports.get(run.run_id, ())[:1]:
            for failure in filed.report.failures:
                kinds = models.setdefault(failure.eval, {})
                kinds.setdefault(failure.failure_class, set()).add(run.slug)
    lines = [_finding(site, name, kinds) for name, kinds in models.items()]
    return sorted(lines, key=lambda one: (-one.blamed, -one.models, one.name))


def _finding(
    site: SiteData, name: str, kinds: Mapping[FailureClass | None, AbstractSet[str]]
) -> FindingLine:
    aside = [kinds[kind] for kind in SET_ASIDE if kind in kinds]
    return FindingLine(
        name=name,
        title=eval_title(site, name),
        href=eval_path(name),
        models=len(set[str]().union(*kinds.values())),
        blamed=len(set[str]().union(*aside)),
        counts=[len(kinds.get(kind, ())) for kind in (*CLASSES, None)],
    )


def _line(site: SiteData, filed: FiledReport, run: RunSummary) -> ReportLine:
    report = filed.report
    classes = _classes([filed])
    return ReportLine(
        href=filed_path(filed),
        title=report.title or f"run {report.run[:8]}: {headline(report)}",
        model=linked(run),
        experiment=experiment(run.experiment),
        version_title=site.version_title(run.version),
        date=report.date,
        author=report.author,
        share=Share(report.passed, report.planned),
        classes=", ".join(f"{label} {number}" for label, number in classes.items()),
        withdrawn=run.withdrawn,
    )


def _attributed(filed: FiledReport, run: RunSummary) -> Share | None:
    """Take the attempts set aside out of those planned; None where there are none."""
    report = filed.report
    classes = attempt_classes(report.failures, run.results).values()
    aside = sum(failure_class in SET_ASIDE for each in classes for failure_class in each)
    held = report.planned - aside
    return Share(report.passed, held) if aside and held else None
