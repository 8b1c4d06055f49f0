"""The changes of the data folder: runs, reports and benchmark versions, read file by file."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from generator.diff.data_diff import DataState
from leaderboard.changes.checkout import ChangeKind, RevisionFolder
from leaderboard.changes.repository import list_paths_below
from records.errors import InvalidRecordError, RecordsError
from records.files.data_folder import DataFolder, get_model_slug, list_run_paths
from records.reader import parse_report, read_benchmark, read_bytes, read_report, read_run
from records.shapes.attempt import Outcome
from records.shapes.report import Report, build_report_name
from records.shapes.run import Run

if TYPE_CHECKING:
    from records.suites.benchmark import Benchmark

_Read = TypeVar("_Read")
DIRTY: Final = "+changes"
"""The mark in a record that the program had changes on top of its commit."""


@dataclass(frozen=True, slots=True)
class RunOfChange:
    """An added or changed run, with facts for a reviewer."""

    run: Run
    kind: ChangeKind
    evals: int | None
    """The number of evals of the run's benchmark version; null if this is not defined."""
    archive_is_missing: bool
    """True if attempts have an artifact, and the archive does not exist."""

    @property
    def is_whole(self) -> bool:
        """True if the run covers all evals of its version."""
        return self.evals == len(self.run.planned)

    def count(self, outcome: Outcome) -> int:
        """Return the number of attempts with this outcome."""
        return sum(attempt.outcome is outcome for attempt in self.run.attempts)

    @property
    def commit_words(self) -> str:
        """The origin of the run's program, in words."""
        commit = self.run.harness.git_commit if self.run.harness else None
        if self.run.provenance.kind == "imported":
            return "imported"
        if commit is None:
            return "commit not known"
        return "changed program" if commit.endswith(DIRTY) else "clean commit"


@dataclass(frozen=True, slots=True)
class ReportChange:
    """A report that was added, changed or removed."""

    path: str
    """The path, relative to the data folder."""
    kind: ChangeKind
    draft: bool
    open_classes: int
    """The number of failures without a class."""
    failures: int


class RecordCache:
    """A cache of parsed records by their content, as most are the same in two revisions."""

    def __init__(self) -> None:
        """Begin with an empty cache."""
        self._known: dict[tuple[str, str], object] = {}

    def read(self, path: Path, content: str, reader: Callable[[Path], _Read]) -> _Read:
        """Return a record; files with the same name and content are parsed once."""
        key = path.name, content
        if key not in self._known:
            self._known[key] = reader(path)
        return self._known[key]  # type: ignore[return-value]


def read_state(folder: RevisionFolder, cache: RecordCache) -> DataState:
    """Return the published records of a revision; unusable files are noted in ``folder``."""
    data = DataFolder(folder.data)
    read = partial(_read_records, folder, cache)
    runs = read(
        data.list_run_files(), read_run, lambda run: data.get_run_file(run.model.slug, run.run_id)
    )
    versions = read(
        data.list_benchmark_files(),
        read_benchmark,
        lambda version: data.get_benchmark_file(version.version),
    )
    reports = read(data.list_report_files(), read_report, None)
    return DataState(
        label=folder.label,
        runs={run.run_id: run for run in runs.values()},
        benchmarks={version.version: version for version in versions.values()},
        reports={path.relative_to(data.root).as_posix(): read_bytes(path) for path in reports},
    )


def keep_unread(before: DataState, after: DataState, folder: RevisionFolder) -> DataState:
    """Return the second state, with records of the first instead of files that cannot be used.

    Otherwise a broken file would look like a removed record, and would change ranks.
    """
    unread = set(list_paths_below([file.path for file in folder.unread], folder.places.data))
    runs = {
        run_id: run
        for run_id, run in before.runs.items()
        if run_id not in after.runs
        and not unread.isdisjoint(list_run_paths("runs", run.model.slug, f"{run_id}.json"))
    }
    benchmarks = {
        version: benchmark
        for version, benchmark in before.benchmarks.items()
        if version not in after.benchmarks and f"benchmarks/{version}.json" in unread
    }
    reports = {path: text for path, text in before.reports.items() if path in unread}
    return replace(
        after,
        runs={**runs, **after.runs},
        benchmarks={**benchmarks, **after.benchmarks},
        reports={**reports, **after.reports},
    )


def _read_records(
    folder: RevisionFolder,
    cache: RecordCache,
    paths: Iterable[Path],
    reader: Callable[[Path], _Read],
    get_path: Callable[[_Read], Path] | None,
) -> dict[Path, _Read]:
    records: dict[Path, _Read] = {}
    for path in paths:
        content = folder.contents[path.relative_to(folder.root).as_posix()]
        try:
            record = cache.read(path, content, reader)
            if get_path is not None and get_path(record) != path:
                expected_path = get_path(record).relative_to(folder.root)
                raise InvalidRecordError(path, "", f"belongs to {expected_path} by its content")
        except (RecordsError, ValueError) as error:
            folder.refuse(path, str(error))
        else:
            records[path] = record
    return records


def describe_runs(before: DataState, after: DataState, folder: RevisionFolder) -> list[RunOfChange]:
    """Return the added and changed runs that are not withdrawn, by model."""
    data = folder.places.data
    benchmarks: Mapping[str, Benchmark] = {**before.benchmarks, **after.benchmarks}
    runs_of_change: list[RunOfChange] = []
    for run in sorted(after.runs.values(), key=lambda run: (run.model.slug, run.began, run.run_id)):
        earlier = before.runs.get(run.run_id)
        if earlier == run or run.withdrawn is not None:
            continue
        version = benchmarks.get(run.benchmark_version)
        archives = {
            f"{data}/{path}".removeprefix("/")
            for path in list_run_paths("artifacts", run.model.slug, f"{run.run_id}.zip")
        }
        has_archive = any(attempt.artifact is not None for attempt in run.attempts)
        runs_of_change.append(
            RunOfChange(
                run=run,
                kind=ChangeKind.compare(earlier, run),
                evals=version and len(version.evals),
                archive_is_missing=has_archive and archives.isdisjoint(folder.contents),
            )
        )
    return runs_of_change


def list_withdrawn(before: DataState, after: DataState) -> list[Run]:
    """Return the runs that are withdrawn in ``after`` and not in ``before``, by model."""
    return [
        run
        for run in sorted(after.runs.values(), key=lambda run: (run.model.slug, run.run_id))
        if run.withdrawn is not None
        and (run.run_id not in before.runs or before.runs[run.run_id].withdrawn is None)
    ]


def list_removed(before: DataState, after: DataState) -> list[Run]:
    """Return the runs whose records are removed, by model."""
    removed_ids = before.runs.keys() - after.runs.keys()
    return sorted(
        (before.runs[run_id] for run_id in removed_ids),
        key=lambda run: (run.model.slug, run.run_id),
    )


def compare_reports(
    before: DataState, after: DataState, folder: RevisionFolder
) -> list[ReportChange]:
    """Return the reports that differ, by path."""
    changes: list[ReportChange] = []
    for path in sorted(before.reports.keys() | after.reports.keys()):
        old, new = before.reports.get(path), after.reports.get(path)
        if old == new:
            continue
        report = parse_report(Path(path), new if new is not None else old or b"")
        if new is not None and not _is_in_place(report, path, after.runs.get(report.run)):
            folder.refuse(
                folder.data / path, f"is on run {report.run}, to which its path does not belong"
            )
        unclassed = sum(failure.failure_class is None for failure in report.failures)
        changes.append(
            ReportChange(
                path, ChangeKind.compare(old, new), report.draft, unclassed, len(report.failures)
            )
        )
    return changes


def _is_in_place(report: Report, path: str, run: Run | None) -> bool:
    file = Path(path)
    has_its_name = file.name == build_report_name(report)
    return has_its_name and (run is None or get_model_slug(file) == run.model.slug)
