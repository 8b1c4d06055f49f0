"""The selection of the runs that a score is made of, and their totals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import Final

import numpy as np

from generator.scores.inputs import Counts, RunResults, ScoredVersion, SideCounts
from generator.scores.intervals import Floats

LATEST: Final = 10
"""Runs of one model and experiment that count, newest first."""


class NotCounted(StrEnum):
    """Why a run is shown and not scored."""

    WITHDRAWN = "withdrawn"
    """Somebody withdrew it, with a reason."""
    NOT_COMPLETED = "not_completed"
    """The run is still going or was given up."""
    PARTIAL = "partial"
    """The run did not plan every eval of the version."""
    INCOMPLETE = "incomplete"
    """Some attempts were infrastructure or were not run."""
    CHANGED_PROGRAM = "changed_program"
    """A program with changes that no commit has made it, and nobody recorded why it counts."""
    OLDER = "older"
    """There are ten newer runs."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The runs of one model and experiment that count, added up by eval."""

    slug: str
    """The model."""
    experiment: str
    """The condition."""
    baseline: bool
    """The model is a baseline."""
    runs: tuple[RunResults, ...]
    """Newest first; at least one."""
    passed: Counts
    """Attempts passed, by eval."""
    judged: Counts
    """Attempts made, by eval; at least one each."""

    @property
    def means(self) -> Floats:
        """Pass rate of each eval: mean over all attempts of all runs."""
        return self.passed / self.judged

    @property
    def side(self) -> SideCounts:
        """Return it as a side of a comparison."""
        return SideCounts(self.passed, self.judged)


@dataclass(frozen=True, slots=True)
class Selection:
    """The runs that count in a version, and the others."""

    pools: tuple[Pool, ...]
    """By model, then experiment."""
    left_out: tuple[tuple[str, NotCounted], ...]
    """Run ids with the reason, in the order the runs came."""


def not_counted(run: RunResults) -> NotCounted | None:
    """Return why ``run`` cannot count by itself; None if it can."""
    reasons = (
        (NotCounted.WITHDRAWN, run.withdrawn),
        (NotCounted.NOT_COMPLETED, not run.completed),
        (NotCounted.PARTIAL, not run.planned.all()),
        (NotCounted.INCOMPLETE, bool((run.judged != run.planned).any())),
        (NotCounted.CHANGED_PROGRAM, run.changed_program),
    )
    return next((reason for reason, holds in reasons if holds), None)


def select(version: ScoredVersion, runs: Iterable[RunResults]) -> Selection:
    """Take the latest ten runs of each model and experiment that count.

    Raises:
        ValueError: a run's arrays are not as long as the version has evals.
    """
    all_runs = tuple(runs)
    reasons = {run.run_id: reason for run in all_runs if (reason := not_counted(run)) is not None}
    _check_lengths(version, all_runs)
    able = sorted((run for run in all_runs if run.run_id not in reasons), key=attrgetter("key"))
    pools: list[Pool] = []
    for _, same in groupby(able, key=attrgetter("key")):
        newest_first = sorted(same, key=lambda run: (run.order, run.run_id), reverse=True)
        pools.append(pool(newest_first[:LATEST]))
        reasons |= {run.run_id: NotCounted.OLDER for run in newest_first[LATEST:]}
    left_out = [(run.run_id, reasons[run.run_id]) for run in all_runs if run.run_id in reasons]
    return Selection(tuple(pools), tuple(left_out))


def pool(runs: Sequence[RunResults]) -> Pool:
    """Add up ``runs`` of one model and experiment, eval by eval."""
    newest = runs[0]
    return Pool(
        slug=newest.slug,
        experiment=newest.experiment,
        baseline=newest.baseline,
        runs=tuple(runs),
        passed=np.stack([run.passed for run in runs]).sum(axis=0, dtype=np.int32),
        judged=np.stack([run.judged for run in runs]).sum(axis=0, dtype=np.int32),
    )


def _check_lengths(version: ScoredVersion, runs: Sequence[RunResults]) -> None:
    wrong = [run.run_id for run in runs if run.passed.size != len(version.evals)]
    if wrong:
        raise ValueError(f"runs that are not aligned to {version.name}: {wrong[:3]}")
