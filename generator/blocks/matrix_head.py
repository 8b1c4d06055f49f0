"""The head of a matrix: a column for each model under a condition, and remarks on rows."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from generator.facts.links import ModelLink
from generator.facts.run_lines import linked
from generator.facts.shares import Share, entry_share
from generator.facts.titles import experiment, experiment_in_short
from generator.read.summaries import RunSummary
from generator.scores.health import EvalHealth
from generator.scores.leaderboards import Entry, Leaderboard


class Column(NamedTuple):
    """A model under an experiment at the head of a matrix."""

    key: str
    """Its key in addresses."""
    model: ModelLink
    experiment: str
    short: str
    """The experiment in a word; empty for the usual one."""
    share: Share
    baseline: bool


def columns(leaderboard: Leaderboard, entries: Sequence[Entry]) -> list[Column]:
    """Return entries of the leaderboard as heads of columns."""
    return [
        Column(
            key=entry.key,
            model=linked(entry.newest),
            experiment=experiment(entry.newest.experiment),
            short=_short(entry.newest),
            share=entry_share(entry, leaderboard.evals()),
            baseline=entry.newest.baseline,
        )
        for entry in entries
    ]


def _short(newest: RunSummary) -> str:
    condition = experiment_in_short(newest.experiment)
    return ", ".join(filter(None, ["baseline" if newest.baseline else "", condition]))


def asked(leaderboard: Leaderboard) -> int:
    """Count the models asked with guidelines, baselines apart, by which evals are measured."""
    return count_models(leaderboard.health)


def count_models(health: Mapping[str, EvalHealth]) -> int:
    """Count the models that evals are measured by."""
    return next((health_of_eval.models for health_of_eval in health.values()), 0)


def solved_note(health: EvalHealth) -> str:
    """Return the remark on an eval that no model or one model passes."""
    if health.models <= 1:
        return ""
    return {0: "passed by none", 1: "passed by one"}.get(len(health.solvers), "")
