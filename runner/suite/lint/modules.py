"""The parsed Python files of a grader: grader.py and the check modules beside it."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runner.errors import InvalidEvalError
from runner.evals.discovery import Eval
from runner.evals.grader_kinds import PythonGraders
from runner.suite.lint.finding import Finding

FIXTURES: Final = frozenset({"convex", "reference", "output", "source", "ui", "written_tests"})
"""The fixtures that a test can use."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
_KINDS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Module:
    """A parsed Python file of a grader."""

    evaluation: Eval
    path: Path
    tree: ast.Module

    @property
    def name(self) -> str:
        """The name of the module in imports."""
        return self.path.stem

    @property
    def is_grader(self) -> bool:
        """True for grader.py, false for a check module."""
        return self.path.name == "grader.py"

    def make_finding(self, node: ast.AST, rule: str, advice: str) -> Finding:
        """Return a finding at the line of a node."""
        line: int = getattr(node, "lineno", 1)
        return Finding(self.evaluation.name, self.path.name, line, rule, advice)

    def list_functions(self) -> list[Function]:
        """Return the functions at the top level of the module, in their order."""
        return [node for node in self.tree.body if isinstance(node, _KINDS)]

    def list_classes(self) -> list[ast.ClassDef]:
        """Return the classes at the top level of the module, in their order."""
        return [node for node in self.tree.body if isinstance(node, ast.ClassDef)]

    def list_tests(self) -> Iterator[Function]:
        """Yield the functions and methods that pytest collects as tests from this module."""
        yield from filter(is_test, self.list_functions())
        for group in self.list_classes():
            if group.name.startswith("Test"):
                yield from filter(is_test, list_methods(group))


def read_modules(evaluation: Eval) -> list[Module]:
    """Return the parsed Python files of an eval's grader; empty for graders of other forms.

    Raises:
        InvalidEvalError: a file is not Python; the message names it.
    """
    if not isinstance(evaluation.kind, PythonGraders):
        return []
    return [
        Module(evaluation, path, _parse_file(path)) for path in evaluation.collect_grader_files()
    ]


def is_test(function: Function) -> bool:
    """Return true if pytest collects a function as a test."""
    return function.name.startswith("test")


def is_fixture(function: Function) -> bool:
    """Return true if a function is a fixture of pytest."""
    return any(
        (spell_called_name(mark) or spell_name(mark).rpartition(".")[2]) == "fixture"
        for mark in function.decorator_list
    )


def list_methods(group: ast.ClassDef) -> list[Function]:
    """Return the functions of a class."""
    return [node for node in group.body if isinstance(node, _KINDS)]


def list_parameters(function: Function) -> list[str]:
    """Return the names of a function's parameters."""
    parameters = function.args
    return [
        each.arg for each in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs)
    ]


def spell_name(node: ast.AST) -> str:
    """Return a name or dotted attribute as text; empty for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = spell_name(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


def spell_called_name(node: ast.AST) -> str:
    """Return the last part of the name of a called function; empty for other nodes."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else spell_name(node.func)


def list_calls(node: ast.AST) -> Iterator[ast.Call]:
    """Return the calls in a node, itself included."""
    return (each for each in ast.walk(node) if isinstance(each, ast.Call))


def get_literal(node: ast.AST | None) -> str | None:
    """Return the value of a string constant; None for other nodes."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def list_used_names(modules: Sequence[Module]) -> set[str]:
    """Return all names that the modules use, without names that they only define."""
    names: set[str] = set()
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                names.add(node.attr)
            elif isinstance(node, ast.arg):
                names.add(node.arg)
    return names


def _parse_file(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        position = f"line {error.lineno}: " if error.lineno else ""
        raise InvalidEvalError(f"{path}: {position}is not Python: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidEvalError(f"{path}: is not Python: {error}") from error
