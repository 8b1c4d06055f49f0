"""The snapshot of ESLint and TypeScript in memory, from which the workers of lint start."""

import hashlib
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from runner.jail import HARNESS, NODE_MODULES, RUN_NODE, Bind, Jail
from runner.program_cache import MAKING, get_cached_folder, make_programs
from runner.toolchain import Toolchain

_SOURCES: Final = Path(__file__).parent / "eslint"
_SNAPSHOT: Final = f"{HARNESS}/lint"
_OPTIONS: Final = ("--max-semi-space-size=64", "--max-old-space-size=1500")
"""Options of Node: it starts from a snapshot only with the options with which it was written."""


def find_snapshot(jail: Jail, toolchain: Toolchain) -> Bind:
    """Return a bind of the snapshot's folder; make the snapshot if it is missing.

    Raises:
        ToolchainBrokenError: the snapshot cannot be made.
    """
    folder = get_cached_folder(
        "linters", _compute_digest(toolchain, with_paths=jail.name == "none")
    )
    if not folder.is_dir():
        script = f"{HARNESS}/{_SOURCES.name}/snapshot.mjs"
        command = (*RUN_NODE, *_OPTIONS, script, MAKING, NODE_MODULES)
        binds = (*toolchain.list_binds(), toolchain.make_harness_bind("grading/steps/eslint"))
        make_programs(jail, command, binds, folder, "the linter")
    return Bind(folder, _SNAPSHOT)


def start_command() -> tuple[str, ...]:
    """Return the command that starts a worker from the snapshot."""
    return *RUN_NODE, *_OPTIONS, "--snapshot-blob", f"{_SNAPSHOT}/lint_worker.blob"


@cache
def _compute_digest(toolchain: Toolchain, *, with_paths: bool) -> str:
    """Return the digest of all that the snapshot depends on, also the processor.

    A snapshot contains the path of the packages. In jails it is always the same, so ``with_paths``
    is true only without a jail.
    """
    paths = (str(toolchain.node_modules),) if with_paths else ()
    parts = (
        toolchain.get_versions(),
        platform.machine(),
        _read_processor_features(),
        _OPTIONS,
        paths,
    )
    digest = hashlib.sha256(repr(parts).encode())
    for path in sorted(_SOURCES.glob("*.mjs")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def _read_processor_features() -> str:
    """Return the list of the processor's features; empty if the system does not have it."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith(("flags", "Features")):
                return line
    return ""
