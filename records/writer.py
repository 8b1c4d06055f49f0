"""Writer of records, and its temporary files.

The same record gives the same bytes. A file has its old or its new content, never a part of it. A
writer holds a lock (flock) on its temporary file. The kernel releases the lock when the process
ends in any way. So a file that can be locked has no writer any more.
"""

import os
import re
import secrets
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from records.errors import RecordsError
from records.files.data_folder import KINDS, DataFolder, RecordFiles
from records.files.plain_files import is_locked, lock_file, lock_handle, make_durable
from records.shapes.base import Record
from records.shapes.run import Run

_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL
_TEMPORARY = re.compile(r"\.(?P<beginning>.{1,64})\.[0-9a-f]{16}\.tmp")
"""The names that `records.writer` gives to temporary files."""

_FOLDERS = (*(kind for kind in KINDS if kind != "local"), "inbox", "outbox")
"""Folders with files of the writer; ``local`` is a data folder of its own."""


def write_run(folder: DataFolder, run: Run) -> Path:
    """Write the record of a run to its file and return the path."""
    return write_atomically(folder.get_run_file(*run.key), encode_run(run))


def write_record(files: RecordFiles, record: Record, *, replaces: bool = True) -> Path:
    """Write a record to its place among the files of its kind and return the path.

    Raises:
        FileExistsError: there is a record of this name, and this record never ``replaces`` it.
    """
    path = files.get_file(getattr(record, files.field))
    with open_atomic_file(path, replaces=replaces) as file:
        file.write(encode_record(record))
    return path


def encode_record(record: Record) -> bytes:
    """Return a record as indented JSON."""
    return record.model_dump_json(indent=2).encode() + b"\n"


def encode_run(run: Run) -> bytes:
    """Return a run as indented JSON, with each attempt on one line.

    So a diff shows one line for each changed attempt, and the file of a large run stays small.
    """
    head = run.model_dump_json(indent=2, exclude={"attempts"}).removesuffix("\n}")
    attempts = ",\n".join(f"    {attempt.model_dump_json()}" for attempt in run.attempts)
    listed = f"[\n{attempts}\n  ]" if attempts else "[]"
    return f'{head},\n  "attempts": {listed}\n}}\n'.encode()


def write_atomically(path: Path, data: bytes, *, durable: bool = True) -> Path:
    """Write ``data`` to ``path``, or leave the file as it was if this fails; return ``path``.

    Missing folders are made. A symbolic link at ``path`` is replaced, not followed. If ``durable``,
    the data is on the disk when this returns, and survives a crash of the machine.
    """
    with open_atomic_file(path, durable=durable) as file:
        file.write(data)
    return path


@contextmanager
def open_atomic_file(
    path: Path, *, durable: bool = True, replaces: bool = True
) -> Generator[BinaryIO]:
    """Yield a temporary file, which replaces ``path`` when the block ends.

    Unless it ``replaces``, a file at ``path`` stays, and FileExistsError is raised.

    If the block fails, the temporary file is removed. If ``path`` is a device or a pipe, such as
    ``/dev/null``, the block writes to it directly, because a file must never replace it.
    """
    mode = 0
    with suppress(OSError):
        mode = path.lstat().st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISFIFO(mode):
        with path.open("wb") as file:
            yield file
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Locked until it has its name, because `tidy_beside` takes unlocked files as of killed writers.
    passing = path.with_name(f".{path.name[:64]}.{secrets.token_hex(8)}.tmp")
    while not lock_handle(passing, handle := os.open(passing, _NEW_FILE, 0o644)):
        pass
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
            if replaces:
                passing.replace(path)
            else:
                os.link(passing, path)
    finally:
        passing.unlink(missing_ok=True)
    if durable:
        make_durable(path.parent)


def find_leftovers(folder: DataFolder) -> Iterator[Path]:
    """Yield the temporary files in a data folder that no process writes any more, sorted."""
    for name in _FOLDERS:
        for path in sorted((folder.root / name).rglob(".*.tmp")):
            # No writer makes a link, a folder or a FIFO.
            is_file = _TEMPORARY.fullmatch(path.name) and path.is_file() and not path.is_symlink()
            if is_file and not is_locked(path):
                yield path


def tidy(folder: DataFolder, slug: str, run_id: str) -> None:
    """Remove the temporary files of killed writers of a run's journal, record and archive."""
    tidy_beside(folder.get_run_file(slug, run_id))
    tidy_beside(folder.get_artifact_file(slug, run_id))


def tidy_beside(record: Path) -> None:
    """Remove the temporary files of killed writers of a record, and of files with its name."""
    for path in record.parent.glob(f".{record.stem}.*.tmp"):
        if _TEMPORARY.fullmatch(path.name):
            # The lock is held until the file is gone: a writer may just have made it, and then
            # makes another one.
            with (
                suppress(BlockingIOError, RecordsError),
                lock_file(path, make=False, wait=False),
            ):
                path.unlink(missing_ok=True)
