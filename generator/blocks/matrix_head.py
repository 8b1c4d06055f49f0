"""The head of the matrix, a column for each model under a condition; and remarks on its rows."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from generator.facts.run_lines import link_model
from generator.facts.shares import Share, compute_entry_share
from generator.facts.titles import abbreviate_experiment, describe_run_condition
from generator.facts.urls import ModelLink
from generator.read.summaries import RunSummary
from generator.scores.health import EvalHealth
from generator.scores.leaderboards import Entry, Leaderboard


class Column(NamedTuple):
    """The head of a column of the matrix: a model under an experiment."""

    key: str
    """The column's key in addresses."""
    model: ModelLink
    experiment: str
    short: str
    """The experiment in one word, and `baseline` for a baseline; empty for a usual model."""
    share: Share
    baseline: bool


def build_columns(leaderboard: Leaderboard, entries: Sequence[Entry]) -> list[Column]:
    """Return the head of a column for each entry."""
    return [
        Column(
            key=entry.key,
            model=link_model(entry.newest),
            experiment=describe_run_condition(entry.newest),
            short=_describe_condition(entry.newest),
            share=compute_entry_share(entry, leaderboard.list_eval_names()),
            baseline=entry.newest.baseline,
        )
        for entry in entries
    ]


def _describe_condition(newest: RunSummary) -> str:
    condition = abbreviate_experiment(newest.experiment)
    return ", ".join(filter(None, ["baseline" if newest.baseline else "", condition]))


def count_guided_models(leaderboard: Leaderboard) -> int:
    """Return the number of models, without baselines, whose answers give the health of evals."""
    return count_models(leaderboard.health)


def count_models(health: Mapping[str, EvalHealth]) -> int:
    """Return the number of models whose answers give the health of evals; 0 without evals."""
    return next((health_of_eval.models for health_of_eval in health.values()), 0)


def describe_solvers(health: EvalHealth) -> str:
    """Return a remark on an eval that none or one of several models passes; else empty."""
    if health.models <= 1:
        return ""
    return {0: "passed by none", 1: "passed by one"}.get(len(health.solvers), "")
