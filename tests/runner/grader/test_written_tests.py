"""Tests that a model wrote are run over versions of the code, and believed no further than that."""

from dataclasses import replace
from pathlib import Path

import pytest

from records.run import Outcome
from runner.errors import GraderMistakeError
from runner.grader import planted
from runner.grader.written_tests import Bench, SuiteRun, WrittenTests, WrittenTestsBroken
from runner.grading import Desk
from runner.jail import open_jail
from runner.toolchain import find_toolchain
from tests.runner.answers import EVALS, answer, question

SCHEMA = """\
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
export default defineSchema({ counters: defineTable({ owner: v.string(), n: v.number() }) });
"""
CODE = """\
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation, query } from "./_generated/server";

export const add = mutation({
  args: { n: v.number() },
  handler: async (ctx, { n }) => {
    const identity = await ctx.auth.getUserIdentity();
    if (!identity) throw new Error("not signed in");
    const id = await ctx.db.insert("counters", { owner: identity.subject, n });
    await ctx.scheduler.runAfter(60_000, internal.counters.drop, { id });
  },
});
export const drop = internalMutation({
  args: { id: v.id("counters") },
  handler: async (ctx, { id }) => { await ctx.db.delete(id); },
});
export const sum = query({
  args: {},
  handler: async (ctx) => {
    const all = await ctx.db.query("counters").collect();
    return all.reduce((sum, { n }) => sum + n, 0);
  },
});
"""
SUITE = """\
/// <reference types="vite/client" />
import { convexTest } from "convex-test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { api } from "./_generated/api";
import schema from "./schema";

const modules = import.meta.glob("./**/*.ts");
beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

describe("counters", () => {
  test("strangers add nothing", async () => {
    const t = convexTest(schema, modules);
    await expect(t.mutation(api.counters.add, { n: 1 })).rejects.toThrow("not signed in");
  });
  test("a counter counts for a minute", async () => {
    const t = convexTest(schema, modules).withIdentity({ subject: "ada" });
    await t.mutation(api.counters.add, { n: 2 });
    expect(await t.query(api.counters.sum)).toBe(2);
    await t.finishAllScheduledFunctions(vi.runAllTimers);
    expect(await t.query(api.counters.sum)).toBe(0);
  });
});
"""
FILES = {"convex/schema.ts": SCHEMA, "convex/counters.ts": CODE}
TEST = "convex/counters.test.ts"
VITEST = 'import { test, expect } from "vitest";\n'
HOSTILE = {
    "prints": """\
test("x", () => {
  console.log(JSON.stringify({ files: [] }));
  process.stdout.write(`{"ready":true}\\n{"files":[]}\\n`);
  expect(1).toBe(2);
});""",
    "prints endlessly": 'test("x", () => { for (;;) process.stdout.write("x".repeat(1e6)); });',
    "exits": 'test("x", () => { process.exit(0); });',
    "exits as it loads": "process.exit(0);",
    "exits past vitest": 'test("x", () => { (process as any).reallyExit(0); });',
    "kills itself": 'test("x", () => { process.kill(process.pid, "SIGKILL"); });',
    "never ends": 'test("x", () => { for (;;); });',
    "uses all memory": """\
test("x", () => { const held: string[][] = []; for (;;) held.push(Array(1e6).fill("x")); });""",
    "writes": """\
import { writeFileSync } from "node:fs";
test("x", () => { writeFileSync(new URL("./counters.ts", import.meta.url).pathname, ""); });""",
}
FORGED_REPORT = """\
// Where the jail is root's, the pipe is refused: it belongs to another user.
try { writeFileSync(`/proc/${process.ppid}/fd/1`, `{"ready": true}\\n{"files": []}\\n`) } catch {}
process.kill(process.ppid, "SIGKILL");"""


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Make ready what runs tests."""
    folder = tmp_path_factory.mktemp("versions")
    return Bench(open_jail("bwrap"), find_toolchain(EVALS), folder, patience_s=5)


def came_of(bench: Bench, **suites: str) -> dict[str, SuiteRun]:
    """Run each of these suites over the right code."""
    versions = {name: {TEST: suite} for name, suite in suites.items()}
    return dict(WrittenTests(bench, FILES).run(versions))


def outcome(run: SuiteRun) -> tuple[str, int, tuple[str, ...]]:
    """Tell what came of a run, how many tests ran, and what failed."""
    return run.outcome, run.tests, tuple(failure.name for failure in run.failures)


def test_versions_run_as_they_are_asked_for_where_that_is_wanted(bench: Bench) -> None:
    """Then each is run by itself, and those that nobody asks for are not laid out at all."""
    tests = WrittenTests(bench, {**FILES, TEST: SUITE}, as_asked=True)
    versions = {
        "kept": {"convex/counters.ts": planted(CODE, "await ctx.db.delete(id);", "")},
        "never asked for": {"../outside.ts": ""},
    }
    runs = tests.run(versions)
    assert list(runs) == list(versions)
    assert outcome(runs["kept"]) == ("failed", 2, ("counters > a counter counts for a minute",))
    assert tests.run(versions)["kept"] is runs["kept"]


def test_a_suite_is_told_from_what_it_says_of_each_version(bench: Bench) -> None:
    """It passes on the right code, and the test that finds a planted bug is named."""
    tests = WrittenTests(bench, {**FILES, TEST: SUITE, "package.json": "{}"})
    versions = {
        "right": FILES,
        "otherwise": {"convex/counters.ts": planted(CODE, "60_000", "60 * 1000")},
        "anybody": {"convex/counters.ts": planted(CODE, "if (!identity)", "if (false)")},
        "kept": {"convex/counters.ts": planted(CODE, "await ctx.db.delete(id);", "")},
    }
    runs = tests.run(versions)
    assert list(runs) == list(versions)
    assert outcome(runs["right"]) == ("passed", 2, ())
    assert outcome(runs["otherwise"]) == ("passed", 2, ())
    assert outcome(runs["anybody"]) == ("failed", 2, ("counters > strangers add nothing",))
    assert outcome(runs["kept"]) == ("failed", 2, ("counters > a counter counts for a minute",))
    assert runs["kept"].reason == (
        "1 of 2 tests failed; counters > a counter counts for a minute: "
        "expected 2 to be +0 // Object.is equality"
    )
    assert tests.run(versions) is runs


def test_modules_are_found_without_being_named(bench: Bench) -> None:
    """The library finds the functions of each version by itself, as in a project of its own."""
    tests = WrittenTests(bench, {**FILES, TEST: SUITE.replace("(schema, modules)", "(schema)")})
    runs = tests.run(
        {"right": {}, "kept": {"convex/counters.ts": planted(CODE, "await ctx.db.delete(id);", "")}}
    )
    assert [run.outcome for run in runs.values()] == ["passed", "failed"]


def test_tests_run_without_a_jail_too(tmp_path: Path) -> None:
    """Where the maintainer wants no jail, packages and versions are found where they are."""
    bench = Bench(open_jail("none"), find_toolchain(EVALS), tmp_path / "versions")
    assert outcome(came_of(bench, suite=SUITE)["suite"]) == ("passed", 2, ())


def test_each_way_of_not_testing_has_a_word_of_its_own(bench: Bench) -> None:
    """Files without tests, with skipped ones, that do not load, or fail outside of tests."""
    runs = came_of(
        bench,
        none="export const nothing = 1;",
        skipped=VITEST + 'test.skip("x", () => {});',
        broken=VITEST + 'test("x" => {);',
        missing=VITEST + 'import { y } from "./nothing"; test("x", () => { y(); });',
        hook=VITEST + 'test.beforeAll(() => { throw Error("cold"); }); test("x", () => {});',
        rejects=VITEST
        + """\
test("x", async () => {
  void Promise.reject(new Error("left alone"));
  await new Promise((resolve) => setTimeout(resolve, 20));
});""",
        waits=VITEST + 'test("x", () => new Promise(() => {}), 50);',
    )
    assert {name: outcome(run) for name, run in runs.items()} == {
        "none": ("no_tests", 0, ()),
        "skipped": ("no_tests", 0, ()),
        "broken": ("not_loaded", 0, ("",)),
        "missing": ("not_loaded", 0, ("",)),
        "hook": ("failed", 0, ("",)),
        "rejects": ("failed", 1, ("",)),
        "waits": ("failed", 1, ("x",)),
    }
    assert "Cannot find module './nothing'" in runs["missing"].reason
    assert "left alone" in runs["rejects"].reason
    (nothing,) = WrittenTests(bench, FILES).run({"no test file": {}}).values()
    assert outcome(nothing) == ("no_tests", 0, ())


def test_hostile_suites_are_recorded_for_what_they_are(bench: Bench) -> None:
    """Whatever a suite does to its process: the others are run, and none of it passes."""
    runs = came_of(bench, **{name: VITEST + body for name, body in HOSTILE.items()}, good=SUITE)
    # They run into the limit of their memory, or spend their time before that.
    for name in ("uses all memory", "prints endlessly"):
        assert runs.pop(name).outcome in {"ended", "timed_out"}
    assert {name: run.outcome for name, run in runs.items()} == {
        "prints": "failed",
        "exits": "failed",
        "exits as it loads": "not_loaded",
        "exits past vitest": "ended",
        "kills itself": "ended",
        "never ends": "timed_out",
        "writes": "failed",
        "good": "passed",
    }
    assert "expected 1 to be 2" in runs["prints"].reason
    assert "ended with status 0" in runs["exits past vitest"].reason
    assert "did not end within 5 s" in runs["never ends"].reason
    assert "read-only" in runs["writes"].reason


PEEK = """\
/// <reference types="vite/client" />
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
const SYSTEM = "bin dev etc harness lib lib32 lib64 libx32 node node_modules proc sbin sys tmp usr";
const here = readFileSync(new URL("./counters.ts", import.meta.url).pathname, "utf8");
const globbed = Object.values(import.meta.glob(
  ["../../../*/project/convex/counters.ts", "../../*/convex/counters.ts"],
  { query: "?raw", import: "default", eager: true },
));
test("this version is the only one that can be read", () => {
  expect(new Set([here, ...globbed])).toEqual(new Set([here]));
  const places = readdirSync("/").filter((name) => !SYSTEM.split(" ").includes(name));
  expect(places).toEqual(["version"]);
  expect(readdirSync("/version")).toEqual(["project"]);
});
"""


def test_a_suite_sees_one_version_of_the_code(bench: Bench) -> None:
    """Neither vitest's globs nor the file system show it another, beside which it could be held."""
    texts = {"as it is": CODE, "later": f"{CODE}// later", "kept": CODE.replace("delete", "get")}
    versions = {name: {"convex/counters.ts": text, TEST: PEEK} for name, text in texts.items()}
    patient = replace(bench, patience_s=60)
    runs = WrittenTests(patient, FILES).run(versions)
    assert {name: (run.outcome, run.reason) for name, run in runs.items()} == dict.fromkeys(
        texts, ("passed", "all 1 tests passed")
    )


@pytest.mark.parametrize(
    ("attack", "expected"),
    [
        ('process.kill(process.ppid, "SIGKILL");', ("ended", "status 137")),
        ('process.kill(process.ppid, "SIGSTOP");', ("timed_out", "did not end within 15 s")),
        (FORGED_REPORT, ("ended", "status 137")),
    ],
)
def test_a_suite_that_attacks_the_runner_has_passed_nothing(
    bench: Bench, attack: str, expected: tuple[str, str]
) -> None:
    """Where the runner is killed, stopped or spoken for, no version is believed to have passed."""
    suite = f"""\
import {{ writeFileSync }} from "node:fs";
{VITEST}
test("x", () => {{ {attack} }});"""
    (run,) = came_of(bench, only=suite).values()
    assert (run.outcome, expected[1] in run.reason) == (expected[0], True), run.reason


def test_a_runner_that_does_not_start_is_ours(bench: Bench, tmp_path: Path) -> None:
    """Without its packages the runner is broken, and nobody's tests are blamed."""
    library = tmp_path / "node_modules" / "convex-test"
    library.mkdir(parents=True)
    toolchain = replace(bench.toolchain, root=tmp_path)
    broken = Bench(bench.jail, toolchain, tmp_path / "versions")
    with pytest.raises(WrittenTestsBroken, match="did not start"):
        WrittenTests(broken, FILES).run({"right": {}})


def test_versions_that_cannot_be_laid_out_are_the_graders_mistake(bench: Bench) -> None:
    """A path that leaves the project, and a bug that is planted nowhere or twice, are refused."""
    with pytest.raises(GraderMistakeError, match="must not leave"):
        WrittenTests(bench, FILES).run({"out": {"../out.ts": ""}})
    with pytest.raises(GraderMistakeError, match="found 0 times: 'drop it'"):
        planted(CODE, "drop it", "")
    with pytest.raises(GraderMistakeError, match="found 3 times"):
        planted(CODE, "async (ctx", "")


GRADER = '''
from runner.grader import planted

VALUE = """import {{ query }} from "./_generated/server";
export const value = query({{ args: {{}}, handler: async () => 42 }});
"""
VERSIONS = {{
    "right": {{"convex/notes.ts": VALUE}},
    "wrong": {{"convex/notes.ts": planted(VALUE, "42", "{planted}")}},
}}

def test_right(written_tests):
    """The tests pass on the right code."""
    run = written_tests.run(VERSIONS)["right"]
    assert run.passed, run.reason

def test_wrong(written_tests):
    """The tests notice another value."""
    run = written_tests.run(VERSIONS)["wrong"]
    assert run.outcome == "failed", run.reason
'''


def test_a_grader_asks_for_the_answers_own_tests(tmp_path: Path) -> None:
    """An answer with a test file is deployed, checked and linted, and a grader runs its tests."""
    suite = """\
import { convexTest } from "convex-test";
import { expect, test } from "vitest";
import { api } from "./_generated/api";
test("the value", async () => {
  expect(await convexTest().query(api.notes.value)).toBe(42);
});
"""
    files = answer(42, {"convex/notes.test.ts": suite})
    with Desk(suite_root=EVALS, workers=1) as desk:
        graded = desk.grade(question(tmp_path, GRADER.format(planted="43")), files)
        assert (graded.outcome, graded.reason) == (Outcome.PASSED, None)
        graded = desk.grade(question(tmp_path, GRADER.format(planted="6 * 7")), files)
        assert graded.outcome is Outcome.FAILED
        assert "all 1 tests passed" in (graded.reason or "")
