"""The reading of a folder of text files as a mapping from path to text."""

import codecs
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import tomli
from pydantic import BaseModel

from records.files.problems import InvalidFieldsError, validate_fields
from runner.errors import InvalidEvalError

GENERATED = frozenset({"_generated", "node_modules", "__pycache__"})
"""Names of folders that tools generate, which are never part of an answer."""

_CHUNK = 2**16

_Settings = TypeVar("_Settings", bound=BaseModel)


def read_tree(root: Path, *, only_texts: bool = False) -> dict[str, str]:
    """Return the text of every file below ``root`` by its path with forward slashes, sorted.

    Hidden files and generated folders are left out. With ``only_texts``, files that are not text
    are also left out, such as binary lock files of package managers.

    Raises:
        InvalidEvalError: a file is not UTF-8 text, or is a symlink.
    """
    paths = [path for path in list_files(root) if not only_texts or is_text(path)]
    files = {path.relative_to(root).as_posix(): _read_text(path) for path in paths}
    return dict(sorted(files.items()))


def list_files(root: Path) -> list[Path]:
    """Return the paths of all files below ``root``, without hidden files and generated folders."""
    paths: list[Path] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in GENERATED and name[0] != "."]
        paths += [Path(folder) / name for name in names if not name.startswith(".")]
    return paths


def read_settings(path: Path, shape: type[_Settings]) -> _Settings | None:
    """Return the fields of a TOML file; None if there is no file.

    Raises:
        InvalidEvalError: the file is no TOML, or a field is wrong.
    """
    if not path.exists():
        return None
    return parse_settings(path, lambda fields: validate_fields(fields, shape))


def parse_settings(path: Path, parse: Callable[[Mapping[str, Any]], _Settings]) -> _Settings:
    """Return what ``parse`` makes of the fields of a TOML file.

    Raises:
        InvalidEvalError: the file is no TOML, or a field is wrong.
    """
    try:
        return parse(tomli.loads(path.read_text(encoding="utf-8")))
    except InvalidFieldsError as error:
        raise InvalidEvalError(f"{path}: {error}") from error
    except (OSError, ValueError, RecursionError) as error:  # not TOML, or not UTF-8
        raise InvalidEvalError(f"{path}: is not TOML: {error}") from error


def is_text(path: Path) -> bool:
    """Return whether a file is UTF-8 text; reads no more of another file than shows it.

    A link counts as text, so that who reads it refuses it.
    """
    if path.is_symlink():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        try:
            while chunk := file.read(_CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def read_required(path: Path, holds: str) -> str:
    """Return the text of a file that an eval or suite must have; ``holds`` names its content.

    Raises:
        InvalidEvalError: the file is missing, empty or not text.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise InvalidEvalError(f"{path}: missing: it holds {holds}") from error
    except UnicodeDecodeError as error:
        raise InvalidEvalError(f"{path}: is not UTF-8 text: {error}") from error
    if not text.strip():
        raise InvalidEvalError(f"{path}: is empty: it holds {holds}")
    return text


def read_grader_text(path: Path) -> str:
    """Return the text of a grader's file; a file that is not UTF-8 is read as Latin-1."""
    content = path.read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _read_text(path: Path) -> str:
    if path.is_symlink():
        raise InvalidEvalError(f"{path}: is a symlink: put the file itself there")
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidEvalError(f"{path}: is not UTF-8 text: {error}") from error
