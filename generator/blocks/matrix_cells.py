"""The matrix of evals by models: its head, and cells with a link if an attempt failed.

A page has thousands of cells, so each is as short as possible: a cell in which every attempt
passed has no link, since the eval and the model are linked at its row and its column.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np

from generator.facts.attributions import Attribution, Attributions, find_eval_attribution
from generator.facts.run_lines import link_model
from generator.facts.shares import Share, compute_entry_share
from generator.facts.titles import SYMBOLS, abbreviate_experiment, describe_run_condition
from generator.facts.urls import ModelLink, build_attempt_href
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


@dataclass(frozen=True, slots=True)
class EvalStanding:
    """The result of a model at one eval, over its runs that count."""

    passed: int
    """The number of passed attempts."""
    judged: int
    step: str | None
    """The failed step of the newest failed attempt; None if none failed or it is not known."""
    reason: str | None
    """The reason of the newest failed attempt; None if none failed or it is not known."""
    attribution: Attribution | None
    """The attribution of the newest failure that a report explains; None if there is none."""
    answer: str
    """The address of the newest failed attempt; if none failed, of the newest attempt."""
    href: str
    """The address of the report's paragraph on the failure; without a report, `answer`."""

    @property
    def outcome(self) -> str:
        """``passed``, ``failed``, or ``partly`` if attempts differ."""
        if self.passed == self.judged:
            return "passed"
        return "failed" if self.passed == 0 else "partly"

    @property
    def symbol(self) -> str:
        """The symbol of the outcome."""
        return SYMBOLS[self.outcome]


@dataclass(frozen=True, slots=True)
class MatrixCells:
    """The rows of a matrix."""

    rows: Mapping[str, Sequence[EvalStanding]]
    """The cells of all models, by eval."""
    marks: frozenset[str]
    """The letters of all attributions in the cells, for the legend."""
    passed_by_all: frozenset[str]
    """The evals that every model, baselines left out, passes in every attempt."""


def build_matrix_rows(
    leaderboard: Leaderboard,
    entries: Sequence[Entry],
    attributions_by_run: Mapping[str, Attributions],
) -> MatrixCells:
    """Return a row of cells for each eval; attributions are by run id."""
    evals = leaderboard.scored.evals
    columns = [list(build_eval_standings(evals, entry, attributions_by_run)) for entry in entries]
    by_eval = {name: [column[number] for column in columns] for number, name in enumerate(evals)}
    models = [not entry.newest.baseline for entry in entries]
    met = [entry for row in by_eval.values() for entry in row]
    return MatrixCells(
        rows=by_eval,
        marks=frozenset(entry.attribution.mark for entry in met if entry.attribution is not None),
        passed_by_all=frozenset(
            name
            for name, row in by_eval.items()
            if any(models) and all(entry.outcome == "passed" for entry in compress(row, models))
        ),
    )


def build_eval_standings(
    evals: Sequence[str], entry: Entry, attributions_by_run: Mapping[str, Attributions]
) -> Iterator[EvalStanding]:
    """Yield an entry's result at each of ``evals``; attributions are by run id."""
    pool = entry.row.pool
    passed: list[int] = pool.passed.tolist()
    judged: list[int] = pool.judged.tolist()
    failed: list[list[bool]] = np.stack([run.passed < run.judged for run in pool.runs]).T.tolist()
    for name, yes, of, where in zip(evals, passed, judged, failed, strict=True):
        failing = [run for run, here in zip(entry.runs, where, strict=True) if here]
        run = failing[0] if failing else entry.newest
        attribution = _find_newest_attribution(failing, attributions_by_run, name)
        answer = build_attempt_href(run, name)
        yield EvalStanding(
            yes,
            of,
            run.results[name].failed_step if failing else None,
            run.reasons.get(name) if failing else None,
            attribution,
            answer,
            answer if attribution is None else attribution.href,
        )


def _find_newest_attribution(
    failing: Sequence[RunSummary], attributions_by_run: Mapping[str, Attributions], name: str
) -> Attribution | None:
    """Return the attribution of the newest of the ``failing`` runs that has one at this eval."""
    for run in failing:
        run_attributions = attributions_by_run[run.run_id]
        if run_attributions and (attribution := find_eval_attribution(run_attributions, name)):
            return attribution
    return None
