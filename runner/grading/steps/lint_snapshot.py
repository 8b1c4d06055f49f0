"""The snapshot of ESLint and TypeScript in memory, from which the workers of lint start."""

import hashlib
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from runner.jail import HARNESS, NODE, NODE_MODULES, Bind, Jail
from runner.program_cache import MAKING, cached_folder, make_programs
from runner.toolchain import Toolchain

_SOURCES: Final = Path(__file__).parent / "eslint"
_SNAPSHOT: Final = f"{HARNESS}/lint"
_OPTIONS: Final = ("--max-semi-space-size=64", "--max-old-space-size=1500")
"""Node starts from a snapshot only with the options under which it was written."""


def find_snapshot(jail: Jail, toolchain: Toolchain) -> Bind:
    """Return the folder of the snapshot, to be bound into a jail; make it where it is missing.

    Raises:
        ToolchainBrokenError: it cannot be made.
    """
    folder = cached_folder("linters", _digest(toolchain, with_paths=jail.name == "none"))
    if not folder.is_dir():
        script = f"{HARNESS}/{_SOURCES.name}/snapshot.mjs"
        command = (NODE, *_OPTIONS, script, MAKING, NODE_MODULES)
        binds = (*toolchain.binds(), toolchain.harness("grading/steps/eslint"))
        make_programs(jail, command, binds, folder, "the linter")
    return Bind(folder, _SNAPSHOT)


def start_command() -> tuple[str, ...]:
    """Return the command that starts a worker from the snapshot."""
    return NODE, *_OPTIONS, "--snapshot-blob", f"{_SNAPSHOT}/lint_worker.blob"


@cache
def _digest(toolchain: Toolchain, *, with_paths: bool) -> str:
    """Return the digest of all that the snapshot holds or depends on, the processor too.

    Without a jail the paths of the packages are in it, which are the same in every jail.
    """
    paths = (str(toolchain.node_modules),) if with_paths else ()
    parts = (toolchain.versions(), platform.machine(), _processor(), _OPTIONS, paths)
    digest = hashlib.sha256(repr(parts).encode())
    for path in sorted(_SOURCES.glob("*.mjs")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def _processor() -> str:
    """Return the abilities of the processor; empty where the system does not list them."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return ""
