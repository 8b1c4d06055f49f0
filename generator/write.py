"""Writes pages: only those whose bytes changed, and removes those that are no longer made."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from generator.errors import OutputFolderError

MARK: Final = ".built-by-leaderboard"
"""Stands in a folder that a build made: only such a folder is cleaned."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a build did to its output folder."""

    pages: int
    changed: int
    removed: int


def claim(out: Path) -> None:
    """Make ``out`` ready to be written to.

    Raises:
        OutputFolderError: the folder holds files and no build made it.
    """
    mark = out / MARK
    if out.exists() and not mark.exists() and any(out.iterdir()):
        raise OutputFolderError(f"{out}: not empty and not made by a build; choose another --out")
    out.mkdir(parents=True, exist_ok=True)
    mark.touch()


def write_site(out: Path, pages: Mapping[str, bytes]) -> Written:
    """Make ``out`` hold exactly ``pages``, by their paths below it."""
    changed = sum(_write(out / path, data) for path, data in pages.items())
    kept = {out / path for path in pages} | {out / MARK}
    stale = [path for path in out.rglob("*") if path.is_file() and path not in kept]
    for path in stale:
        path.unlink()
    _remove_empty_folders(out)
    return Written(pages=len(pages), changed=changed, removed=len(stale))


def _write(path: Path, data: bytes) -> bool:
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    # Old or new, never half; not forced to the disk, for a build can always be made again.
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(data)
    new.replace(path)
    return True


def _remove_empty_folders(out: Path) -> None:
    for folder in sorted((p for p in out.rglob("*") if p.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
