"""Locks by which writers of sessions take turns, in whatever process they run."""

import fcntl
import os
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

from records.plain_files import open_to_change


@contextmanager
def locked(folder: Path, session_ids: Iterable[str]) -> Generator[None]:
    """Hold the locks of sessions for the length of a block.

    A lock is a file in ``folder``; sessions whose ids have the same digest byte share one. Several
    are taken in one order, so that no two processes wait for each other. A block holds all locks
    that it needs from its beginning: a thread that asks for a second one may wait for itself.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = {f"sessions-{sha256(one.encode()).hexdigest()[:2]}.lock" for one in session_ids}
    with ExitStack() as held:
        for name in sorted(names):
            held.enter_context(_locked_file(folder / name))
        yield


@contextmanager
def _locked_file(path: Path) -> Generator[None]:
    while True:
        with open_to_change(path, make=True) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _is_still_there(path, file.fileno()):
                yield
                return


def _is_still_there(path: Path, handle: int) -> bool:
    """Return whether the locked file still has its name: somebody may have deleted it."""
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(handle))
