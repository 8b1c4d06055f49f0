"""The texts of suites with graders in TypeScript: titles of tests, read from the source text.

The texts are stored, because pages are built without such a suite. No code is run.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from tree_sitter import Node

from records.files.data_folder import DataFolder
from records.suites.eval_config import DescribedEval, SuiteDescription
from records.writer import write_record
from runner.answers import syntax
from runner.evals.discovery import Suite
from runner.evals.typescript_suites import name_suite

_TESTS = frozenset({"test", "it"})
_GROUPS = frozenset({"describe", "suite"})
_JUDGED = "createAIGraderTest"
_JUDGED_TITLE = "AI grader"
_NEVER_RUN = frozenset({"skip", "todo"})


class VitestTest(NamedTuple):
    """A call that defines a test, or a table of tests."""

    title: str
    """``describe > test``; if the title is not a constant text, the source code of the title."""
    line: int
    is_judged: bool
    """True if a judge model decides the test."""
    is_left_out: bool
    """True if the test, or a group that contains it, is marked as skip or todo."""


def list_vitest_tests(path: str, text: str) -> list[VitestTest]:
    """Return the tests in the source text of a grader, in their order."""
    return list(_find_tests(syntax.parse_source(path, text), (), left_out=False))


def _find_tests(node: Node, groups: tuple[str, ...], *, left_out: bool) -> Iterator[VitestTest]:
    for child in node.named_children:
        name, modifiers = _read_callee(child)
        skipped = left_out or bool(modifiers & _NEVER_RUN)
        line = child.start_point.row + 1
        if name in _GROUPS and _find_title(child) is not None:
            yield from _find_tests(child, (*groups, _find_title(child) or ""), left_out=skipped)
        elif name in _TESTS and (title := _find_title(child)) is not None:
            full = " > ".join((*groups, title))
            yield VitestTest(full, line, is_judged=False, is_left_out=skipped)
        elif name == _JUDGED:
            values = syntax.list_arguments(child)
            judged = _as_title(values[1]) if len(values) > 1 else _JUDGED_TITLE
            full = " > ".join((*groups, judged))
            yield VitestTest(full, line, is_judged=True, is_left_out=skipped)
        else:
            yield from _find_tests(child, groups, left_out=left_out)


def _read_callee(node: Node) -> tuple[str | None, frozenset[str]]:
    """Return the first name of a call and the other names in it, such as ``test`` and ``each``.

    The first name is None if ``node`` is no call.
    """
    modifiers: set[str] = set()
    function = syntax.find_called(node)
    while function is not None and function.type != "identifier":
        if function.type == "member_expression":
            modifiers.add(syntax.get_node_text(function.child_by_field_name("property")))
            function = function.child_by_field_name("object")
        elif function.type == "call_expression":
            function = function.child_by_field_name("function")
        else:
            return None, frozenset()
    return (
        (syntax.get_node_text(function), frozenset(modifiers)) if function else (None, frozenset())
    )


def _find_title(call: Node) -> str | None:
    """Return the first argument of a call as a title; None if the call has no arguments."""
    arguments = call.child_by_field_name("arguments")
    # `test.each` with a template of values has the template instead of arguments, inside of another
    # call.
    if arguments is None or arguments.type != "arguments" or not arguments.named_children:
        return None
    return _as_title(arguments.named_children[0])


def _as_title(node: Node) -> str:
    text = syntax.resolve_constant(node)
    return (text if text is not None else syntax.get_node_text(node).strip("`")).strip()


def describe_suite(suite: Suite, version: str) -> SuiteDescription:
    """Return the texts of a suite whose benchmark version is ``version``.

    Raises:
        InvalidEvalError: a file of a reference answer cannot be used.
    """
    evals: dict[str, DescribedEval] = {}
    for evaluation in suite.evals:
        text = evaluation.grader.read_text("utf-8", errors="replace")
        evals[evaluation.name] = DescribedEval(
            title=evaluation.config.title,
            pipeline=evaluation.config.pipeline,
            task=evaluation.task,
            reference=evaluation.read_answer(),
            tests=tuple(test.title for test in list_vitest_tests(evaluation.grader.name, text)),
        )
    return SuiteDescription(
        schema_version=1,
        version=version,
        name=name_suite(suite.root),
        described_at=datetime.now(UTC).replace(microsecond=0),
        evals=evals,
    )


def write_description(suite: Suite, version: str, folder: DataFolder) -> None:
    """Write the texts of a suite to a data folder, unless the folder has those of the version."""
    if not folder.suites.get_file(version).exists():
        write_record(folder.suites, describe_suite(suite, version))
