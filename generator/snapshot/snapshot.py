"""A snapshot: the published results as tables, Parquet and Every Eval Ever, with their terms.

The same records give the same bytes. `leaderboard snapshot` writes it into a folder of its own, and
`leaderboard build --for-programs` below `/downloads/` of the site.

No snapshot holds all records. A worker reads those of a part, and returns their summaries, the rows
of their Parquet files, and their files for Every Eval Ever, packed.
"""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Self

from generator import site_links
from generator.errors import GeneratorError
from generator.exports.formats import ROOT, build_terms, encode_json, make_table_files
from generator.output_folder import (
    SNAPSHOT_MARK,
    RenderedFile,
    Staging,
    check_output_folder,
    hold_lock,
)
from generator.phases import Phases
from generator.read.run_summaries import decode_stored, encode_stored
from generator.read.summaries import RunSummary, sort_newest_first
from generator.run_pages import RunRenderer
from generator.site_data import SiteData
from generator.snapshot import descriptions, snapshot_files
from generator.snapshot.every_eval_ever import make_title_slug, run_documents
from generator.sources import Sources, check_data, find_inputs
from generator.tables import run_columns
from generator.tables.columns import ResultTable, build_frame
from generator.tables.published_tables import TABLES, build_frames
from generator.workers import share_out
from records.grouping import group_values

_RUNS = 10
"""Runs of a part. Packed bytes depend on it, so it is the same for every number of workers."""


_ROWS_AT_ONCE = 50_000
"""Rows from which on a row group is written."""


class ParquetTypes:
    """The package that writes Parquet, and the schemas of files.

    Raises:
        GeneratorError: it is not installed.
    """

    def __init__(self, terms: Mapping[str, str]) -> None:
        """Prepare; each file holds the terms in its schema."""
        self._terms = dict(terms)
        try:
            # Imported here: an extra brings it, and it takes half a second. It has no types.
            self.arrow: Any = import_module("pyarrow")
            self.parquet: Any = import_module("pyarrow.parquet")
        except ImportError as error:
            raise GeneratorError(
                "pyarrow is missing, which writes Parquet: install the extra datasets "
                "(pip install 'convex-leaderboard[datasets]')"
            ) from error
        # Its own allocator keeps 10 MB of freed memory in each process.
        self.arrow.set_memory_pool(self.arrow.system_memory_pool())
        self._schemas: dict[ResultTable, Any] = {}

    def build_schema(self, table: ResultTable) -> Any:  # noqa: ANN401 - a package without types
        """Return the schema of a file, with the terms."""
        if table not in self._schemas:
            columns: list[Any] = []
            for column in table.list_columns():
                make_type, *arguments = column.type.arrow
                of_arrow = getattr(self.arrow, make_type)(*arguments)
                columns.append(self.arrow.field(column.name, of_arrow, nullable=column.nullable))
            self._schemas[table] = self.arrow.schema(columns, metadata=self._terms)
        return self._schemas[table]

    def convert_rows(self, table: ResultTable, rows: Sequence[object]) -> Any:  # noqa: ANN401 - see above
        """Return the sources of rows as a table of Arrow, which may pass to another process."""
        frame, schema = build_frame(table.columns, rows, table), self.build_schema(table)
        rows_of_arrow = self.arrow.Table.from_pandas(frame, schema=schema, preserve_index=False)
        # Without what pandas notes of its own types.
        return rows_of_arrow.replace_schema_metadata(self._terms)


class ParquetFile:
    """A file that grows part by part."""

    def __init__(self, types_of_columns: ParquetTypes, table: ResultTable, path: Path) -> None:
        self._types = types_of_columns
        self._writer: Any = types_of_columns.parquet.ParquetWriter(
            path, types_of_columns.build_schema(table), compression="zstd"
        )
        self._waiting: list[Any] = []
        self.rows = 0
        """Rows so far."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()
        self._writer.close()

    def add(self, part: Any) -> None:  # noqa: ANN401 - see above
        """Add a table of Arrow."""
        if part.num_rows:
            self._waiting.append(part)
            self.rows += part.num_rows
        if sum(each.num_rows for each in self._waiting) >= _ROWS_AT_ONCE:
            self._write()

    def _write(self) -> None:
        if self._waiting:
            self._writer.write_table(self._types.arrow.concat_tables(self._waiting))
            self._waiting = []


class RunPart(NamedTuple):
    """What was made of the records of a part."""

    summaries: Sequence[tuple[str, bytes]]
    """The summary of each run as JSON, after the path of its record."""
    tables: dict[str, Any]
    """Rows by the name of the file."""
    documents: dict[str, tuple[bytes, int]]
    """Packed files for Every Eval Ever and the number of their runs, by benchmark version."""


def _build_part(reader: RunRenderer, types: ParquetTypes, record_paths: Sequence[str]) -> RunPart:
    """Make the part of the records at some paths."""
    runs: list[run_columns.RunSource] = []
    attempts: list[run_columns.AttemptSource] = []
    tests: list[run_columns.TestSource] = []
    summaries: list[tuple[str, bytes]] = []
    entries: dict[str, list[bytes]] = {}
    for path in record_paths:
        summary, record = reader.read_record(path)
        summaries.append((path, encode_stored(RunSummary, summary)))
        run = reader.find_folder(path).place(summary)
        runs.append(run_columns.RunSource(run, record=record))
        attempts += run_columns.list_attempt_sources(run, record)
        tests += run_columns.list_test_sources(run, record)
        documents = run_documents(reader.basics, run, record)
        if documents is not None:
            identity, aggregate, samples = documents
            files = {identity.aggregate_path: aggregate, identity.samples_path: samples}
            encoded = snapshot_files.encode_entries(files, identity.seconds)
            entries.setdefault(run.version, []).append(encoded)
    tables = {
        table.name: types.convert_rows(table, rows)
        for table, rows in (
            (run_columns.PARQUET_RUNS, runs),
            (run_columns.PARQUET_ATTEMPTS, attempts),
            (run_columns.PARQUET_TESTS, tests),
        )
    }
    packed = {
        version: (snapshot_files.pack_entries(b"".join(files)), len(files))
        for version, files in entries.items()
    }
    return RunPart(summaries, tables, packed)


class Snapshot(NamedTuple):
    """A snapshot that was written."""

    folder: Path
    files: list[snapshot_files.ListedFile]
    """By path."""
    runs: int


def take_snapshot(sources: Sources, out: Path) -> Snapshot:
    """Write a snapshot into a folder, in place of an earlier snapshot there, after all is made.

    Raises:
        RecordsError: a record is invalid; nothing was written.
        GeneratorError: settings are not as they must be, a package is missing, or the folder is a
            source, holds files of others or cannot be written.
    """
    check_data(sources)
    check_output_folder(sources, out, SNAPSHOT_MARK)
    phases = Phases(sources)
    folder = Path(os.path.realpath(out))  # the real name, also of `.` and of a link
    beside = folder.parent / f".{folder.name}.build"
    with hold_lock(beside), Staging(beside / "staged", out, mark=SNAPSHOT_MARK) as staging:
        inputs = find_inputs(sources)
        reader = phases.begin(inputs)
        score = partial(phases.score_runs, reader.basics)
        snapshot = _write_snapshot(reader, score, staging.make_folder(""))
        inputs.check_unchanged()
        try:
            staging.publish(
                {file.path: staging.add(file.path, file.sha256) for file in snapshot.files}
            )
        except OSError as error:
            raise GeneratorError(f"{out}: cannot be written: {error}") from error
    return snapshot._replace(folder=out)


def stage_downloads(site: SiteData, reader: RunRenderer, staging: Staging) -> list[RenderedFile]:
    """Write a snapshot among the files of a site that wait; return all its files.

    Args:
        site: the data of its pages; it has no local runs.
        reader: reads records, whose attempts no page holds.
        staging: leaves out the files that the site already has.

    Raises:
        RecordsError, GeneratorError: as for `take_snapshot`.
    """
    folder = staging.make_folder(site_links.DOWNLOADS)
    snapshot = _write_snapshot(reader, lambda _: site, folder)
    return [staging.add(site_links.DOWNLOADS + file.path, file.sha256) for file in snapshot.files]


def _write_snapshot(
    reader: RunRenderer,
    score: Callable[[Sequence[RunSummary]], SiteData],
    folder: Path,
) -> Snapshot:
    """Write a snapshot of the published records into an empty folder.

    ``score`` returns the data of the pages of a site with these runs.

    Raises:
        RecordsError: a record is invalid.
        SourceChangedError: a record changed meanwhile.
        ChildProcessError: a worker was killed.
    """
    files = snapshot_files.FileList(folder)
    types = ParquetTypes(build_terms(reader.basics))
    record_paths = sorted(path for path in reader.inputs.runs if not reader.find_folder(path).local)
    parts = [record_paths[at : at + _RUNS] for at in range(0, len(record_paths), _RUNS)]
    # First the files that are made of records, whose runs the other files need.
    runs: list[RunSummary] = []
    archives = Counter[str]()
    with ExitStack() as stack:
        tables = {
            table: stack.enter_context(
                ParquetFile(
                    types, table, files.prepare_path(site_links.build_parquet_path(table.name))
                )
            )
            for table in run_columns.PARQUET_TABLES
        }
        for part in share_out(partial(_build_part, reader, types), parts, runs=len(record_paths)):
            runs += [
                reader.learn(path, decode_stored(RunSummary, summary))
                for path, summary in part.summaries
            ]
            for table, parquet in tables.items():
                parquet.add(part.tables[table.name])
            for version, (data, number) in part.documents.items():
                files.append(site_links.build_every_eval_ever_path(version), data)
                archives[version] += number
    for table, parquet in tables.items():
        files.add(site_links.build_parquet_path(table.name), table.about, parquet.rows)
    for version, written in archives.items():
        path = site_links.build_every_eval_ever_path(version)
        files.append(path, snapshot_files.pack_entries(snapshot_files.ENDING))
        about = f"The runs of version {version} for Every Eval Ever 0.3.0."
        files.add(path, about, written)
    site = score(sort_newest_first(runs))
    # The tables of `/api/v1/`; the wide matrix, which is one of them turned, is left out.
    frames = build_frames(site)
    for table in TABLES:
        rows = table.list_rows(frames[table.columns])
        for path, data in make_table_files(table, rows):
            is_schema = "/schemas/" in path
            about = f"JSON Schema of {table.name}.json." if is_schema else table.about
            files.put(
                path.replace(ROOT, "tables", 1), data, about, None if is_schema else len(rows)
            )
    # An archive for each version, with the records and archives of its published runs.
    root = reader.sources.data.root
    records = {Path(path).stem: Path(path) for path in record_paths}
    boards = group_values((run.version, run) for run in site.summaries.runs if not run.local)
    for version, of_board in boards.items():
        paths = [records[run.run_id] for run in of_board]
        paths += [run.artifact for run in of_board if run.artifact is not None]
        board = site_links.build_board_path(version)
        snapshot_files.write_archive_of(
            root,
            [path.relative_to(root).as_posix() for path in paths],
            version,
            max(run.date for run in of_board),
            files.prepare_path(board),
        )
        about = f"Records, answers and logs of all runs of version {version}."
        files.add(board, about, len(of_board))
    _write_lists(files, site)
    return Snapshot(folder, files.list_sorted_files(), len(site.runs))


def _write_lists(files: snapshot_files.FileList, site: SiteData) -> None:
    """Write what describes the other files, and the archive of all."""
    described = [
        *((site_links.build_parquet_path(each.name), each) for each in run_columns.PARQUET_TABLES),
        *((f"tables/{each.name}.csv", each) for each in TABLES),
    ]
    terms = build_terms(site)
    dictionary = descriptions.build_data_dictionary(described, terms)
    files.put(site_links.DICTIONARY, encode_json(dictionary), "Each column of each table.")
    settings = site.settings
    publishers = {
        settings.find_publisher(benchmark.source_address)
        for benchmark in site.summaries.benchmarks.values()
    }
    days = [run.date for run in site.summaries.runs if not run.head.day_of_import]
    dataset = descriptions.DatasetFacts(
        name=make_title_slug(settings.title),
        title=settings.title,
        address=settings.base,
        about=f"{settings.tagline}. Runs, attempts, tests, scores.",
        creators=[settings.title, *sorted(filter(None, publishers))],
        day=max(days, default=None),
        terms=terms,
    )
    files.put(
        "README.md",
        descriptions.format_readme(dataset, files.list_sorted_files()).encode(),
        "What the files are.",
    )
    description = descriptions.build_croissant(dataset, files.list_sorted_files(), described)
    files.put(site_links.CROISSANT, encode_json(description), "The snapshot by Croissant 1.1.")
    manifest: dict[str, object] = {
        "schema_version": 1,
        "made_by": "leaderboard snapshot",
        "name": dataset.name,
        "title": dataset.title,
        "address": dataset.address,
        "newest_run": dataset.day and dataset.day.isoformat(),
        "runs": len(site.runs),
        "models": len(site.by_model),
        "benchmark_versions": sorted(site.leaderboards),
        **terms,
        "files": [file._asdict() for file in files.list_sorted_files()],
    }
    about = "All files of the snapshot, with their checksums."
    files.put(site_links.MANIFEST, encode_json(manifest), about)
    sums = "".join(f"{file.sha256}  {file.path}\n" for file in files.list_sorted_files())
    files.put("SHA256SUMS", sums.encode(), "The checksums, for `sha256sum -c SHA256SUMS`.")
    root = f"{dataset.name}-{dataset.day}" if dataset.day else dataset.name
    paths = [file.path for file in files.files if not file.path.startswith(site_links.BOARDS)]
    snapshot_files.write_archive_of(
        files.folder, paths, root, dataset.day, files.prepare_path(site_links.ARCHIVE)
    )
    files.add(site_links.ARCHIVE, "All files above in one, without those of boards.")
    archive = files.files[-1]
    line = f"{archive.sha256}  {site_links.ARCHIVE}\n"
    files.put(f"{site_links.ARCHIVE}.sha256", line.encode(), "Its checksum.")
