"""Our packed Node programs (the embedded backend, the page renderer), each bundled into a file.

jsdom, the emulator and their imports are a thousand files, which Node would find, read and link in
each process. So they are bundled before their first use, and stored in the user's cache under a
digest of our sources and the versions of packages.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from runner.jail import HARNESS, RUN_NODE, Bind, Jail
from runner.program_cache import MAKING, get_cached_folder, make_programs
from runner.toolchain import Toolchain

PROGRAMS: Final = f"{HARNESS}/programs"
"""The folder of the packed programs in a jail."""

_SOURCES: Final = Path(__file__).parent


def prepare_programs(jail: Jail, toolchain: Toolchain) -> Bind:
    """Return a bind of the folder of the packed programs; pack them if the folder is missing.

    Raises:
        ToolchainBrokenError: the programs cannot be packed.
    """
    folder = get_cached_folder("programs", _compute_digest(toolchain))
    if not folder.is_dir():
        command = (*RUN_NODE, f"{HARNESS}/emulator/pack.mjs", MAKING)
        binds = (*toolchain.list_binds(), toolchain.make_harness_bind("emulator"))
        make_programs(jail, command, binds, folder, "our Node programs")
    return Bind(folder, PROGRAMS)


def begin_command(program: str) -> tuple[str, ...]:
    """Return the beginning of a command that runs a packed program."""
    # No option of V8 is set: Node has its own modules compiled for a V8 without options, and with
    # an option each process would compile them again, which takes 20 to 40 ms.
    return *RUN_NODE, "--no-warnings", f"{PROGRAMS}/{program}"


@cache
def _compute_digest(toolchain: Toolchain) -> str:
    digest = hashlib.sha256(repr(toolchain.get_versions()).encode())
    for path in sorted([*_SOURCES.rglob("*.mjs"), *_SOURCES.rglob("*.json")]):
        digest.update(path.relative_to(_SOURCES).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]
