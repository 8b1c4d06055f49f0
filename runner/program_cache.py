"""A cache of programs that are built from our sources before their first use."""

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
"""The folder in the jail to which a program is written; no jail can write below /harness."""

_KEPT_S: Final = 7 * 86_400
"""Seconds after its last use for which a program of older sources is kept."""

_SHOWN: Final = 2000


def get_cached_folder(kind: str, digest: str) -> Path:
    """Return the folder of the programs of a kind that are built from sources with this digest.

    The folder's modification time becomes the time of this call, its last use.
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
    """Run a jailed command that writes programs to `MAKING`, and move them to ``folder``.

    Raises:
        ToolchainBrokenError: the programs cannot be made; the message begins with ``subject``.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _make(jail, command, binds, folder, subject)
    except (OSError, JailBrokenError) as error:
        raise ToolchainBrokenError(f"{subject} could not be made: {error}") from error
    oldest = time.time() - _KEPT_S
    for other in folder.parent.iterdir():
        # Another process may remove a folder meanwhile, such as its own temporary folder.
        with suppress(OSError):
            if other.stat().st_mtime < oldest:
                shutil.rmtree(other)


def _make(
    jail: Jail, command: Sequence[str], binds: Sequence[Bind], folder: Path, subject: str
) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        # The jail has another user id than ours, and must be able to write and read here.
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
        # Copied, because only we own the copies: other users may write the files of a jail.
        for path in Path(made).iterdir():
            if path != done:
                shutil.copyfile(path, done / path.name)
        # If another process made the same folder first, the move fails, and its folder is used.
        try:
            done.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
