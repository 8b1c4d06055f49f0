"""The rows of a version's tables: scores, categories, ranks, amounts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from math import fsum
from operator import attrgetter, mul
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generator.read.summaries import Amount, RunSummary
from generator.scores import score_estimate
from generator.scores.differences.difference import FEWEST_EVALS, LEVEL
from generator.scores.differences.model_pairs import compute_pair_p_values
from generator.scores.inputs import Pool, ScoredVersion, SideCounts
from records.grouping import group_values
from records.suites.experiments import DEFAULT
from records.suites.levels import Level

RANKED_EVALS = 30
"""With fewer evals, models are not ranked by them."""


class RankRange(NamedTuple):
    """The ranks that a model may have among the models of its table."""

    low: int
    """The best rank: 1 + the number of models that are better."""
    high: int
    """The worst rank: the number of models less the number than which it is better."""

    @property
    def words(self) -> str:
        """The range as text, such as ``1`` and ``4`` with a dash between, or ``3`` for one rank."""
        ends = (self.low,) if self.low == self.high else (self.low, self.high)
        return "\N{EN DASH}".join(map(str, ends))


def rank_ranges(sides: Sequence[SideCounts]) -> tuple[RankRange, ...]:
    """Return the ranks of ``sides``, by comparing all pairs.

    A side is better if it differs by the standard of `generator.scores.differences.difference`,
    with p-values corrected for all pairs (`compute_pair_p_values`). Among models that are truly
    equal, any two are separated at most 5 times in 100.
    """
    means = np.array([side.means for side in sides])
    above, below = [0] * len(sides), [0] * len(sides)
    pairs = list(combinations(range(len(sides)), 2))
    if pairs and means.shape[1] >= FEWEST_EVALS:
        scores = means.mean(axis=1)
        for (side, other), p in zip(pairs, compute_pair_p_values(sides, pairs), strict=True):
            if p.corrected < LEVEL:
                ahead, behind = (side, other) if scores[side] > scores[other] else (other, side)
                above[behind] += 1
                below[ahead] += 1
    return tuple(
        RankRange(1 + better, len(sides) - worse)
        for better, worse in zip(above, below, strict=True)
    )


_MOST_ATTEMPTS = 10


class ScoredRow(NamedTuple):
    """A row of a table: a model under an experiment with its scores."""

    pool: Pool
    """The runs from which all values of the row are computed."""
    rank: RankRange | None
    """The ranks that the model may have in the table; None for a baseline."""
    score: score_estimate.Estimate
    """The score over all evals of the version."""
    categories: Mapping[str, score_estimate.Estimate]
    """The scores by category, sorted."""
    levels: Mapping[str, score_estimate.Estimate]
    """The scores by level; empty if the version records no levels."""
    tests: float | None
    """The mean share of passed tests; None if no tests are known."""
    attributed: score_estimate.Estimate | None
    """The score without failures that reports set aside; None if no run has a report, or no attempt
    is left."""
    cost_usd: score_estimate.PerAttempt
    """US dollars per attempt."""
    generation_s: score_estimate.PerAttempt
    """Seconds to write an answer, per attempt."""
    input_tokens: score_estimate.PerAttempt
    """Tokens read per attempt."""
    output_tokens: score_estimate.PerAttempt
    """Tokens written per attempt."""
    rerun: float | None
    """The most by which the score would differ if all attempts were made again, at 95%; None if an
    eval has only one attempt."""
    passes_all: Mapping[int, float]
    """pass^k, the probability that k attempts at an eval all pass, by k. k goes from 2 to the least
    number of attempts at an eval, and at most to ten; empty if an eval has only one attempt."""

    @property
    def hard(self) -> score_estimate.Estimate | None:
        """The score over hard evals; None if the version has none."""
        return self.levels.get(Level.HARD)

    @property
    def cost_per_pass(self) -> float | None:
        """US dollars for each eval passed; None if the cost is not known or nothing passes."""
        if self.cost_usd.mean is None or self.score.value == 0:
            return None
        return self.cost_usd.mean / self.score.value

    @property
    def tokens_per_s(self) -> float | None:
        """Tokens written for each second of the answers; None if no attempt has both."""
        runs = [results.run for results in self.pool.runs]
        seconds = fsum(run.timed_s for run in runs)
        return sum(run.timed_tokens for run in runs) / seconds if seconds else None


def build_score_rows(version: ScoredVersion, pools: Sequence[Pool]) -> list[ScoredRow]:
    """Return the rows of ``pools`` by experiment, ``default`` first.

    In each experiment, the models come by score and then by slug, and then the baselines likewise.
    """
    experiments = {pool.experiment for pool in pools}
    rows: list[ScoredRow] = []
    for name in sorted(experiments, key=lambda name: (name != DEFAULT, name)):
        alike = [pool for pool in pools if pool.experiment == name]
        models = [pool for pool in alike if not pool.baseline]
        ranges = zip(models, rank_ranges(models), strict=True)
        rows += _sort_rows(_build_row(version, pool, rank) for pool, rank in ranges)
        rows += _sort_rows(_build_row(version, pool, None) for pool in alike if pool.baseline)
    return rows


def _sort_rows(rows: Iterable[ScoredRow]) -> list[ScoredRow]:
    """Return rows by score, then by slug."""
    return sorted(rows, key=lambda row: (-round(row.score.value, 12), row.pool.slug))


def _build_row(version: ScoredVersion, pool: Pool, rank: RankRange | None) -> ScoredRow:
    score = score_estimate.estimate(pool)
    if score is None:
        raise AssertionError(f"{pool.slug} counts but has nothing judged")

    def score_groups(
        groups: Mapping[str, NDArray[np.intp]],
    ) -> dict[str, score_estimate.Estimate]:
        parts = {
            group: score_estimate.estimate(pool.select_evals(indexes))
            for group, indexes in groups.items()
        }
        return {group: part for group, part in parts.items() if part is not None}

    plans = group_values((each.run.results.plan.evals, each.run) for each in pool.runs)
    # Runs of some of the evals, such as further attempts at hard ones, would outweigh the others.
    whole = {
        plan: runs for plan, runs in plans.items() if not any({*plan} < {*other} for other in plans)
    }
    attempts = sum(run.tally.planned for runs in whole.values() for run in runs)

    def average(read: Callable[[RunSummary], Amount]) -> score_estimate.PerAttempt:
        """Return the mean of an amount, by evals if runs planned different ones."""
        known = [sum(read(run).known_for for run in runs) for runs in whole.values()]
        totals = [fsum(read(run).total for run in runs) for runs in whole.values()]
        mean = None
        if all(known):
            means = [total / number for total, number in zip(totals, known, strict=True)]
            evals = list(map(len, whole))
            mean = means[0] if len(means) == 1 else fsum(map(mul, means, evals)) / sum(evals)
        return score_estimate.PerAttempt(mean, sum(known), attempts)

    return ScoredRow(
        pool=pool,
        rank=rank,
        score=score,
        categories=score_groups(version.by_category),
        levels=score_groups(version.by_level),
        tests=score_estimate.compute_partial_credit([each.test_shares for each in pool.runs]),
        attributed=score_estimate.score_attributed(pool),
        cost_usd=average(attrgetter("cost_usd")),
        generation_s=average(attrgetter("generation_s")),
        input_tokens=average(attrgetter("input_tokens")),
        output_tokens=average(attrgetter("output_tokens")),
        rerun=score_estimate.compute_rerun_error(pool.means, pool.judged),
        passes_all={
            k: share
            for k in range(2, _MOST_ATTEMPTS + 1)
            if (share := score_estimate.compute_all_pass_rate(pool.passed, pool.judged, k))
            is not None
        },
    )
