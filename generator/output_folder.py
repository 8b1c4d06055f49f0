"""The output folder: whose it is, whose turn it is, and the files of builds in it.

A build removes only the files that the mark lists, which builds wrote. So no file is lost that came
in by another way, and no page stays although its source is forgotten.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Self

from generator.errors import AbandonedError, OutputFolderError
from generator.sources import Sources
from records.files.data_folder import KINDS

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
        OutputFolderError: the folder is a source of builds, or lies in a source.
    """
    own_place = Path(os.path.realpath(out))
    read = [sources.data.root / kind for kind in KINDS]
    read += [sources.templates / "assets", *sources.evals.glob("[0-9]*")]
    for folder in read:
        if own_place.is_relative_to(os.path.realpath(folder)):
            raise OutputFolderError(f"{out}: lies in {folder}, which is read; choose another --out")


@contextmanager
def turn(folder: Path) -> Generator[None]:
    """Wait until no other build has its turn; ``folder`` is that of the builds of one output.

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
    """Return the files that builds wrote into a folder, by their paths there."""
    return {path for path in os.fsdecode((out / MARK).read_bytes()).split("\n") if path}


def listing(paths: Iterable[str]) -> bytes:
    """Return the text of the mark in a folder into which builds wrote ``paths``."""
    return os.fsencode("".join(f"{path}\n" for path in sorted(paths)))


def remove(out: Path, paths: Iterable[str]) -> None:
    """Remove files, and the folders that they leave empty; files elsewhere stay."""
    root = out.resolve()
    for path in paths:
        target = out / path
        if not target.parent.resolve().is_relative_to(root):
            continue
        # The path may be a folder now, or its parent a file: then there is no file to remove.
        with suppress(FileNotFoundError, IsADirectoryError, NotADirectoryError):
            target.unlink()
        for folder in target.parents:
            if folder == out:
                break
            try:
                folder.rmdir()
            except OSError:
                break


_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
_MODE: Final = 0o666


@dataclass(frozen=True, slots=True)
class Written:
    """The changes of a build to its output folder."""

    files: int
    """Files that the site consists of."""
    changed: tuple[str, ...]
    """Files that were written, by their paths below the output folder."""
    removed: tuple[str, ...]
    notices: tuple[str, ...]
    """Faults in the sources that did not stop the build."""


class RenderedFile(NamedTuple):
    """A file of the site: one that was rendered, or need not be."""

    path: str
    key: str
    """Digest of its sources; empty where it is rendered in each build."""
    staged: bool
    """Its bytes wait to be put in place; else they stand there already."""


class Staging:
    """A tree beside the output where files wait until all are rendered.

    Files in place already do not wait. Where there is no output folder yet, the tree becomes it
    as a whole; a folder that is there stays the same folder, whose mode somebody may have chosen.
    """

    def __init__(
        self, folder: Path, out: Path, abandoned: Callable[[], bool] = lambda: False
    ) -> None:
        """Prepare; once ``abandoned`` returns true, no file is taken any more."""
        self._out = str(out)
        self._folder = str(folder)
        self._abandoned = abandoned
        self._first = _empty(out)

    def __enter__(self) -> Self:
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder)  # noqa: PTH103 - thousands of files below, no objects
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def check(self) -> None:
        """Go on, unless the build is to end.

        Raises:
            AbandonedError: it is.
        """
        if self._abandoned():
            raise AbandonedError("the build was abandoned: a newer build follows")

    def put(self, path: str, data: bytes, key: str = "") -> RenderedFile:
        """Let a file wait; may be called in several processes at once.

        Raises:
            AbandonedError: the build is to end.
        """
        self.check()
        if not self._first and self._stands(path, data):
            return RenderedFile(path, key, staged=False)
        _write(f"{self._folder}/{path}", data)
        return RenderedFile(path, key, staged=True)

    def _stands(self, path: str, data: bytes) -> bool:
        try:
            with open(f"{self._out}/{path}", "rb") as file:  # noqa: PTH123 - see above
                return file.read() == data
        except OSError:
            return False

    def publish(self, rendered: Mapping[str, RenderedFile]) -> list[str]:
        """Put files in place, each old or new and never half; remove and return the rest.

        The rest are files of builds that are not among ``rendered``, which is the whole site. The
        mark lists a file before it is there and until it is gone, so that a build which is cut off
        leaves none that the next does not know. Nothing is forced to the disk: a site can always
        be built again.

        Raises:
            OutputFolderError: somebody else put files into a folder that was empty when the build
                began, or removed a folder that was not.
        """
        out = Path(self._out)
        if not self._first and not (out / MARK).exists():
            raise OutputFolderError(f"{out}: was removed during the build; build again")
        if self._first and not out.exists() and self._published_whole(rendered):
            return []
        claim(out)
        before, after = listed(out), set(rendered)
        self._list(before | after, before)
        for file in rendered.values():
            if file.staged:
                self._place(file.path)
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
        staged, target = f"{self._folder}/{path}", f"{self._out}/{path}"
        try:
            os.replace(staged, target)  # noqa: PTH105 - see above
        except OSError:
            _put(staged, Path(target))


def _empty(folder: Path) -> bool:
    """Return whether a folder is missing or empty."""
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
