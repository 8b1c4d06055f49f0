"""The differences between two states of a data folder: runs, scores, ranks and reports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from generator.diff.runs_diff import RunsDiff, Side, diff_runs
from generator.read.run_summaries import summarize_run
from generator.read.summaries import sort_newest_first
from generator.scores.inputs import select_counted
from generator.scores.leaderboards import score_counted_runs
from generator.scores.score_table import RankRange, ScoredRow, build_score_rows
from records.files.data_folder import DataFolder
from records.reader import parse_report, read_benchmark, read_bytes, read_run
from records.shapes.attempt import Outcome
from records.shapes.report import Report
from records.shapes.run import Run
from records.suites.benchmark import Benchmark


class ChangeKind(StrEnum):
    """The kind of a change between two states."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"

    @staticmethod
    def compare(before: object, after: object) -> "ChangeKind":
        """Return the kind of change from one value to another; None is a missing value."""
        if before is None:
            return ChangeKind.ADDED
        return ChangeKind.REMOVED if after is None else ChangeKind.CHANGED


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
    archives: frozenset[str] = frozenset()
    """The ids of the runs whose archive exists."""

    @classmethod
    def from_folder(cls, label: str, folder: DataFolder) -> "DataState":
        """Read all published records of ``folder``.

        Raises:
            InvalidRecordError: a record cannot be read.
        """
        benchmarks = map(read_benchmark, folder.benchmarks.list_files())
        return cls(
            label=label,
            runs={run.run_id: run for run in map(read_run, folder.list_run_files())},
            benchmarks={item.version: item for item in benchmarks},
            reports={
                path.relative_to(folder.root).as_posix(): read_bytes(path)
                for path in folder.list_report_files()
            },
            archives=frozenset(path.stem for path in folder.list_artifact_files()),
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
        rows: dict[tuple[str, str, str], ScoredRow] = {}
        for version, benchmark in self.benchmarks.items():
            runs = [
                summarize_run(run) for run in self.runs.values() if run.benchmark_version == version
            ]
            counted = select_counted(benchmark, sort_newest_first(runs))
            scored, pools, _ = score_counted_runs(benchmark, counted)
            for row in build_score_rows(scored, pools):
                rows[version, row.pool.experiment, row.pool.slug] = row
        return rows


class MovedRow(NamedTuple):
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


class ChangedRun(NamedTuple):
    """An added or changed run that is not withdrawn, with facts for a reviewer."""

    run: Run
    kind: ChangeKind
    pair: RunsDiff | None
    """The comparison with the run that it follows; None without an earlier run like it."""
    evals: int | None
    """The number of evals of the run's benchmark version; None if this is not defined."""
    archive_is_missing: bool
    """True if attempts have an artifact, and the archive does not exist."""

    def count(self, outcome: Outcome) -> int:
        """Return the number of attempts with this outcome."""
        return sum(attempt.outcome is outcome for attempt in self.run.attempts)


class ChangedReport(NamedTuple):
    """A report that was added, changed or removed."""

    path: str
    """The path, relative to the data folder."""
    kind: ChangeKind
    report: Report
    """The later of both texts that exist."""


class DataDiff(NamedTuple):
    """The differences of the second state from the first."""

    before: DataState
    after: DataState
    runs: Sequence[ChangedRun]
    """By model and time."""
    withdrawn: Sequence[Run]
    """The runs that are withdrawn in the second state only, by model."""
    removed: Sequence[Run]
    """The runs whose records are removed, by model."""
    moved: Sequence[MovedRow]
    reports: Sequence[ChangedReport]
    """By path."""

    @property
    def pairs(self) -> list[RunsDiff]:
        """Each new or changed run, compared with the run that it follows."""
        return [changed.pair for changed in self.runs if changed.pair is not None]

    @property
    def new(self) -> list[Run]:
        """New runs without an earlier run of the same model and experiment."""
        return [changed.run for changed in self.runs if changed.pair is None]

    @property
    def gone(self) -> list[Run]:
        """Runs of the first state that were removed or withdrawn."""
        withdrawn = [run for run in self.withdrawn if run.run_id in self.before.runs]
        return [*self.removed, *withdrawn]

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return not (self.runs or self.withdrawn or self.removed or self.moved or self.reports)


def diff_data(before: DataState, after: DataState) -> DataDiff:
    """Compare two states of a data folder."""
    benchmarks = {**before.benchmarks, **after.benchmarks}
    runs: list[ChangedRun] = []
    withdrawn: list[Run] = []
    for run in sorted(after.runs.values(), key=_make_sort_key):
        earlier = before.runs.get(run.run_id)
        was_counted = earlier is not None and earlier.withdrawn is None
        if run.withdrawn is not None and (earlier is None or was_counted):
            withdrawn.append(run)
        if earlier == run or run.withdrawn is not None:
            continue
        # A run whose withdrawal was undone is compared with the runs before it, not with itself.
        followed = earlier if was_counted else _find_followed(run, before.runs.values())
        pair = None
        if followed is not None:
            sides = [
                Side(f"{each.model.slug} {each.experiment.name} {each.run_id[:8]}", [each])
                for each in (followed, run)
            ]
            pair = diff_runs(sides[0], sides[1], benchmarks)
        version = benchmarks.get(run.benchmark_version)
        has_files = any(attempt.artifact is not None for attempt in run.attempts)
        runs.append(
            ChangedRun(
                run=run,
                kind=ChangeKind.compare(earlier, run),
                pair=pair,
                evals=version and len(version.evals),
                archive_is_missing=has_files and run.run_id not in after.archives,
            )
        )
    removed = [run for run_id, run in before.runs.items() if run_id not in after.runs]
    moved_rows: list[MovedRow] = []
    for key in sorted(before.rows.keys() | after.rows.keys()):
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
    return DataDiff(
        before=before,
        after=after,
        runs=runs,
        withdrawn=withdrawn,
        removed=sorted(removed, key=_make_sort_key),
        moved=moved_rows,
        reports=[
            ChangedReport(
                path,
                ChangeKind.compare(old, new),
                parse_report(Path(path), (old or b"") if new is None else new),
            )
            for path in sorted(before.reports.keys() | after.reports.keys())
            for old, new in ((before.reports.get(path), after.reports.get(path)),)
            if old != new
        ],
    )


def _make_sort_key(run: Run) -> tuple[str, str, str]:
    return run.model.slug, run.began, run.run_id


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
