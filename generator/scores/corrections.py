"""Counts of passes that publishers corrected after they had corrected their graders."""

from collections.abc import Collection
from math import fsum, isclose

from generator.scores.leaderboards import Entry


def compute_corrected_count(entry: Entry, evals: Collection[str]) -> float | None:
    """Return the mean number of ``evals`` that pass, by the publisher's later counts if known.

    None if no later count changes the number. Also None if a corrected run planned other evals,
    because a later count is one number for all evals of its run.
    """
    corrected = [run for run in entry.runs if run.corrected_passed is not None]
    if any(run.results.plan.place.keys() != {*evals} for run in corrected):
        return None
    attempts = fsum(run.tally.judged for run in entry.runs)
    added = fsum(
        (float(run.corrected_passed or 0) - run.tally.evals_passed) * run.tally.judged / attempts
        for run in corrected
    )
    return None if isclose(added, 0, abs_tol=1e-9) else entry.sum_passes(evals) + added
