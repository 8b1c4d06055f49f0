"""The journal of a run under way: one line of JSON for each finished stage.

Only one process at a time can write a journal. A line is on the disk before its writer goes on.
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
from records.files.plain_files import is_still_at, open_plain, open_to_change
from records.journal.entries import Asking, AttemptKey, Generated, Graded, Opened, encode_entry
from records.journal.replay import JournalState, read
from records.shapes.attempt import Attempt
from records.writer import open_atomic_file


class Journal:
    """An open journal, which only this process can write; a context manager, safe for threads."""

    def __init__(self, state: JournalState, file: FileIO) -> None:
        """Use `create` or `open` instead."""
        self._state = state
        self._file = file
        self._lock = Lock()

    @classmethod
    def create(cls, path: Path, plan: Opened) -> Self:
        """Make a journal with ``plan`` as its first line, and return it open.

        Raises:
            FileExistsError: there is a journal at ``path``.
        """
        cls.write_whole(path, plan, ())
        return cls.open(path)

    @staticmethod
    def write_whole(path: Path, plan: Opened, entries: Iterable[Generated | Graded]) -> None:
        """Write a journal with ``plan`` and all ``entries`` atomically.

        Raises:
            FileExistsError: there is a journal at ``path``.
        """
        with _lock_folder(path.parent):
            if path.exists():
                raise FileExistsError(f"{path}: the run has a journal already; resume it instead")
            with open_atomic_file(path) as file:
                file.write(encode_entry(plan))
                for entry in entries:
                    file.write(encode_entry(entry))

    @classmethod
    def replan(cls, path: Path, plan: Opened) -> None:
        """Replace the first line by ``plan`` if it differs; all other lines stay.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: the journal cannot be read.
            RunInUseError: another process has the journal open.
        """
        with cls.open(path) as journal:
            if journal.header == plan:
                return
            with open_plain(path) as old, open_atomic_file(path) as file:
                old.readline()
                file.write(encode_entry(plan))
                shutil.copyfileobj(old, file)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a journal to continue it; an incomplete last line is cut off.

        Raises:
            MissingRecordError: there is no such file.
            InvalidRecordError: the journal cannot be read.
            RunInUseError: another process has the journal open.
        """
        file = _open_alone(path)
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
        """Close the file, and so release its lock. All entries are on the disk already."""
        with self._lock:
            self._file.close()

    def append(self, entry: Asking | Generated | Graded) -> None:
        """Append ``entry``, which is on the disk when this returns.

        Raises:
            InvalidRecordError: the run did not plan this attempt.
            OSError: the disk is full or gone; the journal is as before.
        """
        line = encode_entry(entry)
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
        """The first line, which has the plan of the run."""
        return self._state.header

    @property
    def attempts(self) -> Mapping[AttemptKey, Attempt]:
        """A copy of the verdicts so far."""
        with self._lock:
            return dict(self._state.attempts)

    def list_attempts(self) -> tuple[Attempt, ...]:
        """Return the attempts with a verdict, sorted by eval and sample."""
        with self._lock:
            return self._state.list_attempts()

    def find_generation(self, evaluation: str, sample: int) -> Generated | None:
        """Return the last generation of an attempt; None if it has no reply yet."""
        with self._lock:
            return self._state.find_generation(evaluation, sample)

    def find_last_result(self, evaluation: str, sample: int) -> Generated | None:
        """Return the last result for an attempt, a reply or a fault; None if there is none."""
        with self._lock:
            return self._state.find_last_result(evaluation, sample)

    def find_unsettled_cost(self, evaluation: str, sample: int) -> float:
        """Return the most, in US dollars, that requests without any result may have cost."""
        with self._lock:
            return self._state.find_unsettled_cost(evaluation, sample)


@contextmanager
def lock_journal(path: Path) -> Generator[FileIO]:
    """Lock the journal at ``path`` for a block, so that no other process executes its run.

    Raises:
        MissingRecordError: there is no such file.
        RunInUseError: another process has the journal open.
    """
    file = _open_alone(path)
    with closing(file):
        yield file


def is_in_use(path: Path) -> bool:
    """Return whether a process executes the run of the journal at ``path``, or just ended it."""
    try:
        with open_plain(path) as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except (BlockingIOError, MissingRecordError):
        return True
    except InvalidRecordError:
        return False  # not a plain file, so no process writes it


def _write_durably(file: FileIO, data: bytes) -> None:
    unwritten = memoryview(data)
    while unwritten:
        unwritten = unwritten[file.write(unwritten) :]
    os.fsync(file.fileno())


def _cut(file: FileIO, torn: int) -> None:
    if torn:
        file.truncate(file.seek(0, os.SEEK_END) - torn)
        os.fsync(file.fileno())


def _open_alone(path: Path) -> FileIO:
    """Return the journal at ``path``, open for writing and locked."""
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
    """Lock a file by flock, which the kernel releases when this process ends in any way."""
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise RunInUseError(f"{path}: another process is executing this run") from error


def _check_same(path: Path, file: FileIO) -> None:
    """Refuse a locked file that is no longer at ``path``, because its run ended just before."""
    if not is_still_at(path, file.fileno()):
        raise RunInUseError(f"{path}: another process has just executed this run; look again")


@contextmanager
def _lock_folder(folder: Path) -> Generator[None]:
    """Lock ``folder`` for a block, in which no other process makes a journal there."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
