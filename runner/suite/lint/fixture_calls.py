"""Wrong uses of fixtures: fixtures, methods and arguments that do not exist."""

import ast
import difflib
import inspect
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from runner.grading.fixtures.convex import Convex
from runner.grading.fixtures.output import Output
from runner.grading.fixtures.source import Source
from runner.grading.fixtures.ui import Ui
from runner.grading.fixtures.written_tests import WrittenTests
from runner.suite.lint.finding import Finding
from runner.suite.lint.modules import (
    FIXTURES,
    Function,
    Module,
    get_literal,
    is_fixture,
    is_test,
    list_parameters,
    spell_called_name,
)

_RULE: Final = "fixture"
_OF_PYTEST: Final = frozenset(
    {"request", "tmp_path", "monkeypatch", "capsys", "subtests", "tmp_path_factory", "pytestconfig"}
)
_KINDS: Final[dict[str, type]] = {
    "convex": Convex,
    "reference": Convex,
    "output": Output,
    "source": Source,
    "ui": Ui,
    "written_tests": WrittenTests,
}
_SET_LATER: Final = frozenset({"clock"})
"""The attributes that instances have, and their class has not."""


def find_fixture_misuse(modules: Sequence[Module]) -> Iterator[Finding]:
    """Yield findings for fixtures that do not exist, and wrong attributes and arguments of ours."""
    own = {each.name for module in modules for each in module.list_functions() if is_fixture(each)}
    for module in modules:
        own_fixtures = [each for each in module.list_functions() if is_fixture(each)]
        for function in (*module.list_tests(), *own_fixtures):
            yield from _find_unknown(module, function, own)
        for function in ast.walk(module.tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _find_misuse(module, function)


def find_unknown_fixtures(module: Module, function: Function, own: Collection[str]) -> list[str]:
    """Return the parameters of a test or fixture that are no known fixtures.

    Known are our fixtures, those of pytest, those of the grader (``own``) and imported names.
    Parameters with a default, and those that `parametrize` fills, are left out.
    """
    parameters = _read_parameters(function)
    if parameters is None:
        return []
    known_names = {*FIXTURES, *_OF_PYTEST, *own, *parameters, "self", *_list_imports(module)}
    without_default = list_parameters(function)
    if defaults := len(function.args.defaults):
        positional = [*function.args.posonlyargs, *function.args.args]
        without_default = [
            name
            for name in without_default
            if name not in {each.arg for each in positional[-defaults:]}
        ]
    return [name for name in without_default if name not in known_names]


def _find_unknown(module: Module, function: Function, own: Collection[str]) -> Iterator[Finding]:
    for name in find_unknown_fixtures(module, function, own):
        close = difflib.get_close_matches(name, [*sorted(FIXTURES), *own], n=1)
        nearest = f"close to it is {close[0]}; " if close else ""
        advice = f"no fixture is named {name}: {nearest}there are {', '.join(sorted(FIXTURES))}"
        yield module.make_finding(function, _RULE, advice)


def _read_parameters(function: Function) -> set[str] | None:
    """Return the parameters that a test's marks fill; None if their names are not literals."""
    names: set[str] = set()
    for mark in function.decorator_list:
        if spell_called_name(mark) != "parametrize" or not isinstance(mark, ast.Call):
            continue
        first = mark.args[0] if mark.args else None
        entries = first.elts if isinstance(first, ast.Tuple | ast.List) else [first]
        texts = [get_literal(entry) for entry in entries]
        if None in texts:
            return None
        names |= {name.strip() for text in texts if text for name in text.split(",")}
    return names


def _list_imports(module: Module) -> set[str]:
    """Return the names that a module imports; some may be fixtures of check modules."""
    return {
        alias.asname or alias.name
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _find_misuse(module: Module, function: Function) -> Iterator[Finding]:
    for node in ast.walk(function):
        if (fixture := _find_fixture(function, node)) and isinstance(node, ast.Attribute):
            attributes = [name for name in (*dir(_KINDS[fixture]), *_SET_LATER) if name[0] != "_"]
            if node.attr not in attributes:
                close = difflib.get_close_matches(node.attr, attributes, n=1)
                nearest = f": close to it is {close[0]}" if close else ""
                yield module.make_finding(node, _RULE, f"{fixture} has no {node.attr}{nearest}")
        elif isinstance(node, ast.Call) and (fixture := _find_fixture(function, node.func)):
            yield from _find_keywords(module, node, fixture)


def _find_fixture(function: Function, node: ast.AST) -> str | None:
    """Return the fixture of a function whose attribute a node is; None for other nodes."""
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
        return None
    name = node.value.id
    is_asked = name in FIXTURES and name in list_parameters(function)
    return name if is_asked and (is_test(function) or _is_ours(function, name)) else None


def _find_keywords(module: Module, call: ast.Call, fixture: str) -> Iterator[Finding]:
    called = spell_called_name(call)
    method = inspect.getattr_static(_KINDS[fixture], called, None)
    if not inspect.isfunction(method):
        return
    parameters = inspect.signature(method).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return
    for keyword in call.keywords:
        if keyword.arg is not None and keyword.arg not in parameters:
            close = difflib.get_close_matches(keyword.arg, parameters, n=1)
            nearest = f": close to it is {close[0]}" if close else ""
            advice = f"{fixture}.{called} takes no {keyword.arg}{nearest}"
            yield module.make_finding(call, _RULE, advice)


def _is_ours(function: Function, name: str) -> bool:
    """Return true if the parameter ``name`` is annotated with the class of the fixture ``name``."""
    parameters = function.args
    annotated = {
        each.arg: each.annotation
        for each in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs)
    }
    annotation = annotated.get(name)
    return isinstance(annotation, ast.Name) and annotation.id == _KINDS[name].__name__
