"""Long texts and tables of cases of a test module, in the TOML file beside it; files of texts."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_cases(module_file: str) -> dict[str, Any]:
    """Return the content of the file of a module, whose ``__file__`` is given."""
    return tomllib.loads(Path(module_file).with_suffix(".toml").read_text("utf-8"))


def read_texts(module_file: str) -> dict[str, str]:
    """Return the content of a file that has only texts."""
    return read_cases(module_file)


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files by their paths below a folder; return the folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder
