"""The folder of a snapshot: whose files are in it, and its exchange for a new one in one step."""

import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from generator.errors import SnapshotError
from generator.facts.urls import MANIFEST
from generator.output_folder import check_apart, hold_lock
from generator.snapshot.file_list import read_earlier_paths
from generator.sources import Sources


@contextmanager
def exchange_folder(sources: Sources, out: Path) -> Generator[Path]:
    """Yield an empty folder, which replaces ``out`` at the end.

    An earlier snapshot stays until then. If ``out`` is a symbolic link, the folder that it leads
    to is replaced. A second snapshot into the same folder waits.

    Raises:
        GeneratorError: ``out`` is a source, has files of others, or cannot be written.
        ChildProcessError: a worker was killed.
    """
    check_apart(sources, out)
    folder = Path(os.path.realpath(out))  # the real name, also of `.` and of a link
    _check_files(folder, out)
    beside = folder.parent / f".{folder.name}.build"
    new, old = beside / "new", beside / "old"
    with hold_lock(beside):
        try:
            _restore(old, folder)
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            yield new
            _check_files(folder, out)
            _replace(folder, new, old)
        except ChildProcessError:  # a worker was killed: the folder is not at fault
            raise
        except OSError as error:
            if _is_elsewhere(error, (beside, folder)):
                raise
            raise SnapshotError(f"{out}: cannot be written: {error}") from error
        finally:
            shutil.rmtree(new, ignore_errors=True)


def _is_elsewhere(error: OSError, written: Sequence[Path]) -> bool:
    """Return whether an error is of a file outside of the folders that are written."""
    if not isinstance(error.filename, str):  # a full disk names no file
        return False
    return not any(Path(error.filename).is_relative_to(folder) for folder in written)


def _check_files(folder: Path, out: Path) -> None:
    """Refuse a folder that has more than the files of an earlier snapshot.

    Raises:
        SnapshotError: it has, or it is no folder, or commands are running in it.
    """
    if _holds_working_folder(folder):
        raise SnapshotError(f"{out}: has the working folder in it; choose another --out")
    if os.path.lexists(folder) and not folder.is_dir():
        raise SnapshotError(f"{out}: not a folder; choose another --out")
    if not folder.exists() or not any(folder.iterdir()):
        return
    paths = read_earlier_paths(folder)
    if paths is None:
        raise SnapshotError(f"{out}: not empty and no earlier snapshot; choose another --out")
    ours = {folder / path for path in paths}
    ours |= {parent for path in ours for parent in path.parents}
    for path in sorted(folder.rglob("*")):
        if path not in ours:
            raise SnapshotError(
                f"{out / path.relative_to(folder)}: is not in {MANIFEST}, so it is no part of the "
                "earlier snapshot; move it away, or choose another --out"
            )


def _holds_working_folder(folder: Path) -> bool:
    try:
        return Path.cwd().is_relative_to(folder)
    except FileNotFoundError:  # it was removed while it was the current folder of a shell
        return False


def _restore(old: Path, folder: Path) -> None:
    """Put the earlier snapshot back, if a command was killed while it exchanged the two."""
    if old.exists() and not folder.exists():
        old.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _replace(folder: Path, new: Path, old: Path) -> None:
    """Put a new folder in the place of the old one, or the old one back if that fails."""
    if folder.exists():
        folder.rename(old)
    try:
        new.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
