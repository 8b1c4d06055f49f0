"""Parts of a snapshot that are made of records: some runs at a time, in worker processes.

No snapshot holds all records. A worker reads those of a part, and returns their summaries, the rows
of their Parquet files, and their files for Every Eval Ever, packed.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from generator.facts.site_basics import SiteBasics
from generator.read.run_summaries import RecordsFolder, name_plan
from generator.read.summaries import RunSummary, Summaries
from generator.run_pages import RunRenderer
from generator.snapshot.every_eval_ever.run_documents import run_documents
from generator.snapshot.parquet_files import ParquetTypes
from generator.snapshot.parquet_rows import (
    ParquetAttempt,
    ParquetRow,
    ParquetRun,
    ParquetTest,
    Values,
    build_attempt_values,
    build_run_values,
    build_test_values,
)
from generator.snapshot.tar_archives import encode_entries, pack_entries
from generator.workers import share_out
from records.shapes.run import Run

_RUNS: Final = 10
"""Runs of a part. Packed bytes depend on it, so it is the same for every number of workers."""


class SummaryText(NamedTuple):
    """The summary of a run, as it passes from process to process."""

    path: str
    """The record."""
    folder: RecordsFolder
    text: str
    plan: tuple[str, ...]
    """The evals that the run planned."""


class RowBatch(NamedTuple):
    """Rows of a Parquet file."""

    data: bytes
    rows: int


class RunPart(NamedTuple):
    """What was made of the records of a part."""

    number: int
    """Its place among the parts."""
    summaries: Sequence[SummaryText]
    batches: dict[str, RowBatch]
    """Rows by the name of the file."""
    documents: dict[str, bytes]
    """Packed files for Every Eval Ever, by benchmark version."""
    written: dict[str, int]
    """Runs among them, by benchmark version."""


class RunParts:
    """Makes the parts of a snapshot of the published records."""

    def __init__(
        self, reader: RunRenderer, basics: SiteBasics, summaries: Summaries, types: ParquetTypes
    ) -> None:
        """Prepare; of ``summaries`` the runs are not read."""
        self._reader = reader
        self._basics = basics
        self._summaries = summaries
        self._types = types

    def make(self) -> Iterator[RunPart]:
        """Yield the parts in their order, by the paths of records.

        Raises:
            RecordsError: a record is invalid.
            SourceChangedError: a record changed meanwhile.
            ChildProcessError: a worker was killed.
        """
        places = sorted(place for place in self._reader.list_record_paths() if not place[1].local)
        parts = [
            (number, places[start : start + _RUNS])
            for number, start in enumerate(range(0, len(places), _RUNS))
        ]
        early: dict[int, RunPart] = {}
        due = 0
        for part in share_out(self._build_part, parts, runs=len(places)):
            early[part.number] = part
            while due in early:
                yield early.pop(due)
                due += 1

    def _build_part(self, numbered: tuple[int, Sequence[tuple[str, RecordsFolder]]]) -> RunPart:
        """Make the part with a number, of the records at some places."""
        number, places = numbered
        rows: dict[type[ParquetRow], list[Values]] = {
            ParquetRun: [],
            ParquetAttempt: [],
            ParquetTest: [],
        }
        texts: list[SummaryText] = []
        documents = _Documents(self._basics, self._summaries)
        for path, folder in places:
            run, record, text = self._reader.summarize(path, folder)
            texts.append(SummaryText(path, folder, text, record.planned))
            rows[ParquetRun].append(build_run_values(run, record))
            rows[ParquetAttempt] += build_attempt_values(record)
            rows[ParquetTest] += build_test_values(record)
            documents.add(run, record)
        batches = {
            kind.file: RowBatch(self._types.encode_batch(kind, values), len(values))
            for kind, values in rows.items()
        }
        self._reader.summaries.forget()
        return RunPart(number, texts, batches, documents.pack_archives(), documents.written)

    def learn_runs(self, part: RunPart) -> list[RunSummary]:
        """Return the runs of a part."""
        runs: list[RunSummary] = []
        for path, folder, text, plan in part.summaries:
            self._reader.summaries.learn(name_plan(plan), plan)
            runs.append(self._reader.summaries.parse_summary(path, folder, text))
        return runs


class _Documents:
    """Files for Every Eval Ever of the runs of a part."""

    def __init__(self, basics: SiteBasics, summaries: Summaries) -> None:
        self._basics = basics
        self._summaries = summaries
        self._packed: dict[str, list[bytes]] = {}
        self.written: dict[str, int] = {}

    def add(self, run: RunSummary, record: Run) -> None:
        """Add the files of a run, if it has any."""
        documents = run_documents(self._basics, self._summaries, run, record)
        if documents is None:
            return
        identity, version = documents.identity, record.benchmark_version
        files = {
            identity.aggregate_path: documents.aggregate,
            identity.samples_path: documents.samples,
        }
        entries = encode_entries(files, int(identity.timestamp))
        self._packed.setdefault(version, []).append(entries)
        self.written[version] = self.written.get(version, 0) + 1

    def pack_archives(self) -> dict[str, bytes]:
        """Return the packed files by benchmark version."""
        return {version: pack_entries(b"".join(files)) for version, files in self._packed.items()}
