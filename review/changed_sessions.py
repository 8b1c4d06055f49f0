"""Ids of changed sessions, in a file of notes that the index reads from its last offset on.

The notes are only quicker than the stamps of files, by which the index finds changes without a note
(by other programs, or by a process that was killed). So the file may be deleted at any time.
"""

import contextlib
from collections.abc import Sequence
from typing import Final, NamedTuple

from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.files.plain_files import open_plain, open_to_append

_LARGEST: Final = 1024 * 1024
"""Bytes of the file; a larger file is deleted when it was read to its end."""


class Notes(NamedTuple):
    """The notes after an offset of the file."""

    ids: Sequence[str]
    """Ids in the order of the changes; an id may be repeated."""
    end: int
    """The offset after the notes."""


class ChangedSessions:
    """The file of notes of a data folder."""

    def __init__(self, folder: DataFolder) -> None:
        self._path = folder.cache / "changed-sessions"

    def note(self, session_id: str) -> None:
        """Add the id of a changed session. If this fails, the stamp of its file shows it."""
        with contextlib.suppress(OSError, RecordsError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open_to_append(self._path) as file:
                file.write(f"{session_id}\n".encode())

    def end(self) -> int:
        """Return the offset after all notes, in bytes."""
        try:
            return self._path.stat().st_size
        except OSError:
            return 0

    def read(self, start: int) -> Notes:
        """Return the notes from the offset ``start`` on; of a newly made file, all notes."""
        end = self.end()
        if end == start:
            return Notes((), start)
        try:
            with open_plain(self._path) as file:
                file.seek(start if start < end else 0)
                begin = file.tell()
                data = file.read()
        except RecordsError:
            return Notes((), 0)
        whole = data[: data.rfind(b"\n") + 1]
        return Notes(whole.decode("utf-8", "replace").splitlines(), begin + len(whole))

    def forget(self, end: int) -> bool:
        """Delete the file if it is large and ends at ``end``; return whether it was deleted."""
        if end < _LARGEST or self.end() != end:
            return False
        self._path.unlink(missing_ok=True)
        return True
