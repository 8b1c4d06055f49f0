"""Notes of the runs that a server has not been sent in full, in `data/local/outbox/`.

A note is there before the run begins, and goes when the server has recorded the run. The run itself
lies where runs lie: a note says only where it is to go.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from leaderboard.api.wire import Channel
from records import journal
from records.base import ModelSlug, Record, RunId
from records.checks import Problem
from records.errors import InvalidRecordError, RecordsError
from records.folder import RECORD, DataFolder
from records.reader import invalid, read_bytes
from records.writer import record_bytes, write_atomically


class OutboxNote(Record):
    """A run that is to be sent."""

    run_id: RunId
    """The run."""
    model: ModelSlug
    """Its model, below which it lies."""
    channel: Channel
    """Whether it lies in data/ or in data/local/."""
    address: str
    """The server."""


class Outbox:
    """The notes of a data folder."""

    def __init__(self, data: DataFolder) -> None:
        """Look into the outbox of ``data``."""
        self._data = data
        self._root = data.local.root / "outbox"

    def __iter__(self) -> Iterator[OutboxNote]:
        """Yield the notes, by their runs' ids.

        Raises:
            InvalidRecordError: a file of the outbox is none.
        """
        yield from map(_read, self._files())

    def damaged(self) -> Iterator[Problem]:
        """Yield the files that are no notes, with what mends them."""
        for path in self._files():
            try:
                _read(path)
            except InvalidRecordError as error:
                mending = f"remove it, then: leaderboard send {path.stem} --to URL"
                yield Problem(error.path, error.field, f"{error.reason}; {mending}")

    def waiting(self) -> Iterator[str]:
        """Yield a line for each note that no program works on: where its run waits to be sent."""
        for path in self._files():
            try:
                note = _read(path)
            except RecordsError:
                continue  # damaged, or sent meanwhile
            folder = self.folder(note)
            under_way = folder.journal_file(note.model, note.run_id)
            if under_way.exists() and journal.in_use(under_way):
                continue
            if under_way.exists() or folder.run_file(note.model, note.run_id).exists():
                command = f"leaderboard send {note.run_id} --data {self._data.root}"
                yield f"{path}: waits to be sent to {note.address}; {command}"
            else:
                yield f"{path}: its run is not here, unless it is just beginning; remove the note"

    def _files(self) -> list[Path]:
        return sorted(self._root.glob(f"[!.]*{RECORD}"))

    @property
    def folders(self) -> tuple[DataFolder, DataFolder]:
        """Where runs and versions lie: published records, and development runs."""
        return self._data, self._data.local

    def folder(self, note: OutboxNote) -> DataFolder:
        """Return where a run lies."""
        return self._data if note.channel == "production" else self._data.local

    def add(self, note: OutboxNote) -> None:
        """Note that a run is to be sent."""
        write_atomically(self._root / f"{note.run_id}{RECORD}", record_bytes(note))

    def remove(self, note: OutboxNote) -> None:
        """Forget a run: the server has it, or refused to begin with it."""
        (self._root / f"{note.run_id}{RECORD}").unlink(missing_ok=True)


def _read(path: Path) -> OutboxNote:
    try:
        return OutboxNote.model_validate_json(read_bytes(path), strict=True)
    except ValidationError as error:
        raise invalid(path, error) from error
