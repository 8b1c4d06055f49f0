"""Imports of packages by the files of an answer."""

from pathlib import Path

from runner.answers.rules import is_script
from runner.answers.syntax import descendants, parse
from runner.answers.typescript import import_at


def find_import(project: Path, package: str) -> str | None:
    """Return the path of the first file of a project that imports a package, or None."""
    for path in sorted(project.rglob("*")):
        shown = path.relative_to(project).as_posix()
        if not is_script(shown) or not path.is_file():
            continue
        text = path.read_text("utf-8")
        if package in text and _imports(shown, text, package):
            return shown
    return None


def _imports(path: str, text: str, package: str) -> bool:
    imports = (import_at(path, node) for node in descendants(parse(path, text)))
    return any(
        item is not None and (item.module == package or item.module.startswith(f"{package}/"))
        for item in imports
    )
