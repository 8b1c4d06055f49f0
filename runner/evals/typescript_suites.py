"""Suites with graders in TypeScript for vitest: ``TASK.txt``, ``answer/``, ``grader.test.ts``.

The runner writes nothing into the folder of such a suite, and the suite needs no file of this
project. The titles of evals come from the names of their folders. A file ``eval.json`` may choose
the pipeline of an eval.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import runner
from records.text.visible import make_one_line
from runner.evals.text_files import list_files, read_grader_text

GRADER = "grader.test.ts"
_KIT = "grader"
_LONGEST_NAME = 80
_OWN_SUITE = Path(runner.__file__).parents[1] / "evals"
_NUMBERED = re.compile(r"^\d+-")
_ADMIN_KEY = re.compile(r"""export\s+const\s+adminKey\s*(?::\s*string\s*)?=\s*["'`]([^"'`]+)""")
EVAL_SETTINGS = "eval.json"
_RELATIVE = re.compile(r"""["'](\.{1,2}/[^"'\n]+)["']""")
_SCRIPTS = (".ts", ".tsx", ".mts", ".js", ".mjs", ".json")
_ENDINGS = ("", *_SCRIPTS, *(f"/index{ending}" for ending in _SCRIPTS))
_SETTINGS_OF_TOOLS = ("package.json", "tsconfig*.json")


def find_evals_folder(root: Path) -> Path:
    """Return the folder of categories, which is the suite's ``root`` or ``evals/`` in it."""
    inside = root / "evals"
    return inside if inside.is_dir() and not list_categories(root) else root


def name_suite(evals: Path) -> str:
    """Return the name of a suite's root folder; ``evals`` is this folder or ``evals/`` in it."""
    folder = evals.resolve()
    name = folder.parent.name if folder.name == "evals" else folder.name
    return make_one_line(name, _LONGEST_NAME) or "suite"


def find_packages_folder(evals: Path) -> Path:
    """Return the folder whose ``package.json`` pins the packages that answers may use.

    It is the suite's folder. A suite in TypeScript without ``package.json`` uses the folder of this
    project's own suite.
    """
    evals = find_evals_folder(evals)
    has_own = (evals / "package.json").is_file()
    is_ours = has_own or not _OWN_SUITE.is_dir() or not has_typescript_graders(evals)
    return evals if is_ours else _OWN_SUITE


def has_typescript_graders(evals: Path) -> bool:
    """Return true if a folder of categories has graders in TypeScript."""
    return any(next(category.glob(f"*/{GRADER}"), None) for category in list_categories(evals))


def find_kit(evals: Path) -> Path | None:
    """Return the folder of the suite's own kit, ``grader/`` beside ``evals/``; else None."""
    kit = evals.parent / _KIT
    return kit if evals.name == "evals" and kit.is_dir() else None


def read_admin_key(kit: Path | None) -> str | None:
    """Return the admin key that the code of the suite's own kit defines; else None."""
    for path in sorted(kit.rglob("*.ts")) if kit else ():
        if match := _ADMIN_KEY.search(path.read_text("utf-8", errors="replace")):
            return match[1]
    return None


def derive_title(folder: Path) -> str:
    """Return a title made of a folder's name: ``My eval`` for ``011-my_eval``."""
    words = _NUMBERED.sub("", folder.name).replace("_", " ").replace("-", " ").strip()
    return (words[:1].upper() + words[1:]) or folder.name


def list_unknown_settings(folder: Path) -> tuple[str, ...]:
    """Return the keys of ``eval.json`` that this program ignores, sorted."""
    path = folder / EVAL_SETTINGS
    if not path.is_file():
        return ()
    return tuple(sorted(set(json.loads(path.read_text("utf-8"))) - {"pipeline"}))


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
            if path in shared or not path.is_relative_to(suite):
                continue
            parts = path.relative_to(suite).parts
            is_left_out = "node_modules" in parts or any(part.startswith(".") for part in parts)
            if not is_left_out and not any(map(path.is_relative_to, homes)):
                shared.add(path)
                waiting.append(path)
    return sorted(shared)


def list_settings(folder: Path) -> list[Path]:
    """Return the suite's package.json and tsconfig files, without symbolic links."""
    root = _find_suite_root(folder)
    paths = (path for pattern in _SETTINGS_OF_TOOLS for path in root.glob(pattern))
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def place_in_suite(path: Path, folder: Path) -> Path:
    """Return the path of a file relative to the suite, as if categories were in ``evals/``.

    ``folder`` is the folder of the file's eval.
    """
    root = _find_suite_root(folder)
    relative_path = path.resolve().relative_to(root.resolve())
    return relative_path if root != folder.parents[1] else "evals" / relative_path


def list_categories(root: Path) -> list[Path]:
    """Return the folders of a suite's categories, whose names begin with a digit, sorted."""
    if not root.is_dir():
        return []
    return [path for path in sorted(root.iterdir()) if path.is_dir() and "0" <= path.name[0] <= "9"]


def _find_suite_root(folder: Path) -> Path:
    """Return the root of an eval's suite: the folder with ``evals/`` or the categories."""
    evals = folder.parents[1]
    return evals.parent if evals.name == "evals" else evals


def _list_imported(path: Path) -> Iterator[Path]:
    for match in _RELATIVE.finditer(read_grader_text(path)):
        # An import of a TypeScript file may have the ending .js, as after compilation.
        stems = (match[1], re.sub(r"\.(m?)js$", r".\1ts", match[1]))
        for stem, ending in ((stem, ending) for stem in stems for ending in _ENDINGS):
            target = path.parent / f"{stem}{ending}"
            if target.is_file():
                yield target.resolve()
                break
