"""Graders of suites with ``suite.toml`` that import the answer's code instead of calling it."""

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from runner.evals.discovery import Eval
from runner.suite.lint.finding import Finding

_RULE: Final = "imports-answer"
_PYTHON: Final = ".py"
_KIT: Final = frozenset({"answer", "pytest_report"})
"""Modules that every grader has."""


def find_answer_imports(evaluation: Eval, files: Iterable[str]) -> Iterator[Finding]:
    """Yield findings for imports of modules that only the answer has, ``files`` of the reference.

    Files that are not Python are left out, because grading shows them.
    """
    modules = {_name_module(path): path for path in files if _is_python(path)}
    own = {_name_module(_inside(evaluation, path)) for path in evaluation.grader_files()}
    missing = modules.keys() - own - _KIT - sys.stdlib_module_names
    for path in filter(_is_python, evaluation.grader_files()):
        for node, name in _list_imports(path):
            if name in missing:
                file = modules[name]
                advice = (
                    f"imports {file}, which only the answer's jail has: "
                    f'`call("{file}", ...)` of the module `answer` runs it there'
                )
                place = f"grader/{_inside(evaluation, path)}"
                yield Finding(evaluation.name, place, node.lineno, _RULE, advice)


def _list_imports(path: Path) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    """Yield each import of a file with the first part of the module's name."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name.partition(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node, node.module.partition(".")[0]


def _is_python(path: str | Path) -> bool:
    return str(path).endswith(_PYTHON)


def _inside(evaluation: Eval, path: Path) -> str:
    return path.relative_to(evaluation.grader).as_posix()


def _name_module(path: str) -> str:
    """Return the name by which a file in a folder, or its package, is imported from there."""
    return path.partition("/")[0].removesuffix(_PYTHON)
