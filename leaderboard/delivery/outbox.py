"""The outbox `data/local/outbox/`: notes of runs that a server does not have completely.

A note is written before the run begins, and removed when the server has recorded the run. A run
for two servers has two notes. The run itself is in the folder of runs; a note only names it.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from leaderboard.api.run_shapes import Channel
from records.errors import InvalidRecordError, MissingRecordError, RecordsError
from records.files.data_folder import RECORD, DataFolder
from records.files.plain_files import is_locked
from records.reader import read_record
from records.runs.run_lookup import list_stored_runs
from records.shapes.base import ModelSlug, Record, RunId, compute_text_digest
from records.shapes.run import Run
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


def make_note(run: Run, channel: Channel, address: str) -> OutboxNote:
    """Return the note of a run for the server at ``address``."""
    return OutboxNote(run_id=run.run_id, model=run.model.slug, channel=channel, address=address)


class Outbox:
    """The notes of a data folder."""

    def __init__(self, data: DataFolder) -> None:
        """Open the outbox of ``data``."""
        self.data: Final = data
        self._root = data.local.root / "outbox"

    def __iter__(self) -> Iterator[OutboxNote]:
        """Yield the notes in the order of their run ids, without damaged files."""
        for path in self._list_files():
            with suppress(RecordsError):
                yield read_record(OutboxNote, path)

    def find_damaged_notes(self) -> Iterator[InvalidRecordError]:
        """Yield a problem for each file that cannot be read, with its remedy."""
        for path in self._list_files():
            try:
                read_record(OutboxNote, path)
            except InvalidRecordError as error:
                run_id = path.name.partition(".")[0]
                mending = f"remove it, then: leaderboard send {run_id} --to URL"
                yield InvalidRecordError(error.path, error.field, f"{error.reason}; {mending}")
            except MissingRecordError:
                continue  # sent meanwhile

    def describe_waiting(self) -> Iterator[str]:
        """Yield a line for each note whose run waits to be sent, or is missing."""
        notes = [*self]
        journals = {run.run_id: run.journal for run in list_stored_runs(self.data)} if notes else {}
        for note in notes:
            if note.run_id not in journals:
                yield self.describe_missing_run(note)
                continue
            under_way = journals[note.run_id]
            if not (under_way and is_locked(under_way)):
                command = f"leaderboard send {note.run_id} --data {self.data.root}"
                yield f"{self.build_note_path(note)}: waits to be sent to {note.address}; {command}"

    def describe_missing_run(self, note: OutboxNote) -> str:
        """Return the message about a note whose run is not in the data folder."""
        path = self.build_note_path(note)
        return f"{path}: its run is not here, unless it is just beginning; remove the note"

    def _list_files(self) -> list[Path]:
        return sorted(self._root.glob(f"[!.]*{RECORD}"))

    def build_note_path(self, note: OutboxNote) -> Path:
        """Return the path of a note; its name has the run and a digest of the server's address."""
        server = compute_text_digest(note.address)[:8]
        return self._root / f"{note.run_id}.{server}{RECORD}"

    def add(self, note: OutboxNote) -> None:
        """Write a note."""
        write_atomically(self.build_note_path(note), encode_record(note))

    def remove(self, note: OutboxNote) -> None:
        """Remove a note, if it exists."""
        self.build_note_path(note).unlink(missing_ok=True)
