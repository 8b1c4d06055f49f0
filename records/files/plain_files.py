"""Opening and locking of files in ``data/``, which other modules leave to this one; and logs.

It opens only plain files. The checkout of a pull request may have any kind of file. No link is
followed. A FIFO or a device is refused, because a command would wait for it without end. Links in
other folders are found here.

Unfinished work is in logs (`Log`): journals of runs, labels of sessions, judgements of pairs,
changes of many sessions. A log has a JSON object in each line, which counts when it is on the disk.
Its writer has the lock of the file (flock), which the kernel releases when the process ends in any
way.
"""

import fcntl
import os
import stat
from collections.abc import Container, Generator, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader, FileIO
from pathlib import Path
from typing import BinaryIO, Self

from records.errors import InvalidRecordError, MissingRecordError

_SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MODE = 0o644
_OWN = 0o600
"""The mode of a file that is only a lock: whoever can open it could keep its lock for ever."""


Stamp = str
"""Modification time in nanoseconds, bytes and inode of a file; it differs after a change."""


def format_stamp(status: os.stat_result) -> Stamp:
    """Return the stamp of a file."""
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"


def read_stamp(path: Path) -> Stamp | None:
    """Return the stamp of the file or link at ``path``; None if there is none."""
    try:
        return format_stamp(path.lstat())
    except (FileNotFoundError, NotADirectoryError):
        return None


def open_plain(path: Path) -> BufferedReader:
    """Open the plain file at ``path`` for reading.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the file is a link, a folder, a FIFO or a device, or unreadable.
    """
    return os.fdopen(_open_handle(path, os.O_RDONLY), "rb")


def lock_handle(path: Path, handle: int, *, wait: bool = True) -> bool:
    """Lock the open file or folder ``handle``, until it is closed.

    Returns false, and closes it, if it was removed from ``path`` or replaced before its lock.

    Raises:
        BlockingIOError: without ``wait``, another process has the lock.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        with suppress(FileNotFoundError):
            if os.path.samestat(path.lstat(), os.fstat(handle)):
                return True
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return False


def _open_locked(path: Path, flags: int, *, wait: bool, mode: int = _OWN) -> int:
    while not lock_handle(path, handle := _open_handle(path, flags, mode), wait=wait):
        pass  # removed or replaced meanwhile: opened again
    return handle


def lock_file(path: Path, *, make: bool = True, wait: bool = True, mode: int = _OWN) -> FileIO:
    """Open the file at ``path`` and lock it until it is closed; with ``make``, also a missing file.

    Raises:
        BlockingIOError: without ``wait``, another process has the lock.
        MissingRecordError: there is no such file.
        InvalidRecordError: the file is a link, a folder, a FIFO or a device, or not writable.
    """
    flags = os.O_RDWR | (os.O_CREAT if make else 0)
    return FileIO(_open_locked(path, flags, wait=wait, mode=mode), "r+b")


@contextmanager
def lock_folder(folder: Path, *, wait: bool = True) -> Generator[None]:
    """Hold the lock of ``folder`` for a block.

    Raises:
        BlockingIOError: without ``wait``, another process has the lock.
        MissingRecordError: there is no such folder.
    """
    handle = _open_locked(folder, os.O_RDONLY | os.O_DIRECTORY, wait=wait)
    try:
        yield
    finally:
        os.close(handle)


def is_locked(path: Path) -> bool:
    """Return whether a process has the lock of the file at ``path``, or just removed the file."""
    try:
        with open_plain(path) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except (BlockingIOError, MissingRecordError):
        return True
    except InvalidRecordError:
        return False  # not a plain file, so no process writes it


class Log:
    """A log that only this process can write; a context manager."""

    def __init__(self, path: Path, *, make: bool = False, wait: bool = True) -> None:
        """Open and lock the log at ``path``; with ``make``, a missing log is created.

        Raises:
            BlockingIOError: without ``wait``, another process writes the log.
            MissingRecordError: there is no such file.
            InvalidRecordError: the file is a link, a folder, a FIFO or a device, or not writable.
        """
        self.path = path
        self._file = lock_file(path, make=make, wait=wait, mode=_MODE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and so release its lock."""
        self._file.close()

    def cut(self, end: int | None = None) -> Self:
        """Cut off what comes after ``end``, by default an incomplete line of a killed writer."""
        if end is None:
            self._file.seek(0)
            end = self._file.readall().rfind(b"\n") + 1
        self._file.truncate(end)
        return self

    def append(self, lines: bytes, *, durable: bool = True) -> int:
        """Append ``lines``; return the offset of the first.

        If ``durable``, they are on the disk when this returns.

        Raises:
            OSError: the disk is full or gone; the log is as before.
        """
        offset = self._file.seek(0, os.SEEK_END)
        unwritten = memoryview(lines)
        try:
            while unwritten:
                unwritten = unwritten[self._file.write(unwritten) :]
            if durable:
                os.fsync(self._file.fileno())
                if offset == 0:
                    make_durable(self.path.parent)
        except OSError:
            with suppress(OSError):
                self._file.truncate(offset)
            raise
        return offset


def make_durable(folder: Path) -> None:
    """Wait until the names of the files in ``folder`` are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield each line of a log with its offset, without an incomplete last line.

    After a loss of power the last line may be incomplete in spite of its newline.
    """
    offset, line = 0, file.readline()
    while line:
        following = file.readline()
        whole = line.startswith(b"{") and line.endswith(b"}\n") and b"\0" not in line
        if not following and not whole:
            return
        yield offset, line
        offset, line = offset + len(line), following


def _open_handle(path: Path, flags: int, mode: int = _MODE) -> int:
    try:
        handle = os.open(path, flags | _SAFELY, mode)
    except FileNotFoundError as error:
        raise MissingRecordError(f"{path}: there is no such file") from error
    except (OSError, ValueError) as error:
        reason = f"cannot be read: {error}"
        with suppress(OSError, ValueError):
            present = path.lstat().st_mode
            if stat.S_ISLNK(present):
                reason = "is a symbolic link"
            elif not stat.S_ISREG(present):  # such as a FIFO without a reader
                reason = "is not a plain file"
        raise InvalidRecordError(path, "", reason) from error
    if not flags & os.O_DIRECTORY and not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise InvalidRecordError(path, "", "is not a plain file")
    return handle


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
