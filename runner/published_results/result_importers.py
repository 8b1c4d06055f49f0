"""The importers of results from other publishers and tools; sessions have other importers.

Each format has two functions: one recognises a file, the other reads all files of the format, of
which some may belong together. `published_analyses` is apart: it reads the board of Convex code
that its maintainers published, with its analyses.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from records.files.data_folder import DataFolder
from records.foreign.files import Clean, ForeignFile
from records.reader import read_bytes
from records.suites.result_formats import ResultFormat
from records.writer import write_atomically
from runner.published_results import (
    board_results,
    csv_results,
    every_eval_ever_results,
    inspect_results,
    lm_eval_results,
    promptfoo_results,
)
from runner.published_results.board_import import PlannedImport, ReadBoard, plan_boards
from runner.published_results.published_analyses import IMPORTER, plan_analyses, recognise_analyses

KEPT = "kept"
"""The format of the copies in `data/imports/`."""

_REMEMBERED = 20_000
"""Number of texts whose cleaned form is cached: names come again in each result."""


_ReadAll = Callable[[Sequence[ForeignFile], board_results.ResultChoices], Iterator[ReadBoard]]


class ResultReader(NamedTuple):
    """The functions that read a format."""

    recognises: Callable[[ForeignFile], bool]
    read: _ReadAll


def _make_reader(
    read: Callable[[ForeignFile, board_results.ResultChoices], board_results.BoardResults],
) -> _ReadAll:
    """Return the reader of a format whose files stand alone."""

    def read_all(
        files: Sequence[ForeignFile], choices: board_results.ResultChoices
    ) -> Iterator[ReadBoard]:
        for file in _without_copies(files):
            yield ReadBoard(file.path, read(file, choices))

    return read_all


READERS: Mapping[str, ResultReader] = {
    KEPT: ResultReader(
        board_results.recognise_kept_copy, _make_reader(board_results.read_kept_copy)
    ),
    ResultFormat.INSPECT.value: ResultReader(
        inspect_results.recognises, _make_reader(inspect_results.read)
    ),
    ResultFormat.EVERY_EVAL_EVER.value: ResultReader(
        every_eval_ever_results.recognises, every_eval_ever_results.read
    ),
    ResultFormat.PROMPTFOO.value: ResultReader(
        promptfoo_results.recognises, _make_reader(promptfoo_results.read)
    ),
    ResultFormat.LM_EVAL.value: ResultReader(lm_eval_results.recognises, lm_eval_results.read),
    ResultFormat.CSV.value: ResultReader(csv_results.recognises, _make_reader(csv_results.read)),
}
"""Readers by the names of formats, in the order in which a file is tried."""

FORMATS = (IMPORTER, *READERS)
"""The names of all formats."""


def import_results(
    paths: Sequence[Path],
    folder: DataFolder,
    choices: board_results.ResultChoices,
    clean: Clean,
    named: str | None,
) -> PlannedImport:
    """Write records of the results in files; ``named`` is their format, else each is recognised.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: a file is of no known format, or its results cannot be used.
    """
    named_once = {path.absolute(): path for path in paths}.values()
    remembered = lru_cache(_REMEMBERED)(clean)
    files = [ForeignFile(path, read_bytes(path), remembered) for path in named_once]
    planned = plan_import(files, folder, choices, remembered, named)
    for path, data in planned.files.items():
        write_atomically(path, data)
    return planned


def plan_import(
    files: Sequence[ForeignFile],
    folder: DataFolder,
    choices: board_results.ResultChoices,
    clean: Clean,
    named: str | None = None,
) -> PlannedImport:
    """Return the files that an import writes; nothing is written here.

    Raises:
        InvalidRecordError: a file is of no known format, or its results cannot be used.
    """
    by_format: dict[str, list[ForeignFile]] = {}
    for file in files:
        name = named or (IMPORTER if recognise_analyses(file) else None)
        name = name or next((each for each, it in READERS.items() if it.recognises(file)), None)
        if name is None:
            file.check_json()
            format_names = ", ".join(FORMATS)
            raise file.make_error(
                "", f"its format is not known; --format names one: {format_names}"
            )
        by_format.setdefault(name, []).append(file)
    boards = [
        board
        for name, same in by_format.items()
        if name != IMPORTER
        for board in READERS[name].read(same, choices)
    ]
    planned = plan_boards(boards, folder, clean)
    for file in _without_copies(by_format.get(IMPORTER, ())):
        own = plan_analyses(file, folder)
        for path, data in own.items():
            if planned.files.get(path, data) != data:
                reason = f"has other facts for {path.name} than another file of this command"
                raise file.make_error("", f"{reason}: name one of them")
        planned.files |= own
    return planned


def _without_copies(files: Sequence[ForeignFile]) -> Iterator[ForeignFile]:
    """Yield the first file of each content."""
    digests: set[str] = set()
    for file in files:
        if file.digest not in digests:
            digests.add(file.digest)
            yield file
