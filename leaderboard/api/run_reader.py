"""The runs and leaderboards of the API, kept in memory while their files are unchanged."""

import logging
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Annotated, Generic, TypeVar

from pydantic import Field

from generator.read.project_files import file_report
from generator.read.run_summaries import RecordsFolder, summarize_run
from generator.read.summaries import FiledReport, RunSummary, Summaries
from generator.scores.leaderboards import Leaderboard, build_leaderboards
from generator.site_data import sort_reports
from generator.tables.published_tables import LeaderboardRow, build_leaderboard_rows
from leaderboard.api.receiver import KnownRun, Receiver, build_run_brief
from leaderboard.api.request_checks import ApiError
from leaderboard.api.run_shapes import DIGITS, Channel, RunBrief, RunList
from records import reader
from records.errors import InvalidRecordError, MissingRecordError
from records.files.plain_files import read_stamp
from records.shapes.base import BenchmarkId, ExperimentName, ModelSlug, Record, RunId
from records.text.visible import make_one_line

_LOG = logging.getLogger(__name__)
_PAGE = 100
Kept = TypeVar("Kept")


class RunFilter(Record):
    """A selection of the runs of the key's channel."""

    model: ModelSlug | None = None
    """Only runs of this model."""
    experiment: ExperimentName | None = None
    """Only runs under this experiment."""
    benchmark: BenchmarkId | None = None
    """Only runs of this benchmark version."""

    def admits(self, row: RunBrief | LeaderboardRow) -> bool:
        """Return whether the row belongs to a selected run."""
        return (
            self.model in {None, row.model}
            and self.experiment in {None, row.experiment}
            and self.benchmark in {None, row.benchmark_version}
        )


class RunsQuery(RunFilter):
    """A page of the list of runs."""

    limit: Annotated[int, Field(ge=1, le=1000), DIGITS] = _PAGE
    """The most runs of a page."""
    after: RunId | None = None
    """Only runs after this run in the list; the value is the `after` of the page before."""


class Stamped(Generic[Kept]):
    """A cache of values made from files, by their size, mtime and inode."""

    def __init__(self, make: Callable[[Path], Kept]) -> None:
        """Store ``make``, which returns the value of a file."""
        self._make = make
        self._turn = Lock()
        self._kept: dict[Path, tuple[str, Kept | None]] = {}

    def read_files(self, paths: Iterable[Path]) -> dict[Path, Kept]:
        """Return the value of each existing file; invalid files are logged and left out."""
        with self._turn:
            entries: dict[Path, tuple[str, Kept | None]] = {}
            for path in paths:
                if (stamp := read_stamp(path)) is None:
                    continue
                entry = self._kept.get(path)
                if entry is None or entry[0] != stamp:
                    entry = stamp, self._read(path)
                entries[path] = entry
            self._kept = entries
        return {path: value for path, (_, value) in entries.items() if value is not None}

    def _read(self, path: Path) -> Kept | None:
        try:
            return self._make(path)
        except MissingRecordError:  # removed meanwhile
            return None
        except InvalidRecordError as error:
            _LOG.warning("%s", make_one_line(f"left out: {error}"))
            return None


class ScoreList(Record):
    """Rows of the leaderboards, as on the site."""

    scores: tuple[LeaderboardRow, ...]
    """The rows, sorted by benchmark version, then by rank."""


class RunReader:
    """A reader of the runs and leaderboards of a channel; only changed files are read again."""

    def __init__(self, receiver: Receiver, channel: Channel) -> None:
        """Store ``receiver``, whose unfinished runs are also listed, and the channel."""
        self._channel: Channel = channel
        self._receiver = receiver
        self._folder = receiver.get_folder(channel)
        self._published = receiver.get_folder("production")
        self._runs = Stamped(self._read_run)
        self._registry = Stamped(reader.read_registry)
        self._benchmarks = Stamped(reader.read_benchmark)
        self._reports = Stamped(self._read_report)
        self._known: dict[str, Leaderboard] = {}
        self._turn = Lock()

    def _read_run(self, path: Path) -> tuple[RunBrief, RunSummary]:
        run = reader.read_run(path)
        known = KnownRun(channel=self._channel, sent_by=None, run=run)
        return build_run_brief(known, run.attempts), summarize_run(run)

    def _read_report(self, path: Path) -> FiledReport:
        data = reader.read_bytes(path)
        report, digest = reader.parse_report(path, data), sha256(data).hexdigest()
        return file_report(path, report, digest, local=self._channel == "development")

    def read_run_page(self, query: RunsQuery) -> RunList:
        """Return the page of runs for a query, the newest run first.

        Raises:
            ApiError: 404, `after` is not a run of the list.
        """
        recorded = self._runs.read_files(self._folder.list_run_files()).values()
        receiving = list(self._receiver.list_unfinished(self._channel))
        going = {row.run_id for row in receiving}
        rows = [*receiving, *(row for row, _ in recorded if row.run_id not in going)]
        matches = [row for row in rows if query.admits(row)]
        # Of the runs of a day, those whose time was not published are the oldest.
        matches.sort(
            key=lambda row: (row.date, str(row.started_at or ""), row.run_id), reverse=True
        )
        if query.after is not None:
            indexes = [index for index, row in enumerate(matches) if row.run_id == query.after]
            if not indexes:
                raise ApiError(404, "after: is no run of this list", "after")
            matches = matches[indexes[0] + 1 :]
        page = matches[: query.limit]
        more = len(matches) > len(page)
        return RunList(runs=tuple(page), after=page[-1].run_id if more else None)

    def list_scores(self, query: RunFilter) -> ScoreList:
        """Return the rows of the leaderboards that a query selects."""
        with self._turn:
            self._known = build_leaderboards(self._gather_summaries(), {}, self._known)
            boards = list(self._known.values())
        rows = [row for board in boards for row in build_leaderboard_rows(board)]
        return ScoreList(scores=tuple(row for row in rows if query.admits(row)))

    def _gather_summaries(self) -> Summaries:
        versions = self._benchmarks.read_files(
            path
            for folder in dict.fromkeys((self._published, self._folder))
            for path in folder.benchmarks.list_files()
        )
        names = {
            model.slug: (model.name, model.provider)
            for registry in self._registry.read_files([self._published.models_file]).values()
            for model in registry.by_slug.values()
        }
        is_local = self._channel == "development"
        folder = RecordsFolder(str(self._folder.root), is_local, frozenset())
        read = self._runs.read_files(self._folder.list_run_files()).values()
        runs = [folder.place(summary, names) for _, summary in read]
        reports = self._reports.read_files(self._folder.list_report_files()).values()
        return Summaries(
            benchmarks={version.version: version for version in versions.values()},
            runs=sorted(runs, key=lambda run: (run.date, run.run_id), reverse=True),
            reports=sort_reports(
                report for report in reports if is_local or not report.report.draft
            ),
            registry={},
            trials=(),
        )
