"""The journal of a run that is going: one line of JSON for each finished stage, on the disk.

Only one process at a time may write a journal. A line is on the disk before its writer goes on.
"""

import fcntl
import os
import shutil
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, contextmanager
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import Self

from records.errors import InvalidRecordError, MissingRecordError, RunInUseError
from records.files.plain_files import open_plain, open_to_change
from records.journal.entries import Asking, AttemptKey, Generated, Graded, Opened, encoded
from records.journal.replay import JournalState, read
from records.shapes.attempt import Attempt
from records.writer import atomic_file


class Journal:
    """A journal open for writing by this process alone; a context manager, safe across threads."""

    def __init__(self, state: JournalState, file: FileIO) -> None:
        """Use `create` or `open` instead."""
        self._state = state
        self._file = file
        self._lock = Lock()

    @classmethod
    def create(cls, path: Path, plan: Opened) -> Self:
        """Begin a journal with ``plan`` as its first line.

        Raises:
            FileExistsError: there is one already.
        """
        cls.write_whole(path, plan, ())
        return cls.open(path)

    @staticmethod
    def write_whole(path: Path, plan: Opened, entries: Iterable[Generated | Graded]) -> None:
        """Write a journal with ``plan`` and all ``entries``: ``path`` holds all of it or nothing.

        Raises:
            FileExistsError: there is one already.
        """
        with _alone_in(path.parent):
            if path.exists():
                raise FileExistsError(f"{path}: the run has a journal already; resume it instead")
            with atomic_file(path) as file:
                file.write(encoded(plan))
                for entry in entries:
                    file.write(encoded(entry))

    @classmethod
    def replan(cls, path: Path, plan: Opened) -> None:
        """Put ``plan`` in place of the first line where it differs; all other lines stay.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: it cannot be read.
            RunInUseError: another process has it open.
        """
        with cls.open(path) as journal:
            if journal.header == plan:
                return
            with open_plain(path) as old, atomic_file(path) as file:
                old.readline()
                file.write(encoded(plan))
                shutil.copyfileobj(old, file)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a journal to go on with it; a torn last line is cut off.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: it cannot be read.
            RunInUseError: another process has it open.
        """
        file = _opened_alone(path)
        try:
            state = read(path)
            _cut(file, state.torn)
        except BaseException:
            file.close()
            raise
        return cls(state, file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file. Everything appended is on the disk already."""
        with self._lock:
            self._file.close()

    def append(self, entry: Asking | Generated | Graded) -> None:
        """Put ``entry`` on the disk; it is there when this returns.

        Raises:
            InvalidRecordError: the run did not plan this attempt.
            OSError: the disk is full or gone; nothing of the entry stays behind.
        """
        line = encoded(entry)
        with self._lock:
            offset = self._file.seek(0, os.SEEK_END)
            self._state.check(entry, offset)
            try:
                _write_durably(self._file, line)
            except OSError:
                self._file.truncate(offset)
                raise
            self._state.note(entry, offset)

    @property
    def header(self) -> Opened:
        """The plan."""
        return self._state.header

    @property
    def attempts(self) -> Mapping[AttemptKey, Attempt]:
        """A copy of the verdicts so far."""
        with self._lock:
            return dict(self._state.attempts)

    def settled(self) -> tuple[Attempt, ...]:
        """Return the verdicts so far, sorted by eval and sample."""
        with self._lock:
            return self._state.settled()

    def generated(self, evaluation: str, sample: int) -> Generated | None:
        """Return the finished generation of a place; None where no reply came yet."""
        with self._lock:
            return self._state.generated(evaluation, sample)

    def asked(self, evaluation: str, sample: int) -> Generated | None:
        """Return the last result for a place, a reply or a fault; None where nothing was."""
        with self._lock:
            return self._state.asked(evaluation, sample)

    def unsettled(self, evaluation: str, sample: int) -> float:
        """Return the most, in dollars, that requests of which nothing was heard may have cost."""
        with self._lock:
            return self._state.unsettled(evaluation, sample)


@contextmanager
def held(path: Path) -> Generator[FileIO]:
    """Keep other processes from executing the run of the journal at ``path``.

    Raises:
        MissingRecordError: there is no such file.
        RunInUseError: another process has it open.
    """
    file = _opened_alone(path)
    with closing(file):
        yield file


def in_use(path: Path) -> bool:
    """Return whether a process executes the run of the journal at ``path``, or has just done so."""
    try:
        with open_plain(path) as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except (BlockingIOError, MissingRecordError):
        return True
    except InvalidRecordError:
        return False  # no process executes what is no journal


def _write_durably(file: FileIO, data: bytes) -> None:
    unwritten = memoryview(data)
    while unwritten:
        unwritten = unwritten[file.write(unwritten) :]
    os.fsync(file.fileno())


def _cut(file: FileIO, torn: int) -> None:
    if torn:
        file.truncate(file.seek(0, os.SEEK_END) - torn)
        os.fsync(file.fileno())


def _opened_alone(path: Path) -> FileIO:
    """Open a journal for writing, and lock it."""
    try:
        file = open_to_change(path)
    except MissingRecordError as error:
        raise MissingRecordError(f"{path}: there is no such journal") from error
    try:
        _lock(path, file)
        _check_same(path, file)
    except BaseException:
        file.close()
        raise
    return file


def _lock(path: Path, file: FileIO) -> None:
    """Lock by flock: the kernel lets go of it however this process ends."""
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise RunInUseError(f"{path}: another process is executing this run") from error


def _check_same(path: Path, file: FileIO) -> None:
    """See that ``path`` is the file that was locked: it may have been finished just before."""
    try:
        same = os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        same = False
    if not same:
        raise RunInUseError(f"{path}: another process has just executed this run; look again")


@contextmanager
def _alone_in(folder: Path) -> Generator[None]:
    """Wait until no other process makes a journal in ``folder``; a lock as in `_lock`."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
