"""`suite lint` finds faults of graders in TypeScript, and accepts right graders."""

import json
from pathlib import Path

import pytest

from runner.evals.discovery import discover
from runner.suite.lint import Finding, lint
from runner.suite.vitest_tests import list_vitest_tests
from tests.support.texts import read_texts

pytestmark = pytest.mark.unit

TEXTS = read_texts(__file__)

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


@pytest.mark.parametrize(
    ("grader", "rule", "words"),
    [
        ("test('a', () => { expect(true).toBe(true); });", "assertions", "itself"),
        ("test('a', () => { expect(rows).toEqual(rows); });", "assertions", "itself"),
        ("test('a', () => { expect([1]).toBeDefined(); });", "assertions", "itself writes"),
        ("test('a', () => { expect(f()); });", "assertions", "compared with nothing"),
        ("test('a', () => { expect(f()).resolves.toBe(1); });", "assertions", "nobody awaits"),
        (
            "test('a', () => { expect(r.length).toBeGreaterThanOrEqual(0); });",
            "assertions",
            "below",
        ),
        ("test('a', () => { try { expect(f()).toBe(1); } catch { /* so */ } });", "assertions", ""),
        ("test('a', () => { const expected = 1; });", "assertions", "calls nothing"),
        (f"{ASSERTION}test.skip('b', () => {{ f(); }});", "left-out-test", "skipped"),
        (f"{ASSERTION}describe.skip('b', () => {{ {ASSERTION} }});", "left-out-test", "skipped"),
        (f"{ASSERTION}test.todo('b');", "left-out-test", "skipped"),
        (f"{ASSERTION}// createAIGraderTest(import.meta.url);", "left-out-test", "commented out"),
        (f"{ASSERTION}createAIGraderTest(import.meta.url);", "judged-test", "a model judges"),
        (f"{ASSERTION}api.index.remove;", "unmentioned-name", "function 'remove'"),
        (f"{ASSERTION}api.other.list;", "unmentioned-name", "module 'other'"),
        (f"{ASSERTION}addDocuments(c, 'users', []);", "unmentioned-name", "table 'users'"),
        (f"{ASSERTION}readOutputFile('a', 'b', 'convex/crons.ts');", "unmentioned-name", "crons"),
        (f"{ASSERTION}fetch(`${{siteUrl}}/rows`);", "unmentioned-name", "route 'rows'"),
        (f"{ASSERTION}test('b', () => {{", "syntax", "not TypeScript"),
    ],
)
def test_a_fault_is_found(tmp_path: Path, grader: str, rule: str, words: str) -> None:
    """One fault of a grader gives one finding, of its rule."""
    findings = _lint(tmp_path, grader)

    assert [finding.rule for finding in findings] == [rule], findings
    assert words in findings[0].advice


@pytest.mark.parametrize(
    "grader",
    [
        "test('a', async () => { expect(await f()).toBe(await f()); });",
        "test('a', async () => { await expect(f()).rejects.toThrow(); });",
        "test('a', () => expect(f()).rejects.toThrow());",
        "test('a', () => { expect([f()]).toEqual([f()]); });",
        "test('a', () => { expect(r.length).toBeGreaterThanOrEqual(1); });",
        "test('a', () => { try { f(); } catch (error) { expect(error).toBe(1); } });",
        "test('a', () => { let s; try { expect(f()).toBe(1); } catch (e) { s = e; } g(s); });",
        "test('a', async () => { await compareSchema(skip); });",
        "describe.each([1])('a %s', (n) => { test('b', () => { expect(f(n)).toBe(n); }); });",
        f"{ASSERTION}addDocuments(c, 'notes', []); fetch(`${{siteUrl}}/items/1`);",
        f"{ASSERTION}listTable(c, '_scheduled_functions');",
        f"{ASSERTION}test.skipIf(condition)('b', () => {{ {ASSERTION} }});",
    ],
)
def test_right_graders_have_no_fault(tmp_path: Path, grader: str) -> None:
    """A test that can fail, over names that the task has, is no fault."""
    assert _lint(tmp_path, grader + "\nexpect(await x()).toBe(1);") == []


def test_unused_packages_are_found(tmp_path: Path) -> None:
    """A package that no file imports is a fault; tools and types are none."""
    packages = {"zod": "1", "openai": "1", "typescript": "1", "@types/node": "1"}

    findings = _lint(tmp_path, ASSERTION, packages)

    assert [finding.rule for finding in findings] == ["unused-package"]
    assert findings[0].advice.startswith("openai is declared")


def test_titles_are_read_from_the_text() -> None:
    """Titles come with those of their groups; tables of tests keep their placeholders."""
    text = TEXTS["text"]

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
