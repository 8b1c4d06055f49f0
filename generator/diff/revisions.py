"""A data folder as it was at a revision of git."""

import subprocess
import tarfile
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from generator.errors import UnknownRevisionError
from records.folder import DataFolder


@contextmanager
def data_at(data: Path, revision: str) -> Generator[DataFolder]:
    """Give the folder ``data`` as it was at ``revision``, for the time of the block.

    Only files that git tracks are there. What came from others is unpacked below the temporary
    folder and nowhere else: tarfile's ``data`` filter refuses absolute paths and links outside.

    Raises:
        UnknownRevisionError: there is no such revision, or ``data`` is in no repository of git.
    """
    verify = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    commit = _git(data, *verify)
    if commit is None:
        raise UnknownRevisionError(f"{revision}: no run, no guidelines file and no revision of git")
    archive = _git(data, "archive", "--format=tar", commit.decode().strip(), ".")
    with tempfile.TemporaryDirectory(prefix="leaderboard-diff-") as folder:
        place = Path(folder) / "data"
        place.mkdir()
        if archive is not None:
            with tarfile.open(fileobj=BytesIO(archive)) as members:
                members.extractall(place, filter="data")
        yield DataFolder(place)


def _git(folder: Path, *arguments: str) -> bytes | None:
    """Return what git prints in ``folder``; None where it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise UnknownRevisionError("git is not installed: only runs can be compared") from error
    return done.stdout if done.returncode == 0 else None
