"""Notes of the runs that a server has not been sent in full, in `data/local/outbox/`.

A note is there before the run begins, and goes when the server has recorded the run. The run itself
lies where runs lie: a note says only where it is to go.
"""

from collections.abc import Iterator

from pydantic import ValidationError

from leaderboard.api.wire import Channel
from records.base import ModelSlug, Record, RunId
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
        for path in sorted(self._root.glob(f"[!.]*{RECORD}")):
            try:
                yield OutboxNote.model_validate_json(read_bytes(path), strict=True)
            except ValidationError as error:
                raise invalid(path, error) from error

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
