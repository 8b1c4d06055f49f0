"""The import of results of other benchmarks: versions, runs, and the facts that they were made of.

Nothing is written before every result is checked. A run that is there already is left as it is.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, NamedTuple

from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.files.json_limits import MOST_ITEMS, find_excess, find_large_object
from records.foreign.files import MOST_ROWS, Clean
from records.reader import LARGEST_RECORD, read_run
from records.shapes.attempt import Attempt
from records.shapes.run import Run
from records.writer import encode_record, encode_run
from runner.published_results.board_records import count_repetitions, make_board, make_run
from runner.published_results.board_results import (
    MOST_SAMPLES,
    MOST_TASKS,
    BoardResults,
    ModelResults,
    SampleResult,
)
from runner.published_results.clean_results import clean_board
from runner.published_results.planned_import import (
    PlannedImport,
    keep_withdrawal,
    refuse_invalid,
)

_TOO_LARGE: Final = "cannot be imported as a whole, import fewer results at once"


class ReadBoard(NamedTuple):
    """Results of a benchmark, with the file that they were read from."""

    path: Path
    results: BoardResults


def plan_boards(boards: Sequence[ReadBoard], folder: DataFolder, clean: Clean) -> PlannedImport:
    """Return the files of the records of results of other benchmarks.

    Raises:
        InvalidRecordError: results contradict each other, are too many, or make no record.
    """
    cleaned = [
        board._replace(results=clean_board(board.path, board.results, clean)) for board in boards
    ]
    whole = [
        board._replace(results=each) for board, each in zip(cleaned, _fill(cleaned), strict=True)
    ]
    for board in whole:
        _check(board)
    _check_attempts(whole)
    planned = PlannedImport()
    today = datetime.now(UTC).date()
    for board in whole:
        with refuse_invalid(board.path):
            _plan_board(board, folder, today, planned)
    return planned


def _fill(boards: Sequence[ReadBoard]) -> list[BoardResults]:
    """Give samples that were not reached the content that other files of the benchmark have."""
    contents: dict[tuple[str, ...], set[str]] = {}
    for _, board in boards:
        for result in _list_results(board):
            if result.content is not None:
                contents.setdefault(_identify_sample(board, result), set()).add(result.content)

    def fill_content(board: BoardResults, result: SampleResult) -> SampleResult:
        known_contents = contents.get(_identify_sample(board, result), set())
        if result.content is not None or len(known_contents) != 1:
            return result
        return result.model_copy(update={"content": min(known_contents)})

    return [
        board.model_copy(
            update={
                "runs": tuple(
                    run.model_copy(
                        update={"results": tuple(fill_content(board, each) for each in run.results)}
                    )
                    for run in board.runs
                )
            }
        )
        for _, board in boards
    ]


def _identify_sample(board: BoardResults, result: SampleResult) -> tuple[str, ...]:
    return board.format.value, board.name, result.task, result.sample


def _list_results(board: BoardResults) -> Iterator[SampleResult]:
    for run in board.runs:
        yield from run.results


def _check(board: ReadBoard) -> None:
    """Refuse results that contradict themselves, and more than a site can show."""
    path, results = board
    samples = {_identify_result(each) for each in _list_results(results)}
    for number, most, what in (
        (len(samples), MOST_SAMPLES, "samples"),
        (len({task for task, _, _ in samples}), MOST_TASKS, "tasks"),
    ):
        if number > most:
            raise InvalidRecordError(path, "", f"has {number} {what}, the most are {most}")
    for run in results.runs:
        if (twice := _find_repeated(run)) is not None:
            location = f"{run.model}, {twice.task}, sample {twice.sample}"
            raise InvalidRecordError(
                path, location, f"has two results for repetition {twice.repetition}"
            )


def _check_attempts(boards: Sequence[ReadBoard]) -> None:
    """Refuse results of which too many attempts would be made: none is made before.

    A whole run has an attempt at each sample and repetition, even if it has few results.
    """
    attempts = 0
    for number, (path, results) in enumerate(boards):
        samples = len({_identify_result(result) for result in _list_results(results)})
        for run in results.runs:
            attempts += samples * count_repetitions(run) if run.is_whole else len(run.results)
        if attempts > MOST_ROWS:
            before = "with the files before it " if number else ""
            reason = f"{before}makes {attempts} attempts, at each sample and repetition"
            raise InvalidRecordError(path, "", f"{reason} by each model: the most are {MOST_ROWS}")


def _identify_result(result: SampleResult) -> tuple[str, str, str | None]:
    return result.task, result.sample, result.content


def _find_repeated(run: ModelResults) -> SampleResult | None:
    seen: set[tuple[str, str, str | None, int]] = set()
    for result in run.results:
        identity = result.task, result.sample, result.content, result.repetition
        if identity in seen:
            return result
        seen.add(identity)
    return None


def _plan_board(board: ReadBoard, folder: DataFolder, today: date, planned: PlannedImport) -> None:
    """Add the facts, the version and the runs, if a run is new or has other results."""
    path, results = board
    named = make_board(results)
    encoded_results = encode_record(results)
    digest = hashlib.sha256(encoded_results).hexdigest()
    runs_of_file = (make_run(results, named, model, digest, today) for model in results.runs)
    made = _list_runs(board, folder, runs_of_file)
    runs = {
        run_file: run
        for run_file, each in made.items()
        if (run := _drop_if_known(path, run_file, each, planned)) is not None
    }
    planned.seen |= made
    planned.known += len(results.runs) - len(runs)
    if not runs:
        return
    planned.runs |= runs
    copy = folder.imports / f"{results.format.value}-{digest[:12]}.json"
    version = folder.get_benchmark_file(named.benchmark.version)
    files = {
        copy: encoded_results,
        **({} if version.exists() else {version: encode_record(named.benchmark)}),
        **{run_file: encode_run(run) for run_file, run in runs.items()},
    }
    for file, data in files.items():
        excess = find_excess(data, MOST_ITEMS) if file == copy else find_large_object(data)
        if len(data) > LARGEST_RECORD:
            excess = f"would be larger than {LARGEST_RECORD} bytes"
        if excess:
            raise InvalidRecordError(path, "", f"{_TOO_LARGE}: {file} {excess}")
    planned.files |= files


def _list_runs(board: ReadBoard, folder: DataFolder, runs: Iterable[Run]) -> dict[Path, Run]:
    """Return the runs of a file by the paths of their records.

    Raises:
        InvalidRecordError: two runs have the same path, so that one would be lost.
    """
    listed: dict[Path, Run] = {}
    for run in runs:
        run_file = folder.get_run_file(run.model.slug, run.run_id)
        if run_file in listed:
            raise InvalidRecordError(
                board.path, "runs", f"has two runs of {run.model.name} with the same identity"
            )
        listed[run_file] = run
    return listed


def _drop_if_known(path: Path, run_file: Path, run: Run, planned: PlannedImport) -> Run | None:
    """Return a run as it is to be written; None if its record is there with the same results.

    A withdrawal is kept when results change.

    Args:
        path: the file with the run, for messages.
        run_file: the path of its record.
        run: the run as the file has it.
        planned: the import so far.

    Raises:
        InvalidRecordError: another file of the command has other results of the run.
    """
    if (same := planned.seen.get(run_file)) is not None:
        if _get_results(same) == _get_results(run):
            return None
        named = f"run {run.run_id[:8]} of {run.model.name}"
        reason = f"has other results of {named} than another file of this command"
        raise InvalidRecordError(path, "", f"{reason}: name one of them")
    try:
        before = read_run(run_file)
    except MissingRecordError:
        return run
    return None if _get_results(before) == _get_results(run) else keep_withdrawal(before, run)


def _get_results(run: Run) -> tuple[tuple[Attempt, ...], str]:
    return run.attempts, run.status
