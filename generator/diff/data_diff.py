"""The differences between two states of a data folder: runs, scores, ranks and reports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from generator.diff.runs_diff import RunsDiff, Side, diff_runs
from generator.read.run_summaries import RecordsFolder, RunSummaries, format_run_text, name_plan
from generator.read.summaries import RunSummary, sort_newest_first
from generator.scores.inputs import ScoredVersion
from generator.scores.leaderboards import pool_counted_runs
from generator.scores.ranks import RankRange
from generator.scores.run_selection import select_counted
from generator.scores.score_table import ScoredRow, build_score_rows
from records.files.data_folder import DataFolder
from records.reader import read_benchmark, read_bytes, read_run
from records.shapes.run import Run
from records.suites.benchmark import Benchmark


@dataclass(frozen=True)
class DataState:
    """The records of a data folder at one time."""

    label: str
    """The name of the state for readers."""
    runs: Mapping[str, Run]
    """The runs by id."""
    benchmarks: Mapping[str, Benchmark]
    """The benchmark versions by their identity."""
    reports: Mapping[str, bytes]
    """The bytes of reports, by path below the folder."""

    @classmethod
    def from_folder(cls, label: str, folder: DataFolder) -> "DataState":
        """Read all published records of ``folder``.

        Raises:
            InvalidRecordError: a record cannot be read.
        """
        benchmarks = map(read_benchmark, folder.list_benchmark_files())
        return cls(
            label=label,
            runs={run.run_id: run for run in map(read_run, folder.list_run_files())},
            benchmarks={item.version: item for item in benchmarks},
            reports={
                path.relative_to(folder.root).as_posix(): read_bytes(path)
                for path in folder.list_report_files()
            },
        )

    def count_ranked_models(self, version: str, experiment: str) -> int:
        """Return the number of ranked models of a version and experiment."""
        return sum(
            row.rank is not None
            for key, row in self.rows.items()
            if key[:2] == (version, experiment)
        )

    @cached_property
    def rows(self) -> Mapping[tuple[str, str, str], ScoredRow]:
        """All scored rows by benchmark version, experiment and model."""
        return {
            (version, row.pool.experiment, row.pool.slug): row
            for version, benchmark in self.benchmarks.items()
            for row in _compute_rows(benchmark, self.runs.values())
        }


@dataclass(frozen=True, slots=True)
class MovedRow:
    """A model whose score or rank changed."""

    version: str
    experiment: str
    slug: str
    rank_before: RankRange | None
    """The ranks that the model may have; None for a baseline or without a row before."""
    rank_after: RankRange | None
    score_before: float | None
    """Mean pass rate from 0 to 1; None without a row before."""
    score_after: float | None
    ranked_before: int
    """The number of ranked models of the version and experiment."""
    ranked_after: int


@dataclass(frozen=True, slots=True)
class DataDiff:
    """The differences of the second state from the first."""

    before: DataState
    after: DataState
    pairs: Sequence[RunsDiff]
    """Each new or changed run, compared with the run that it follows."""
    new: Sequence[Run]
    """New runs without an earlier run of the same model and experiment."""
    gone: Sequence[Run]
    """Runs that were removed or withdrawn."""
    moved: Sequence[MovedRow]
    reports: Sequence[str]
    """The paths of new or changed reports, below the folder."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return not (self.pairs or self.new or self.gone or self.moved or self.reports)


def diff_data(before: DataState, after: DataState) -> DataDiff:
    """Compare two states of a data folder."""
    benchmarks = {**before.benchmarks, **after.benchmarks}
    pairs: list[RunsDiff] = []
    new: list[Run] = []
    for run in sorted(after.runs.values(), key=_make_sort_key):
        earlier = before.runs.get(run.run_id)
        if earlier == run or run.withdrawn is not None:
            continue
        if earlier is not None and earlier.withdrawn is not None:
            earlier = None  # the withdrawal was undone, so the run counts as new
        followed = earlier or _find_followed(run, before.runs.values())
        if followed is None:
            new.append(run)
        else:
            sides = Side(_format_label(followed), [followed]), Side(_format_label(run), [run])
            pairs.append(diff_runs(*sides, benchmarks))
    return DataDiff(
        before=before,
        after=after,
        pairs=pairs,
        new=new,
        gone=[run for run in before.runs.values() if _is_gone(run, after)],
        moved=_find_moved(before, after),
        reports=[
            path for path, text in sorted(after.reports.items()) if before.reports.get(path) != text
        ],
    )


def _make_sort_key(run: Run) -> tuple[str, str, str]:
    return run.model.slug, _get_start(run), run.run_id


def _get_start(run: Run) -> str:
    return run.began


def _find_followed(run: Run, runs: Iterable[Run]) -> Run | None:
    """Return the latest completed run of the same model and experiment; of the same version first.

    None if there is none.
    """
    alike = [
        each
        for each in runs
        if each.model.slug == run.model.slug
        and each.experiment.name == run.experiment.name
        and each.withdrawn is None
        and each.status == "completed"
    ]
    same_version = [each for each in alike if each.benchmark_version == run.benchmark_version]
    return max(same_version or alike, key=_make_sort_key, default=None)


def _format_label(run: Run) -> str:
    return f"{run.model.slug} {run.experiment.name} {run.run_id[:8]}"


def _is_gone(run: Run, after: DataState) -> bool:
    now = after.runs.get(run.run_id)
    return now is None or (now.withdrawn is not None and run.withdrawn is None)


def _find_moved(before: DataState, after: DataState) -> list[MovedRow]:
    keys = sorted(before.rows.keys() | after.rows.keys())
    moved_rows: list[MovedRow] = []
    for key in keys:
        old, new = before.rows.get(key), after.rows.get(key)
        facts = MovedRow(
            *key,
            rank_before=old.rank if old else None,
            rank_after=new.rank if new else None,
            score_before=old.score.value if old else None,
            score_after=new.score.value if new else None,
            ranked_before=before.count_ranked_models(*key[:2]),
            ranked_after=after.count_ranked_models(*key[:2]),
        )
        if (facts.rank_before, facts.score_before) != (facts.rank_after, facts.score_after):
            moved_rows.append(facts)
    return moved_rows


def _compute_rows(benchmark: Benchmark, runs: Iterable[Run]) -> list[ScoredRow]:
    scored = ScoredVersion.from_evals(benchmark.version, benchmark.evals)
    of_it = [_summarize(run) for run in runs if run.benchmark_version == benchmark.version]
    counted = select_counted(benchmark, sort_newest_first(of_it))
    return build_score_rows(scored, pool_counted_runs(scored, counted, [None] * len(counted)))


def _summarize(run: Run) -> RunSummary:
    """Return the summary of a published run, without its archive."""
    summaries, plan = RunSummaries(), name_plan(run.planned)
    summaries.learn(plan, run.planned)
    return summaries.parse_summary(
        "", RecordsFolder("", local=False, artifacts=()), format_run_text(run, "", None)
    )
