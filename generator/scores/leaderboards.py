"""The leaderboards of all benchmark versions, computed once for all pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from generator.read.suite_texts import EvalTexts
from generator.read.summaries import (
    RequestTally,
    RunSummary,
    Summaries,
    get_category_key,
)
from generator.scores import guidelines_effect, inputs
from generator.scores.differences.model_pairs import Against, compare_all_pairs
from generator.scores.health import EvalHealth, compute_eval_healths
from generator.scores.score_table import ScoredRow, build_score_rows
from records.grouping import group_values
from records.shapes.report import ClassedFailure
from records.suites.benchmark import Benchmark
from records.suites.experiments import DEFAULT, is_of_a_trial


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a leaderboard: a model under an experiment in a benchmark version."""

    runs: Sequence[RunSummary]
    """The runs that count, newest first."""
    row: ScoredRow
    """The score and the rank, computed from these runs."""
    passes: Mapping[str, float]
    """The pass rate by eval, from 0 to 1."""
    requests: RequestTally | None
    """How requests ended, over all runs of the model and experiment that were not withdrawn,
    counted or not; None if no run has it."""

    @property
    def newest(self) -> RunSummary:
        """The newest run that counts."""
        return self.runs[0]

    def list_runs(self, name: str) -> list[RunSummary]:
        """Return the runs that asked an eval, newest first; a run may have hard evals alone."""
        return [run for run in self.runs if name in run.results]

    @property
    def key(self) -> str:
        """The entry's key in addresses and comparisons."""
        newest = self.newest
        return newest.slug if newest.experiment == DEFAULT else f"{newest.slug}+{newest.experiment}"

    def sum_passes(self, evals: Iterable[str]) -> float:
        """Return the mean number of ``evals`` that pass."""
        return sum(map(self.passes.__getitem__, evals))


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """The leaderboard of a benchmark version."""

    benchmark: Benchmark
    scored: inputs.ScoredVersion
    """The version's evals in the order of arrays of scores: those that all entries have."""
    entries: Sequence[Entry]
    """The entries by experiment; in each the models by score, then the baselines."""
    unranked: Sequence[Entry]
    """The entries without some of the shared evals; each is scored over its own evals."""
    effects: Sequence[guidelines_effect.GuidelinesEffect]
    """The effect of the guidelines on each model that ran with and without them."""
    overall: guidelines_effect.OverallEffect | None
    """The mean effect of the guidelines on all of these models; None without any."""
    health: Mapping[str, EvalHealth]
    """The health of each eval over the models that ran with guidelines; empty without any."""
    basis: "_Basis"
    """All inputs of the leaderboard."""

    @cached_property
    def baselines_last(self) -> Sequence[Entry]:
        """The entries, with all models before all baselines."""
        return sorted(self.entries, key=lambda entry: entry.newest.baseline)

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], Against]:
        """The difference of each entry from each later one in `baselines_last`, by their keys."""
        keys = [entry.key for entry in self.baselines_last]
        pairs = compare_all_pairs([entry.row.pool for entry in self.baselines_last])
        return {(keys[first], keys[other]): against for (first, other), against in pairs.items()}

    def compare_pair(self, first: Entry, other: Entry) -> Against:
        """Return the difference of an entry from another one."""
        against = self.pairs.get((first.key, other.key))
        return against or self.pairs[other.key, first.key].swap_models()

    @property
    def version(self) -> str:
        """The version's identity."""
        return self.benchmark.version

    @property
    def is_of_other_tool(self) -> bool:
        """Whether it is a benchmark of another tool, which knows no guidelines."""
        return self.benchmark.imported is not None

    def list_eval_names(self, category: str | None = None) -> list[str]:
        """Return the evals that all entries have, of a category or of all categories, sorted."""
        names = self.scored.evals
        return [name for name in names if category is None or get_category_key(name) == category]

    def list_categories(self) -> list[str]:
        """Return the folder names of the version's categories, sorted."""
        return list(self.scored.by_category)

    def select_models(self, experiment: str | None = None) -> list[Entry]:
        """Return the entries of models, baselines left out; only under ``experiment`` if given."""
        return [
            entry
            for entry in self.entries
            if not entry.newest.baseline and experiment in {None, entry.newest.experiment}
        ]

    def list_baselines_once(self) -> list[Entry]:
        """Return each baseline once, with guidelines if it has a run with them.

        No prompt changes the answers of a baseline.
        """
        baselines = [entry for entry in self.entries if entry.newest.baseline]
        usual_last = sorted(baselines, key=lambda entry: entry.newest.experiment == DEFAULT)
        return list({entry.newest.slug: entry for entry in usual_last}.values())

    def count_models(self) -> int:
        """Return the number of models, each counted once, baselines left out."""
        return len({entry.newest.slug for entry in self.select_models()})

    def find(self, slug: str, experiment: str) -> Entry | None:
        """Return the entry of a model under an experiment; None if there is none."""
        for entry in self.entries:
            if (entry.newest.slug, entry.newest.experiment) == (slug, experiment):
                return entry
        return None

    def find_effect(self, entry: Entry) -> guidelines_effect.GuidelinesEffect | None:
        """Return the effect of the guidelines on an entry that had them; None if not known."""
        pool = entry.row.pool
        return next((effect for effect in self.effects if effect.with_them is pool), None)


class _Basis(NamedTuple):
    """The inputs of a leaderboard; equal inputs give equal leaderboards."""

    benchmark: Benchmark
    sections: Mapping[str, Sequence[str]]
    """The sections of the guidelines that each eval exercises, by eval."""
    runs: frozenset[str]
    """The ids of all runs of the version, counted or not, without runs of trials."""
    counted: Sequence[RunSummary]
    """The runs that count."""
    failures: Sequence[Sequence[ClassedFailure] | None]
    """The failures by the newest report on each run that counts; None without a report."""
    requests: Mapping[tuple[str, str], RequestTally]
    """How requests ended, by model and experiment."""
    fewest: int
    """The models with rows over all levels from which hard evals are on the board."""


def build_leaderboards(
    summaries: Summaries,
    texts: Mapping[str, EvalTexts],
    earlier_boards: Mapping[str, Leaderboard],
    fewest: int = inputs.FEWEST_ROWS,
) -> dict[str, Leaderboard]:
    """Return the leaderboard of every version; reuse ``earlier_boards`` with the same inputs.

    Hard evals are on it if at least ``fewest`` models have rows over all levels.
    """
    newest = {filed.report.run: filed.report for filed in reversed(summaries.reports)}
    # The effect of an edition of the guidelines is on the page of its trial.
    by_version = group_values(
        (run.version, run) for run in summaries.runs if not is_of_a_trial(run.experiment)
    )
    boards: dict[str, Leaderboard] = {}
    for version, benchmark in summaries.benchmarks.items():
        runs = by_version.get(version, [])
        # How requests of runs that were not withdrawn ended, by model and experiment.
        requests: dict[tuple[str, str], RequestTally] = {}
        for run in runs:
            if run.requests is not None and run.head.withdrawn is None:
                key = run.slug, run.experiment
                before = requests.get(key, RequestTally(0, 0, 0, 0, 0))
                requests[key] = RequestTally(*map(sum, zip(before, run.requests, strict=True)))
        counted = inputs.select_counted(benchmark, runs)
        reports = [newest.get(run.run_id) for run in counted]
        basis = _Basis(
            benchmark,
            {name: texts[name].guidelines for name in benchmark.evals if name in texts},
            frozenset(run.run_id for run in runs),
            counted,
            [report and report.failures for report in reports],
            requests,
            fewest,
        )
        board = earlier_boards.get(version)
        if board is None or board.basis != basis:
            board = _build_leaderboard(basis)
        boards[version] = board
    return boards


def _build_leaderboard(basis: _Basis) -> Leaderboard:
    scored, pools, unranked = score_counted_runs(
        basis.benchmark, basis.counted, basis.failures, basis.sections, basis.fewest
    )
    effects = guidelines_effect.compute_guidelines_effects(scored, pools)
    usual = [pool for pool in pools if pool.experiment == DEFAULT]

    def build_entry(of: inputs.ScoredVersion, row: ScoredRow) -> Entry:
        return Entry(
            runs=[results.run for results in row.pool.runs],
            row=row,
            passes=dict(zip(of.evals, row.pool.means.tolist(), strict=True)),
            requests=basis.requests.get((row.pool.slug, row.pool.experiment)),
        )

    return Leaderboard(
        benchmark=basis.benchmark,
        scored=scored,
        entries=[build_entry(scored, row) for row in build_score_rows(scored, pools)],
        unranked=[
            build_entry(own, row._replace(rank=None))
            for own, pool in unranked
            for row in build_score_rows(own, [pool])
        ],
        effects=effects,
        overall=guidelines_effect.compute_overall_effect(scored, effects),
        health={board.eval: board for board in compute_eval_healths(scored, usual)},
        basis=basis,
    )


CountedPools = tuple[
    inputs.ScoredVersion, list[inputs.Pool], list[tuple[inputs.ScoredVersion, inputs.Pool]]
]
"""The shared evals, the pools that have them all, and each other pool after its own evals."""


def score_counted_runs(
    benchmark: Benchmark,
    counted: Sequence[RunSummary],
    failures: Sequence[Sequence[ClassedFailure] | None] | None = None,
    sections: Mapping[str, Sequence[str]] | None = None,
    fewest: int = inputs.FEWEST_ROWS,
) -> CountedPools:
    """Return the pools of runs that count, newest first; ``failures`` has those by a report."""
    groups = {name: tuple(of) for name, of in (sections or {}).items()}
    scored, rows = inputs.choose_shared_set(benchmark, counted, groups, fewest)
    of_rows = inputs.collect_row_evals(benchmark, counted)

    def choose_evals(run: RunSummary) -> inputs.ScoredVersion:
        row = run.slug, run.experiment
        if row in rows:
            return scored
        evals = of_rows[row]
        return inputs.ScoredVersion.from_evals(benchmark.version, evals, groups, benchmark.levels)

    reported = zip(counted, failures or [None] * len(counted), strict=True)
    pools = inputs.pool_by_model(
        inputs.build_run_results(of, run, reports, of_rows[run.slug, run.experiment])
        for run, reports in reported
        # A run of hard evals alone has no result on a board without them.
        if not (of := choose_evals(run)).place.keys().isdisjoint(run.results.plan.place)
    )
    ranked = [pool for pool in pools if (pool.slug, pool.experiment) in rows]
    unranked = [(choose_evals(pool.runs[0].run), pool) for pool in pools if pool not in ranked]
    return scored, ranked, unranked
