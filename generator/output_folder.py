"""The output folder: checks before a build, a lock, the files that builds write, and their cache.

A snapshot is written in the same way, with a mark of its own.

A mark in the folder lists all files that builds wrote, and a build removes only listed files. So
files of others are kept, and a page without a source is removed even if the cache is lost.

The cache has the stamps of the last build's sources, and stamps, digests and keys of its files. It
is a JSON file beside the output folder; summaries of records are in files of their own
(`generator.read.run_summaries`). A damaged cache, or one of another program version, counts as
empty: all is then built again.
"""

import json
import os
import shutil
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path
from typing import NamedTuple, Self

from generator.errors import AbandonedError, GeneratorError
from generator.sources import DIGITS, Sources, compute_digest, stamp_there
from records.errors import RecordsError
from records.files.data_folder import KINDS
from records.files.plain_files import Stamp, lock_file

MARK = ".built-by-leaderboard"
"""The name of the mark: a file that shows that a build made a folder, and lists its files."""
SNAPSHOT_MARK = ".snapshot-by-leaderboard"
"""The name of the mark of a snapshot, which no build replaces, as no snapshot replaces a site."""
_MAKERS = {MARK: "a build", SNAPSHOT_MARK: "a snapshot"}


def check_output_folder(sources: Sources, out: Path, mark: str = MARK) -> None:
    """Refuse an output folder that a build must not write to.

    Raises:
        GeneratorError: ``out`` has files of others, or its pages would be read by the next
            build, because it is a source of builds, or is inside a source.
    """
    check_claim(out, mark)
    real_out = Path(os.path.realpath(out))
    read = [sources.data.root / kind for kind in KINDS]
    read += [sources.templates / "assets", *sources.evals.glob("[0-9]*")]
    for folder in read:
        if real_out.is_relative_to(os.path.realpath(folder)):
            raise GeneratorError(f"{out}: is inside {folder}, which is read; choose another --out")


def check_claim(out: Path, mark: str = MARK) -> None:
    """Refuse an output folder with files of others.

    Raises:
        GeneratorError: ``out`` is no folder or is below a file, or has files although no build
            made it.
    """
    nearest = next(path for path in (out, *out.parents) if os.path.lexists(path))
    if not nearest.is_dir():
        raise GeneratorError(f"{nearest}: not a folder; choose another --out")
    if out.exists() and not (out / mark).exists() and any(out.iterdir()):
        raise GeneratorError(
            f"{out}: not empty and not made by {_MAKERS[mark]}; choose another --out"
        )


@contextmanager
def hold_lock(folder: Path) -> Generator[None]:
    """Hold the lock of the builds into one output folder; wait until no other build holds it.

    ``folder`` contains the lock's file. If a build is killed, the kernel releases its lock.

    Raises:
        GeneratorError: the folder is missing and cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = lock_file(folder / "lock")
    except (OSError, RecordsError) as error:
        raise GeneratorError(f"{folder}: cannot be written: {error}") from error
    with file:
        yield


def format_mark(paths: Iterable[str]) -> bytes:
    """Return the content of the mark that lists ``paths``."""
    return os.fsencode("".join(f"{path}\n" for path in sorted(paths)))


def remove(out: Path, paths: Iterable[str]) -> None:
    """Remove files below ``out`` and the folders that become empty.

    A path that leads out of ``out``, through a link for example, is ignored.
    """
    root = out.resolve()
    for path in paths:
        target = out / path
        if not target.parent.resolve().is_relative_to(root):
            continue
        # If the path is a folder now, or its parent is a file, there is no file to remove.
        with suppress(FileNotFoundError, IsADirectoryError, NotADirectoryError):
            target.unlink()
        for folder in target.parents:
            if folder == out:
                break
            try:
                folder.rmdir()
            except OSError:
                break


class Written(NamedTuple):
    """The changes of a build to its output folder."""

    files: int
    """The number of all files of the site."""
    changed: tuple[str, ...]
    """The files that were written, by path below the output folder."""
    removed: tuple[str, ...]
    notices: tuple[str, ...]
    """Messages about faults in the sources that did not stop the build."""


class RenderedFile(NamedTuple):
    """A file of the site, new in this build or unchanged since the last."""

    path: str
    key: str
    """Digest of its sources; empty for files made again in each build."""
    digest: str
    """Digest of its bytes."""
    staged: bool
    """Whether new bytes are staged; false if the output folder already has the same bytes."""


class Staging:
    """A folder beside the output folder for new files, until all files are rendered.

    A file that the output folder already has with the same bytes is not staged. If there is no
    output folder yet, the staging folder is renamed to it. An existing output folder is kept,
    because its owner may have chosen its mode.
    """

    def __init__(
        self,
        folder: Path,
        out: Path,
        abandoned: Callable[[], bool] = lambda: False,
        mark: str = MARK,
    ) -> None:
        """Prepare; once ``abandoned`` returns true, `check` and `put` raise AbandonedError."""
        self._mark = mark
        self._out = str(out)
        self._folder = str(folder)
        self._abandoned = abandoned
        self._first = not (out.is_dir() and any(out.iterdir()))

    def __enter__(self) -> Self:
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder)  # noqa: PTH103 - thousands of files below, no objects
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def check(self) -> None:
        """End the build if it was abandoned.

        Raises:
            AbandonedError: the build was abandoned.
        """
        if self._abandoned():
            raise AbandonedError("the build was abandoned: a newer build follows")

    def put(self, path: str, data: bytes, key: str = "") -> RenderedFile:
        """Stage a file of the site; several processes may call this at the same time.

        Raises:
            AbandonedError: the build was abandoned.
        """
        self.check()
        is_new = True
        if not self._first:
            with suppress(OSError), open(f"{self._out}/{path}", "rb") as file:  # noqa: PTH123 - see above
                is_new = file.read() != data
        if is_new:
            _write_file(f"{self._folder}/{path}", data)
        return RenderedFile(path, key, compute_digest(data), staged=is_new)

    def make_folder(self, path: str) -> Path:
        """Return a folder in which the caller stages files that it writes itself."""
        folder = Path(self._folder) / path
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def add(self, path: str, sha256: str) -> RenderedFile:
        """Stage a file that the caller wrote into a folder of `make_folder`.

        Raises:
            AbandonedError: the build was abandoned.
        """
        self.check()
        is_in_place = False
        with suppress(OSError), Path(self._out, path).open("rb") as file:
            is_in_place = file_digest(file, "sha256").hexdigest() == sha256
        return RenderedFile(path, "", sha256[:DIGITS], staged=not is_in_place)

    def read(self, file: RenderedFile) -> bytes:
        """Return the bytes of a file that is staged or in place."""
        return Path(self._folder if file.staged else self._out, file.path).read_bytes()

    def publish(self, rendered: Mapping[str, RenderedFile]) -> list[str]:
        """Put staged files in place, remove files of earlier builds, and return the removed paths.

        ``rendered`` is the whole site; files of builds that are not among these are removed. Each
        file is replaced as a whole, so that no reader sees half of a file. The mark lists a file
        before it is written and until it is removed, so the next build knows all files of a build
        that was cut off. No fsync, because a site can always be built again.

        Raises:
            GeneratorError: since the build began, somebody put files into the empty output
                folder, or removed the output folder or its mark.
        """
        out = Path(self._out)
        if not self._first and not (out / self._mark).exists():
            raise GeneratorError(f"{out}: was removed during the build; build again")
        if self._first and not out.exists():
            _write_file(f"{self._folder}/{self._mark}", format_mark(rendered))
            with suppress(OSError):  # another file system, or somebody wrote there
                os.rename(self._folder, out)  # noqa: PTH104 - see above
                return []
        check_claim(out, self._mark)
        out.mkdir(parents=True, exist_ok=True)
        (out / self._mark).touch()
        listed = os.fsdecode((out / self._mark).read_bytes()).split("\n")
        before, after = {path for path in listed if path}, set(rendered)
        self._write_mark(before | after, before)
        for file in rendered.values():
            if file.staged:
                self._move_into_place(file.path)
        gone = sorted(before - after)
        remove(out, gone)
        self._write_mark(after, before | after)
        return gone

    def _write_mark(self, paths: set[str], before: set[str]) -> None:
        if paths != before:
            _write_file(f"{self._folder}/{self._mark}", format_mark(paths))
            self._move_into_place(self._mark)

    def _move_into_place(self, path: str) -> None:
        staged, target = f"{self._folder}/{path}", f"{self._out}/{path}"
        try:
            os.replace(staged, target)  # noqa: PTH105 - see above
        except OSError:
            # The folder is missing, or on another file system.
            new = Path(target).with_name(f".{Path(target).name}.new")
            new.parent.mkdir(parents=True, exist_ok=True)
            try:
                shutil.move(staged, new)
                new.replace(target)
            finally:
                new.unlink(missing_ok=True)


def _write_file(target: str, data: bytes) -> None:
    """Write a file without a buffer; make its folder if that is missing, which is rare."""
    try:
        file = open(target, "wb", buffering=0)  # noqa: PTH123, SIM115 - see above
    except FileNotFoundError:
        os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120 - see above
        file = open(target, "wb", buffering=0)  # noqa: PTH123, SIM115 - see above
    with file:
        file.write(data)


CACHE = "cache.json"
"""The name of the cache's file."""


class CachedPage(NamedTuple):
    """A file of the site as it was written."""

    stamp: Stamp
    digest: str
    key: str
    """Digest of the sources: for pages of a run or of two runs, of all of them, for a twin, of its
    page; empty for other files, which are made again in each build."""

    def is_in_place(self, out: Path, path: str) -> bool:
        """Return whether the file is as it was written, also if it was copied since."""
        if stamp_there(out, path) == self.stamp:
            return True
        try:
            return compute_digest((out / path).read_bytes()) == self.digest
        except OSError:
            return False


@dataclass(slots=True)
class Cache:
    """The values that a build keeps for the next build."""

    files: Mapping[str, Stamp] = field(default_factory=dict[str, Stamp])
    """The source files by path."""
    pages: dict[str, CachedPage] = field(default_factory=dict[str, CachedPage])
    """All files of the site, by path below the output folder."""
    notices: tuple[str, ...] = ()
    """Messages about faults in the sources that did not stop the build."""

    def find_page(self, path: str, key: str) -> RenderedFile | None:
        """Return the page at ``path``; None if its sources did not have the digest ``key``."""
        cached = self.pages.get(path)
        if cached is None or cached.key != key:
            return None
        return RenderedFile(path, key, cached.digest, staged=False)


def load_cache(path: Path, program: str) -> Cache:
    """Return the stored cache, or an empty one if it is unreadable or of another ``program``."""
    try:
        stored = json.loads(path.read_bytes())
        if stored["program"] != program:
            return Cache()
        return Cache(
            files={f"{name}": f"{stamp}" for name, stamp in stored["files"].items()},
            pages={name: CachedPage(*row) for name, row in stored["pages"].items()},
            notices=tuple(stored["notices"]),
        )
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return Cache()


def store_cache(path: Path, program: str, cache: Cache) -> None:
    """Write the cache; ``program`` is the digest of the program that reads and writes it."""
    new = path.with_suffix(".new")
    stored = {
        "program": program,
        "files": cache.files,
        "pages": cache.pages,
        "notices": cache.notices,
    }
    new.write_text(json.dumps(stored), encoding="utf-8")
    new.replace(path)
