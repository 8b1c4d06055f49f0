"""Tests and assertions that hold for every answer."""

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from runner.suite.lint.finding import Finding
from runner.suite.lint.fixture_calls import find_unknown_fixtures
from runner.suite.lint.modules import (
    FIXTURES,
    Function,
    Module,
    is_fixture,
    list_calls,
    list_parameters,
    spell_called_name,
    spell_name,
)

_RULE: Final = "cannot-fail"
_ANSWER: Final = FIXTURES - {"reference"}


def find_weak_assertions(modules: Sequence[Module]) -> Iterator[Finding]:
    """Find assertions that always hold, and tests that cannot fail."""
    failing = _list_functions_that_can_fail(modules)
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Assert):
                yield from _find_constant_assertion(module, node)
            elif isinstance(node, ast.Call):
                yield from _find_broad_raises(module, node)
        for test in module.list_tests():
            yield from _find_test_faults(module, test, failing)


def _find_constant_assertion(module: Module, node: ast.Assert) -> Iterator[Finding]:
    if why := _explain_truth(node.test):
        yield module.make_finding(node, _RULE, f"this assertion always holds: {why}")


def _explain_truth(test: ast.expr) -> str | None:
    """Return the reason why an expression is always true; None if it may be false."""
    match test:
        case ast.Tuple(elts=[_, *_]) | ast.List(elts=[_, *_]) | ast.Dict(keys=[_, *_]):
            why = "a display that is not empty is true"
        case ast.Constant(value=value) if value:
            why = "a constant"
        case ast.JoinedStr() | ast.Lambda() | ast.GeneratorExp():
            why = "such a value is true"
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            why = _explain_comparison(left, op, right)
        case ast.BoolOp(op=op, values=values):
            whys = list(map(_explain_truth, values))
            holds = any(whys) if isinstance(op, ast.Or) else all(whys)
            why = next(filter(None, whys)) if holds else None
        case _:
            why = None
    return why


def _explain_comparison(left: ast.expr, op: ast.cmpop, right: ast.expr) -> str | None:
    same = ast.dump(left) == ast.dump(right)
    if same and isinstance(op, ast.Eq | ast.Is | ast.LtE | ast.GtE) and not list(list_calls(left)):
        return "both sides are the same"
    if spell_called_name(left) == "len" and isinstance(right, ast.Constant):
        if isinstance(op, ast.GtE) and right.value == 0:
            return "a length is never below zero"
        if isinstance(op, ast.Gt | ast.NotEq) and right.value == -1:
            return "a length is never below zero"
    both = isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
    return "both sides are constants" if both else None


def _find_broad_raises(module: Module, call: ast.Call) -> Iterator[Finding]:
    if spell_name(call.func) not in {"pytest.raises", "raises"} or not call.args:
        return
    if spell_name(call.args[0]) in {"Exception", "BaseException", "AssertionError"}:
        advice = "also accepts the grader's own mistakes: expect FunctionFailed"
        yield module.make_finding(call, "broad-raises", advice)


def _find_test_faults(module: Module, test: Function, failing: set[str]) -> Iterator[Finding]:
    parameters = set(list_parameters(test))
    # Another rule reports a misspelt fixture.
    unknown = find_unknown_fixtures(module, test, _list_fixtures(module))
    helpers = set(list_parameters(test)) - FIXTURES
    if not parameters & _ANSWER and "reference" in parameters:
        advice = f"{test.name} looks at the reference only: it must look at the answer"
        yield module.make_finding(test, "reads-reference", advice)
    elif not parameters & FIXTURES and not (helpers & _list_fixtures(module)) and not unknown:
        advice = f"{test.name} takes no fixture, so it does not test the answer"
        yield module.make_finding(test, _RULE, advice)
    elif not _can_fail(test, failing):
        yield module.make_finding(test, _RULE, f"{test.name} neither asserts nor calls anything")
    elif (loop := _find_only_loop(test, failing)) is not None:
        advice = f"{test.name} asserts only inside this loop: assert that there is something first"
        yield module.make_finding(loop, "may-assert-nothing", advice)
    if ast.get_docstring(test) is None:
        yield module.make_finding(test, "untitled-test", f"{test.name} has no docstring: its title")


def _list_functions_that_can_fail(modules: Sequence[Module]) -> set[str]:
    """Return the names of the grader's functions that assert or raise, or call such a function."""
    bodies = {function.name: function for module in modules for function in module.list_functions()}
    failing: set[str] = set()
    while True:
        more = {
            name
            for name, body in bodies.items()
            if name not in failing and (_says_so(body) or _list_called_names(body) & failing)
        }
        if not more:
            return failing
        failing |= more


def _says_so(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.Assert | ast.Raise)
        or (isinstance(each, ast.Call) and spell_called_name(each) in {"raises", "fail"})
        for each in ast.walk(node)
    )


def _list_called_names(node: ast.AST) -> set[str]:
    return {spell_called_name(call) for call in list_calls(node)}


def _can_fail(test: Function, failing: set[str]) -> bool:
    """Return true if a test asserts, or makes a call that could raise, such as of a fixture."""
    body = ast.Module(body=list(test.body), type_ignores=[])
    return (
        _says_so(body) or bool(_list_called_names(body) - {""}) or bool(failing & _list_names(body))
    )


def _list_names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _find_only_loop(test: Function, failing: set[str]) -> ast.stmt | None:
    """Return the loop over the answer's data that has the only assertions of a test; else None.

    If the answer's data is empty, such a test has tested nothing.
    """
    checking = [node for node in test.body if _says_so(node) or _list_called_names(node) & failing]
    if len(checking) != 1 or not isinstance(loop := checking[0], ast.For):
        return None
    gives = loop.iter
    if isinstance(gives, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.Constant):
        return None
    if isinstance(gives, ast.Name):
        gives = _find_assigned_value(test, gives.id) or gives
    fixtures = set(list_parameters(test)) & FIXTURES
    asks_the_answer = any(fixtures & _list_names(call) for call in list_calls(gives))
    return loop if asks_the_answer and not (_list_called_names(gives) & failing) else None


def _find_assigned_value(test: Function, name: str) -> ast.expr | None:
    for node in test.body:
        if isinstance(node, ast.Assign) and any(spell_name(each) == name for each in node.targets):
            return node.value
    return None


def _list_fixtures(module: Module) -> set[str]:
    return {function.name for function in module.list_functions() if is_fixture(function)}
