"""Writes pages: all or none of them, and only those whose bytes changed."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Self

from generator.errors import OutputFolderError
from generator.inputs import Stamp, stamp_of
from generator.state import State

MARK: Final = ".built-by-leaderboard"
"""Stands in a folder that a build made: only such a folder is cleaned."""

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
_MODE: Final = 0o666


@dataclass(frozen=True, slots=True)
class Written:
    """What a build did to its output folder."""

    files: int
    """Files that the site consists of."""
    changed: tuple[str, ...]
    """Files that were written, by their paths below the output folder."""
    removed: tuple[str, ...]
    notices: tuple[str, ...]
    """What is wrong in the sources, and did not keep the site from being built."""


class Made(NamedTuple):
    """A file of the site as it was rendered."""

    path: str
    staged: bool
    """Whether its bytes wait to be put in place; else they stand there already."""


def check_claim(out: Path) -> None:
    """Refuse a folder that is not a build's.

    Raises:
        OutputFolderError: the folder holds files and no build made it.
    """
    mark = out / MARK
    if out.exists() and not mark.exists() and any(out.iterdir()):
        raise OutputFolderError(f"{out}: not empty and not made by a build; choose another --out")


def claim(out: Path) -> None:
    """Make ``out`` a folder that a build made."""
    out.mkdir(parents=True, exist_ok=True)
    (out / MARK).touch()


class Stage:
    """A tree beside the output where files wait until all are rendered.

    What is in place already does not wait. A first build's tree becomes the output as a whole.
    """

    def __init__(self, folder: Path, out: Path) -> None:
        self._out = str(out)
        self._folder = str(folder)
        self._first = _empty(out)

    def __enter__(self) -> Self:
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder)  # noqa: PTH103 - thousands of files below, no objects
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def put(self, path: str, data: bytes) -> Made:
        """Let a file wait; may be called in several processes at once."""
        if not self._first and self._stands(path, data):
            return Made(path, staged=False)
        _write(f"{self._folder}/{path}", data)
        return Made(path, staged=True)

    def _stands(self, path: str, data: bytes) -> bool:
        try:
            with open(f"{self._out}/{path}", "rb") as file:  # noqa: PTH123 - see above
                return file.read() == data
        except OSError:
            return False

    def publish(self, made: Iterable[Made]) -> bool:
        """Put files in their places, each old or new and never half.

        They are not forced to the disk: a site can always be built again. Return whether all went
        into an empty place at once, so that nothing else can stand there.
        """
        if self._first and self._published_whole():
            return True
        claim(Path(self._out))
        for one in made:
            if one.staged:
                staged, place = f"{self._folder}/{one.path}", f"{self._out}/{one.path}"
                try:
                    os.replace(staged, place)  # noqa: PTH105 - see above
                except OSError:
                    _put(staged, Path(place))
        return False

    def _published_whole(self) -> bool:
        claim(Path(self._folder))
        try:
            os.rename(self._folder, self._out)  # noqa: PTH104 - see above
        except OSError:  # another file system, or somebody wrote there
            return False
        return True

    def stamp(self, path: str) -> Stamp:
        """Return the stamp of a file that is in place."""
        return stamp_of(os.stat(f"{self._out}/{path}"))  # noqa: PTH116 - see above


def intact(out: Path, state: State) -> State:
    """Return ``state`` without the units whose files somebody changed since they were written."""
    touched = {one.unit for path, one in state.pages.items() if _stamp(out, path) != one.stamp}
    if touched:
        state.whole = False
        state.units = {name: key for name, key in state.units.items() if name not in touched}
        state.pages = {path: one for path, one in state.pages.items() if one.unit not in touched}
    return state


def remove(out: Path, paths: Iterable[str]) -> None:
    """Remove files, and the folders that they leave empty."""
    for path in paths:
        place = out / path
        place.unlink(missing_ok=True)
        for folder in place.parents:
            if folder == out:
                break
            try:
                folder.rmdir()
            except OSError:
                break


def _empty(folder: Path) -> bool:
    """Say whether a folder is missing or holds nothing."""
    try:
        return not any(folder.iterdir())
    except FileNotFoundError:
        return True


def _write(place: str, data: bytes) -> None:
    """Write a file, whose folder is made if it is the first there."""
    try:
        handle = os.open(place, _NEW, _MODE)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120 - see above
        handle = os.open(place, _NEW, _MODE)
    try:
        while data:
            data = data[os.write(handle, data) :]
    finally:
        os.close(handle)


def _put(staged: str, place: Path) -> None:
    """Put a file where its folder may be missing or lie on another file system."""
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_name(f".{place.name}.new")
    shutil.move(staged, new)
    new.replace(place)


def remove_strangers(out: Path, pages: Iterable[str]) -> list[str]:
    """Remove and return the files in ``out`` that are not of the site."""
    kept = {*pages, MARK}
    root = len(str(out)) + 1
    strange: list[str] = []
    for folder, _, names in os.walk(out):
        below = f"{folder}/"[root:]
        strange += [path for name in names if (path := f"{below}{name}") not in kept]
    strange.sort()
    remove(out, strange)
    for folder, _, _ in os.walk(out, topdown=False):
        if folder != str(out) and not os.listdir(folder):  # noqa: PTH208 - see above
            os.rmdir(folder)  # noqa: PTH106 - see above
    return strange


def _stamp(out: Path, path: str) -> Stamp | None:
    try:
        return stamp_of(os.stat(f"{out}/{path}"))  # noqa: PTH116 - see above
    except OSError:
        return None
