"""Temporary folders of the runner: locked by their owner, and removed with any content.

A runner that is killed leaves its folders behind. The kernel frees the lock of a folder when its
owner ends in any way. So the next runner that makes a folder in the same parent finds the folders
without an owner, and removes them.
"""

import itertools
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from records.files.plain_files import lock_handle

_PREFIX = "convex-leaderboard-"
_OPENED = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class HeldFolder(NamedTuple):
    """A temporary folder that belongs to this process until it is removed or the process ends."""

    path: Path
    descriptor: int

    def remove(self) -> None:
        """Remove the folder with its content, and free its lock."""
        try:
            remove_tree(self.path)
        finally:
            os.close(self.descriptor)


def hold(purpose: str, parent: Path) -> HeldFolder:
    """Make and lock an empty folder in ``parent``; its name contains ``purpose``.

    The first call for a parent also removes the folders of killed runners in it. Raises OSError if
    no folder can be made.
    """
    _remove_left_over(parent)
    while True:
        path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-", dir=parent)).resolve()
        # A runner that removes left-over folders may have locked this path since mkdtemp.
        if (descriptor := _lock(path, without=True)) is not None:
            return HeldFolder(path, descriptor)
        with suppress(OSError):
            path.rmdir()


def get_temporary_folder() -> Path:
    """Return the default parent of such folders: ``OUTPUT_TEMPDIR``, or else the system's."""
    return Path(os.environ.get("OUTPUT_TEMPDIR") or tempfile.gettempdir())


def make_shared_folder(path: Path) -> None:
    """Make a folder that every user may write to, because each jail has another user.

    A folder that is there already, and belongs to another user, stays as it is.
    """
    path.mkdir(exist_ok=True)
    if path.stat().st_uid == os.geteuid():
        path.chmod(0o777)


@cache
def _remove_left_over(parent: Path) -> None:
    """Remove the folders in ``parent`` that runners of this user made, and that have no owner."""
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            is_ours = entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False)
            if not is_ours or entry.stat(follow_symlinks=False).st_uid != os.geteuid():
                continue
            path = Path(entry.path)
            if (descriptor := _lock(path)) is not None:
                # A folder that cannot be removed (its permissions, a full disk) stays: no run uses
                # its name again.
                with suppress(OSError):
                    HeldFolder(path, descriptor).remove()


def _lock(path: Path, *, without: bool = False) -> int | None:
    """Lock a folder and return its descriptor, which holds the lock until it is closed.

    Returns None if the folder is locked already, or is gone. With ``without``, a folder on a file
    system without locks counts as locked by this call; such folders are never found as left over.
    """
    try:
        descriptor = os.open(path, _OPENED)
    except OSError:
        return None
    try:
        return descriptor if lock_handle(path, descriptor, wait=False) else None
    except BlockingIOError:
        return None
    except OSError:
        return os.open(path, _OPENED) if without else None


def remove_tree(root: Path) -> None:
    """Remove a folder with any content and permissions; symbolic links are never followed.

    A jailed program can nest folders deeper than the limits of paths and of recursion. So each
    inner folder is first moved up to the root, and no path is longer than two names.
    """
    with suppress(FileNotFoundError):
        os.chmod(root, stat.S_IRWXU)  # noqa: PTH101 - the same call as below
        prefix = f".removed-{secrets.token_hex(8)}"
        names = (f"{prefix}-{number}" for number in itertools.count())
        waiting = _empty(root, root, names)
        while waiting:
            folder = root / waiting.pop()
            waiting += _empty(folder, root, names)
            folder.rmdir()
        root.rmdir()


def _empty(folder: Path, root: Path, names: Iterator[str]) -> list[str]:
    """Delete the files of a folder and move its folders up to the root; return their new names."""
    descriptor = os.open(folder, _OPENED)
    moved: list[str] = []
    try:
        with os.scandir(descriptor) as entries:
            children = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for name, is_folder in children:
            if not is_folder:
                os.unlink(name, dir_fd=descriptor)
                continue
            # The jail has ended, so no process can replace the folder by a symbolic link before
            # chmod.
            os.chmod(name, stat.S_IRWXU, dir_fd=descriptor)
            new_name = next(names)
            os.rename(name, root / new_name, src_dir_fd=descriptor)
            moved.append(new_name)
    finally:
        os.close(descriptor)
    return moved
