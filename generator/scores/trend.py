"""Scores over time: by month over evals that stayed the same, and the test whether they rise.

The test is Kendall's tau-b of models' days of release and scores. Source: M. G. Kendall, "The
treatment of ties in ranking problems", Biometrika 33 (1945), 239-251.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from itertools import permutations
from math import factorial, sqrt
from typing import NamedTuple

import numpy as np

from generator.read.summaries import RunSummary
from generator.scores.differences.difference import LEVEL
from generator.scores.inputs import pool_runs
from generator.scores.leaderboards import Leaderboard
from generator.scores.score_estimate import Estimate, estimate
from generator.scores.score_table import RANKED_EVALS
from generator.scores.shared_evals import find_shared_evals
from records.grouping import group_values
from records.suites.experiments import DEFAULT

FEWEST_MODELS = 5
"""With fewer models, no order has a p-value below `LEVEL`: for four models, the least is 1/12."""

_EXACT = 5_040
"""The orders of seven models. With more models, only a sample of the orders is used."""

_SAMPLED = 2_000
_SEED = 1945


class Trend(NamedTuple):
    """How scores depend on days."""

    tau: float
    """Kendall's tau-b, from -1 (every later model scores less) to 1 (every later model more)."""
    p_value: float
    """Two-sided p-value of no dependence on the days."""

    @property
    def is_shown(self) -> bool:
        """Whether the trend is more than chance."""
        return self.p_value < LEVEL


def compute_trend(days: Sequence[int], scores: Sequence[float]) -> Trend | None:
    """Return how ``scores`` depend on ``days``; both have a value for each model.

    The p-value is the share of orders of the scores whose tau is at least as far from 0. With up
    to seven models, all orders are used; with more, the real order and 2,000 orders drawn with a
    fixed seed. None with fewer than five models, and if all days or all scores are the same.
    """
    if len(days) < FEWEST_MODELS:
        return None
    later, higher = _compute_signs(days), _compute_signs(scores)
    pairs = sqrt(float((later != 0).sum()) * float((higher != 0).sum()))
    if pairs == 0:
        return None
    seen = int((later * higher).sum())
    orders: Iterable[Sequence[int]] = permutations(range(len(days)))
    if factorial(len(days)) > _EXACT:
        dice = np.random.default_rng(_SEED)
        orders = [
            range(len(days)),
            *(dice.permutation(len(days)).tolist() for _ in range(_SAMPLED)),
        ]
    every = [abs(int((later * higher[np.ix_(order, order)]).sum())) for order in orders]
    p_value = sum(other >= abs(seen) for other in every) / len(every)
    return Trend(seen / pairs, p_value)


def _compute_signs(values: Sequence[float]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return a matrix: 1 if the row's value is higher than the column's, -1 if lower, else 0."""
    column = np.asarray(values, dtype=float)
    return np.sign(column[:, None] - column[None, :]).astype(np.int64)


class MonthScore(NamedTuple):
    """The score of a model that was asked with the guidelines in a month, over the anchor set."""

    month: date
    """The first day of the month."""
    newest: RunSummary
    """The newest run of the model in the month."""
    score: Estimate


def score_by_month(here: Leaderboard, boards: Iterable[Leaderboard]) -> list[MonthScore]:
    """Return the scores by month, the best first in each month, over one anchor set of evals.

    The set has the shared evals of ``here`` that are the same in the other ``boards`` with models,
    which are newest first. A board that would leave fewer than `RANKED_EVALS` is left out. If two
    versions have answers of a model in a month, those of the newer version count.
    """
    anchor, span = here.scored.evals, [here]
    for board in boards:
        if board is here or not board.select_models(DEFAULT):
            continue
        shared = find_shared_evals(here.benchmark, board.benchmark)
        same = {*shared.equal} & board.scored.place.keys() if shared.unequal is None else {*()}
        if len(same_evals := tuple(name for name in anchor if name in same)) >= RANKED_EVALS:
            anchor = same_evals
            span.append(board)
    months: dict[tuple[date, str], MonthScore] = {}
    for board in span:
        indexes = np.array([board.scored.place[name] for name in anchor], dtype=np.intp)
        for entry in board.select_models(DEFAULT):
            by_month = group_values(
                (results.run.asked_from.replace(day=1), results)
                for results in entry.row.pool.runs
                if not results.run.head.day_of_import
            )
            for month, runs in by_month.items():
                side = pool_runs(runs).select_evals(indexes)
                # In a month with runs of hard evals alone, the model has no score.
                if side.judged.all() and (score := estimate(side)):
                    key = month, entry.newest.slug
                    months.setdefault(key, MonthScore(month, runs[0].run, score))
    return sorted(
        months.values(), key=lambda each: (each.month, -each.score.value, each.newest.slug)
    )
