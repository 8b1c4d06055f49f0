"""The script that all pages share (React, Convex's client, testing tools), bundled once."""

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from runner.errors import JailBrokenError
from runner.jail import HARNESS, NODE, NODE_MODULES, SCRATCH, Bind, Jail, JailSpec
from runner.toolchain import Toolchain
from runner.ui.errors import UiBroken

_SOURCES: Final = Path(__file__).parent.parent / "convex" / "ui"
_PARTS: Final = ("build_vendor.mjs", "vendor.mjs", "text.mjs", "style.mjs")


def vendor_script(jail: Jail, toolchain: Toolchain) -> Path:
    """Return the bundle for this toolchain, made at the first call and then kept on disk.

    It stands alone in a folder of the user's cache, named by what it was made of. Raises UiBroken
    when it cannot be made.
    """
    script = _cache_folder() / _digest(toolchain) / "vendor.js"
    if not script.is_file():
        _build(jail, toolchain, script)
    return script


def _cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    root = Path(home) if home else Path.home() / ".cache"
    return root / "convex-leaderboard" / "ui"


@cache
def _digest(toolchain: Toolchain) -> str:
    digest = hashlib.sha256(repr(sorted(toolchain.versions().items())).encode())
    for name in _PARTS:
        digest.update((_SOURCES / name).read_bytes())
    return digest.hexdigest()[:32]


def _build(jail: Jail, toolchain: Toolchain, script: Path) -> None:
    try:
        script.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=script.parent.parent) as folder:
            finished = jail.run(_build_spec(toolchain, Path(folder)))
            if finished.returncode != 0:
                said = finished.stderr.decode("utf-8", "replace")[-2000:]
                raise UiBroken(f"React could not be bundled for pages: {said}")
            # Made beside and moved: another process may be doing the same.
            (Path(folder) / script.name).replace(script)
    except (OSError, JailBrokenError) as error:
        raise UiBroken(f"React could not be bundled for pages: {error}") from error


def _build_spec(toolchain: Toolchain, folder: Path) -> JailSpec:
    return JailSpec(
        command=(
            *(NODE, f"{HARNESS}/convex/ui/build_vendor.mjs"),
            *(NODE_MODULES, f"{SCRATCH}/vendor.js"),
        ),
        binds=(
            *toolchain.binds(),
            toolchain.harness("convex"),
            Bind(folder, SCRATCH, writable=True),
        ),
    )
