"""Descriptions of differences as words, tables and JSON, for comments, terminals and pages."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from generator import site_links
from generator.diff.data_diff import ChangedRun, ChangeKind, DataDiff, MovedRow
from generator.diff.runs_diff import Flip, RunsDiff, Side
from generator.diff.writers import DescriptionWriter, Row
from generator.render.template_filters import describe_p_value, format_dollars_or_dash
from generator.scores.differences.difference import Conclusion
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from records.text.numbers import format_count, round_half_up

UNKNOWN = "not published"
"""The words for a step or reason that the record does not have."""
MOST_IN_CELL = 5
"""The most names in a table's cell."""
_MOST_PAIRS = 40
"""The most pairs of runs that are described; the JSON has all."""
SAID = {
    Conclusion.BETTER: "better, by more than chance",
    Conclusion.WORSE: "worse, by more than chance",
    Conclusion.NOISE: "may be chance",
    Conclusion.TOO_FEW: "too few evals to show any difference",
}
"""The words for conclusions, the same in all commands."""


def format_runs_headline(pair: RunsDiff) -> str:
    """Return the change and its certainty in one line."""
    paired = pair.difference
    if paired is None:
        return "No eval was judged on both sides: nothing is compared."
    flips = f"{format_count(len(pair.fixed), 'eval')} fixed, {len(pair.broken)} broken"
    words = f"{flips} of {paired.evals}: {SAID[paired.conclusion]}"
    if paired.conclusion is Conclusion.TOO_FEW:
        return f"{words}."
    often = f"{words}; chance alone makes such a difference {describe_p_value(paired.p_value)}."
    if pair.smallest_effect is None:
        return often
    least = round(pair.smallest_effect * paired.evals)
    fixed = format_count(least, "eval")
    return f"{often} {fixed} fixed and none broken would be noticed 80 times in 100."


def format_share(share: float | None) -> str:
    """Return a share from 0 to 1 as a percentage; ``none`` for None."""
    return "none" if share is None else f"{round_half_up(100 * share, 1)}%"


def group_uncompared_evals(pair: RunsDiff) -> dict[str, Sequence[str]]:
    """Return the evals that are not compared, by reason; reasons without evals are left out."""
    names = {
        "Not compared, for task or grader changed": pair.changed_evals,
        "Judged before only": pair.only_before,
        "Judged after only": pair.only_after,
    }
    return {reason: evals for reason, evals in names.items() if evals}


def format_data_headline(diff: DataDiff) -> str:
    """Return the changes between two states of a data folder in one line."""
    if diff.is_empty:
        return "No published result and no report changed."
    if len(diff.pairs) == 1:
        return format_runs_headline(diff.pairs[0])
    return "; ".join(list_data_clauses(diff) or ["Scores or ranks moved"]) + "."


def list_data_clauses(diff: DataDiff) -> list[str]:
    """Return the numbers of runs and reports that differ, and the conclusions about runs."""
    clauses: list[str] = []
    if diff.pairs:
        pairs = Counter(pair.difference.conclusion for pair in diff.pairs if pair.difference)
        words = ", ".join(
            f"{number} {SAID[conclusion]}" for conclusion, number in sorted(pairs.items())
        )
        clauses.append(
            f"{format_count(len(diff.pairs), 'run')} compared: {words or 'nothing in common'}"
        )
    if diff.new:
        clauses.append(format_count(len(diff.new), "new run"))
    if diff.withdrawn:
        clauses.append(f"{format_count(len(diff.withdrawn), 'run')} withdrawn")
    if diff.removed:
        clauses.append(f"{format_count(len(diff.removed), 'record')} removed")
    if diff.reports:
        clauses.append(f"{format_count(len(diff.reports), 'report')} changed")
    ranks = sum(row.rank_before != row.rank_after for row in diff.moved)
    if ranks:
        clauses.append(f"{format_count(ranks, 'rank')} moved")
    return clauses


def describe_pair(diff: RunsDiff, writer: DescriptionWriter) -> Iterator[str]:
    """Yield the tables of two sides: flipped evals, other differences, evals not compared."""
    flips = [
        *(_write_flip(flip, "fixed", writer) for flip in diff.fixed),
        *(_write_flip(flip, "broken", writer) for flip in diff.broken),
    ]
    head = ["eval", "", "before", "after", "step", "why it failed"]
    yield from writer.write_table("Evals that flipped", head, flips, folds=False)
    costs = ["not known" if cost is None else format_dollars_or_dash(cost) for cost in diff.costs]
    rows: list[Row] = [["", *(_write_side(side, writer) for side in (diff.before, diff.after))]]
    if diff.scores is not None:
        rows.append(["score over the evals compared", *map(format_share, diff.scores)])
    rows.append(["cost per attempt", *costs])
    # The names of parameters and tools are foreign text, too: they come from records.
    rows += [
        list(map(writer.write_name, (item.what, item.before, item.after)))
        for item in diff.inequalities
    ]
    yield from writer.write_table("Both sides", ["", "before", "after"], rows, folds=False)
    for reason, names in group_uncompared_evals(diff).items():
        yield f"{reason}: {writer.join_names(names)}"


def _write_flip(flip: Flip, kind: str, writer: DescriptionWriter) -> Row:
    anchor = site_links.build_attempt_anchor(flip.eval, flip.sample)
    path = f"{site_links.build_run_path(flip.run_id)}#{anchor}"
    if flip.archived:
        path = site_links.build_kept_attempt_href(flip.run_id, flip.eval, flip.sample)
    reason = UNKNOWN if flip.reason is None else writer.write_name(flip.reason)
    step = flip.step or UNKNOWN
    return [writer.write_name(flip.eval, path), kind, flip.before, flip.after, step, reason]


def _write_side(side: Side, writer: DescriptionWriter) -> str:
    if len(side.runs) > 1:
        return f"{writer.write_name(side.label)} ({len(side.runs)} runs)"
    return writer.write_name(side.label, site_links.build_run_path(side.runs[0].run_id))


def describe_data(diff: DataDiff, writer: DescriptionWriter) -> Iterator[str]:
    """Yield the tables of runs, their pairs, reports, runs that are gone, and moved rows."""
    head = ["run", "model", "experiment", "", "evals", "passed", "failed", "infrastructure", "cost"]
    rows = [_write_run(changed, writer) for changed in diff.runs]
    yield from writer.write_table("Runs", [*head, "program"], rows)
    missing = [changed.run.run_id[:8] for changed in diff.runs if changed.archive_is_missing]
    if missing:
        yield f"The archive is missing of {writer.join_names(missing, MOST_IN_CELL)}."
    provable = [each.run for each in diff.runs if each.run.provenance.kind == "executed"]
    if provable:
        command = writer.write_name(f"leaderboard verify {provable[0].run_id[:8]}")
        yield f"{command} proves the verdicts of a run."
    for pair in diff.pairs[:_MOST_PAIRS]:
        before, after = (_write_side(side, writer) for side in (pair.before, pair.after))
        yield f"{after} after {before}: {format_runs_headline(pair)}"
        yield writer.fold(
            "Verdicts that flipped, and other differences", describe_pair(pair, writer)
        )
    if len(diff.pairs) > _MOST_PAIRS:
        yield f"… and {len(diff.pairs) - _MOST_PAIRS} more"
    head = ["report", "", "state", "failures without a class"]
    rows: list[Row] = []
    for changed in diff.reports:
        page = None
        if changed.kind is not ChangeKind.REMOVED:
            _, provider, model, name = changed.path.split("/")
            page = site_links.build_report_path(f"{provider}/{model}", name)
        state = "draft" if changed.report.draft else "final"
        classes = f"{changed.report.unclassed} of {len(changed.report.failures)}"
        rows.append([writer.write_name(changed.path, page), changed.kind.value, state, classes])
    yield from writer.write_table("Reports", head, rows)
    rows = [
        [
            *_write_gone(run, writer),
            *map(writer.write_name, (run.withdrawn.by, run.withdrawn.reason)),
        ]
        for run in diff.withdrawn
        if run.withdrawn is not None
    ]
    head = ["run", "model", "experiment", "by", "reason"]
    yield from writer.write_table("Withdrawn", head, rows)
    rows = [_write_gone(run, writer) for run in diff.removed]
    yield from writer.write_table("Records that are gone", head[:3], rows)
    yield from describe_moved(diff.moved, writer)


def _write_run(changed: ChangedRun, writer: DescriptionWriter) -> Row:
    run = changed.run
    kind = changed.kind.value
    if changed.kind is ChangeKind.ADDED:
        kind = "new" if changed.pair is None else "repeated"
    if run.status != "completed":
        kind += f", {run.status}"
    evals = "version not defined"
    if changed.evals is not None:
        planned = len(run.planned)
        evals = f"{'all' if planned == changed.evals else f'{planned} of'} {changed.evals}"
    if run.unjudged:
        evals += f", {format_count(run.unjudged, 'attempt')} without a verdict"
    cost = "not known"
    if run.totals.cost_usd is not None:
        cost = format_dollars_or_dash(run.totals.cost_usd)
        if run.totals.cost_known_for < len(run.attempts):
            cost += f", known for {run.totals.cost_known_for} attempts"
    commit = run.harness.git_commit if run.harness else None
    program = "commit not known"
    if run.provenance.kind == "imported":
        program = "imported"
    elif commit is not None:
        program = "changed program" if commit.endswith("+changes") else "clean commit"
    outcomes = (Outcome.PASSED, Outcome.FAILED, Outcome.INFRASTRUCTURE)
    return [
        writer.write_name(run.run_id[:8], site_links.build_run_path(run.run_id)),
        writer.write_name(run.model.slug, site_links.build_model_path(run.model.slug)),
        writer.write_name(run.experiment.name),
        *(kind, evals, *(str(changed.count(outcome)) for outcome in outcomes), cost, program),
    ]


def _write_gone(run: Run, writer: DescriptionWriter) -> Row:
    names = [run.run_id[:8], run.model.slug, run.experiment.name]
    page = None if run.withdrawn is None else site_links.build_run_path(run.run_id)
    return [writer.write_name(names[0], page), *map(writer.write_name, names[1:])]


def describe_moved(moved: Sequence[MovedRow], writer: DescriptionWriter) -> Iterator[str]:
    """Yield a table of the leaderboard's rows whose score or rank changes; nothing for none."""
    head = ["model", "experiment", "version", "score before", "score after"]
    rows = [
        [
            writer.write_name(row.slug, site_links.build_model_path(row.slug)),
            writer.write_name(row.experiment),
            writer.write_name(row.version),
            *map(format_share, (row.score_before, row.score_after)),
            "none"
            if row.rank_before is None
            else f"{row.rank_before.words} of {row.ranked_before}",
            "none" if row.rank_after is None else f"{row.rank_after.words} of {row.ranked_after}",
        ]
        for row in moved
    ]
    yield from writer.write_table(
        "Scores and ranks that moved", [*head, "rank before", "rank after"], rows
    )


def build_runs_values(diff: RunsDiff) -> dict[str, Any]:
    """Return the differences between two sides of runs as values for JSON."""
    paired = diff.difference
    return {
        "headline": format_runs_headline(diff),
        "conclusion": paired.conclusion.value if paired else None,
        "before": _build_side(diff.before),
        "after": _build_side(diff.after),
        "difference": paired.value if paired else None,
        "interval": [paired.interval.low, paired.interval.high] if paired else None,
        "p_value": paired.p_value if paired else None,
        "smallest_effect": diff.smallest_effect,
        "evals": paired.evals if paired else 0,
        "scores": diff.scores,
        "cost_per_attempt_usd": diff.costs,
        "fixed": [flip._asdict() for flip in diff.fixed],
        "broken": [flip._asdict() for flip in diff.broken],
        "changed_evals": diff.changed_evals,
        "only_before": diff.only_before,
        "only_after": diff.only_after,
        "inequalities": [item._asdict() for item in diff.inequalities],
    }


def _build_side(side: Side) -> dict[str, Any]:
    return {"label": side.label, "model": side.slug, "runs": [run.run_id for run in side.runs]}


def build_data_values(diff: DataDiff) -> dict[str, Any]:
    """Return the differences between two states of a data folder as values for JSON."""
    return {
        "headline": format_data_headline(diff),
        "before": diff.before.label,
        "after": diff.after.label,
        "pairs": list(map(build_runs_values, diff.pairs)),
        "new": list(map(_name_run, diff.new)),
        "gone": list(map(_name_run, diff.gone)),
        "runs": [
            _name_run(run)
            | {
                "kind": changed.kind,
                "status": run.status,
                "benchmark_version": run.benchmark_version,
                "planned": len(run.planned),
                "evals_of_version": changed.evals,
                **{outcome.value: changed.count(outcome) for outcome in Outcome},
                "cost_usd": run.totals.cost_usd,
                "cost_known_for": run.totals.cost_known_for,
                "git_commit": run.harness and run.harness.git_commit,
                "archive_is_missing": changed.archive_is_missing,
            }
            for changed in diff.runs
            for run in (changed.run,)
        ],
        "withdrawn": [
            _name_run(run) | (run.withdrawn.model_dump(mode="json") if run.withdrawn else {})
            for run in diff.withdrawn
        ],
        "removed": [run.run_id for run in diff.removed],
        "moved": [row._asdict() for row in diff.moved],
        "reports": [
            {
                "path": changed.path,
                "kind": changed.kind,
                "draft": changed.report.draft,
                "open_classes": changed.report.unclassed,
                "failures": len(changed.report.failures),
            }
            for changed in diff.reports
        ],
    }


def _name_run(run: Run) -> dict[str, Any]:
    return {"run": run.run_id, "model": run.model.slug, "experiment": run.experiment.name}
