"""The sources of a project for the type checker and the linter, and the type checker's settings.

All scripts of an answer are checked, in all folders, but not the files that we generate.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from runner.answers.rules import GENERATED, SCRIPTS, is_script
from runner.backends.codegen import GENERATED_FILES

_READ: Final = SCRIPTS | {".json"}
_OTHER_SETTINGS: Final = re.compile(r"[^/]+\.(?:config|workspace)\.[cm]?[jt]s")
_SETTINGS: Final = Path(__file__).parent / "tsconfig.json"


def read_sources(project: Path) -> dict[str, str]:
    """Return the texts of a project's scripts and JSON files, without links and packages."""
    texts: dict[str, str] = {}
    for folder, folders, files in os.walk(project):
        folders[:] = sorted(name for name in folders if name != "node_modules")
        for name in sorted(files):
            path = Path(folder, name)
            if path.suffix in _READ and not path.is_symlink():
                texts[path.relative_to(project).as_posix()] = path.read_text("utf-8", "replace")
    return texts


def list_scripts(files: Mapping[str, str]) -> list[str]:
    """Return the paths of an answer's scripts, declarations included.

    Settings of other programs, such as ``vitest.config.ts``, are no code of the answer.
    """
    return [path for path in files if is_script(path) and not _OTHER_SETTINGS.fullmatch(path)]


def make_settings(files: Mapping[str, str], project: str) -> str:
    """Return the type checker's settings for the answer at the relative path ``project``.

    The settings list all files: for a folder, the compiler skips a file if another file has the
    same name with another ending. Of the files that we generate only declarations are read: their
    code uses names of Node, and each answer would be checked twice. If the answer has declarations,
    all declarations are checked.
    """
    stated: dict[str, Any] = json.loads(_SETTINGS.read_text("utf-8"))
    paths = [path for path in list_scripts(files) if not _is_generated(path)]
    if any(path.endswith((".d.ts", ".d.mts", ".d.cts")) for path in paths):
        stated["compilerOptions"]["skipLibCheck"] = False
    if paths:
        stated["files"] = [f"{project}/{path}" for path in paths]
    stated["include"] = [f"{project}/{GENERATED}/*.d.ts"]
    return json.dumps(stated)


def _is_generated(path: str) -> bool:
    """Return whether a file is one that we generate, also for a component of the answer."""
    folder, _, name = path.rpartition("/")
    return name in GENERATED_FILES and folder.endswith("/_generated")
