"""Programs that are made of our sources before their first use, and stay in the user's cache."""

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from runner.errors import JailBrokenError, ToolchainBrokenError
from runner.jail import Bind, Jail, JailSpec, limits

MAKING: Final = "/making"
"""The folder to which a program is written; no jail can write below /harness."""

_KEPT_S: Final = 7 * 86_400
"""Seconds after the last use for which programs of other sources are kept."""

_SHOWN: Final = 2000


def cached_folder(kind: str, digest: str) -> Path:
    """Return the folder of programs of a kind that were made of sources with this digest.

    Each use is noted as the time of the folder.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    root = Path(home) if home else Path.home() / ".cache"
    folder = root / "convex-leaderboard" / kind / digest
    with suppress(OSError):
        os.utime(folder)
    return folder


def make_programs(
    jail: Jail, command: Sequence[str], binds: Sequence[Bind], folder: Path, subject: str
) -> None:
    """Make a folder of programs: the files that a jailed command writes to `MAKING`.

    Raises:
        ToolchainBrokenError: they cannot be made; the message begins with the subject.
    """
    try:
        _make(jail, command, binds, folder, subject)
    except (OSError, JailBrokenError) as error:
        raise ToolchainBrokenError(f"{subject} could not be made: {error}") from error
    _remove_unused(folder.parent)


def _make(
    jail: Jail, command: Sequence[str], binds: Sequence[Bind], folder: Path, subject: str
) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        # The user id in the jail is not ours, and must be able to write and read.
        Path(made).chmod(0o777)
        making = Bind(Path(made), MAKING, writable=True)
        ended = jail.run(
            JailSpec(command=tuple(command), binds=(*binds, making), limits=limits.PACKING)
        )
        if ended.returncode != 0:
            stderr = ended.stderr.decode("utf-8", "replace").strip()[-_SHOWN:]
            raise ToolchainBrokenError(f"{subject} could not be made: {stderr}")
        done = Path(made) / "done"
        done.mkdir()
        # Copies are ours alone; every user of the machine may write the files of a jail.
        for path in Path(made).iterdir():
            if path != done:
                shutil.copyfile(path, done / path.name)
        # The folder is made elsewhere and moved: another process may do the same, and be quicker.
        try:
            done.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise


def _remove_unused(parent: Path) -> None:
    oldest = time.time() - _KEPT_S
    for folder in parent.iterdir():
        # Another process may remove a folder meanwhile, such as that of its making.
        with suppress(OSError):
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder)
