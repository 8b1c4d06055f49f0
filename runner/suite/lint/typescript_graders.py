"""Rules for graders in TypeScript, whose suites have no variants: texts show all that is found."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from tree_sitter import Node

from runner.answers.rules import is_script
from runner.answers.syntax import (
    get_node_text,
    list_arguments,
    parse_source,
    resolve_constant,
    unwrap,
    walk_descendants,
)
from runner.answers.typescript import is_of_package, list_imports
from runner.evals.discovery import Eval
from runner.evals.typescript_suites import GRADER, list_unknown_settings
from runner.suite.lint.eval_files import Finding
from runner.suite.lint.python_graders import CONVEX_NAMES
from runner.suite.vitest_tests import list_tests_below, list_vitest_tests

_DISABLED_JUDGE: Final = re.compile(r"(?://|\*)\s*createAIGraderTest\(")
_ASSERTS: Final = re.compile(
    r"\b(?:expect|assert|compare\w+|createAIGraderTest|pollUntil)\b|\bthrow\b"
)
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
_ROOTS: Final = frozenset({"api", "internal", "anyApi"})
_TABLE_CALLS: Final = frozenset(
    {
        *("addDocuments", "listTable", "hasIndexOn", "hasIndexWithPrefix"),
        *("findTable", "hasIndexForFields", "hasIndexForPrefix"),
    }
)
"""The functions of a suite's kit whose second argument is the name of a table."""
_LISTS_OF_TABLES: Final = "deleteAllDocuments"
_FILES: Final = "readOutputFile"
_SITE: Final = "siteUrl"
_WORD: Final = re.compile(r"\w+")
_GENERATED: Final = "_generated"
_TOOL_PACKAGES: Final = frozenset({"convex", "typescript", "prettier", "eslint", "vite", "vitest"})
"""The packages that programs use although the answer does not import them."""
_TYPES: Final = "@types/"
_MANIFEST: Final = "package.json"


def find_typescript_faults(evaluation: Eval) -> Iterator[Finding]:
    """Yield findings for settings without effect, and faults of grader, task and reference."""
    for key in list_unknown_settings(evaluation.folder):
        advice = f"{key} has no effect here: only pipeline is read"
        yield Finding(evaluation.name, "eval.json", 1, "config", advice)
    text = evaluation.grader.read_text("utf-8", errors="replace")
    tree = parse_source(GRADER, text)
    yield from _find_left_out_tests(evaluation, text)
    for line, advice in find_empty_assertions(tree):
        yield Finding(evaluation.name, GRADER, line, "assertions", advice)
    if not _ASSERTS.search(text):
        yield Finding(evaluation.name, GRADER, 1, "assertions", "nothing is asserted")
    for line, advice in find_unmentioned_names(tree, evaluation.task):
        yield Finding(evaluation.name, GRADER, line, "unmentioned-name", advice)
    for advice in find_unused_packages(evaluation.read_answer()):
        yield Finding(evaluation.name, "answer/package.json", 1, "unused-package", advice)
    if tree.has_error:
        broken = next(node for node in walk_descendants(tree) if node.has_error or node.is_error)
        line = broken.start_point.row + 1
        yield Finding(evaluation.name, GRADER, line, "syntax", "this is not TypeScript")


def _find_left_out_tests(evaluation: Eval, text: str) -> Iterator[Finding]:
    """Yield findings for tests that never run or need a judge model, and for disabled judges."""
    for test in list_vitest_tests(GRADER, text):
        if test.is_left_out:
            advice = "is skipped: let it run, or take it out"
            yield Finding(evaluation.name, GRADER, test.line, "left-out-test", advice)
        elif test.is_judged:
            advice = "a model judges this: without LEADERBOARD_JUDGE it is skipped"
            yield Finding(evaluation.name, GRADER, test.line, "judged-test", advice)
    for number, line in enumerate(text.splitlines(), 1):
        if _DISABLED_JUDGE.search(line):
            advice = "the judge is commented out: let it judge, or take the line out"
            yield Finding(evaluation.name, GRADER, number, "left-out-test", advice)


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


def find_unmentioned_names(tree: Node, task: str) -> Iterator[tuple[int, str]]:
    """Yield the line and a message for each name that a grader demands and the task lacks.

    The names are those of functions, tables, files and routes.
    """
    words = {*_WORD.findall(task), *CONVEX_NAMES}
    reported: set[str] = set()
    for node in walk_descendants(tree):
        for kind, name in _find_demands(node):
            is_known = name in words or name in task or name.startswith("_")
            if not is_known and name not in reported:
                reported.add(name)
                advice = (
                    f"the task does not mention the {kind} {name!r}: "
                    "name it there, or do not demand it"
                )
                yield node.start_point.row + 1, advice


def _find_demands(node: Node) -> Iterator[tuple[str, str]]:
    if node.type == "member_expression":
        yield from _find_path_demands(node)
    elif node.type == "call_expression":
        yield from _find_call_demands(node)
    elif node.type == "template_string":
        yield from _find_route_demands(node)


def _find_path_demands(node: Node) -> Iterator[tuple[str, str]]:
    """Yield the module and the function of an expression such as `api.module.function`."""
    is_inner = node.parent is not None and node.parent.type == "member_expression"
    names: list[str] = []
    inner: Node | None = node
    while inner is not None and inner.type == "member_expression":
        name = inner.child_by_field_name("property")
        names.insert(0, get_node_text(name) if name else "")
        inner = inner.child_by_field_name("object")
    if is_inner or inner is None or get_node_text(inner) not in _ROOTS or len(names) < 2:  # noqa: PLR2004 - module and function
        return
    yield "module", names[-2]
    if names[-1] != "default":
        yield "function", names[-1]


def _find_call_demands(call: Node) -> Iterator[tuple[str, str]]:
    function, values = call.child_by_field_name("function"), list_arguments(call)
    if function is None:
        return
    name = get_node_text(function)
    if name in _TABLE_CALLS and len(values) > 1 and (table := resolve_constant(values[1])):
        yield "table", table
    elif name == _LISTS_OF_TABLES and len(values) > 1 and values[1].type == "array":
        for item in values[1].named_children:
            if table := resolve_constant(item):
                yield "table", table
    elif name == _FILES:
        path = resolve_constant(values[-1]) if values else None
        if path and _GENERATED not in path:
            yield "file", path.rpartition("/")[2]


def _find_route_demands(template: Node) -> Iterator[tuple[str, str]]:
    """Yield the first segment of the path in a template that begins with the deployment's site."""
    parts = template.named_children
    if len(parts) > 1 and get_node_text(parts[0]) == f"${{{_SITE}}}":
        segment = _WORD.search(get_node_text(parts[1]).partition("?")[0])
        if segment is not None:
            yield "route", segment[0]


class _Manifest(BaseModel):
    dependencies: dict[str, Any] = {}


def find_unused_packages(answer: Mapping[str, str]) -> Iterator[str]:
    """Yield a line of advice for each package that is declared and never imported."""
    declared = _read_dependencies(answer.get(_MANIFEST, "{}"))
    imported = {
        item.module
        for path, text in answer.items()
        if is_script(path)
        for item in list_imports(path, text)
    }
    for package in sorted(declared):
        is_tool = package in _TOOL_PACKAGES or package.startswith(_TYPES)
        if not is_tool and not any(is_of_package(module, package) for module in imported):
            yield f"{package} is declared and never imported: import it, or take it out"


def _read_dependencies(text: str) -> Mapping[str, Any]:
    """Return the packages under `dependencies`; empty if the file is malformed."""
    try:
        return _Manifest.model_validate_json(text).dependencies
    except ValidationError:
        return {}
