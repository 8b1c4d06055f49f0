"""Imports of packages by the files of an answer."""

from pathlib import Path

from runner.answers.rules import is_script
from runner.answers.typescript import is_of_package, list_imports


def find_import(project: Path, package: str) -> str | None:
    """Return the path of the first file of a project that imports a package, or None."""
    for path in sorted(project.rglob("*")):
        relative_path = path.relative_to(project).as_posix()
        if not is_script(relative_path) or not path.is_file():
            continue
        text = path.read_text("utf-8")
        if package in text and any(
            is_of_package(item.module, package) for item in list_imports(relative_path, text)
        ):
            return relative_path
    return None
