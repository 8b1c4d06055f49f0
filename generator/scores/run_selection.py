"""The selection of the runs that count, and their sums by eval."""

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
"""The most runs of a model and experiment that count; the newest do."""


class NotCounted(StrEnum):
    """The reason why a run does not count in scores."""

    WITHDRAWN = "withdrawn"
    """A person withdrew the run."""
    NOT_COMPLETED = "not_completed"
    """The run is still running or was given up."""
    PARTIAL = "partial"
    """The run did not plan every eval of the version."""
    INCOMPLETE = "incomplete"
    """Some attempts have no verdict: infrastructure, or not run."""
    CHANGED_PROGRAM = "changed_program"
    """A program with uncommitted changes made the run, and no reason to publish it is recorded."""
    OLDER = "older"
    """There are ten newer runs that count."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The runs of a model and experiment that count, added up by eval."""

    slug: str
    """The model's slug."""
    experiment: str
    """The condition."""
    baseline: bool
    """Whether the model is a baseline."""
    runs: tuple[RunResults, ...]
    """The runs, newest first; at least one."""
    passed: Counts
    """The number of passed attempts, by eval."""
    judged: Counts
    """The number of judged attempts, by eval; at least one each."""

    @property
    def means(self) -> Floats:
        """The pass rate at each eval, over all attempts of all runs."""
        return self.passed / self.judged

    @property
    def side(self) -> SideCounts:
        """The pool as a side of a comparison."""
        return SideCounts(self.passed, self.judged)


@dataclass(frozen=True, slots=True)
class Selection:
    """The runs of a version that count, and the runs that do not."""

    pools: tuple[Pool, ...]
    """The runs that count, pooled, by model and then experiment."""
    left_out: tuple[tuple[str, NotCounted], ...]
    """The ids of other runs with the reasons, in the order of the runs."""


def find_exclusion_reason(run: RunResults) -> NotCounted | None:
    """Return why ``run`` cannot count, other runs not considered; None if it can."""
    reasons = (
        (NotCounted.WITHDRAWN, run.withdrawn),
        (NotCounted.NOT_COMPLETED, not run.completed),
        (NotCounted.PARTIAL, not run.planned.all()),
        (NotCounted.INCOMPLETE, bool((run.judged != run.planned).any())),
        (NotCounted.CHANGED_PROGRAM, run.changed_program),
    )
    return next((reason for reason, holds in reasons if holds), None)


def select(version: ScoredVersion, runs: Iterable[RunResults]) -> Selection:
    """Return the selection of runs: of each model and experiment the latest ten that can count.

    Raises:
        ValueError: the arrays of a run do not have the length of the version's evals.
    """
    all_runs = tuple(runs)
    reasons = {
        run.run_id: reason for run in all_runs if (reason := find_exclusion_reason(run)) is not None
    }
    _check_lengths(version, all_runs)
    able = sorted((run for run in all_runs if run.run_id not in reasons), key=attrgetter("key"))
    pools: list[Pool] = []
    for _, same in groupby(able, key=attrgetter("key")):
        newest_first = sorted(same, key=lambda run: (run.order, run.run_id), reverse=True)
        pools.append(pool_runs(newest_first[:LATEST]))
        reasons |= {run.run_id: NotCounted.OLDER for run in newest_first[LATEST:]}
    left_out = [(run.run_id, reasons[run.run_id]) for run in all_runs if run.run_id in reasons]
    return Selection(tuple(pools), tuple(left_out))


def pool_runs(runs: Sequence[RunResults]) -> Pool:
    """Return the pool of ``runs``, which are of one model and experiment, newest first."""
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
