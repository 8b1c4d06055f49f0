"""The import of results of other benchmarks: versions, runs, and the facts that they were made of.

Nothing is written before every result is checked. A run that is there already is left as it is.
Every text of a file or an option is cleaned of secrets first, whichever field it is in.
"""

import hashlib
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from pydantic import JsonValue, ValidationError

from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.files.json_limits import MOST_ITEMS, find_excess, find_large_object
from records.files.problems import describe_first_problem
from records.foreign.files import MOST_ROWS, Clean
from records.reader import LARGEST_RECORD, read_run
from records.shapes.base import Record
from records.shapes.run import Run
from records.text.visible import make_one_line
from records.writer import encode_record, encode_run
from runner.published_results import board_results
from runner.published_results.board_records import count_repetitions, make_board, make_run

_TOO_LARGE = "cannot be imported as a whole, import fewer results at once"
_DIGESTS = frozenset({"content", "file_digest", "reply_digest"})
"""Fields whose text this program made: a digest is no secret."""
_LONGEST: Mapping[str, int] = {
    "identity": board_results.LONGEST_IDENTITY,
    "reason": board_results.LONGEST_REASON,
}
"""Characters of fields other than names."""

AnyRecord = TypeVar("AnyRecord", bound=Record)


@dataclass(slots=True)
class PlannedImport:
    """The files that an import is going to write."""

    files: dict[Path, bytes] = field(default_factory=dict[Path, bytes])
    """Contents by path, in the order in which they are written."""
    runs: dict[Path, Run] = field(default_factory=dict[Path, Run])
    """Runs of other benchmarks that are new or changed, by path."""
    seen: dict[Path, Run] = field(default_factory=dict[Path, Run])
    """Runs of other benchmarks in the files so far, those that were there already too, by path."""
    known: int = 0
    """Runs that were there already."""


class ReadBoard(NamedTuple):
    """Results of a benchmark, with the file that they were read from."""

    path: Path
    results: board_results.BoardResults


def plan_boards(boards: Sequence[ReadBoard], folder: DataFolder, clean: Clean) -> PlannedImport:
    """Return the files of the records of results of other benchmarks.

    Raises:
        InvalidRecordError: results contradict each other, are too many, or make no record.
    """
    cleaned = [
        board._replace(results=clean_board(board.path, board.results, clean)) for board in boards
    ]
    # Samples that were not reached get the content that other files of the benchmark have.
    contents: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for _, board in cleaned:
        for result in board.list_results():
            if result.content is not None:
                contents[board.format, board.name, result.task, result.sample].add(result.content)
    whole: list[ReadBoard] = []
    for path, board in cleaned:
        runs: list[board_results.ModelResults] = []
        for run in board.runs:
            results = list(run.results)
            for at, result in enumerate(results):
                known_contents = contents[board.format, board.name, result.task, result.sample]
                if result.content is None and len(known_contents) == 1:
                    results[at] = result.model_copy(update={"content": min(known_contents)})
            runs.append(run.model_copy(update={"results": tuple(results)}))
        whole.append(ReadBoard(path, board.model_copy(update={"runs": tuple(runs)})))
        _check(whole[-1])
    # Too many attempts are refused before any is made. A whole run has an attempt at each sample
    # and repetition, even if it has few results.
    attempts = 0
    for number, (path, results) in enumerate(whole):
        samples = len({result.key for result in results.list_results()})
        for run in results.runs:
            attempts += samples * count_repetitions(run) if run.is_whole else len(run.results)
        if attempts > MOST_ROWS:
            before = "with the files before it " if number else ""
            reason = f"{before}makes {attempts} attempts, at each sample and repetition"
            raise InvalidRecordError(path, "", f"{reason} by each model: the most are {MOST_ROWS}")
    planned = PlannedImport()
    today = datetime.now(UTC).date()
    for board in whole:
        with refuse_invalid(board.path):
            _plan_board(board, folder, today, planned)
    return planned


def _check(board: ReadBoard) -> None:
    """Refuse results that contradict themselves, and more than a site can show."""
    path, results = board
    samples = {each.key for each in results.list_results()}
    for number, most, what in (
        (len(samples), board_results.MOST_SAMPLES, "samples"),
        (len({task for task, _, _ in samples}), board_results.MOST_TASKS, "tasks"),
    ):
        if number > most:
            raise InvalidRecordError(path, "", f"has {number} {what}, the most are {most}")
    for run in results.runs:
        seen: set[tuple[board_results.SampleKey, int]] = set()
        for twice in run.results:
            if (twice.key, twice.repetition) in seen:
                location = f"{run.model}, {twice.task}, sample {twice.sample}"
                reason = f"has two results for repetition {twice.repetition}"
                raise InvalidRecordError(path, location, reason)
            seen.add((twice.key, twice.repetition))


def _plan_board(board: ReadBoard, folder: DataFolder, today: date, planned: PlannedImport) -> None:
    """Add the facts, the version and the runs, if a run is new or has other results.

    Raises:
        InvalidRecordError: two runs have the same path, so that one would be lost; another file of
            the command has other results of a run; or a file would be too large to be read.
    """
    path, results = board
    named = make_board(results)
    encoded_results = encode_record(results)
    digest = hashlib.sha256(encoded_results).hexdigest()
    results_of = attrgetter("attempts", "status")
    made: dict[Path, Run] = {}
    runs: dict[Path, Run] = {}
    for model in results.runs:
        run = make_run(results, named, model, digest, today)
        run_file = folder.get_run_file(*run.key)
        if run_file in made:
            reason = f"has two runs of {run.model.name} with the same identity"
            raise InvalidRecordError(path, "runs", reason)
        made[run_file] = run
        before = planned.seen.get(run_file)
        if before is not None and results_of(before) != results_of(run):
            name = f"run {run.short_id} of {run.model.name}"
            reason = f"has other results of {name} than another file of this command"
            raise InvalidRecordError(path, "", f"{reason}: name one of them")
        with suppress(MissingRecordError):
            before = before or read_run(run_file)
        if before is None:
            runs[run_file] = run
        elif results_of(before) != results_of(run):
            runs[run_file] = keep_withdrawal(before, run)
    planned.seen |= made
    planned.known += len(made) - len(runs)
    if not runs:
        return
    planned.runs |= runs
    copy = folder.imports / f"{results.format.value}-{digest[:12]}.json"
    version = folder.benchmarks.get_file(named.benchmark.version)
    files = {
        copy: encoded_results,
        **({} if version.exists() else {version: encode_record(named.benchmark)}),
        **{run_file: encode_run(run) for run_file, run in runs.items()},
    }
    for file, data in files.items():
        excess = find_excess(data, MOST_ITEMS)
        if file != copy:
            excess = excess or find_large_object(data)
        if len(data) > LARGEST_RECORD:
            excess = f"would be larger than {LARGEST_RECORD} bytes"
        if excess:
            raise InvalidRecordError(path, "", f"{_TOO_LARGE}: {file} {excess}")
    planned.files |= files


def keep_withdrawal(before: Run, run: Run) -> Run:
    """Return a run that replaces its record ``before``, with the decisions on that record.

    Nobody has decided anything yet if ``before`` was never withdrawn: then the source decides.
    """
    if before.withdrawn is None and not before.undone_withdrawals:
        return run
    decisions = {"withdrawn": before.withdrawn, "undone_withdrawals": before.undone_withdrawals}
    return run.model_copy(update=decisions)


@contextmanager
def refuse_invalid(path: Path) -> Generator[None]:
    """Refuse the file at ``path`` if no record can be made of it.

    Raises:
        InvalidRecordError: a record does not have its shape.
    """
    try:
        yield
    except ValidationError as error:
        reason = f"cannot be a record: {describe_first_problem(error)}"
        raise InvalidRecordError(path, "", reason) from error


def clean_board(
    path: Path, board: board_results.BoardResults, clean: Clean
) -> board_results.BoardResults:
    """Return results without secrets; ``path`` is only for messages.

    Raises:
        InvalidRecordError: two names of models, samples or parameters differ only in their secrets.
    """
    cleaned = _clean_record(board, clean)
    # Names that became equal: two models or samples would be one.
    before: dict[tuple[str | None, ...], tuple[str | None, ...]] = {}
    for names, clean_names in zip(_list_names(board), _list_names(cleaned), strict=True):
        if before.setdefault(clean_names, names) != names:
            what, *shown_names = filter(None, clean_names)
            reason = f"two {what} are equal without their secrets: {', '.join(shown_names)}"
            raise InvalidRecordError(path, "", reason)
    for run, clean_run in zip(board.runs, cleaned.runs, strict=True):
        # Parameters whose names became equal would lose a value.
        if _count_names(run.parameters) != _count_names(clean_run.parameters):
            reason = "two parameters are equal without their secrets"
            raise InvalidRecordError(path, clean_run.model, reason)
    return cleaned


def _clean_record(record: AnyRecord, clean: Clean) -> AnyRecord:
    changed: dict[str, object] = {}
    for name, value in record.__dict__.items():
        cleaned = value if name in _DIGESTS else _clean_field(name, value, clean)
        if cleaned is not value:
            changed[name] = cleaned
    return record.model_copy(update=changed) if changed else record


def _clean_field(name: str, value: object, clean: Clean) -> object:
    if type(value) is str:
        cleaned = clean(value)
        return (
            value
            if cleaned == value
            else make_one_line(cleaned, _LONGEST.get(name, board_results.LONGEST_NAME))
        )
    if isinstance(value, Record):
        return _clean_record(value, clean)
    if isinstance(value, tuple):
        return tuple(_clean_field(name, each, clean) for each in cast("tuple[object, ...]", value))
    if isinstance(value, dict):
        return _clean_json(cast("dict[str, JsonValue]", value), clean)
    return value


def _clean_json(value: JsonValue, clean: Clean, name: str = "") -> JsonValue:
    """Return a value without secrets: the name of a field may show that its text is one."""
    if isinstance(value, dict):
        return {clean(each): _clean_json(part, clean, each) for each, part in value.items()}
    if isinstance(value, list):
        return [_clean_json(part, clean, name) for part in value]
    if not isinstance(value, str):
        return value
    return clean(f"{name}={value}").removeprefix(f"{name}=")


def _list_names(board: board_results.BoardResults) -> Iterator[tuple[str | None, ...]]:
    """Yield the names of each run and of its results, after the word for what they name."""
    for run in board.runs:
        yield "runs", run.model, run.variant, run.identity
        for result in run.results:
            yield "samples", result.task, result.sample


def _count_names(value: JsonValue) -> int:
    """Return the number of names in all objects of a value."""
    if isinstance(value, dict):
        return len(value) + sum(map(_count_names, value.values()))
    if isinstance(value, list):
        return sum(map(_count_names, value))
    return 0
