"""The output folder: whose it is, whose turn it is, and what builds wrote into it.

A build removes nothing but what the mark lists, which is what builds wrote. So no file is lost that
came in by another way, and no page stays although nobody remembers what it was made from.
"""

import fcntl
import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from generator.errors import OutputFolderError
from generator.inputs import Sources, Stamp, stamp_of
from generator.state import State
from records.folder import KINDS

MARK: Final = ".built-by-leaderboard"
"""Stands in a folder that a build made, and lists the files that builds wrote there."""


def check_claim(out: Path) -> None:
    """Refuse a folder that is not a build's.

    Raises:
        OutputFolderError: the folder holds files and no build made it, or it is no folder.
    """
    if os.path.lexists(out) and not out.is_dir():
        raise OutputFolderError(f"{out}: not a folder; choose another --out")
    if out.exists() and not (out / MARK).exists() and any(out.iterdir()):
        raise OutputFolderError(f"{out}: not empty and not made by a build; choose another --out")


def check_apart(sources: Sources, out: Path) -> None:
    """Refuse a folder whose pages the next build would read.

    Raises:
        OutputFolderError: the folder is one that sources are read from, or lies in one.
    """
    place = Path(os.path.realpath(out))
    read = [sources.data.root / kind for kind in KINDS]
    read += [sources.templates / "assets", *sources.evals.glob("[0-9]*")]
    for folder in read:
        if place.is_relative_to(os.path.realpath(folder)):
            raise OutputFolderError(f"{out}: lies in {folder}, which is read; choose another --out")


@contextmanager
def turn(folder: Path) -> Generator[None]:
    """Wait until no other build has its turn; ``folder`` holds what builds of one output keep.

    The kernel ends the turn of a build that is cut off.

    Raises:
        OutputFolderError: the folder is not there and cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / "lock").open("ab")
    except OSError as error:
        raise OutputFolderError(f"{folder}: cannot be written: {error}") from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def claim(out: Path) -> None:
    """Make ``out`` a folder that a build made.

    Raises:
        OutputFolderError: the folder holds files and no build made it.
    """
    check_claim(out)
    out.mkdir(parents=True, exist_ok=True)
    (out / MARK).touch()


def listed(out: Path) -> set[str]:
    """Return what builds wrote into a folder, by its paths there."""
    return {path for path in os.fsdecode((out / MARK).read_bytes()).split("\n") if path}


def listing(paths: Iterable[str]) -> bytes:
    """Return what the mark says in a folder into which builds wrote ``paths``."""
    return os.fsencode("".join(f"{path}\n" for path in sorted(paths)))


def stamp_there(folder: Path, path: str) -> Stamp | None:
    """Return the stamp of a file in a folder; None where it is not there."""
    try:
        return stamp_of(os.stat(f"{folder}/{path}"))  # noqa: PTH116 - for thousands, no objects
    except OSError:
        return None


def intact(out: Path, state: State) -> State:
    """Return ``state`` without the units whose files somebody changed since they were written."""
    touched = {one.unit for path, one in state.pages.items() if stamp_there(out, path) != one.stamp}
    if touched:
        state.whole = False
        state.units = {name: key for name, key in state.units.items() if name not in touched}
        state.pages = {path: one for path, one in state.pages.items() if one.unit not in touched}
    return state


def remove(out: Path, paths: Iterable[str]) -> None:
    """Remove files, and the folders that they leave empty; what lies elsewhere stays."""
    root = out.resolve()
    for path in paths:
        place = out / path
        if not place.parent.resolve().is_relative_to(root):
            continue
        # Somebody may have put a folder where the file was, or a file where its folder was.
        with suppress(FileNotFoundError, IsADirectoryError, NotADirectoryError):
            place.unlink()
        for folder in place.parents:
            if folder == out:
                break
            try:
                folder.rmdir()
            except OSError:
                break
