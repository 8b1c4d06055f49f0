"""A description as plain values for JSON, without the limits of the markdown."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from generator.diff.json_values import build_data_values
from leaderboard.changes.description import RevisionChange
from leaderboard.changes.first_sentence import write_sentence
from leaderboard.changes.results import RunOfChange
from records.shapes.attempt import Outcome
from records.shapes.run import Run


def list_values(change: RevisionChange) -> Mapping[str, Any]:
    """Return the differences between two revisions as values for JSON."""
    return build_data_values(change.data) | {
        "headline": write_sentence(change),
        "before": change.before,
        "after": change.after,
        "note": change.note,
        "files": change.files,
        "changes_program": change.changes_program,
        "evals": [asdict(item) for item in change.evals],
        "guidelines": change.guidelines and asdict(change.guidelines),
        "models": [asdict(item) for item in change.models],
        "version": change.version and asdict(change.version),
        "stale": change.stale and asdict(change.stale),
        "runs": [_convert_run(item) for item in change.runs],
        "withdrawn": [_convert_withdrawn(run) for run in change.withdrawn],
        "removed": [run.run_id for run in change.removed],
        "changed_reports": [asdict(item) for item in change.reports],
        "other": [asdict(item) for item in change.other],
        "unread": [asdict(item) for item in change.unread],
        "suite_check": change.checks and asdict(change.checks),
    }


def _convert_run(facts: RunOfChange) -> Mapping[str, Any]:
    run = facts.run
    return {
        "run": run.run_id,
        "model": run.model.slug,
        "experiment": run.experiment.name,
        "kind": facts.kind,
        "status": run.status,
        "benchmark_version": run.benchmark_version,
        "planned": len(run.planned),
        "evals_of_version": facts.evals,
        **{outcome.value: facts.count(outcome) for outcome in Outcome},
        "cost_usd": run.totals.cost_usd,
        "cost_known_for": run.totals.cost_known_for,
        "git_commit": run.harness and run.harness.git_commit,
        "archive_is_missing": facts.archive_is_missing,
    }


def _convert_withdrawn(run: Run) -> Mapping[str, Any]:
    why = run.withdrawn and run.withdrawn.model_dump()
    return {"run": run.run_id, "model": run.model.slug, "experiment": run.experiment.name} | (
        why or {}
    )
