"""Our Node programs (the embedded backend, the page renderer), each bundled into a single file.

jsdom, Convex's emulator and their imports are a thousand files, which Node would find, read and
link in every process. They are bundled before their first use, and stored in the user's cache
under a digest of their sources.
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
"""The folder of the packed programs in a jail."""

_SOURCES: Final = Path(__file__).parent / "emulator"
_PACKING: Final = "/packing"
"""The folder to which packing writes; no jail can write below /harness."""
_SHOWN: Final = 2000


def programs(jail: Jail, toolchain: Toolchain) -> Bind:
    """Return the folder of the packed programs, to be bound into a jail.

    Raises:
        ToolchainBrokenError: they cannot be packed.
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
    # No option of V8: Node's own modules come compiled for a V8 without options, and with any
    # option each process compiles them anew, for 20 to 40 ms.
    return NODE, "--no-warnings", f"{PROGRAMS}/{program}"


def _cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    root = Path(home) if home else Path.home() / ".cache"
    return root / "convex-leaderboard" / "programs"


@cache
def _digest(toolchain: Toolchain) -> str:
    digest = hashlib.sha256(repr(toolchain.versions()).encode())
    for path in sorted(_SOURCES.rglob("*.mjs")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def _pack(jail: Jail, toolchain: Toolchain, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        # The user id in the jail is not ours, and must be able to write and read.
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
            stderr = packed.stderr.decode("utf-8", "replace").strip()[-_SHOWN:]
            raise ToolchainBrokenError(f"our Node programs could not be packed: {stderr}")
        done = Path(made) / "done"
        done.mkdir()
        for path in Path(made).iterdir():
            if path != done:
                path.rename(done / path.name)
        # The folder is made elsewhere and moved: another process may do the same, and be quicker.
        try:
            done.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
