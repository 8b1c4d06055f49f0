"""Opening of files in ``data/``, which other modules leave to this one. It opens only plain files.

The checkout of a pull request may have any kind of file. No link is followed. A FIFO or a device is
refused, because a command would wait for it without end. Links in other folders are found here.
"""

import os
import stat
from collections.abc import Container
from io import BufferedReader, BufferedWriter, FileIO
from pathlib import Path
from typing import Final

from records.errors import InvalidRecordError, MissingRecordError

_SAFELY: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MODE: Final = 0o644


def open_plain(path: Path) -> BufferedReader:
    """Open the plain file at ``path`` for reading.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the file is a link, a folder, a FIFO or a device, or unreadable.
    """
    return os.fdopen(_open_handle(path, os.O_RDONLY), "rb")


def open_to_change(path: Path, *, make: bool = False) -> FileIO:
    """Open the plain file at ``path`` for reading and writing, unbuffered.

    With ``make``, a missing file is created.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the file is a link, a folder, a FIFO or a device, or not writable.
    """
    return FileIO(_open_handle(path, os.O_RDWR | (os.O_CREAT if make else 0)), "r+b")


def open_to_append(path: Path) -> BufferedWriter:
    """Open the plain file at ``path`` for writing at its end; create it if it is missing.

    Raises:
        InvalidRecordError: the file is a link, a folder, a FIFO or a device, or not writable.
    """
    return os.fdopen(_open_handle(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab")


def is_still_at(path: Path, handle: int) -> bool:
    """Return whether an open file or folder still has its name, and was not removed meanwhile."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _open_handle(path: Path, flags: int) -> int:
    try:
        handle = os.open(path, flags | _SAFELY, _MODE)
    except FileNotFoundError as error:
        raise MissingRecordError(f"{path}: there is no such file") from error
    except (OSError, ValueError) as error:
        raise InvalidRecordError(path, "", _explain_open_error(path, error)) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise InvalidRecordError(path, "", "is not a plain file")
    return handle


def _explain_open_error(path: Path, error: OSError | ValueError) -> str:
    """Return why a file could not be opened; an error may mean a FIFO without a reader."""
    try:
        mode = path.lstat().st_mode
    except (OSError, ValueError):
        return f"cannot be read: {error}"
    if stat.S_ISLNK(mode):
        return "is a symbolic link"
    return f"cannot be read: {error}" if stat.S_ISREG(mode) else "is not a plain file"


def find_symlink(folder: Path, skipped: Container[str] = ()) -> Path | None:
    """Return the first symbolic link below ``folder``, or ``folder`` if it is a link; else None.

    Through a link, any file of this machine, such as a file with keys, could come onto a public
    page or into a prompt. Names in ``skipped`` are left out. So are hidden names, which nothing
    reads, and which editors use for links of their own.
    """
    if folder.is_symlink():
        return folder
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in skipped)
        for name in (*folders, *sorted(files)):
            path = Path(parent, name)
            if path.is_symlink() and not name.startswith("."):
                return path
    return None
