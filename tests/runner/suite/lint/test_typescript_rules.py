"""`suite lint` finds faults of graders in TypeScript, and accepts right graders."""

import json
from pathlib import Path

import pytest

from runner.evals.discovery import discover
from runner.suite.lint import Finding, lint
from runner.suite.vitest_tests import list_vitest_tests
from tests.support.texts import read_cases

pytestmark = pytest.mark.unit

CASES = read_cases(__file__)

TASK = "Write `list` and `add` in convex/index.ts over a table `notes`. GET /items answers.\n"
HEAD = """import { expect, test } from "vitest";
import { addDocuments, readOutputFile, responseClient, siteUrl } from "../../../grader";
import { api } from "./answer/convex/_generated/api";
"""
ASSERTION = 'test("a", async () => { expect(await ask(api.index.list)).toBe(1); });\n'


def _lint(root: Path, grader: str, packages: dict[str, str] | None = None) -> list[Finding]:
    folder = root / "evals" / "000-a" / "000-b"
    (folder / "answer" / "convex").mkdir(parents=True)
    (folder / "TASK.txt").write_text(TASK)
    (folder / "grader.test.ts").write_text(HEAD + grader)
    manifest = {"dependencies": {"convex": "^1.31.0", **(packages or {})}}
    (folder / "answer" / "package.json").write_text(json.dumps(manifest))
    (folder / "answer" / "convex" / "index.ts").write_text('import { z } from "zod";\n')
    suite = discover(root)
    return lint(suite, suite.evals)


@pytest.mark.parametrize(("grader", "rule", "words"), CASES["wrong"])
def test_a_fault_is_found(tmp_path: Path, grader: str, rule: str, words: str) -> None:
    """One fault of a grader gives one finding, of its rule."""
    findings = _lint(tmp_path, grader)

    assert [finding.rule for finding in findings] == [rule], findings
    assert words in findings[0].advice


@pytest.mark.parametrize("grader", CASES["right"])
def test_right_graders_have_no_fault(tmp_path: Path, grader: str) -> None:
    """A test that runs, over names that the task has, is no fault."""
    assert _lint(tmp_path, grader) == []


def test_unused_packages_are_found(tmp_path: Path) -> None:
    """A package that no file imports is a fault; tools and types are none."""
    packages = {"zod": "1", "openai": "1", "typescript": "1", "@types/node": "1"}

    findings = _lint(tmp_path, ASSERTION, packages)

    assert [finding.rule for finding in findings] == ["unused-package"]
    assert findings[0].advice.startswith("openai is declared")


def test_titles_are_read_from_the_text() -> None:
    """Titles come with those of their groups; tables of tests keep their placeholders."""
    text = CASES["text"]

    tests = list_vitest_tests("grader.test.ts", text)

    assert [test.title for test in tests] == [
        "a group > named",
        "a group > row %s",
        "a group > tagged $x",
        "a group > built named",
        "a group > call()",
        "left out > never",
        "style",
        "AI grader",
    ]
    assert [test.title for test in tests if test.is_left_out] == ["left out > never"]
    assert [test.title for test in tests if test.is_judged] == ["style", "AI grader"]
