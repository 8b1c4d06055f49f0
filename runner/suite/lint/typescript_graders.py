"""Rules for graders in TypeScript: names, packages, and tests that do not run.

Such suites have no variants. A test that cannot fail is found by `leaderboard suite import`, which
lists the tests that an answer passes that does nothing (`find_stub_passes`), and by mutants.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from tree_sitter import Node

from runner.answers import syntax
from runner.answers.rules import is_script
from runner.answers.typescript import is_of_package, list_imports
from runner.evals.discovery import Eval
from runner.evals.typescript_suites import GRADER, list_unknown_settings
from runner.suite.lint.eval_files import Finding
from runner.suite.lint.python_graders import CONVEX_NAMES
from runner.suite.vitest_tests import list_vitest_tests

_DISABLED_JUDGE = re.compile(r"(?://|\*)\s*createAIGraderTest\(")
_ROOTS = frozenset({"api", "internal", "anyApi"})
_TABLE_CALLS = frozenset(
    {
        *("addDocuments", "listTable", "hasIndexOn", "hasIndexWithPrefix"),
        *("findTable", "hasIndexForFields", "hasIndexForPrefix"),
    }
)
"""The functions of a suite's kit whose second argument is the name of a table."""
_LISTS_OF_TABLES = "deleteAllDocuments"
_FILES = "readOutputFile"
_SITE = "siteUrl"
_WORD = re.compile(r"\w+")
_GENERATED = "_generated"
_TOOL_PACKAGES = frozenset({"convex", "typescript", "prettier", "eslint", "vite", "vitest"})
"""The packages that programs use although the answer does not import them."""
_TYPES = "@types/"
_MANIFEST = "package.json"


def find_typescript_faults(evaluation: Eval) -> Iterator[Finding]:
    """Yield findings for settings without effect, and faults of grader, task and reference."""
    for key in list_unknown_settings(evaluation.folder):
        advice = f"{key} has no effect here: only pipeline is read"
        yield Finding(evaluation.name, "eval.json", 1, "config", advice)
    text = evaluation.grader.read_text("utf-8", errors="replace")
    tree = syntax.parse_source(GRADER, text)
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
    for line, advice in find_unmentioned_names(tree, evaluation.task):
        yield Finding(evaluation.name, GRADER, line, "unmentioned-name", advice)
    for advice in find_unused_packages(evaluation.read_answer()):
        yield Finding(evaluation.name, "answer/package.json", 1, "unused-package", advice)
    if tree.has_error:
        broken = next(
            node for node in syntax.walk_descendants(tree) if node.has_error or node.is_error
        )
        line = broken.start_point.row + 1
        yield Finding(evaluation.name, GRADER, line, "syntax", "this is not TypeScript")


def find_unmentioned_names(tree: Node, task: str) -> Iterator[tuple[int, str]]:
    """Yield the line and a message for each name that a grader demands and the task lacks.

    The names are those of functions, tables, files and routes.
    """
    words = {*_WORD.findall(task), *CONVEX_NAMES}
    reported: set[str] = set()
    for node in syntax.walk_descendants(tree):
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
            names.insert(0, syntax.get_node_text(inner.child_by_field_name("property")))
            inner = inner.child_by_field_name("object")
        is_path = syntax.get_node_text(inner) in _ROOTS
        if is_path and not is_inner and len(names) > 1:
            yield "module", names[-2]
            if names[-1] != "default":
                yield "function", names[-1]
    elif node.type == "call_expression":
        called, values = syntax.get_node_text(syntax.find_called(node)), syntax.list_arguments(node)
        tables = values[1:2] if called in _TABLE_CALLS else []
        if called == _LISTS_OF_TABLES and len(values) > 1 and values[1].type == "array":
            tables = values[1].named_children
        yield from (("table", table) for each in tables if (table := syntax.resolve_constant(each)))
        path = syntax.resolve_constant(values[-1]) if called == _FILES and values else None
        if path and _GENERATED not in path:
            yield "file", path.rpartition("/")[2]
    elif node.type == "template_string":
        # The first segment of the path in a template that begins with the deployment's site.
        parts = node.named_children
        if len(parts) > 1 and syntax.get_node_text(parts[0]) == f"${{{_SITE}}}":
            segment = _WORD.search(syntax.get_node_text(parts[1]).partition("?")[0])
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
