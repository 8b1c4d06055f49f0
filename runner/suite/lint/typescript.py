"""Faults of graders in TypeScript, as their text shows them."""

import re
from collections.abc import Iterator
from typing import Final

from runner.evals.discovery import Eval
from runner.evals.typescript_suites import GRADER, list_unknown_settings
from runner.suite.lint.finding import Finding

_SKIPPED: Final = re.compile(r"\b(?:test|it|describe)\.(?:skip|todo)\(")
_JUDGED: Final = re.compile(r"^\s*createAIGraderTest\(")
_CANNOT_FAIL: Final = re.compile(
    r"\bexpect\((true|false|\d+|\"[^\"]*\"|'[^']*')\)\.(?:toBe|toEqual|toStrictEqual)\(\1\)"
)
_ASSERTS: Final = re.compile(
    r"\b(?:expect|assert|compare\w+|createAIGraderTest|pollUntil)\b|\bthrow\b"
)


def typescript(evaluation: Eval) -> Iterator[Finding]:
    """Find settings without effect, tests that never run, and assertions that cannot fail."""
    for key in list_unknown_settings(evaluation.folder):
        advice = f"{key} has no effect here: only pipeline is read"
        yield Finding(evaluation.name, "eval.json", 1, "config", advice)
    text = evaluation.grader.read_text("utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        for rule, advice in _line_faults(line):
            yield Finding(evaluation.name, GRADER, number, rule, advice)
    if not _ASSERTS.search(text):
        yield Finding(evaluation.name, GRADER, 1, "assertions", "nothing is asserted")


def _line_faults(line: str) -> Iterator[tuple[str, str]]:
    if _SKIPPED.search(line):
        yield "left-out-test", "is skipped: let it run, or take it out"
    if _JUDGED.search(line):
        yield "left-out-test", "a model would judge this: no model is asked, it is skipped"
    if _CANNOT_FAIL.search(line):
        yield "assertions", "compares a value with itself: it cannot fail"
