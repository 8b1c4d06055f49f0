"""The import of results of other benchmarks: versions, runs, and the facts that they were made of.

Nothing is written before every result is checked. A run that is there already is left as it is.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.reader import read_run
from records.shapes.run import Run
from records.writer import record_bytes, write_atomically, write_benchmark, write_run
from runner.published_results.board_records import make_board, make_runs
from runner.published_results.board_results import (
    LONGEST_NAME,
    LONGEST_REASON,
    MOST_RESULTS,
    MOST_SAMPLES,
    MOST_TASKS,
    BoardResults,
    ModelResults,
    SampleResult,
)

Clean = Callable[[str], str]
"""Takes secrets out of a text."""


class ReadBoard(NamedTuple):
    """Results of a benchmark, with the file that they were read from."""

    path: Path
    results: BoardResults


@dataclass(slots=True)
class ImportedRuns:
    """The outcome of an import."""

    paths: list[Path] = field(default_factory=list[Path])
    """Files that were written."""
    runs: list[Run] = field(default_factory=list[Run])
    """Runs that are new or changed."""
    known: int = 0
    """Runs that were there already."""


def write_boards(boards: Sequence[ReadBoard], folder: DataFolder, clean: Clean) -> ImportedRuns:
    """Write the records of results of other benchmarks.

    Raises:
        InvalidRecordError: results contradict each other, or are too many.
    """
    cleaned = [board._replace(results=_clean_board(board.results, clean)) for board in boards]
    whole = [
        board._replace(results=each) for board, each in zip(cleaned, _fill(cleaned), strict=True)
    ]
    for board in whole:
        _check(board)
    imported = ImportedRuns()
    for board in whole:
        _write(board.results, folder, imported)
    imported.paths = sorted(set(imported.paths))
    return imported


def _fill(boards: Sequence[ReadBoard]) -> list[BoardResults]:
    """Give samples that were not reached the content that other files of the benchmark have."""
    contents: dict[tuple[str, ...], set[str]] = {}
    for _, board in boards:
        for result in _all_results(board):
            if result.content is not None:
                contents.setdefault(_sample_of(board, result), set()).add(result.content)

    def filled(board: BoardResults, result: SampleResult) -> SampleResult:
        known = contents.get(_sample_of(board, result), set())
        if result.content is not None or len(known) != 1:
            return result
        return result.model_copy(update={"content": min(known)})

    return [
        board.model_copy(
            update={
                "runs": tuple(
                    run.model_copy(
                        update={"results": tuple(filled(board, each) for each in run.results)}
                    )
                    for run in board.runs
                )
            }
        )
        for _, board in boards
    ]


def _sample_of(board: BoardResults, result: SampleResult) -> tuple[str, ...]:
    return board.format.value, board.name, result.task, result.sample


def _all_results(board: BoardResults) -> Iterator[SampleResult]:
    for run in board.runs:
        yield from run.results


def _check(board: ReadBoard) -> None:
    """Refuse results that contradict themselves, and more than a site can show."""
    path, results = board
    samples = {(each.task, each.sample, each.content) for each in _all_results(results)}
    for number, most, what in (
        (len(samples), MOST_SAMPLES, "samples"),
        (len({task for task, _, _ in samples}), MOST_TASKS, "tasks"),
        (sum(len(run.results) for run in results.runs), MOST_RESULTS, "results"),
    ):
        if number > most:
            raise InvalidRecordError(path, "", f"has {number} {what}, the most are {most}")
    for run in results.runs:
        if (twice := _find_repeated(run)) is not None:
            place = f"{run.model}, {twice.task}, sample {twice.sample}"
            raise InvalidRecordError(
                path, place, f"has two results for repetition {twice.repetition}"
            )


def _find_repeated(run: ModelResults) -> SampleResult | None:
    seen: set[tuple[str, str, str | None, int]] = set()
    for result in run.results:
        place = result.task, result.sample, result.content, result.repetition
        if place in seen:
            return result
        seen.add(place)
    return None


def _write(results: BoardResults, folder: DataFolder, imported: ImportedRuns) -> None:
    """Write the facts, the version and the runs, if a run is new or has other results."""
    board = make_board(results)
    kept = record_bytes(results)
    digest = hashlib.sha256(kept).hexdigest()
    runs = [
        run
        for made in make_runs(results, board, digest, datetime.now(UTC).date())
        if (run := _unless_known(folder, made)) is not None
    ]
    imported.known += len(results.runs) - len(runs)
    if not runs:
        return
    copy = folder.imports / f"{results.format.value}-{digest[:12]}.json"
    imported.paths.append(write_atomically(copy, kept))
    if not folder.benchmark_file(board.benchmark.version).exists():
        imported.paths.append(write_benchmark(folder, board.benchmark))
    imported.paths += [write_run(folder, run) for run in runs]
    imported.runs += runs


def _unless_known(folder: DataFolder, run: Run) -> Run | None:
    """Return a run as it is to be written; None if its record is there with the same results.

    A withdrawal is kept when results change.
    """
    try:
        before = read_run(folder.run_file(run.model.slug, run.run_id))
    except MissingRecordError:
        return run
    if (before.attempts, before.status) == (run.attempts, run.status):
        return None
    kept = {"withdrawn": before.withdrawn, "undone_withdrawals": before.undone_withdrawals}
    return run.model_copy(update=kept)


def _clean_board(board: BoardResults, clean: Clean) -> BoardResults:
    """Return results whose free texts have no secrets; identities and digests stay as they are."""
    runs = tuple(
        run.model_copy(
            update={
                "parameters": {
                    name: _clean(value, clean) for name, value in run.parameters.items()
                },
                "results": tuple(_clean_result(result, clean) for result in run.results),
            }
        )
        for run in board.runs
    )
    update = {"runs": runs, "file": clean(board.file)[:LONGEST_NAME]}
    return board.model_copy(update=update)


def _clean_result(result: SampleResult, clean: Clean) -> SampleResult:
    texts = {
        "reason": result.reason and clean(result.reason)[:LONGEST_REASON],
        "label": result.label and clean(result.label)[:LONGEST_NAME],
    }
    return result.model_copy(update=texts)


def _clean(value: JsonValue, clean: Clean) -> JsonValue:
    return clean(value) if isinstance(value, str) else value
