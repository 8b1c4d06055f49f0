"""Counts of passes that publishers corrected after their graders were mended."""

from collections.abc import Collection
from math import fsum, isclose

from generator.scores.leaderboards import Entry


def corrected_count(entry: Entry, evals: Collection[str]) -> float | None:
    """Return how many of ``evals`` pass, in the mean, by the publisher's later counts where given.

    None where no later count changes it, and where a corrected run planned other evals as well: a
    later count is a number and does not name the evals.
    """
    corrected = [run for run in entry.runs if run.corrected_passed is not None]
    if any(run.results.plan.place.keys() != {*evals} for run in corrected):
        return None
    attempts = fsum(run.tally.judged for run in entry.runs)
    added = fsum(
        (float(run.corrected_passed or 0) - run.tally.evals_passed) * run.tally.judged / attempts
        for run in corrected
    )
    return None if isclose(added, 0, abs_tol=1e-9) else entry.passed(evals) + added
