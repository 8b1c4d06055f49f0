"""Symbolic links in folders that come with a pull request."""

import os
from collections.abc import Container
from pathlib import Path


def link_below(folder: Path, skipped: Container[str] = ()) -> Path | None:
    """Return the first symbolic link below ``folder``, ``folder`` itself included; None if none is.

    A link that is followed could put any file of this machine, such as one with keys, on a public
    page or into a prompt. Hidden names, which editors use for links of their own and nothing
    reads, and names in ``skipped`` are not looked at.
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
