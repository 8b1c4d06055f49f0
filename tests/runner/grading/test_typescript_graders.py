"""Suites with graders in TypeScript run unmodified: vitest in a jail, over real deployments."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from records.shapes.attempt import Outcome, StepName
from runner.evals.discovery import Eval, discover
from runner.models import baselines
from runner.suite.lint import lint
from tests.runner.grading.steps.grader_runner import read_grader
from tests.support.texts import read_texts
from tests.support.tiers import leave_to_night
from tests.support.warm_command import run_command

if TYPE_CHECKING:
    from runner.grading.grade import GradingResult, GradingService

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)

SUITE = Path(__file__).parents[1] / "typescript_suite"
SUITE_WITH_KIT = SUITE.with_name("typescript_suite_with_kit")
NOTES = "000-kit/000-notes"
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
MISTAKES = json.loads(Path(__file__).with_name("kit_mistakes.json").read_text("utf-8"))
"""Wrong answers, by the functions of the kit that find them, with the tests that fail."""
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


@pytest.mark.parametrize(
    ("suite", "name"),
    [(SUITE, "003-functions/007-http_streams"), (SUITE_WITH_KIT, "000-own_kit/000-counters")],
    ids=["our kit", "own kit"],
)
def test_references_pass_and_baselines_fail(
    grading: "GradingService", suite: Path, name: str
) -> None:
    """A reference passes; an empty answer and the stub fail, the stub in a test."""
    (evaluation,) = discover(suite).select(f"^{name}$", ())

    passed = grading.grade(evaluation, evaluation.read_answer())
    empty, stub = (
        grading.grade(evaluation, baselines.make_answer(f"baseline/{baseline}", evaluation))
        for baseline in ("empty", "stub")
    )

    assert passed.outcome is Outcome.PASSED, passed.reason
    assert empty.outcome is Outcome.FAILED
    assert (stub.outcome, stub.failed_step) == (Outcome.FAILED, StepName.TESTS)


@pytest.mark.night
@pytest.mark.parametrize("suite", [SUITE, SUITE_WITH_KIT], ids=["our kit", "own kit"])
def test_whole_suites_are_proven(suite: Path) -> None:
    """Every reference of a suite passes, and every empty or stub answer fails."""
    run_command("suite", "check", "--once", "--evals", suite, timeout=600, code=0)


@pytest.mark.parametrize(
    "mistake", leave_to_night(MISTAKES, but=("compareSchema", "a schema that does not deploy"))
)
def test_each_function_of_the_kit_fails_a_wrong_answer(
    grading: "GradingService", mistake: dict[str, Any]
) -> None:
    """A wrong answer fails exactly the tests that ask the kit about its mistake, or its deploy."""
    (evaluation,) = discover(SUITE).select(f"^{mistake['evaluation']}$", ())
    module = f"convex/{mistake['module']}.ts"
    reference = evaluation.read_answer()
    text = reference[module].replace(mistake["text"], mistake["replacement"], 1)
    assert text != reference[module]

    verdict = grading.grade(evaluation, {**reference, module: text})

    failed = [test.title for test in verdict.tests or () if test.outcome is Outcome.FAILED]
    assert (verdict.outcome, sorted(failed)) == (Outcome.FAILED, mistake["rows"]), verdict.reason
    assert verdict.failed_step is (StepName.TESTS if mistake["rows"] else StepName.DEPLOY)


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
    grader = TEXTS["grader"]

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
        TEXTS["answers_do_not_reach_the_reference"],
        {"convex/reach.ts": reach},
    )

    assert verdict.outcome is Outcome.PASSED, verdict.reason


@pytest.mark.more
def test_graders_start_programs(grading: "GradingService", notes: Eval) -> None:
    """Programs, those of packages too, run over the answer's project."""
    verdict = _grade(grading, notes, read_grader("programs"))

    assert verdict.outcome is Outcome.PASSED, verdict.reason


@pytest.mark.more
def test_graders_leave_nothing_to_the_next(grading: "GradingService", notes: Eval) -> None:
    """Files and variables of a grader are gone when the next one begins; its programs ended."""
    verdicts = [_grade(grading, notes, read_grader("leaving")) for _ in range(2)]

    reasons = [verdict.reason for verdict in verdicts]
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASSED] * 2, reasons


def test_lint_finds_tests_that_never_run(notes: Eval, tmp_path: Path) -> None:
    """Lint finds skipped tests, tests for a judge, and unknown settings."""
    notes.grader.write_text(
        'import { expect, test } from "vitest";\n'
        'test.skip("a", () => {});\n'
        "createAIGraderTest(import.meta.url);\n"
    )
    (notes.folder / "eval.json").write_text('{"pipeline": "full", "colour": "red"}')
    suite = discover(tmp_path / "suite")

    rules = [(each.line, each.rule) for each in lint(suite, suite.select("000-notes", ()))]

    assert rules == [
        (1, "config"),
        (2, "left-out-test"),
        (3, "judged-test"),
    ]
