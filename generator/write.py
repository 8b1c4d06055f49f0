"""Writes pages: all or none of them, and only those whose bytes changed."""

import os
import shutil
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Self

from generator.errors import OutputFolderError
from generator.inputs import Stamp, stamp_of
from generator.output import MARK, claim, listed, listing, remove

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


class Stage:
    """A tree beside the output where files wait until all are rendered.

    What is in place already does not wait. Where there is no output folder yet, the tree becomes it
    as a whole; a folder that is there stays the one it is, whose mode somebody may have chosen.
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

    def publish(self, made: Iterable[Made], pages: Collection[str]) -> list[str]:
        """Put files in their places, each old or new and never half; remove and return the rest.

        The rest is what builds wrote that is not among ``pages``, which are the whole site. The
        mark lists a file before it is there and until it is gone, so that a build which is cut off
        leaves none that the next does not know. Nothing is forced to the disk: a site can always
        be built again.

        Raises:
            OutputFolderError: somebody else put files into what was empty when the build began, or
                removed what was not.
        """
        out = Path(self._out)
        if not self._first and not (out / MARK).exists():
            raise OutputFolderError(f"{out}: was removed during the build; build again")
        if self._first and not out.exists() and self._published_whole(pages):
            return []
        claim(out)
        before, after = listed(out), set(pages)
        self._list(before | after, before)
        for one in made:
            if one.staged:
                self._place(one.path)
        gone = sorted(before - after)
        remove(out, gone)
        self._list(after, before | after)
        return gone

    def _published_whole(self, pages: Iterable[str]) -> bool:
        _write(f"{self._folder}/{MARK}", listing(pages))
        try:
            os.rename(self._folder, self._out)  # noqa: PTH104 - see above
        except OSError:  # another file system, or somebody wrote there
            return False
        return True

    def _list(self, paths: set[str], before: set[str]) -> None:
        if paths != before:
            _write(f"{self._folder}/{MARK}", listing(paths))
            self._place(MARK)

    def _place(self, path: str) -> None:
        staged, place = f"{self._folder}/{path}", f"{self._out}/{path}"
        try:
            os.replace(staged, place)  # noqa: PTH105 - see above
        except OSError:
            _put(staged, Path(place))

    def stamp(self, path: str) -> Stamp:
        """Return the stamp of a file that is in place."""
        return stamp_of(os.stat(f"{self._out}/{path}"))  # noqa: PTH116 - see above


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
        _make(os.path.dirname(place))  # noqa: PTH120 - see above
        handle = os.open(place, _NEW, _MODE)
    try:
        while data:
            data = data[os.write(handle, data) :]
    finally:
        os.close(handle)


def _make(folder: str) -> None:
    """Make a folder, which most often is all that is missing."""
    try:
        os.mkdir(folder)  # noqa: PTH102 - see above
    except FileExistsError:  # another process made it meanwhile
        pass
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - see above


def _put(staged: str, place: Path) -> None:
    """Put a file where its folder may be missing or lie on another file system."""
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_name(f".{place.name}.new")
    try:
        shutil.move(staged, new)
        new.replace(place)
    finally:
        new.unlink(missing_ok=True)
