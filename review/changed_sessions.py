"""Ids of sessions that this program changed, in a file that the index reads on from its last place.

A process that was killed between a change and its note, and changes by other programs, are found
by the stamps of the files; so the file may be deleted at any time.
"""

import contextlib
from collections.abc import Sequence
from typing import Final, NamedTuple

from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.files.plain_files import open_plain, open_to_append

_LARGEST: Final = 1024 * 1024
"""Bytes from which on a file that was read to its end is deleted."""


class Notes(NamedTuple):
    """Notes behind a place of the file."""

    ids: Sequence[str]
    """In the order of the changes; one may stand there several times."""
    end: int
    """The place behind them."""


class ChangedSessions:
    """The file of a data folder."""

    def __init__(self, folder: DataFolder) -> None:
        self._path = folder.cache / "changed-sessions"

    def note(self, session_id: str) -> None:
        """Add a session that was changed; where that cannot be written, its stamp still differs."""
        with contextlib.suppress(OSError, RecordsError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open_to_append(self._path) as file:
                file.write(f"{session_id}\n".encode())

    def end(self) -> int:
        """Return the place behind all notes."""
        try:
            return self._path.stat().st_size
        except OSError:
            return 0

    def read(self, start: int) -> Notes:
        """Return the notes from ``start`` on; those of a file that was made anew are all read."""
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
        """Delete the file where it is large and was read to ``end``, and nothing was added since.

        Return whether it is gone.
        """
        if end < _LARGEST or self.end() != end:
            return False
        self._path.unlink(missing_ok=True)
        return True
