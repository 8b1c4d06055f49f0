"""The sources of a project, as the checks that read files are given them."""

import os
from pathlib import Path
from typing import Final

SCRIPTS: Final = frozenset({".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"})
"""Endings of what is checked."""
_READ: Final = SCRIPTS | {".json"}


def sources(project: Path) -> dict[str, str]:
    """Read scripts and JSON below a project, without following links or entering packages."""
    found: dict[str, str] = {}
    for folder, folders, files in os.walk(project):
        folders[:] = sorted(name for name in folders if name != "node_modules")
        for name in sorted(files):
            path = Path(folder, name)
            if path.suffix in _READ and not path.is_symlink():
                found[path.relative_to(project).as_posix()] = path.read_text("utf-8", "replace")
    return found
