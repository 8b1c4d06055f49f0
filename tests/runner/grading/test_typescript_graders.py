"""Suites with graders in TypeScript run unmodified: vitest in a jail, over real deployments."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from records.shapes.attempt import Outcome, StepName
from runner.evals.discovery import Eval, discover
from runner.models import baselines
from runner.suite.lint import lint
from tests.support.tiers import leave_to_night

if TYPE_CHECKING:
    from runner.grading.grade import GradingResult, GradingService

pytestmark = pytest.mark.integration

SUITE = Path(__file__).parents[1] / "typescript_suite"
NOTES = "000-kit/000-notes"
STATIC = "000-kit/001-static_notes"
EXPECTED_ROWS = (
    "compare schema",
    "compare function spec",
    "the table has an index on text",
    "adds and lists",
    "users > user1 is known",
    "users > user2 is known",
    "users > nobody is nobody",
    "an action reaches a server of the grader, and no other",
    "an HTTP action answers",
    "the HTTP API answers, too",
    "the source collects",
)
OWN_KIT = """
import { ConvexClient } from "convex/browser";
export const adminKey = "a key of the suite";
export const client = new ConvexClient(`http://localhost:${process.env.CONVEX_PORT}`);
(client as any).setAdminAuth(adminKey);
"""
LEAVING = """
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";

const mark = "/tmp/mark";

test("begins anew", () => {
  expect([existsSync(mark), process.env.MARK]).toEqual([false, undefined]);
  writeFileSync(mark, "");
  process.env.MARK = "set";
  spawn(process.execPath, ["-e", "for (;;);"], { detached: true, stdio: "ignore" }).unref();
});
"""
PROGRAMS = """
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
const cwd = process.env.MODEL_OUTPUT_DIR!;
const run = (program: string, ...more: string[]) =>
  String(execFileSync(program, more, { cwd })).trim();
test("lists the project", () => {
  const code = "process.stdout.write(require('node:fs').readdirSync('.').join())";
  expect(run(process.execPath, "-e", code).split(",")).toContain("convex");
});
test("finds the programs of packages", () => {
  expect(run("node", "-p", "process.version")).toBe(process.version);
  expect(run(join(cwd, "node_modules/.bin/tsc"), "-v")).toMatch(/^Version/);
  expect(run("vitest", "--version")).toMatch(/^vitest/);
});
"""
WRONG = {
    "another index": ("schema.ts", '["text"]', '["text", "_id"]', None),
    "no index": ("schema.ts", '.index("by_text", ["text"])', "", "compare schema"),
    "any argument": (
        *("index.ts", "{ text: v.string() }", "{ text: v.any() }", "compare function spec"),
    ),
    "another order": (
        "index.ts",
        '.query("notes")',
        '.query("notes").order("desc")',
        "adds and lists",
    ),
    "another field of the user": ("index.ts", "?.subject", "?.issuer", "users > user1 is known"),
    "somebody for nobody": ("index.ts", "?? null", '?? "somebody"', "users > nobody is nobody"),
    "another address": (
        *("index.ts", "await fetch(url)", "await fetch(`${url}s`)", "an action reaches a server"),
    ),
    "another status": ("http.ts", "status: 201", "status: 200", "an HTTP action answers"),
    "another method": ("index.ts", ".collect()", ".take(10)", "the source collects"),
}
"""Files of wrong answers, a text and its replacement, and the test that fails; None is a deploy."""
PASSING = 'import { test } from "vitest";\ntest("is here", () => {});\n'


@pytest.fixture
def notes(tmp_path: Path) -> Eval:
    """The eval of notes, in a copy of the suite."""
    shutil.copytree(SUITE, tmp_path / "suite")
    return discover(tmp_path / "suite").select("000-notes", ())[0]


def _grade(
    grading: "GradingService", evaluation: Eval, grader: str, changes: dict[str, str] | None = None
) -> "GradingResult":
    evaluation.grader.write_text(grader)
    return grading.grade(evaluation, {**evaluation.read_answer(), **(changes or {})})


def test_the_reference_passes_with_a_row_for_each_test(grading: "GradingService") -> None:
    """Each test that ran is a row under its titles; a test for a judge is skipped."""
    evaluation = discover(SUITE).select(f"^{NOTES}$", ())[0]

    verdict = grading.grade(evaluation, evaluation.read_answer())

    assert verdict.outcome is Outcome.PASSED, verdict.reason
    assert tuple(test.title for test in verdict.tests or ()) == EXPECTED_ROWS
    assert "skipped" in verdict.logs["tests"]
    assert not (evaluation.folder / "answer" / "convex" / "_generated").exists()


def test_the_reference_of_a_static_eval_passes(grading: "GradingService") -> None:
    """Only the files of the answer are graded: no package is installed and no code deployed."""
    evaluation = discover(SUITE).select(f"^{STATIC}$", ())[0]

    verdict = grading.grade(evaluation, evaluation.read_answer())

    assert verdict.outcome is Outcome.PASSED, verdict.reason


def test_the_stub_fails_in_a_test(grading: "GradingService") -> None:
    """The stub of a deployed eval gets as far as the grader."""
    evaluation = discover(SUITE).select(f"^{NOTES}$", ())[0]

    verdict = grading.grade(evaluation, baselines.make_answer("baseline/stub", evaluation))

    assert (verdict.outcome, verdict.failed_step) == (Outcome.FAILED, StepName.TESTS)


@pytest.mark.parametrize(
    ("path", "old", "new", "row"),
    leave_to_night(WRONG, but=["another index"]),
)
def test_wrong_answers_fail_at_their_test(
    grading: "GradingService", path: str, old: str, new: str, row: str | None
) -> None:
    """A wrong answer fails the test of the kit's function for that fault."""
    evaluation = discover(SUITE).select(f"^{NOTES}$", ())[0]
    files = dict(evaluation.read_answer())
    assert old in files[f"convex/{path}"]
    files[f"convex/{path}"] = files[f"convex/{path}"].replace(old, new, 1)

    verdict = grading.grade(evaluation, files)

    assert verdict.outcome is Outcome.FAILED, verdict.reason
    if row is None:
        assert verdict.failed_step is StepName.DEPLOY
    else:
        failed = [test.title for test in verdict.tests or () if test.outcome is Outcome.FAILED]
        assert any(title.startswith(row) for title in failed), failed


@pytest.mark.more
@pytest.mark.parametrize(
    ("grader", "reason"),
    [
        ("export {};\n", "has no test"),
        ('import { test } from "vitest";\ntest.skip("a", () => {});\n', "are skipped"),
        pytest.param('import "./nowhere";\n' + PASSING, "nowhere", marks=pytest.mark.night),
        pytest.param(
            PASSING + 'test("a", async () => { await fetch("https://judge.example"); });\n',
            "judge.example",
            marks=pytest.mark.night,
        ),
    ],
    ids=["empty", "skipped", "not loaded", "host"],
)
def test_graders_that_judge_nothing_are_our_problem(
    grading: "GradingService", notes: Eval, grader: str, reason: str
) -> None:
    """A grader without tests, or that cannot be loaded, or asks a host, fails no answer."""
    verdict = _grade(grading, notes, grader)

    assert verdict.outcome is Outcome.INFRASTRUCTURE
    assert reason in (verdict.reason or "")


@pytest.mark.more
def test_a_failed_hook_is_a_failure(grading: "GradingService", notes: Eval) -> None:
    """A hook that fails over an answer fails the answer."""
    grader = (
        'import { beforeAll, expect, test } from "vitest";\n'
        'import { readOutputFile } from "../../../grader";\n'
        "beforeAll(() => {\n"
        '  const source = readOutputFile("000-kit", "000-notes", "convex/index.ts");\n'
        '  expect(source).not.toContain("bad");\n'
        "});\n"
        'test("a", () => {});\n'
    )

    passed = _grade(grading, notes, grader)
    failed = _grade(grading, notes, grader, {"convex/bad.ts": "", "convex/index.ts": "// bad"})

    assert passed.outcome is Outcome.PASSED, passed.reason
    assert failed.outcome is Outcome.FAILED


@pytest.mark.night
def test_endless_answers_fail_where_the_reference_ends(
    grading: "GradingService", notes: Eval
) -> None:
    """The time limit is the answer's failure where the reference ends in time."""
    limits = _limit_tests(notes, tests_s=5)
    grader = (
        'import { test } from "vitest";\n'
        'import { readOutputFile } from "../../../grader";\n'
        'test("a", async () => {\n'
        '  const source = readOutputFile("000-kit", "000-notes", "convex/index.ts");\n'
        '  if (source.includes("slow")) await new Promise(() => {});\n'
        "});\n"
    )

    slow = f"// slow\n{notes.read_answer()['convex/index.ts']}"
    verdict = _grade(grading, limits, grader, {"convex/index.ts": slow})

    assert verdict.outcome is Outcome.FAILED, verdict.reason
    assert "5 s" in (verdict.reason or "")


def _limit_tests(evaluation: Eval, *, tests_s: float) -> Eval:
    """Return an eval whose tests have another time limit."""
    limits = evaluation.config.limits.model_copy(update={"tests_s": tests_s})
    return replace(evaluation, config=evaluation.config.model_copy(update={"limits": limits}))


@pytest.mark.more
def test_suites_bring_their_own_kit(grading: "GradingService", tmp_path: Path) -> None:
    """A kit of the suite runs as it is, and the deployment takes the key in its source."""
    shutil.copytree(SUITE, tmp_path / "suite")
    (tmp_path / "suite" / "grader").mkdir()
    (tmp_path / "suite" / "grader" / "index.ts").write_text(OWN_KIT)
    evaluation = discover(tmp_path / "suite").select("000-notes", ())[0]

    verdict = _grade(
        grading,
        evaluation,
        'import { expect, test } from "vitest";\n'
        'import { client } from "../../../grader";\n'
        'test("is admin", async () => {\n'
        '  const name = "_system/frontend/getSchemas" as any;\n'
        '  expect((await client.query(name, { componentId: null })).active).toContain("notes");\n'
        "});\n",
    )

    assert verdict.outcome is Outcome.PASSED, verdict.reason


def test_answers_do_not_reach_the_reference(grading: "GradingService", notes: Eval) -> None:
    """`fetch` in functions reaches servers of the grader, and not the reference's deployment."""
    reach = (
        'import { action } from "./_generated/server";\n'
        'import { v } from "convex/values";\n'
        "export const status = action({\n"
        "  args: { url: v.string() },\n"
        "  handler: async (_ctx, { url }) => (await fetch(url)).status,\n"
        "});\n"
    )
    verdict = _grade(
        grading,
        notes,
        'import { createServer } from "node:http";\n'
        'import { expect, test } from "vitest";\n'
        'import { api, responseClient } from "../../../grader";\n'
        "const ask = (port: number | string) =>\n"
        "  responseClient.action(api.reach.status, { url: `http://localhost:${port}/version` });\n"
        'test("reaches one of them", async () => {\n'
        "  expect(await fetch(`http://localhost:${process.env.CONVEX_ANSWER_PORT}/version`))\n"
        "    .toBeDefined();\n"
        "  const server = createServer((_request, response) => response.end());\n"
        "  await new Promise<void>((done) => server.listen(0, done));\n"
        "  expect(await ask((server.address() as any).port)).toBe(200);\n"
        "  server.close();\n"
        "  for (const port of [3212, 3213])\n"
        "    await expect(ask(port)).rejects.toThrow(/fetch failed|no network/);\n"
        "});\n",
        {"convex/reach.ts": reach},
    )

    assert verdict.outcome is Outcome.PASSED, verdict.reason


@pytest.mark.more
def test_graders_start_programs(grading: "GradingService", notes: Eval) -> None:
    """Programs, those of packages too, run over the answer's project."""
    verdict = _grade(grading, notes, PROGRAMS)

    assert verdict.outcome is Outcome.PASSED, verdict.reason


@pytest.mark.more
def test_graders_leave_nothing_to_the_next(grading: "GradingService", notes: Eval) -> None:
    """Files and variables of a grader are gone when the next one begins; its programs ended."""
    verdicts = [_grade(grading, notes, LEAVING) for _ in range(2)]

    reasons = [verdict.reason for verdict in verdicts]
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASSED] * 2, reasons


def test_lint_finds_tests_that_never_run_or_fail(notes: Eval, tmp_path: Path) -> None:
    """Lint finds skipped tests, tests for a judge, self-comparisons and unknown settings."""
    notes.grader.write_text(
        'import { expect, test } from "vitest";\n'
        'test.skip("a", () => {});\n'
        'test("b", () => { expect(true).toBe(true); });\n'
        "createAIGraderTest(import.meta.url);\n"
    )
    (notes.folder / "eval.json").write_text('{"pipeline": "full", "colour": "red"}')
    suite = discover(tmp_path / "suite")

    rules = [(each.line, each.rule) for each in lint(suite, suite.select("000-notes", ()))]

    assert rules == [
        (1, "config"),
        (2, "left-out-test"),
        (3, "assertions"),
        (4, "judged-test"),
    ]
