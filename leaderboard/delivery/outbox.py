"""The outbox `data/local/outbox/`: notes of runs that a server does not have completely.

A note is written before the run begins, and removed when the server has recorded the run. A run
for two servers has two notes. The run itself is in the folder of runs; a note only names it.
"""

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from leaderboard.api.run_shapes import Channel
from records.errors import InvalidRecordError, MissingRecordError, RecordsError
from records.files.data_folder import RECORD, DataFolder
from records.files.plain_files import is_locked
from records.files.problems import Problem
from records.reader import read_record
from records.shapes.base import ModelSlug, Record, RunId
from records.writer import encode_record, write_atomically


class OutboxNote(Record):
    """A run that is to be sent."""

    run_id: RunId
    """The id of the run."""
    model: ModelSlug
    """The model of the run, which names its folder."""
    channel: Channel
    """The channel that the run is sent to: production for a run to be published."""
    address: str
    """The address of the server."""


class Outbox:
    """The notes of a data folder."""

    def __init__(self, data: DataFolder) -> None:
        """Open the outbox of ``data``."""
        self._data = data
        self._root = data.local.root / "outbox"

    def __iter__(self) -> Iterator[OutboxNote]:
        """Yield the notes in the order of their run ids, without damaged files."""
        for path in self._list_files():
            with suppress(RecordsError):
                yield read_record(OutboxNote, path)

    def find_damaged_notes(self) -> Iterator[Problem]:
        """Yield a problem for each file that cannot be read, with its remedy."""
        for path in self._list_files():
            try:
                read_record(OutboxNote, path)
            except InvalidRecordError as error:
                run_id = path.name.partition(".")[0]
                mending = f"remove it, then: leaderboard send {run_id} --to URL"
                yield Problem(error.path, error.field, f"{error.reason}; {mending}")
            except MissingRecordError:
                continue  # sent meanwhile

    def describe_waiting(self) -> Iterator[str]:
        """Yield a line for each note whose run waits to be sent, or is missing."""
        for note in self:
            folder = self.find_home(note)
            if folder is None:
                yield self.describe_missing_run(note)
                continue
            under_way = folder.get_journal_file(note.model, note.run_id)
            if not (under_way.exists() and is_locked(under_way)):
                command = f"leaderboard send {note.run_id} --data {self._data.root}"
                yield f"{self.build_note_path(note)}: waits to be sent to {note.address}; {command}"

    def describe_missing_run(self, note: OutboxNote) -> str:
        """Return the message about a note whose run is not in the data folder."""
        path = self.build_note_path(note)
        return f"{path}: its run is not here, unless it is just beginning; remove the note"

    def _list_files(self) -> list[Path]:
        return sorted(self._root.glob(f"[!.]*{RECORD}"))

    @property
    def folders(self) -> tuple[DataFolder, DataFolder]:
        """The two data folders: of published records, and of development runs."""
        return self._data, self._data.local

    def find_home(self, note: OutboxNote) -> DataFolder | None:
        """Return the data folder of a note's run, which publication changes; None if missing."""
        for folder in self.folders:
            record = folder.get_run_file(note.model, note.run_id)
            if record.exists() or folder.get_journal_file(note.model, note.run_id).exists():
                return folder
        return None

    def build_note_path(self, note: OutboxNote) -> Path:
        """Return the path of a note; its name has the run and a digest of the server's address."""
        server = sha256(note.address.encode()).hexdigest()[:8]
        return self._root / f"{note.run_id}.{server}{RECORD}"

    def add(self, note: OutboxNote) -> None:
        """Write a note."""
        write_atomically(self.build_note_path(note), encode_record(note))

    def remove(self, note: OutboxNote) -> None:
        """Remove a note, if it exists."""
        self.build_note_path(note).unlink(missing_ok=True)
