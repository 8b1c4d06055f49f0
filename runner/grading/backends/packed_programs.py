"""Our Node programs (the embedded backend, the page renderer), packed to start fast.

Each is bundled into one file with the code that V8 compiled of it beside it: starting jsdom from
its packages takes 0.9 s of processor time, packed 0.2 s. They are packed once, by the first who
needs them, and kept in the user's cache by a digest of what they are made of.
"""

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from runner.errors import JailBrokenError, ToolchainBrokenError
from runner.grading.toolchain import Toolchain
from runner.jail import HARNESS, NODE, Bind, Jail, JailSpec

PROGRAMS: Final = f"{HARNESS}/programs"
"""Where a jailed program finds them."""

_SOURCES: Final = Path(__file__).parent / "emulator"
_PACKING: Final = "/packing"
"""Where packing writes; below /harness nothing can be written in any jail."""
_SHOWN: Final = 2000


def programs(jail: Jail, toolchain: Toolchain) -> Bind:
    """Return the folder of the packed programs, to be bound into a jail.

    Raises:
        ToolchainBrokenError: they cannot be packed, or do not run.
    """
    folder = _cache_folder() / _digest(toolchain)
    if not folder.is_dir():
        try:
            _pack(jail, toolchain, folder)
        except (OSError, JailBrokenError) as error:
            raise ToolchainBrokenError(f"our Node programs could not be packed: {error}") from error
    return Bind(folder, PROGRAMS)


def start(program: str) -> tuple[str, ...]:
    """Return the beginning of a command that runs a packed program."""
    # None of V8's options: start.cjs says why.
    return NODE, "--no-warnings", f"{PROGRAMS}/start.cjs", f"{PROGRAMS}/{program}"


def _cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    root = Path(home) if home else Path.home() / ".cache"
    return root / "convex-leaderboard" / "programs"


@cache
def _digest(toolchain: Toolchain) -> str:
    digest = hashlib.sha256(repr(toolchain.versions()).encode())
    for path in sorted(_SOURCES.rglob("*.?js")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def _pack(jail: Jail, toolchain: Toolchain, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        # Whoever a jail's kernel takes its user for must be able to write, and to read.
        Path(made).chmod(0o777)
        packed = jail.run(
            JailSpec(
                command=(NODE, f"{HARNESS}/emulator/pack.mjs", _PACKING),
                binds=(
                    *toolchain.binds(),
                    toolchain.harness("backends/emulator"),
                    Bind(Path(made), _PACKING, writable=True),
                ),
            )
        )
        if packed.returncode != 0:
            said = packed.stderr.decode("utf-8", "replace").strip()[-_SHOWN:]
            raise ToolchainBrokenError(f"our Node programs could not be packed: {said}")
        done = Path(made) / "done"
        done.mkdir()
        for path in Path(made).iterdir():
            if path != done:
                path.rename(done / path.name)
        # Made beside and moved: another process may be doing the same, and have been quicker.
        try:
            done.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
