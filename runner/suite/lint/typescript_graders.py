"""Rules for graders in TypeScript, whose suites have no variants: texts show all that is found."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from tree_sitter import Node

from runner.answers.rules import is_script
from runner.answers.syntax import (
    find_called,
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


def find_empty_assertions(tree: Node) -> Iterator[_Fault]:
    """Yield the line and the reason of each assertion or test that cannot fail."""
    for node in walk_descendants(tree):
        if _is_expect(node):
            reason = _explain_assertion(node)
            if reason is not None:
                yield node.start_point.row + 1, f"{reason}: it cannot fail"
        elif node.type == "try_statement":
            body, handler = (node.child_by_field_name(name) for name in ("body", "handler"))
            handling = handler.child_by_field_name("body") if handler else None
            if body is None or handling is None:
                continue
            # A handler that does anything is accepted, because it may set a variable that a later
            # assertion checks.
            is_empty = all(each.type == "comment" for each in handling.named_children)
            if is_empty and any(map(_is_expect, walk_descendants(body))):
                yield node.start_point.row + 1, "catches its own assertion: it cannot fail"
    for test in list_tests_below(tree):
        functions = [
            node
            for node in list_arguments(test.node)[1:]
            if node.type in {"arrow_function", "function_expression"}
        ]
        within = {node.type for each in functions[:1] for node in walk_descendants(each)}
        does_nothing = bool(functions) and within.isdisjoint({*_CALLS, "throw_statement"})
        if not test.is_left_out and not test.is_judged and does_nothing:
            yield test.line, "this test calls nothing: it cannot fail"


def _is_expect(node: Node) -> bool:
    return get_node_text(find_called(node)) == "expect"


def _explain_assertion(expect: Node) -> str | None:
    """Return the reason why an assertion holds for every answer; None if it may fail."""
    names: list[str] = []
    node = expect
    while node.parent is not None and node.parent.type == "member_expression":
        node = node.parent
        names.append(get_node_text(node.child_by_field_name("property")))
    matcher = node.parent
    if matcher is None or matcher.type != "call_expression" or not names:
        return "is compared with nothing"
    is_statement = matcher.parent is not None and matcher.parent.type == "expression_statement"
    if _PROMISES & set(names) and is_statement:
        return "is a promise that nobody awaits"
    values, expected, last = list_arguments(expect), list_arguments(matcher), names[-1]
    if not values:
        return None
    actual = unwrap(values[0])
    inner = {each.type for each in walk_descendants(actual)}
    is_literal = actual.type in _LITERALS and inner.isdisjoint({*_CALLS, "identifier"})
    same = bool(expected) and get_node_text(actual) == get_node_text(unwrap(expected[0]))
    is_count = get_node_text(actual.child_by_field_name("property")) in _COUNTS
    reason = None
    if is_literal and last in _ANY_LITERAL_HOLDS:
        reason = "asks about a value that the grader itself writes"
    elif "not" in names or not expected:
        reason = None
    elif last in _EQUALITIES and same and inner.isdisjoint(_CALLS):
        reason = "compares a value with itself"
    elif last == "toBeGreaterThanOrEqual" and get_node_text(expected[0]) == "0" and is_count:
        reason = "no count is below 0"
    return reason


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
    """Yield the kinds and names of modules, functions, tables, files and routes in a node."""
    if node.type == "member_expression":
        # The module and the function of an expression such as `api.module.function`.
        is_inner = node.parent is not None and node.parent.type == "member_expression"
        names: list[str] = []
        inner: Node | None = node
        while inner is not None and inner.type == "member_expression":
            names.insert(0, get_node_text(inner.child_by_field_name("property")))
            inner = inner.child_by_field_name("object")
        is_path = get_node_text(inner) in _ROOTS
        if is_path and not is_inner and len(names) > 1:
            yield "module", names[-2]
            if names[-1] != "default":
                yield "function", names[-1]
    elif node.type == "call_expression":
        called, values = get_node_text(find_called(node)), list_arguments(node)
        tables = values[1:2] if called in _TABLE_CALLS else []
        if called == _LISTS_OF_TABLES and len(values) > 1 and values[1].type == "array":
            tables = values[1].named_children
        yield from (("table", table) for each in tables if (table := resolve_constant(each)))
        path = resolve_constant(values[-1]) if called == _FILES and values else None
        if path and _GENERATED not in path:
            yield "file", path.rpartition("/")[2]
    elif node.type == "template_string":
        # The first segment of the path in a template that begins with the deployment's site.
        parts = node.named_children
        if len(parts) > 1 and get_node_text(parts[0]) == f"${{{_SITE}}}":
            segment = _WORD.search(get_node_text(parts[1]).partition("?")[0])
            if segment is not None:
                yield "route", segment[0]


class _Manifest(BaseModel):
    dependencies: dict[str, Any] = {}


def find_unused_packages(answer: Mapping[str, str]) -> Iterator[str]:
    """Yield a line of advice for each package that is declared and never imported."""
    try:
        declared = _Manifest.model_validate_json(answer.get(_MANIFEST, "{}")).dependencies
    except ValidationError:
        return
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
