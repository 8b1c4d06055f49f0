"""The inputs of scores: a version's evals, the runs that count, and their results by eval."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import NDArray

from generator.read.summaries import EvalResult, Obstacle, RunSummary
from generator.scores.intervals import Floats
from records.grouping import group_values
from records.runs.standing import is_enough, is_enough_of_levels, leave_hard_out
from records.shapes.failure_classes import SET_ASIDE, FailureClass
from records.shapes.report import ClassedFailure
from records.suites.benchmark import Benchmark
from records.suites.experiments import DEFAULT
from records.suites.levels import Level

Counts = NDArray[np.int32]
"""An array of counts, one for each eval of a version in its order."""


EvalCounts = tuple[int, int]
"""The numbers of passed and of judged attempts at an eval."""


@dataclass(frozen=True, slots=True, eq=False)
class SideCounts:
    """The results of one side of a comparison by eval, in an order that both sides share."""

    passed: Counts
    """The number of passed attempts, by eval."""
    judged: Counts
    """The number of passed or failed attempts, by eval; at least one each in a comparison."""
    beside: "SideCounts | None" = field(default=None, kw_only=True)
    """The counts at the evals that the shared set leaves out, where a missing eval counts as
    failed; None if the set has all evals."""

    @classmethod
    def collect(cls, results: Mapping[str, EvalCounts], evals: Sequence[str]) -> "SideCounts":
        """Return the results of a side at these ``evals``, of which it has all."""
        counts = np.array([results[name] for name in evals], dtype=np.int32)
        return cls(*counts.reshape(-1, 2).T)

    @staticmethod
    def join(
        sides: Sequence["SideCounts"], join: Callable[[Sequence[Counts]], Counts]
    ) -> "SideCounts":
        """Return the counts of ``sides`` as one, with arrays joined by a function."""
        beside = [side.beside for side in sides if side.beside is not None]
        return SideCounts(
            join([side.passed for side in sides]),
            join([side.judged for side in sides]),
            beside=SideCounts.join(beside, join) if beside else None,
        )

    @property
    def means(self) -> Floats:
        """The pass rate at each eval."""
        return self.passed / self.judged

    @property
    def whole(self) -> "SideCounts":
        """The counts at all evals, where a missing eval counts as failed."""
        if self.beside is None:
            return self
        pairs = (self.passed, self.beside.passed), (self.judged, self.beside.judged)
        return SideCounts(*(np.concatenate(pair, axis=-1) for pair in pairs))

    def select_evals(self, indexes: NDArray[np.intp]) -> "SideCounts":
        """Return the same side at the evals with these ``indexes``, and at none beside them."""
        return SideCounts(self.passed[..., indexes], self.judged[..., indexes])


HELD_OUT, NOT_HELD_OUT = "held out", "not held out"


@dataclass(frozen=True)
class ScoredVersion:
    """The shared evals of a benchmark version, in the order that every array follows."""

    name: str
    """The version's identity, as in records of runs."""
    evals: tuple[str, ...]
    """The evals that all ranked rows have, as ``category/name``, sorted."""
    sections: Mapping[str, tuple[str, ...]]
    """The sections of the guidelines by eval; evals that exercise none may be missing."""
    beside: tuple[str, ...] = ()
    """The other evals of the version, sorted."""
    levels: Mapping[str, Level] = field(default_factory=dict[str, Level])
    """The level of each eval of the version; empty if it records none."""
    held_out: frozenset[str] = frozenset()
    """The evals because of which no section of the guidelines may be written."""

    @classmethod
    def from_evals(
        cls,
        name: str,
        evals: Iterable[str],
        sections: Mapping[str, tuple[str, ...]] | None = None,
        levels: Mapping[str, Level] | None = None,
    ) -> Self:
        """Return a version; ``evals`` may be in any order."""
        return cls(name, tuple(sorted(evals)), sections or {}, levels=levels or {})

    @property
    def whole(self) -> "ScoredVersion":
        """The same version with all its evals, in the order of `SideCounts.whole`."""
        return replace(self, evals=self.evals + self.beside, beside=())

    @cached_property
    def place(self) -> Mapping[str, int]:
        """The index of each eval in the arrays."""
        return {name: number for number, name in enumerate(self.evals)}

    @cached_property
    def by_category(self) -> Mapping[str, NDArray[np.intp]]:
        """The indexes of the evals of each category, categories sorted."""
        return self._group_places((name.partition("/")[0],) for name in self.evals)

    @cached_property
    def by_level(self) -> Mapping[str, NDArray[np.intp]]:
        """The indexes of the evals of each level that the version records."""
        return self._group_places(
            (self.levels[name],) if name in self.levels else () for name in self.evals
        )

    @cached_property
    def by_holding_out(self) -> Mapping[str, NDArray[np.intp]]:
        """The indexes of held-out evals and of the others; empty without held-out evals."""
        groups = self._group_places(
            (HELD_OUT if name in self.held_out else NOT_HELD_OUT,) for name in self.evals
        )
        return groups if HELD_OUT in groups else {}

    @cached_property
    def by_section(self) -> Mapping[str, NDArray[np.intp]]:
        """The indexes of the evals that exercise each section, sections sorted."""
        return self._group_places(self.sections.get(name, ()) for name in self.evals)

    @staticmethod
    def _group_places(groups_of: Iterable[tuple[str, ...]]) -> Mapping[str, NDArray[np.intp]]:
        places = group_values(
            (group, number) for number, groups in enumerate(groups_of) for group in groups
        )
        return {group: np.array(places[group], dtype=np.intp) for group in sorted(places)}


@dataclass(frozen=True, slots=True, eq=False)
class RunResults(SideCounts):
    """The results of a run, in the order of its version's evals."""

    run: RunSummary
    reported: bool
    """Whether there is a report on the run."""
    set_aside: Counts
    """The number of failures that the report sets aside, by eval; at most all failures."""
    test_shares: Floats
    """The mean share of passed tests, by eval; NaN if it is not known."""


_NOT_ASKED = EvalResult(0, 0, 0, None, None)


def build_run_results(
    version: ScoredVersion,
    run: RunSummary,
    failures: Sequence[ClassedFailure] | None = None,
    of_row: Collection[str] = (),
) -> RunResults:
    """Return a run's results in the order of the version's evals; those beside them are apart.

    ``failures`` are those of a report on the run; None without a report. ``of_row`` has the evals
    of its row, of which other runs have those that this one lacks.
    """
    rows = [run.results.get(name, _NOT_ASKED) for name in version.evals]
    passed, judged = np.array([(row.passed, row.judged) for row in rows], dtype=np.int32).T
    results_beside = [(name, run.results.get(name)) for name in version.beside]
    beside = [
        (row.passed, row.judged) if row else (0, 0 if name in of_row else judged.max())
        for name, row in results_beside
    ]
    classes = list_attempt_classes(failures or (), run.results)
    aside = [sum(each in SET_ASIDE for each in classes.get(name, ())) for name in version.evals]
    return RunResults(
        run=run,
        reported=failures is not None,
        passed=passed,
        judged=judged,
        beside=SideCounts(*np.array(beside, dtype=np.int32).T) if beside else None,
        set_aside=np.minimum(judged - passed, aside, dtype=np.int32),
        test_shares=np.array([row.tests_share for row in rows], dtype=np.float64),  # None: NaN
    )


def list_attempt_classes(
    failures: Sequence[ClassedFailure], results: Mapping[str, EvalResult]
) -> dict[str, tuple[FailureClass, ...]]:
    """Return the classes of failed attempts by eval, from the ``failures`` of a report.

    A failure with a sample is about that sample. A failure without one is about all failed samples
    that have no failure of their own. Attempts without a class are left out.
    """
    by_eval: dict[str, tuple[FailureClass, ...]] = {}
    for name in {failure.eval: None for failure in failures}:
        result = results.get(name)
        failed = result.judged - result.passed if result else 0
        of_eval = [failure for failure in failures if failure.eval == name]
        single = [failure for failure in of_eval if failure.sample is not None]
        general = [failure for failure in of_eval if failure.sample is None]
        each = [*single, *(general * max(0, failed - len(single)))]
        by_eval[name] = tuple(failure.failure_class for failure in each if failure.failure_class)
    return by_eval


LATEST = 10
"""The most runs of a model and experiment that count; the newest do."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool(SideCounts):
    """The runs of a model and experiment that count, added up by eval."""

    runs: tuple[RunResults, ...]
    """The runs, newest first; at least one."""
    set_aside: Counts
    """The number of failures that reports set aside, by eval."""

    @property
    def slug(self) -> str:
        """The model's slug."""
        return self.runs[0].run.slug

    @property
    def is_reported(self) -> bool:
        """Whether there is a report on a run."""
        return any(run.reported for run in self.runs)

    @property
    def attributed(self) -> SideCounts:
        """The counts without the failures that reports set aside; none may be left at an eval."""
        return SideCounts(self.passed, self.judged - self.set_aside)

    @property
    def experiment(self) -> str:
        """The condition: ``default``, ``no_guidelines``, ..."""
        return self.runs[0].run.experiment

    @property
    def baseline(self) -> bool:
        """Whether the model is a baseline, which is never ranked."""
        return self.runs[0].run.baseline


def list_obstacles(run: RunSummary, benchmark: Benchmark) -> list[Obstacle]:
    """Return all reasons why ``run`` cannot count, other runs not considered; empty if it can.

    Only a run that moved from an earlier version may lack evals: those whose question changed. A
    run may also leave out all hard evals, or have only these.
    """
    evals = list_evals(run, benchmark)
    has_moved = run.head.asked_version is not None and is_enough_of_levels(evals, benchmark)
    is_whole = evals in {frozenset(benchmark.evals), *_list_parts(benchmark)}
    partial = not (is_whole or has_moved)
    judged = not run.tally.unjudged or not (
        partial or any(run.results[name].judged < run.results[name].planned for name in evals)
    )
    holding: dict[Obstacle, bool] = {
        "withdrawn": run.head.withdrawn is not None,
        "not_completed": run.head.status != "completed",
        "partial": partial,
        "incomplete": not judged,
        "changed_program": run.head.lacks_reason and not run.local,
    }
    return [obstacle for obstacle, holds in holding.items() if holds]


def _list_parts(benchmark: Benchmark) -> list[frozenset[str]]:
    """Return the evals of a version that runs may have alone: hard ones, and all others."""
    without_hard = frozenset(leave_hard_out(benchmark).evals)
    return [part for part in (without_hard, frozenset(benchmark.evals) - without_hard) if part]


def list_evals(run: RunSummary, benchmark: Benchmark) -> frozenset[str]:
    """Return the evals of the version that ``run`` planned."""
    return frozenset(benchmark.evals.keys() & run.results.plan.place.keys())


RowKey = tuple[str, str]
"""The slug of a model and the experiment of its row."""


def select_counted(benchmark: Benchmark, runs: Iterable[RunSummary]) -> list[RunSummary]:
    """Return the runs that count: of each model and experiment the latest ten that can.

    Of a model's runs with unequal evals, those with the most count; of hard evals and of the others
    apart, so that runs of either make one row. A run that moved to the version does not count
    beside a run that took over its answers. ``runs`` and the result are sorted newest first.
    """
    able = [run for run in runs if not list_obstacles(run, benchmark)]
    by_row = group_values(((run.slug, run.experiment), run) for run in able)
    counted: set[str] = set()
    for alike, part in product(by_row.values(), _list_parts(benchmark)):
        evals = max((list_evals(run, benchmark) & part for run in alike), key=len)
        taken_over: set[str] = set()
        of_row: list[str] = []
        for run in alike if evals else ():
            is_taken = run.head.asked_version is not None and run.run_id in taken_over
            if not is_taken and list_evals(run, benchmark) & part == evals:
                taken_over |= {*run.carried_from}
                of_row.append(run.run_id)
        counted |= {*of_row[:LATEST]}
    return [run for run in able if run.run_id in counted]


def collect_row_evals(
    benchmark: Benchmark, counted: Iterable[RunSummary]
) -> dict[RowKey, frozenset[str]]:
    """Return the evals of each row, by the runs that count."""
    evals: dict[RowKey, frozenset[str]] = {}
    for run in counted:
        row = run.slug, run.experiment
        evals[row] = evals.get(row, frozenset()) | list_evals(run, benchmark)
    return evals


FEWEST_ROWS = 5
"""The models with rows over all levels from which a version's board is over all levels."""


def choose_board_evals(
    benchmark: Benchmark, counted: Sequence[RunSummary], fewest: int = FEWEST_ROWS
) -> Benchmark:
    """Return the version with the evals of its board: of all levels, or without hard evals.

    Hard evals are left out if this keeps more models, and fewer than ``fewest`` have the others.
    """
    baselines = {run.slug for run in counted if run.baseline}
    without = leave_hard_out(benchmark)
    rows = collect_row_evals(benchmark, counted)
    slugs_without, having = (
        {slug for (slug, _), evals in rows.items() if is_enough(evals, of)} - baselines
        for of in (without, benchmark)
    )
    return without if len(having) < min(fewest, len(slugs_without)) else benchmark


def choose_shared_set(
    benchmark: Benchmark,
    counted: Sequence[RunSummary],
    sections: Mapping[str, tuple[str, ...]],
    fewest: int = FEWEST_ROWS,
) -> tuple[ScoredVersion, frozenset[RowKey]]:
    """Return the evals over which rows are ranked and compared, and the rows that have them all.

    They are the evals that all rows of models have, after rows that leave too few are left out.

    With models enough (``fewest``), hard evals are among them.

    Rows are left out one by one: the row without which the others share the most evals; of several
    the one with the fewest evals, then one without the usual guidelines, then the last by slug.
    The results have no part in it. A baseline never shrinks the set.
    """
    evals = collect_row_evals(benchmark, counted)
    benchmark = choose_board_evals(benchmark, counted, fewest)
    baselines = {(run.slug, run.experiment) for run in counted if run.baseline}
    ranked = {row: evals[row] for row in sorted(evals, reverse=True) if row not in baselines}

    def share(leaving: RowKey | None = None) -> frozenset[str]:
        others = (having for row, having in ranked.items() if row != leaving)
        return frozenset(benchmark.evals).intersection(*others)

    while not is_enough(share(), benchmark):
        last = max(ranked, key=lambda row: (len(share(row)), -len(ranked[row]), row[1] != DEFAULT))
        del ranked[last]
    shared = share()
    scored = ScoredVersion(
        benchmark.version,
        tuple(sorted(shared)),
        sections,
        tuple(sorted(benchmark.evals.keys() - shared)),
        benchmark.levels,
        frozenset(benchmark.held_out),
    )
    return scored, frozenset(row for row, having in evals.items() if having >= shared)


def pool_by_model(runs: Iterable[RunResults]) -> list[Pool]:
    """Return the pools of ``runs``, which are sorted newest first, by model and then experiment."""
    alike = group_values(((each.run.slug, each.run.experiment), each) for each in runs)
    return [pool_runs(alike[key]) for key in sorted(alike)]


def pool_runs(runs: Sequence[RunResults]) -> Pool:
    """Return the pool of ``runs``, which are of one model and experiment, newest first."""
    whole = SideCounts.join(runs, _add_counts)
    return Pool(
        runs=tuple(runs),
        passed=whole.passed,
        judged=whole.judged,
        set_aside=_add_counts([run.set_aside for run in runs]),
        beside=whole.beside,
    )


def _add_counts(counts: Iterable[Counts]) -> Counts:
    return np.stack([*counts]).sum(axis=0, dtype=np.int32)
