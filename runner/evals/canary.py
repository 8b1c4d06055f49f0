"""The canary: a line that marks files of evals. This module finds and adds it."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from records.suites.canary import LINE
from runner.evals.text_files import GENERATED

_TASK = "TASK.txt"
_CALIBRATIONS = "calibration.toml"
"""The only TOML file of an eval that needs the canary, because its diffs contain answers."""
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_COMMENTS = {".py": "#", **dict.fromkeys(_SCRIPTS, "//")}


def mark_text(path: str, text: str, line: str = LINE) -> str:
    """Return the text of a file with the canary; unchanged if it has the canary, or needs none.

    The canary is at the end of a task, and at the beginning of code, because comments may come
    even before directives such as ``"use node"``.
    """
    if _get_guid(line) in text or not is_carrier(path):
        return text
    if PurePosixPath(path).name == _TASK:
        return f"{text.rstrip()}\n\n{line}\n"
    return f"{_COMMENTS.get(PurePosixPath(path).suffix, '#')} {line}\n{text}"


def is_carrier(path: str) -> bool:
    """Return true if a file of an eval must contain the canary: tasks, code, calibration.toml."""
    parts = PurePosixPath(path)
    return parts.name in {_TASK, _CALIBRATIONS} or parts.suffix in _COMMENTS


def list_carriers(folder: Path) -> Iterator[Path]:
    """Yield the files of an eval's folder that must contain the canary, sorted."""
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and is_carrier(path.name) and not GENERATED & set(inside.parts):
            yield path


def is_marked(path: Path, line: str = LINE) -> bool:
    """Return true if a file contains the canary."""
    return _get_guid(line).encode() in path.read_bytes()


def mark(folder: Path, line: str = LINE) -> list[Path]:
    """Add the canary to the files of an eval's folder that lack it; return the changed files."""
    added = [path for path in list_carriers(folder) if not is_marked(path, line)]
    for path in added:
        text = path.read_text(encoding="utf-8")
        path.write_text(mark_text(path.name, text, line), encoding="utf-8")
    return added


def _get_guid(line: str) -> str:
    return line.rpartition(" ")[2]
