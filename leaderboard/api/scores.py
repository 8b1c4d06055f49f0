"""The scores for the API: the rows of the leaderboards, as on the site."""

from hashlib import sha256
from pathlib import Path
from threading import Lock

from generator.facts.site_data import sort_reports
from generator.read.project_files import file_report
from generator.read.run_summaries import KnownRuns, RecordsFolder, summarize_run
from generator.read.summaries import FiledReport, RunSummary, Summaries
from generator.scores.leaderboards import Leaderboard, build_leaderboards
from generator.tables.published_tables import LeaderboardRow, build_leaderboard_rows
from leaderboard.api.run_reader import RunFilter, Stamped
from leaderboard.api.run_shapes import Channel
from records.files.data_folder import DataFolder
from records.reader import parse_report, parse_run, read_benchmark, read_bytes, read_registry
from records.shapes.base import Record


class ScoreList(Record):
    """Rows of the leaderboards, as on the site."""

    scores: tuple[LeaderboardRow, ...]
    """The rows, sorted by benchmark version, then by rank."""


class ScoreReader:
    """A reader of the leaderboards of a channel, which computes only changed parts again."""

    def __init__(self, data: DataFolder, channel: Channel) -> None:
        """Store the data folder and the channel; nothing is read yet."""
        self._local = channel == "development"
        self._folder = data.local if self._local else data
        self._folders = [data, data.local] if self._local else [data]
        self._registry = Stamped(read_registry)
        self._models_file = data.models_file
        self._benchmarks = Stamped(read_benchmark)
        self._reports = Stamped(self._read_report)
        self._summaries = Stamped(_read_summary)
        self._runs = KnownRuns()
        self._known: dict[str, Leaderboard] = {}
        self._turn = Lock()

    def list_scores(self, query: RunFilter) -> ScoreList:
        """Return the rows that a query selects."""
        with self._turn:
            self._known = build_leaderboards(self._gather_summaries(), {}, self._known)
            boards = list(self._known.values())
        rows = [row for board in boards for row in build_leaderboard_rows(board)]
        return ScoreList(scores=tuple(row for row in rows if query.admits(row)))

    def _gather_summaries(self) -> Summaries:
        versions = self._benchmarks.read_files(
            path for folder in self._folders for path in folder.list_benchmark_files()
        )
        registries = self._registry.read_files([self._models_file]).values()
        self._runs.names = {
            model.slug: (model.name, model.provider)
            for registry in registries
            for model in registry.by_slug.values()
        }
        folder = RecordsFolder(str(self._folder.root), self._local, frozenset())
        summaries = self._summaries.read_files(self._folder.list_run_files())
        self._runs.stored = {f"{path}": ("", summary) for path, summary in summaries.items()}
        runs = [self._runs.place(path, folder) for path in self._runs.stored]
        reports = self._reports.read_files(self._folder.list_report_files()).values()
        return Summaries(
            benchmarks={version.version: version for version in versions.values()},
            runs=sorted(runs, key=lambda run: (run.date, run.run_id), reverse=True),
            reports=sort_reports(
                report for report in reports if self._local or not report.report.draft
            ),
            registry={},
            trials=(),
        )

    def _read_report(self, path: Path) -> FiledReport:
        data = read_bytes(path)
        return file_report(
            path, parse_report(path, data), sha256(data).hexdigest(), local=self._local
        )


def _read_summary(path: Path) -> RunSummary:
    return summarize_run(parse_run(path, read_bytes(path)))
