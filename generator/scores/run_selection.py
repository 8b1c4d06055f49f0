"""The selection of the runs that count, and their sums by eval."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from generator.read.summaries import RunSummary
from generator.scores.inputs import Counts, RunResults, SideCounts
from generator.scores.intervals import Floats
from records.suites.benchmark import Benchmark

LATEST: Final = 10
"""The most runs of a model and experiment that count; the newest do."""

Obstacle = Literal["withdrawn", "not_completed", "partial", "incomplete", "changed_program"]
"""A reason why a run cannot count: a person withdrew it; it is still running or was given up; it
did not plan every eval of the version; some attempts have no verdict; or a program with uncommitted
changes made it, and no reason to publish it is recorded."""


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
    set_aside: Counts
    """The number of failures that reports set aside, by eval."""
    classed: Counts
    """The number of failures to which reports give any class, by eval."""

    @property
    def means(self) -> Floats:
        """The pass rate at each eval, over all attempts of all runs."""
        return self.passed / self.judged

    @property
    def side(self) -> SideCounts:
        """The pool as a side of a comparison."""
        return SideCounts(self.passed, self.judged)


def list_obstacles(run: RunSummary, benchmark: Benchmark) -> list[Obstacle]:
    """Return all reasons why ``run`` cannot count, other runs not considered; empty if it can."""
    partial = not benchmark.evals.keys() <= run.results.plan.place.keys()
    judged = (
        run.tally.judged == run.tally.planned if partial else run.is_fully_judged(benchmark.evals)
    )
    holding: dict[Obstacle, bool] = {
        "withdrawn": run.withdrawn is not None,
        "not_completed": run.status != "completed",
        "partial": partial,
        "incomplete": not judged,
        "changed_program": run.lacks_reason and not run.local,
    }
    return [obstacle for obstacle, holds in holding.items() if holds]


def select_counted(benchmark: Benchmark, runs: Iterable[RunSummary]) -> list[RunSummary]:
    """Return the runs that count: of each model and experiment the latest ten that can.

    ``runs`` and the result are sorted newest first.
    """
    numbers: Counter[tuple[str, str]] = Counter()
    counted: list[RunSummary] = []
    for run in runs:
        key = run.slug, run.experiment
        if numbers[key] < LATEST and not list_obstacles(run, benchmark):
            numbers[key] += 1
            counted.append(run)
    return counted


def pool_by_model(runs: Iterable[RunResults]) -> list[Pool]:
    """Return the pools of ``runs``, which are sorted newest first, by model and then experiment."""
    alike: dict[tuple[str, str], list[RunResults]] = {}
    for run in runs:
        alike.setdefault((run.slug, run.experiment), []).append(run)
    return [pool_runs(alike[key]) for key in sorted(alike)]


def pool_runs(runs: Sequence[RunResults]) -> Pool:
    """Return the pool of ``runs``, which are of one model and experiment, newest first."""
    newest = runs[0]
    return Pool(
        slug=newest.slug,
        experiment=newest.experiment,
        baseline=newest.baseline,
        runs=tuple(runs),
        passed=_add_counts(run.passed for run in runs),
        judged=_add_counts(run.judged for run in runs),
        set_aside=_add_counts(run.set_aside for run in runs),
        classed=_add_counts(run.classed for run in runs),
    )


def _add_counts(counts: Iterable[Counts]) -> Counts:
    return np.stack([*counts]).sum(axis=0, dtype=np.int32)
