"""Temporary files of writers that were killed.

A writer holds a lock (flock) on its temporary file. The kernel releases the lock when the process
ends in any way. So a file that can be locked has no writer any more.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from records.files.data_folder import KINDS, DataFolder

_TEMPORARY: Final = re.compile(r"\.(?P<beginning>.{1,64})\.[0-9a-f]{16}\.tmp")
"""The names that `records.writer` gives to temporary files."""

_FOLDERS: Final = (*(kind for kind in KINDS if kind != "local"), "inbox", "outbox")
"""Folders with files of the writer; ``local`` is a data folder of its own."""


def find_leftovers(folder: DataFolder) -> Iterator[Path]:
    """Yield the temporary files in a data folder that no process writes any more, sorted."""
    for name in _FOLDERS:
        for path in sorted((folder.root / name).rglob(".*.tmp")):
            if _TEMPORARY.fullmatch(path.name) and _is_abandoned(path):
                yield path


def tidy(folder: DataFolder, slug: str, run_id: str) -> None:
    """Remove the temporary files of killed writers of a run's journal, record and archive."""
    tidy_beside(folder.get_run_file(slug, run_id))
    tidy_beside(folder.get_artifact_file(slug, run_id))


def tidy_beside(record: Path) -> None:
    """Remove the temporary files of killed writers of a record, and of files with its name."""
    for path in record.parent.glob(f".{record.stem}.*.tmp"):
        if _TEMPORARY.fullmatch(path.name) and _is_abandoned(path):
            path.unlink(missing_ok=True)


def _is_abandoned(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # the file was removed meanwhile, or is a link, which no writer makes
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True
