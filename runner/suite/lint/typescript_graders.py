"""Faults of evals with graders in TypeScript that their source texts show."""

import re
from collections.abc import Iterator
from typing import Final

from runner.answers.syntax import parse_source, walk_descendants
from runner.evals.discovery import Eval
from runner.evals.typescript_suites import GRADER, list_unknown_settings
from runner.suite.lint.finding import Finding
from runner.suite.lint.typescript_assertions import find_empty_assertions
from runner.suite.lint.typescript_names import find_unmentioned_names
from runner.suite.lint.typescript_packages import find_unused_packages
from runner.suite.vitest_tests import list_vitest_tests

_DISABLED_JUDGE: Final = re.compile(r"(?://|\*)\s*createAIGraderTest\(")
_ASSERTS: Final = re.compile(
    r"\b(?:expect|assert|compare\w+|createAIGraderTest|pollUntil)\b|\bthrow\b"
)


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
