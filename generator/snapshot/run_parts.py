"""Parts of a snapshot that are made of records: some runs at a time, in worker processes.

No snapshot holds all records. A worker reads those of a part, and returns their summaries, the rows
of their Parquet files, and their files for Every Eval Ever, packed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from generator.facts.site_data import SiteBasics
from generator.read.run_summaries import RecordsFolder, name_plan
from generator.read.summaries import RunSummary, Summaries
from generator.run_pages import RunRenderer
from generator.snapshot.every_eval_ever.run_documents import RunDocuments, run_documents
from generator.snapshot.parquet_files import ParquetTypes
from generator.snapshot.tar_archives import encode_entries, pack_entries
from generator.tables.columns import build_frame
from generator.tables.run_columns import (
    PARQUET_ATTEMPTS,
    PARQUET_RUNS,
    PARQUET_TESTS,
    AttemptSource,
    RunSource,
    TestSource,
    list_attempt_sources,
    list_test_sources,
)
from generator.workers import share_out

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


class Batch(NamedTuple):
    """Rows of a Parquet file, or packed files of runs."""

    data: bytes
    number: int
    """The number of rows or runs."""


class RunPart(NamedTuple):
    """What was made of the records of a part."""

    number: int
    """Its place among the parts."""
    summaries: Sequence[SummaryText]
    batches: dict[str, Batch]
    """Rows by the name of the file."""
    documents: dict[str, Batch]
    """Packed files for Every Eval Ever, by benchmark version."""


@dataclass(frozen=True, slots=True)
class RunParts:
    """Makes the parts of a snapshot of the published records; of summaries, runs are not read."""

    reader: RunRenderer
    basics: SiteBasics
    summaries: Summaries
    types: ParquetTypes

    def make(self) -> Iterator[RunPart]:
        """Yield the parts in their order, by the paths of records.

        Raises:
            RecordsError: a record is invalid.
            SourceChangedError: a record changed meanwhile.
            ChildProcessError: a worker was killed.
        """
        record_paths = sorted(
            (path, folder) for path, folder in self.reader.list_record_paths() if not folder.local
        )
        parts = [
            (number, record_paths[start : start + _RUNS])
            for number, start in enumerate(range(0, len(record_paths), _RUNS))
        ]
        early: dict[int, RunPart] = {}
        due = 0
        for part in share_out(self._build_part, parts, runs=len(record_paths)):
            early[part.number] = part
            while due in early:
                yield early.pop(due)
                due += 1

    def _build_part(self, numbered: tuple[int, Sequence[tuple[str, RecordsFolder]]]) -> RunPart:
        """Make the part with a number, of the records at some paths."""
        number, record_paths = numbered
        runs: list[RunSource] = []
        attempts: list[AttemptSource] = []
        tests: list[TestSource] = []
        texts: list[SummaryText] = []
        entries: dict[str, list[bytes]] = {}
        for path, folder in record_paths:
            run, record, text = self.reader.summarize(path, folder)
            texts.append(SummaryText(path, folder, text, record.planned))
            runs.append(RunSource(run, record=record))
            attempts += list_attempt_sources(run, record)
            tests += list_test_sources(run, record)
            documents = run_documents(self.basics, self.summaries, run, record)
            if documents is not None:
                entries.setdefault(run.version, []).append(_encode_documents(documents))
        batches: dict[str, Batch] = {}
        for table, rows in (
            *((PARQUET_RUNS, runs), (PARQUET_ATTEMPTS, attempts), (PARQUET_TESTS, tests)),
        ):
            frame = build_frame(table.columns, rows, table)
            batches[table.name] = Batch(self.types.encode_batch(table, frame), len(rows))
        self.reader.summaries.forget()
        packed = {
            version: Batch(pack_entries(b"".join(files)), len(files))
            for version, files in entries.items()
        }
        return RunPart(number, texts, batches, packed)

    def learn_runs(self, part: RunPart) -> list[RunSummary]:
        """Return the runs of a part."""
        runs: list[RunSummary] = []
        for path, folder, text, plan in part.summaries:
            self.reader.summaries.learn(name_plan(plan), plan)
            runs.append(self.reader.summaries.parse_summary(path, folder, text))
        return runs


def _encode_documents(documents: RunDocuments) -> bytes:
    """Return the files of a run for Every Eval Ever as they stand in an archive."""
    identity = documents.identity
    files = {
        identity.aggregate_path: documents.aggregate,
        identity.samples_path: documents.samples,
    }
    return encode_entries(files, int(identity.timestamp))
