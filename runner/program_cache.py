"""A cache of programs that are built from our sources before their first use."""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from runner.errors import JailBrokenError, ToolchainBrokenError
from runner.jail import Bind, Jail, JailSpec, limits

MAKING = "/making"
"""The folder in the jail to which a program is written; no jail can write below /harness."""

_KEPT_S = 7 * 86_400
"""Seconds after its last use for which a program of older sources is kept."""

_SHOWN = 2000


def find_programs(jail: Jail, kind: str, making: JailSpec, sources: Path, parts: Hashable) -> Path:
    """Return the folder of the programs of a kind, in the user's cache; make it if it is missing.

    The jailed command of ``making`` writes the programs to `MAKING`. They depend on the Node
    programs and JSON files in ``sources``, and on ``parts``. The folder's modification time becomes
    the time of this call, its last use.

    Raises:
        ToolchainBrokenError: the programs cannot be made; the message names the kind.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    root = Path(home) if home else Path.home() / ".cache"
    folder = root / "convex-leaderboard" / kind / _compute_digest(sources, parts)
    with suppress(OSError):
        os.utime(folder)
    if folder.is_dir():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _make(jail, making, folder)
    except (OSError, JailBrokenError) as error:
        raise ToolchainBrokenError(f"our {kind} could not be made: {error}") from error
    oldest = time.time() - _KEPT_S
    for other in folder.parent.iterdir():
        # Another process may remove a folder meanwhile, such as its own temporary folder.
        with suppress(OSError):
            if other.stat().st_mtime < oldest:
                shutil.rmtree(other)
    return folder


@cache
def _compute_digest(sources: Path, parts: Hashable) -> str:
    digest = hashlib.sha256(repr(parts).encode())
    for path in sorted([*sources.rglob("*.mjs"), *sources.rglob("*.json")]):
        digest.update(path.relative_to(sources).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def _make(jail: Jail, making: JailSpec, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        # The jail has another user id than ours, and must be able to write and read here.
        Path(made).chmod(0o777)
        binds = (*making.binds, Bind(Path(made), MAKING, writable=True))
        ended = jail.run(replace(making, binds=binds, limits=limits.PACKING))
        if ended.returncode != 0:
            stderr = ended.stderr.decode("utf-8", "replace").strip()[-_SHOWN:]
            raise ToolchainBrokenError(f"our {folder.parent.name} could not be made: {stderr}")
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
