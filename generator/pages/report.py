"""The page of a report, a maintainer's analysis of a run, and the list of all reports."""

from generator import site_links
from generator.blocks import attributions
from generator.blocks.run_lines import build_run_line
from generator.read.summaries import FiledReport, RunSummary
from generator.render.templates import PageContext, Row
from generator.scores.inputs import list_attempt_classes
from generator.scores.score_estimate import Share
from generator.site_data import SiteData
from records.shapes.failure_classes import CLASSES, SET_ASIDE, FailureClass
from records.shapes.report import ClassedFailure
from records.text.run_days import describe_dated_run


def build_reports_page(site: SiteData) -> PageContext:
    """Return the list of reports, newest first."""
    standing = [filed for filed, run in site.reported_runs if run.head.withdrawn is None]
    reports = [
        Row(
            filed=filed,
            # Model and day have their own columns.
            title=filed.report.title
            or f"run {run.run_id[:8]}: {attributions.format_report_headline(filed.report)}",
            line=build_run_line(site, run),
            share=Share(filed.report.passed, filed.report.planned),
            classes=attributions.count_classes([filed]),
        )
        for filed, run in site.reported_runs
    ]
    return PageContext(
        "pages/reports.html",
        "Reports",
        "reports/",
        f"{len(reports)} analyses of runs: which failures are the model's, the task's or"
        " the grader's.",
        "reports",
        basics=site,
        reports=reports,
        withdrawn=len(reports) - len(standing),
        by_class=attributions.count_classes(standing),
        classes=[label for label, _ in CLASSES.values()],
        findings=_build_findings(site),
    )


def _build_findings(site: SiteData) -> list[Row]:
    """Return the findings by eval, over the newest report on each run, most blamed first.

    Withdrawn runs are left out. A model may count in several classes.
    """
    models: dict[str, dict[FailureClass | None, set[str]]] = {}
    for run in site.summaries.runs:
        for filed in site.reports.get(run.run_id, ())[:1] if run.head.withdrawn is None else ():
            for failure in filed.report.failures:
                kinds = models.setdefault(failure.eval, {})
                kinds.setdefault(failure.failure_class, set()).add(run.slug)
    findings = [
        Row(
            eval=site.link_eval(name),
            models=len(set[str]().union(*kinds.values())),
            blamed=len(set[str]().union(*(kinds.get(kind, ()) for kind in SET_ASIDE))),
            counts=[len(kinds.get(kind, ())) for kind in CLASSES],
        )
        for name, kinds in models.items()
    ]
    return sorted(findings, key=lambda row: (-row.blamed, -row.models, row.eval.name))


def build_report_page(site: SiteData, filed: FiledReport, run: RunSummary) -> PageContext:
    """Return the page of a report on ``run``."""
    report = filed.report
    classes = list_attempt_classes(report.failures, run.results).values()
    set_aside = sum(kind in SET_ASIDE for kinds in classes for kind in kinds)
    remaining = report.planned - set_aside
    return PageContext(
        "pages/report.html",
        attributions.format_report_title(filed, run.name),
        site_links.build_filed_path(filed),
        f"An analysis of what {run.name} failed in its {describe_dated_run(run.head)}, "
        f"by {report.author}.",
        "reports",
        site.choose_card_path(run.slug),
        line=build_run_line(site, run),
        report=report,
        share=Share(report.passed, report.planned),
        # Without the attempts that the report sets aside.
        attributed=Share(report.passed, remaining) if set_aside and remaining else None,
        by_class=attributions.count_classes([filed]),
        basics=site,
        failures=[_build_failure_line(run, failure) for failure in report.failures],
        mended=[_build_failure_line(run, failure) for failure in report.mended],
    )


def _build_failure_line(run: RunSummary, failure: ClassedFailure) -> Row:
    failures = run.failures.get(failure.eval, ())
    return Row(
        failure=failure,
        kind=CLASSES[failure.failure_class][0],
        # A publisher's words are the note already.
        why=next((each.words for each in failures if failure.sample in {None, each.sample}), None)
        if run.source is None
        else None,
    )
