"""The attributed score: the score without failures that are not the model's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from generator.read.summaries import EvalResult
from generator.scores.differences.difference import PairedDifference, compare_sides
from generator.scores.inputs import SideCounts
from generator.scores.run_selection import Pool
from generator.scores.score_estimate import Estimate, estimate
from records.shapes.report import ClassedFailure


def list_attempt_classes(
    failures: Sequence[ClassedFailure], results: Mapping[str, EvalResult]
) -> dict[str, tuple[str, ...]]:
    """Return the classes of failed attempts by eval, from the ``failures`` of a report.

    A failure with a sample is about that sample. A failure without one is about all failed samples
    that have no failure of their own. Attempts without a class are left out.
    """
    by_eval: dict[str, tuple[str, ...]] = {}
    for name in {failure.eval: None for failure in failures}:
        result = results.get(name)
        failed = result.judged - result.passed if result else 0
        of_eval = [failure for failure in failures if failure.eval == name]
        single = [failure for failure in of_eval if failure.sample is not None]
        general = [failure for failure in of_eval if failure.sample is None]
        each = [*single, *(general * max(0, failed - len(single)))]
        by_eval[name] = tuple(
            failure.failure_class.value for failure in each if failure.failure_class
        )
    return by_eval


@dataclass(frozen=True, slots=True)
class Attributed:
    """A score without the failures that reports blame on the grader, the task or the machinery."""

    estimate: Estimate | None
    """The score; None if no attempt is left. An eval without an attempt left is not in it."""
    set_aside: int
    """The number of failures of the classes ``SET_ASIDE``, which are not the model's fault."""
    failures: int
    """The number of all failed attempts."""
    classed: int
    """The number of failed attempts with any class by a report; others count against the model."""
    reported: int
    """The number of runs with a report."""
    runs: int
    """The number of runs of the score."""


def score_attributed(pool: Pool) -> Attributed | None:
    """Return the score of ``pool`` without the failures set aside; None if no run has a report.

    A failed attempt that is set aside counts neither as passed nor as failed; an eval without an
    attempt left is not in the mean. Only failures can be set aside, so the result is never below
    the raw score. If an attempt passed when it was graded again, its former class has no effect.
    """
    reported = sum(run.reported for run in pool.runs)
    if reported == 0:
        return None
    attempts = pool.judged - pool.set_aside
    # An eval without an attempt left has a pass rate of 0 here, and `estimate` leaves it out.
    means = pool.passed / np.maximum(attempts, 1)
    return Attributed(
        estimate=estimate(means, attempts.astype(np.float64)),
        set_aside=int(pool.set_aside.sum()),
        failures=int((pool.judged - pool.passed).sum()),
        classed=int(pool.classed.sum()),
        reported=reported,
        runs=len(pool.runs),
    )


def compute_attributed_difference(first: Pool, second: Pool) -> PairedDifference | None:
    """Return the difference of ``second`` from ``first`` without the failures set aside.

    Evals without an attempt left on a side are left out. None if no run has a report, or no eval
    is left.
    """
    if not any(run.reported for pool in (first, second) for run in pool.runs):
        return None
    counted = [pool.judged - pool.set_aside for pool in (first, second)]
    indexes = np.flatnonzero((counted[0] > 0) & (counted[1] > 0))
    if indexes.size == 0:
        return None
    sides = [
        SideCounts(pool.passed, some).select_evals(indexes)
        for pool, some in zip((first, second), counted, strict=True)
    ]
    return compare_sides(*sides)
