"""Symbolic links in folders that come with a pull request."""

import os
from collections.abc import Container
from pathlib import Path


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
