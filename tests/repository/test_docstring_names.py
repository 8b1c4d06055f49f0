"""Names in single backquotes: in docstrings and comments, each is a name that is there."""

import ast
import builtins
import io
import keyword
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.more

ROOT = Path(__file__).parents[2]
PACKAGES = ("generator", "leaderboard", "records", "review", "runner", "scripts")
_ELSEWHERE = {
    *("_redirects", "index.html.md", "robots.txt", "sha256sum"),
    *("EvaluationDataset.add_test_cases_from_json_file", "add_goldens_from_json_file"),
    *("exclude_if", "header.json", "json_dataset", "queued_command", "test.each", "throw"),
    *("authtoken", "ghp", "unsecret", "u"),
    *("correct", "incorrect", "reference"),
}
"""Names of other programs and formats, keys of the desk, statuses of sessions, fixtures."""
_QUOTED = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)(?:\(\))?`(?!`)")
_WORD = re.compile(r"[A-Za-z_]\w*")


def test_each_name_is_there() -> None:
    """A function that gets another name takes the docstrings with it that name it."""
    stale = [
        f"{path.relative_to(ROOT)}: `{name}`"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for name in _list_quoted(path)
        if not _is_there(name, path)
    ]
    assert stale == []


def _list_quoted(path: Path) -> list[str]:
    text = path.read_text("utf-8")
    return [name for words in _list_prose(text) for name in _QUOTED.findall(words)]


def _list_prose(text: str) -> Iterator[str]:
    """Yield the docstrings, also of constants, and the comments of a module."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(words))):
                yield words
            case _:
                pass
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def _is_there(name: str, path: Path) -> bool:
    """Return whether a module, a module that it imports or names, Python or a file has the name."""
    *parents, last = name.split(".")
    if name in _ELSEWHERE or {name, last} & _list_files() or name.partition(".")[0] in _PYTHON:
        return True
    named = ROOT.joinpath(*parents).with_suffix(".py") if parents else path
    modules = [path, *_list_imported(path), *([named] if named.is_file() else [])]
    return last in _list_functions() or any(last in _list_code_words(path) for path in modules)


_PYTHON = {*dir(builtins), *keyword.kwlist, *sys.stdlib_module_names}


@cache
def _list_code_words(path: Path) -> frozenset[str]:
    """Return the names in a module's code, and the words in its texts, without its docstrings."""
    tree = ast.parse(path.read_bytes())
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    words = {path.stem, path.parent.name}
    for node in ast.walk(tree):
        for field in ("id", "attr", "name", "arg", "asname", "module"):
            words.update(_WORD.findall(getattr(node, field, None) or ""))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            words.update(_WORD.findall(node.value))
    return frozenset(words)


@cache
def _list_functions() -> frozenset[str]:
    """Return the names of the functions and classes of all modules, without those of classes."""
    return frozenset(
        node.name
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    )


def _list_imported(path: Path) -> Iterator[Path]:
    """Yield the modules of this repository that a module imports."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            base = ROOT.joinpath(*node.module.split("."))
            for each in (base, *(base / alias.name for alias in node.names)):
                for file in (each.with_suffix(".py"), each / "__init__.py"):
                    if file.exists():
                        yield file


@cache
def _list_files() -> frozenset[str]:
    """Return the names of files and folders, with and without their endings."""
    folders = (*PACKAGES, "site_templates")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    return frozenset(name for path in paths for name in (path.name, path.stem))
