"""The attributed score: the score without failures that are not the model's."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from generator.scores.differences.difference import PairedDifference, difference
from generator.scores.inputs import Counts, SideCounts
from generator.scores.run_selection import Pool
from generator.scores.score_estimate import Estimate, estimate


@dataclass(frozen=True, slots=True)
class Attributed:
    """A score without the failures that reports lay on the grader, the task or the machinery."""

    estimate: Estimate | None
    """None where nothing remains. Its evals are fewer where all attempts at one are set aside."""
    set_aside: int
    """Failed attempts classed ``overly_strict``, ``ambiguous_task`` or ``harness_fault``."""
    failures: int
    """Failed attempts in all."""
    classed: int
    """Failed attempts that a report gives any class; the others count against the model."""
    reported: int
    """Runs that a report analyses."""
    runs: int
    """Runs the score is made of."""


def attributed(pool: Pool) -> Attributed | None:
    """Score ``pool`` again without the failures set aside; None where no run has a report.

    A failed attempt that is set aside is taken out of its eval altogether, neither passed nor
    failed; an eval with no attempt left is taken out of the mean. Only failures are looked at, so
    the attributed score is never below the raw score. A class of an attempt that has passed since,
    graded again, has no effect.
    """
    reported = sum(run.reported for run in pool.runs)
    if reported == 0:
        return None
    failed = [run.judged - run.passed for run in pool.runs]
    aside = set_aside(pool)
    attempts = pool.judged - aside
    # An eval with no attempt left has a pass rate of 0 here and is left out by estimate().
    means = pool.passed / np.maximum(attempts, 1)
    return Attributed(
        estimate=estimate(means, attempts.astype(np.float64)),
        set_aside=int(aside.sum()),
        failures=int(np.stack(failed).sum()),
        classed=int(_within(failed, [run.classed for run in pool.runs]).sum()),
        reported=reported,
        runs=len(pool.runs),
    )


def set_aside(pool: Pool) -> Counts:
    """Return the failed attempts, by eval, that reports do not hold against the model."""
    failed = [run.judged - run.passed for run in pool.runs]
    return _within(failed, [run.set_aside for run in pool.runs])


def attributed_difference(first: Pool, second: Pool) -> PairedDifference | None:
    """Compare ``second`` with ``first`` again without the failures set aside on either side.

    Evals with no attempt left on a side are left out. None where no run has a report, or no eval is
    left.
    """
    if not any(run.reported for pool in (first, second) for run in pool.runs):
        return None
    counted = [pool.judged - set_aside(pool) for pool in (first, second)]
    places = np.flatnonzero((counted[0] > 0) & (counted[1] > 0))
    if places.size == 0:
        return None
    sides = [
        SideCounts(pool.passed, some).at(places)
        for pool, some in zip((first, second), counted, strict=True)
    ]
    return difference(*sides)


def _within(failed: Sequence[Counts], classed: Sequence[Counts]) -> Counts:
    """Add up classed failures by eval, in each run no more than there are failures."""
    return np.minimum(np.stack(failed), np.stack(classed)).sum(axis=0, dtype=np.int32)
