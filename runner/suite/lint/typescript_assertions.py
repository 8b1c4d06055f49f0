"""Assertions of graders in TypeScript that hold for every answer."""

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from runner.answers.syntax import get_node_text, list_arguments, unwrap, walk_descendants
from runner.suite.vitest_tests import list_tests_below

_EQUALITIES: Final = frozenset({"toBe", "toEqual", "toStrictEqual"})
_LITERALS: Final = frozenset(
    {"true", "false", "null", "undefined", "number", "string", "regex", "array", "object"}
)
_ANY_LITERAL_HOLDS: Final = frozenset(
    {"toBeTruthy", "toBeFalsy", "toBeDefined", "toBeUndefined", "toBeNull"}
)
_PROMISES: Final = frozenset({"resolves", "rejects"})
_COUNTS: Final = frozenset({"length", "size"})
_CALLS: Final = frozenset({"call_expression", "new_expression", "await_expression"})

_Fault = tuple[int, str]


def find_empty_assertions(tree: Node) -> Iterator[_Fault]:
    """Yield the line and the reason of each assertion or test that cannot fail."""
    for node in walk_descendants(tree):
        if _is_expect(node):
            reason = _explain_assertion(node)
            if reason is not None:
                yield node.start_point.row + 1, f"{reason}: it cannot fail"
        elif node.type == "try_statement" and _swallows(node):
            advice = "catches its own assertion: it cannot fail"
            yield node.start_point.row + 1, advice
    for test in list_tests_below(tree):
        if not test.is_left_out and not test.is_judged and _does_nothing(test.node):
            yield test.line, "this test calls nothing: it cannot fail"


def _is_expect(node: Node) -> bool:
    if node.type != "call_expression":
        return False
    function = node.child_by_field_name("function")
    return function is not None and get_node_text(function) == "expect"


def _explain_assertion(expect: Node) -> str | None:
    """Return the reason why an assertion holds for every answer; None if it may fail."""
    names, matcher = _read_chain(expect)
    if matcher is None:
        return "is compared with nothing"
    if _PROMISES & set(names) and not _is_handed_on(matcher):
        return "is a promise that nobody awaits"
    values = list_arguments(expect)
    return _explain_agreement(unwrap(values[0]), names, list_arguments(matcher)) if values else None


def _explain_agreement(actual: Node, names: list[str], expected: list[Node]) -> str | None:
    """Return the reason why a matcher always holds for a value; None if it may fail."""
    last = names[-1]
    if _is_literal(actual) and last in _ANY_LITERAL_HOLDS:
        return "asks about a value that the grader itself writes"
    if "not" in names or len(expected) == 0:
        return None
    is_same = get_node_text(actual) == get_node_text(unwrap(expected[0]))
    if last in _EQUALITIES and is_same and not _calls_something(actual):
        return "compares a value with itself"
    is_zero = get_node_text(expected[0]) == "0"
    if last == "toBeGreaterThanOrEqual" and is_zero and _is_count(actual):
        return "no count is below 0"
    return None


def _read_chain(expect: Node) -> tuple[list[str], Node | None]:
    """Return the names after `expect(...)`, and the call of the last; None if it is not called."""
    names: list[str] = []
    node = expect
    while node.parent is not None and node.parent.type == "member_expression":
        node = node.parent
        name = node.child_by_field_name("property")
        names.append(get_node_text(name) if name else "")
    parent = node.parent
    is_call = parent is not None and parent.type == "call_expression" and len(names) > 0
    return names, parent if is_call else None


def _is_handed_on(call: Node) -> bool:
    """Return whether a promise is used: awaited, returned or passed on."""
    return call.parent is None or call.parent.type != "expression_statement"


def _is_literal(node: Node) -> bool:
    return node.type in _LITERALS and not any(
        inner.type == "identifier" or inner.type in _CALLS for inner in walk_descendants(node)
    )


def _calls_something(node: Node) -> bool:
    return any(inner.type in _CALLS for inner in walk_descendants(node))


def _is_count(node: Node) -> bool:
    name = node.child_by_field_name("property")
    return name is not None and get_node_text(name) in _COUNTS


def _swallows(statement: Node) -> bool:
    """Return whether a `try` has an assertion, and its handler does nothing.

    A handler that does anything is accepted, because it may set a variable that a later assertion
    checks.
    """
    body = statement.child_by_field_name("body")
    handler = statement.child_by_field_name("handler")
    handling = handler.child_by_field_name("body") if handler else None
    if body is None or handling is None:
        return False
    is_empty = all(node.type == "comment" for node in handling.named_children)
    return is_empty and any(map(_is_expect, walk_descendants(body)))


def _does_nothing(test: Node) -> bool:
    """Return whether the function of a test has neither a call nor a `throw`."""
    functions = [
        node
        for node in list_arguments(test)[1:]
        if node.type in {"arrow_function", "function_expression"}
    ]
    if len(functions) == 0:
        return False
    within = list(walk_descendants(functions[0]))
    return not any(node.type in _CALLS or node.type == "throw_statement" for node in within)
