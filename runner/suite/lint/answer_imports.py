"""Graders of suites with ``suite.toml`` that import the answer's code instead of calling it."""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from runner.evals.discovery import Eval
from runner.python_toolchain import list_kit_modules
from runner.suite.lint.finding import Finding

_RULE: Final = "imports-answer"
_PYTHON: Final = ".py"
_PACKAGE: Final = "__init__"

_ModuleName = tuple[str, ...]
"""The parts of a dotted name."""


def find_answer_imports(evaluation: Eval, files: Iterable[str]) -> Iterator[Finding]:
    """Yield findings for imports of modules that only the answer has, ``files`` of the reference.

    Files that are not Python are left out, because grading shows them.
    """
    paths = _list_modules(filter(_is_python, files))
    own = {
        _name_module(_spell_path(evaluation, path))[:1]
        for path in evaluation.collect_grader_files()
    }
    kit = {(path.stem,) for path in list_kit_modules()}
    python = {(name,) for name in sys.stdlib_module_names}
    missing = paths.keys() - own - kit - python
    for path in filter(_is_python, evaluation.collect_grader_files()):
        for node, name in _list_imports(path):
            if name[:1] in missing:
                advice = _advise(_find_place(name, paths))
                file = f"grader/{_spell_path(evaluation, path)}"
                yield Finding(evaluation.name, file, node.lineno, _RULE, advice)


def _list_modules(paths: Iterable[str]) -> dict[_ModuleName, str]:
    """Return the file of each module, and each folder that is a package without a file."""
    files = {_name_module(path): path for path in paths}
    folders = {
        folder.parts: f"{folder}/"
        for path in files.values()
        for folder in PurePosixPath(path).parents
    }
    return folders | files


def _find_place(name: _ModuleName, paths: Mapping[_ModuleName, str]) -> str:
    """Return the file with the longest part of an imported name, or else the folder."""
    whole = (name[:length] for length in range(len(name), 0, -1))
    return next(paths[part] for part in whole if part in paths)


def _advise(path: str) -> str:
    """Return the advice on an import of a file, or of a folder that ends with a slash."""
    file = f"{path}FILE{_PYTHON}" if path.endswith("/") else path
    return (
        f"imports {path}, which only the answer's jail has: "
        f'`call("{file}", ...)` of the module `answer` runs it there'
    )


def _list_imports(path: Path) -> Iterator[tuple[ast.Import | ast.ImportFrom, _ModuleName]]:
    """Yield each import of a file with the whole name; that of a function ends with the function's.

    ``from shop import tax`` may name a module of a package, or a function of a module.
    """
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, tuple(alias.name.split("."))) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            module = tuple(node.module.split("."))
            yield from ((node, (*module, alias.name)) for alias in node.names)


def _is_python(path: str | Path) -> bool:
    return str(path).endswith(_PYTHON)


def _spell_path(evaluation: Eval, path: Path) -> str:
    return path.relative_to(evaluation.grader).as_posix()


def _name_module(path: str) -> _ModuleName:
    """Return the name by which a file in a folder is imported from there."""
    parts = PurePosixPath(path.removesuffix(_PYTHON)).parts
    return parts[:-1] if parts[-1] == _PACKAGE else parts
