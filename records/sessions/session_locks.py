"""Locks of sessions, so that only one process at a time writes a session."""

import fcntl
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path

from records.files.plain_files import is_still_at, open_to_change


@contextmanager
def lock_sessions(folder: Path, session_ids: Iterable[str]) -> Generator[None]:
    """Hold the locks of sessions for a block.

    A lock is a file in ``folder``, which all sessions share whose ids have the same first byte of
    the digest. Locks are taken in a fixed order, so that no two processes wait for each other. A
    block must take all its locks in one call, because a second call may wait for the first for
    ever.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = {
        f"sessions-{sha256(session_id.encode()).hexdigest()[:2]}.lock" for session_id in session_ids
    }
    with ExitStack() as locks:
        for name in sorted(names):
            locks.enter_context(_lock_file(folder / name))
        yield


@contextmanager
def _lock_file(path: Path) -> Generator[None]:
    while True:
        with open_to_change(path, make=True) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if is_still_at(path, file.fileno()):
                yield
                return
