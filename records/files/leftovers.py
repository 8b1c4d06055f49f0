"""Temporary files of writers that were killed.

A writer holds a lock on its temporary file for as long as it lives, by flock: the kernel lets go of
it however the process ends. So a file that can be locked has no owner any more.
"""

import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from records.files.data_folder import KINDS, DataFolder

_TEMPORARY: Final = re.compile(r"\.(?P<beginning>.{1,64})\.[0-9a-f]{16}\.tmp")
"""The names that `records.writer` gives them."""

_FOLDERS: Final = (*(kind for kind in KINDS if kind != "local"), "inbox", "outbox")
"""Folders that the writer writes to; ``local`` is a data folder of its own."""


def left_over(folder: DataFolder) -> Iterator[Path]:
    """Yield the temporary files in a data folder that no process writes any more, sorted."""
    for name in _FOLDERS:
        for path in sorted((folder.root / name).rglob(".*.tmp")):
            if _TEMPORARY.fullmatch(path.name) and _is_abandoned(path):
                yield path


def tidy(folder: DataFolder, slug: str, run_id: str) -> None:
    """Remove the files that killed writers of a run's journal, record and archive left."""
    for path in (folder.run_file(slug, run_id), folder.artifact_file(slug, run_id)):
        _remove(path.parent, run_id)


def tidy_trial(folder: DataFolder, trial_id: str) -> None:
    """Remove the files that killed writers of a trial's record left."""
    _remove(folder.trial_file(trial_id).parent, trial_id)


def _remove(folder: Path, name: str) -> None:
    for path in folder.glob(f".{name}.*.tmp"):
        if _TEMPORARY.fullmatch(path.name) and _is_abandoned(path):
            path.unlink(missing_ok=True)


def _is_abandoned(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # gone meanwhile, or a link: no writer makes one
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True
