"""The tables of a description about runs, reports, scores and ranks."""

from collections.abc import Iterator
from typing import Final

from generator.diff.markdown_text import SiteLinks, format_code, format_pair_parts
from generator.diff.words import format_runs_headline, format_share
from generator.facts.urls import build_model_path, build_report_path, build_run_path
from generator.render.template_filters import format_dollars_or_dash
from leaderboard.changes.checkout import ChangeKind
from leaderboard.changes.description import RevisionChange
from leaderboard.changes.markdown_tables import MOST_ROWS, Row, TableWriter, join_names, write_rest
from leaderboard.changes.results import ReportChange, RunOfChange
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from records.text.numbers import format_count

_RUNS: Final = [
    *("run", "model", "experiment", "", "evals", "passed", "failed", "infrastructure", "cost"),
    "program",
]
_MOVED: Final = [
    *("model", "experiment", "version", "score before", "score after", "rank before", "rank after"),
]


def describe_runs(change: RevisionChange, tables: TableWriter) -> Iterator[str]:
    """Yield a table of the added and changed runs, and the command that verifies them."""
    yield from tables.write(
        "Runs", _RUNS, [_write_run_row(facts, change, tables.links) for facts in change.runs]
    )
    missing = [facts.run.run_id[:8] for facts in change.runs if facts.archive_is_missing]
    if missing:
        yield f"The archive is missing of {join_names(missing)}."
    provable = [facts for facts in change.runs if facts.run.provenance.kind == "executed"]
    if provable:
        command = f"leaderboard verify {provable[0].run.run_id[:8]}"
        yield f"{format_code(command)} proves the verdicts of a run."


def _write_run_row(facts: RunOfChange, change: RevisionChange, links: SiteLinks) -> Row:
    run = facts.run
    followed = any(
        run.run_id in {each.run_id for each in pair.after.runs} for pair in change.data.pairs
    )
    kind = facts.kind.value
    if facts.kind is ChangeKind.ADDED:
        kind = "repeated" if followed else "new"
    evals = (
        f"{len(run.planned)} of {facts.evals}" if facts.evals is not None else "version not defined"
    )
    if facts.is_whole:
        evals = f"all {facts.evals}"
    if run.unjudged:
        evals += f", {format_count(run.unjudged, 'attempt')} without a verdict"
    return [
        links.make_link(run.run_id[:8], build_run_path(run.run_id)),
        links.make_link(run.model.slug, build_model_path(run.model.slug)),
        format_code(run.experiment.name),
        kind if run.status == "completed" else f"{kind}, {run.status}",
        evals,
        *(
            str(facts.count(each))
            for each in (Outcome.PASSED, Outcome.FAILED, Outcome.INFRASTRUCTURE)
        ),
        _describe_cost(run),
        facts.commit_words,
    ]


def _describe_cost(run: Run) -> str:
    totals = run.totals
    if totals.cost_usd is None:
        return "not known"
    partly = f", known for {totals.cost_known_for} attempts"
    return format_dollars_or_dash(totals.cost_usd) + (
        partly if totals.cost_known_for < len(run.attempts) else ""
    )


def list_pairs(change: RevisionChange, tables: TableWriter) -> Iterator[str]:
    """Yield the comparison of each repeated run with the run that it repeats."""
    pairs = change.data.pairs
    for pair in pairs[:MOST_ROWS]:
        before, after = (
            tables.links.make_link(side.label, build_run_path(side.runs[0].run_id))
            for side in (pair.before, pair.after)
        )
        yield f"{after} after {before}: {format_runs_headline(pair)}"
        differences = "\n\n".join(format_pair_parts(pair, tables.links))
        yield tables.fold("Verdicts that flipped, and other differences", differences)
    if len(pairs) > MOST_ROWS:
        yield write_rest(len(pairs)).strip()


def list_reports(change: RevisionChange, tables: TableWriter) -> Iterator[str]:
    """Yield a table of the reports that differ."""
    rows = [_write_report_row(report, tables.links) for report in change.reports]
    yield from tables.write("Reports", ["report", "", "state", "failures without a class"], rows)


def _write_report_row(report: ReportChange, links: SiteLinks) -> Row:
    _, provider, model, name = report.path.split("/")
    is_removed = report.kind is ChangeKind.REMOVED
    page = (
        format_code(report.path)
        if is_removed
        else links.make_link(report.path, build_report_path(f"{provider}/{model}", name))
    )
    classes = f"{report.open_classes} of {report.failures}"
    return [page, report.kind.value, "draft" if report.draft else "final", classes]


def list_gone(change: RevisionChange, tables: TableWriter) -> Iterator[str]:
    """Yield tables of the runs that are newly withdrawn, and of those whose record is removed."""
    rows = [
        [
            tables.links.make_link(run.run_id[:8], build_run_path(run.run_id)),
            format_code(run.model.slug),
            format_code(run.experiment.name),
            format_code(run.withdrawn.by if run.withdrawn else ""),
            format_code(run.withdrawn.reason if run.withdrawn else ""),
        ]
        for run in change.withdrawn
    ]
    yield from tables.write("Withdrawn", ["run", "model", "experiment", "by", "reason"], rows)
    lost = [
        [format_code(run.run_id), format_code(run.model.slug), format_code(run.experiment.name)]
        for run in change.removed
    ]
    yield from tables.write("Records that are gone", ["run", "model", "experiment"], lost)


def list_moved(change: RevisionChange, tables: TableWriter) -> Iterator[str]:
    """Yield a table of the leaderboard's rows whose score or rank changes."""
    rows = [
        [
            tables.links.make_link(row.slug, build_model_path(row.slug)),
            format_code(row.experiment),
            format_code(row.version),
            *map(format_share, (row.score_before, row.score_after)),
            *(
                "none" if rank is None else f"{rank.words} of {number}"
                for rank, number in (
                    (row.rank_before, row.ranked_before),
                    (row.rank_after, row.ranked_after),
                )
            ),
        ]
        for row in change.data.moved
    ]
    yield from tables.write("Scores and ranks that moved", _MOVED, rows)
