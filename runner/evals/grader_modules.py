"""The files of a grader in TypeScript: the files beside it, its kit, and their imports."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from runner.evals.text_files import list_files

_RELATIVE: Final = re.compile(r"""["'](\.{1,2}/[^"'\n]+)["']""")
_SCRIPTS: Final = (".ts", ".tsx", ".mts", ".js", ".mjs", ".json")
_ENDINGS: Final = ("", *_SCRIPTS, *(f"/index{ending}" for ending in _SCRIPTS))
_NOT_OF_THE_GRADER: Final = frozenset({"answer", "TASK.txt", "eval.json"})
_SETTINGS: Final = ("package.json", "tsconfig*.json")


def list_grader_files(folder: Path, kit: Path | None) -> list[Path]:
    """Return the files that a verdict of the eval in ``folder`` depends on, sorted.

    These are the grader and the files beside it, the files of the kit, and the files of the suite
    that they import. Files that tools generate are left out.
    """
    beside = [
        path
        for path in list_files(folder)
        if path.relative_to(folder).parts[0] not in _NOT_OF_THE_GRADER
    ]
    own_files = [*beside, *(list_files(kit) if kit else ())]
    return sorted({*own_files, *find_shared_modules(folder, kit)})


def find_shared_modules(folder: Path, kit: Path | None) -> list[Path]:
    """Return the files of a suite outside of the folders of grader and kit that these import.

    All texts that look like relative paths count as imports; the returned files are searched, too.
    Files outside of the suite, in ``node_modules`` or with hidden names are left out: a text such
    as ``"../.env"`` is no import, and this file has keys.
    """
    suite = _find_suite_root(folder).resolve()
    homes = [home.resolve() for home in (folder, kit) if home is not None]
    waiting = [path for home in homes for path in list_files(home) if path.suffix in _SCRIPTS]
    shared: set[Path] = set()
    while waiting:
        for path in _list_imported(waiting.pop().resolve()):
            is_known = path in shared or any(map(path.is_relative_to, homes))
            if not is_known and _is_visible(path, suite):
                shared.add(path)
                waiting.append(path)
    return sorted(shared)


def list_settings(folder: Path) -> list[Path]:
    """Return the suite's package.json and tsconfig files, without symbolic links."""
    root = _find_suite_root(folder)
    paths = (path for pattern in _SETTINGS for path in root.glob(pattern))
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def place_in_suite(path: Path, folder: Path) -> Path:
    """Return the path of a file relative to the suite, as if categories were in ``evals/``.

    ``folder`` is the folder of the file's eval.
    """
    root = _find_suite_root(folder)
    relative_path = path.resolve().relative_to(root.resolve())
    return relative_path if root != folder.parents[1] else "evals" / relative_path


def read_grader_text(path: Path) -> str:
    """Return the text of a grader's file; a file that is not UTF-8 is read as Latin-1."""
    content = path.read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _find_suite_root(folder: Path) -> Path:
    """Return the root of an eval's suite: the folder with ``evals/`` or the categories."""
    evals = folder.parents[1]
    return evals.parent if evals.name == "evals" else evals


def _is_visible(path: Path, suite: Path) -> bool:
    """Return whether a file is in the suite, not hidden, and not in ``node_modules``."""
    if not path.is_relative_to(suite):
        return False
    parts = path.relative_to(suite).parts
    return "node_modules" not in parts and not any(part.startswith(".") for part in parts)


def _list_imported(path: Path) -> Iterator[Path]:
    for match in _RELATIVE.finditer(read_grader_text(path)):
        # An import of a TypeScript file may have the ending .js, as after compilation.
        stems = (match[1], re.sub(r"\.(m?)js$", r".\1ts", match[1]))
        for stem, ending in ((stem, ending) for stem in stems for ending in _ENDINGS):
            target = path.parent / f"{stem}{ending}"
            if target.is_file():
                yield target.resolve()
                break
