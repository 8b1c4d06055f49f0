"""The canary: a line that marks files of evals. This module finds and adds it."""

from collections.abc import Iterator
from pathlib import Path

from records.suites.canary import LINE
from runner.evals.text_files import GENERATED

_TASK = "TASK.txt"
_CALIBRATIONS = "calibration.toml"
"""The only TOML file of an eval that needs the canary, because its diffs contain answers."""
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_COMMENTS = {".py": "#", **dict.fromkeys(_SCRIPTS, "//")}


def list_carriers(folder: Path) -> Iterator[Path]:
    """Yield the files of an eval's folder that must contain the canary, sorted.

    These are tasks, code and calibration.toml.
    """
    for path in sorted(folder.rglob("*")):
        is_carrier = path.name in {_TASK, _CALIBRATIONS} or path.suffix in _COMMENTS
        inside = path.relative_to(folder)
        if is_carrier and path.is_file() and not GENERATED & set(inside.parts):
            yield path


def is_marked(path: Path, line: str) -> bool:
    """Return true if a file contains the canary."""
    return line.rpartition(" ")[2].encode() in path.read_bytes()


def mark(folder: Path, line: str = LINE) -> list[Path]:
    """Add the canary to the files of an eval's folder that lack it; return the changed files.

    The canary is at the end of a task, and at the beginning of code, because comments may come
    even before directives such as ``"use node"``.
    """
    added = [path for path in list_carriers(folder) if not is_marked(path, line)]
    for path in added:
        text = path.read_text(encoding="utf-8")
        if path.name == _TASK:
            marked = f"{text.rstrip()}\n\n{line}\n"
        else:
            marked = f"{_COMMENTS.get(path.suffix, '#')} {line}\n{text}"
        path.write_text(marked, encoding="utf-8")
    return added
