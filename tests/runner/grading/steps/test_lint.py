"""The lint step: rules of correctness, by workers that stay."""

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from records.shapes.attempt import FaultClass, Outcome
from runner.errors import JailBrokenError
from runner.grading.steps.checks import Linter
from runner.grading.steps.step import StepResult
from runner.jail import Jail, JailedProcess, JailSpec, Kind, open_jail
from runner.toolchain import Toolchain
from runner.workspace import Workspace, create_workspace
from tests.runner.grading.steps.conftest import RIGHT

pytestmark = pytest.mark.integration

HEAD = """
import { mutation, query } from "./_generated/server";
import { v } from "convex/values";
"""


def lint(linter: Linter, parent: Path, source: str, wall_s: float = 60) -> StepResult:
    """Lint the right answer with one more file."""
    with create_workspace(parent) as workspace:
        workspace.write({**RIGHT, "convex/more.ts": source})
        return linter.lint(workspace, wall_s)


def lint_each(linter: Linter, workspace: Workspace, sources: Sequence[str]) -> dict[str, str]:
    """Lint the right answer with a file for each source; return the findings by source."""
    files = {f"convex/more{number}.ts": source for number, source in enumerate(sources)}
    workspace.write({**RIGHT, **files})
    lines = linter.lint(workspace, 60).log.splitlines()
    assert {line.partition(":")[0] for line in lines} <= files.keys()
    return {
        source: "\n".join(line for line in lines if line.startswith(f"{path}:"))
        for path, source in files.items()
    }


def test_a_right_answer_passes(linter: Linter, workspace: Workspace) -> None:
    """Lint has no finding in right code, and none in generated files."""
    workspace.write(RIGHT)
    result = linter.lint(workspace, 60)
    assert (result.step.outcome, result.log) == (Outcome.PASSED, "")


COMMENTS = [
    "// {} n",
    "//{}",
    "/// {}",
    "////{}",
    "/* {} */",
    "/** {} */",
    "/**\n * n\n * {}\n */",
    "/*\n{} */",
    "/* n */ /*{}*/",
    "#!/usr/bin/env node\n// {}",
    '"use strict"; // {}',
]
ENDINGS = [".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs"]


@pytest.mark.more
def test_no_file_can_make_the_type_checker_look_away(linter: Linter, workspace: Workspace) -> None:
    """Each such comment is a problem, in scripts of all endings and comments of all forms."""
    comments = [
        comment.format(f"@ts-{word}")
        for word in ("ignore", "expect-error", "nocheck")
        for comment in COMMENTS
    ]
    files = {
        f"convex/f{n}{ENDINGS[n % len(ENDINGS)]}": f"{comment}\nexport const f = 1;\n"
        for n, comment in enumerate(comments)
    }
    workspace.write({**RIGHT, **files})
    log = linter.lint(workspace, 60).log
    assert {line.partition(":")[0] for line in log.splitlines() if "no-ts-comment" in line} == {
        *files
    }


IMPORTS_OF_DATA = [
    'import a from "data:text/javascript,export default 1";',
    'import a from "\\x64ata:text/javascript,export default 1";',
    'export * from "data:text/javascript,export default 1";',
    'export { a } from "data:text/javascript,export const a = 1";',
    'export const a = import(/* it */ "data:text/javascript,export default 1");',
    "export const a = import(`data:text/javascript,export default 1`);",
    'export const a = import("da" + "ta:text/javascript,export default 1");',
    'export const a = import(Math.random() ? "./b" : "data:text/javascript,");',
    'export const a = require("data:text/javascript,module.exports = 1");',
    'import a = require("data:text/javascript,module.exports = 1");',
]


def test_an_import_is_a_file_or_a_package(linter: Linter, workspace: Workspace) -> None:
    """Code in an address, in any form, is a problem, because no check sees it."""
    findings = lint_each(linter, workspace, IMPORTS_OF_DATA)
    assert [
        source for source in findings if "(answers/plain-imports)" not in findings[source]
    ] == []


def test_imports_that_are_written_out_are_right(linter: Linter, tmp_path: Path) -> None:
    """Files and packages may be imported dynamically, and a function be called require."""
    source = """
    import type { Doc } from "./_generated/dataModel";
    function require(held: boolean, why: string) { if (!held) throw new Error(why); }
    export const a = async (d: Doc<"notes">) => {
        require(d.text.startsWith("data:"), `data:${d.text}`);
        return [await import("./schema"), await import(`convex/values`)];
    };
    """
    assert lint(linter, tmp_path, source).log == ""


SCRIPTS = (
    *("convex/a.js", "convex/b.jsx", "convex/c.mjs", "convex/d.cjs", "convex/e.mts"),
    *("convex/f.cts", "src/a.tsx", "src/deep/_generated/a.ts", "other/a.ts"),
    *("convex/_generated.ts", "convex/my_generated/a.ts", "a.ts"),
)


def test_every_script_is_linted(linter: Linter, workspace: Workspace) -> None:
    """A script is linted with any ending, in any folder."""
    wrong = "export const a = 1;\nif (a === a) throw new Error();\n"
    workspace.write({**RIGHT, **dict.fromkeys(SCRIPTS, wrong)})
    lines = linter.lint(workspace, 60).log.splitlines()
    assert [path for path in SCRIPTS if not any(x.startswith(f"{path}:2:5:") for x in lines)] == []


MISTAKES = {
    "@typescript-eslint/no-floating-promises": (
        """export const a = mutation({ args: { t: v.string() }, handler: async (ctx, args) => {
            ctx.db.insert("notes", { text: args.t });
        } });"""
    ),
    "@typescript-eslint/no-misused-promises": (
        """export const a = query({ args: {}, handler: async (ctx) => {
            if (ctx.db.query("notes").first()) return 1;
        } });"""
    ),
    "@convex-dev/no-old-registered-function-syntax": (
        "export const a = query(async (ctx) => await ctx.db.query('notes').first());"
    ),
    "@convex-dev/require-args-validator": (
        "export const a = query({ handler: async (ctx, args: { n: number }) => args.n });"
    ),
    "no-self-compare": "export const a = (n: number) => n === n;",
}
"""A source that breaks the rule, by the rule's name."""


def test_each_rule_finds_its_mistake(linter: Linter, workspace: Workspace) -> None:
    """The message names file, place and rule."""
    sources = {rule: HEAD + source for rule, source in MISTAKES.items()}
    findings = lint_each(linter, workspace, tuple(sources.values()))
    assert [rule for rule in sources if f"({rule})" not in findings[sources[rule]]] == []


def test_the_first_mistake_is_the_message(linter: Linter, tmp_path: Path) -> None:
    """The answer has failed, and the message begins with file and place."""
    result = lint(linter, tmp_path, "export const a = (n: number) => n === n;")
    assert result.step.outcome is Outcome.FAILED
    assert (result.step.message or "").startswith("convex/more.ts:1:33:")


NOT_PRETTY = (
    # a promise that is awaited elsewhere, or marked as ignored
    "export const a = async (p: Promise<void>) => { void p; };",
    # both forms of the API are right
    """export const a = query({ args: { id: v.id("notes") },
        handler: async (ctx, { id }) => await ctx.db.get(id) });""",
    "export const a = query({ handler: async (ctx) => await ctx.db.query('notes').take(1) });",
    "const unused = 1; let never: any = 2; export {};",
)


def test_style_is_not_judged(linter: Linter, workspace: Workspace) -> None:
    """Right code that is not pretty passes."""
    findings = lint_each(linter, workspace, [HEAD + source for source in NOT_PRETTY])
    assert set(findings.values()) == {""}


ELSEWHERE = """
export const late = async (n: number) => n > 1;
export const soon = (n: number) => n > 1;
"""
"""Another file of the answer: the result types of its functions are not written at the calls."""


def lint_statements(
    linter: Linter, workspace: Workspace, statements: Sequence[str]
) -> dict[str, str]:
    """Lint a function of each statement beside its callees; return the findings by statement."""
    sources = {
        f"""
        import timers from "node:timers/promises";
        import {{ cronJobs, anyApi as internal }} from "convex/server";
        import {{ convexTest }} from "convex-test";
        import {{ useState }} from "react";
        import {{ vi }} from "vitest";
        import {{ late, soon }} from "./elsewhere";
        export const a = async () => {{ {statement} }};
        export const used = [convexTest, cronJobs, internal, late, soon, timers, useState, vi];
        """: statement
        for statement in statements
    }
    workspace.write({"convex/elsewhere.ts": ELSEWHERE})
    findings = lint_each(linter, workspace, tuple(sources))
    return {statement: findings[source] for source, statement in sources.items()}


PROMISES = (
    "late(1);",
    "[1, 2].map(late);",
    "late(1).then(() => 1);",
    "const kept = new Map([[1, late(1)]]); kept.get(1);",
    "timers.scheduler.wait(1);",
    "convexTest().run(async () => 1);",
    "vi.advanceTimersByTimeAsync(1);",
    "if (late(1)) soon(1);",
    "let answer; answer = late(1); if (!answer) soon(1);",
    "[1, 2].filter((n) => late(n));",
    "const all = { ...late(1) };",
)


def test_a_promise_is_found_by_its_type(linter: Linter, workspace: Workspace) -> None:
    """The type of a call comes from other files and packages, not from its name or syntax."""
    findings = lint_statements(linter, workspace, PROMISES)
    assert [statement for statement in findings if "-promises)" not in findings[statement]] == []


def test_an_ordinary_test_suite_is_right(linter: Linter, tmp_path: Path) -> None:
    """Vitest's functions return no promises, and those of `resolves` are awaited."""
    source = """
    import { afterEach, describe, expect, test, vi } from "vitest";
    afterEach(() => { vi.useRealTimers(); });
    describe("numbers", () => {
      test.each([1, 2])("%d is small", async (n) => {
        vi.useFakeTimers();
        expect(n).toBeLessThan(3);
        await expect(Promise.resolve(n)).resolves.not.toBe(3);
      });
    });
    """
    assert lint(linter, tmp_path, source).log == ""


NO_PROMISES = (
    "await late(1);",
    "void late(1);",
    "late(1).catch(() => false);",
    "late(1).then(() => 1, () => 2);",
    "soon(1);",
    "cronJobs().daily('at noon', { hourUTC: 12, minuteUTC: 0 }, internal.more.b);",
    "const [, setIt] = useState(1); setIt(2);",
    "const all: number[] = []; all.push(1); all.sort();",
    "if (new Map([[1, late(1)]]).get(1)) soon(1);",
    "const answer = await late(1); if (!answer) soon(1);",
    "[1, 2].filter((n) => soon(n));",
    "let answer; answer = late(1); await answer;",
    "await Promise.all([1, 2].map(late));",
    "const all = { ...{ a: soon(1) } };",
)


def test_values_and_awaited_promises_are_right(linter: Linter, workspace: Workspace) -> None:
    """Lint has no finding in these statements."""
    findings = lint_statements(linter, workspace, NO_PROMISES)
    assert set(findings.values()) == {""}


def test_comments_switch_nothing_off(linter: Linter, tmp_path: Path) -> None:
    """An answer cannot excuse itself from a rule."""
    source = "/* eslint-disable */\nexport const a = (n: number) => n === n; // eslint-disable-line"
    assert lint(linter, tmp_path, source).step.outcome is Outcome.FAILED


def test_a_file_that_does_not_parse_is_failed(linter: Linter, tmp_path: Path) -> None:
    """The parse error is the message."""
    result = lint(linter, tmp_path, "export const = ;")
    assert result.step.outcome is Outcome.FAILED
    assert (result.step.message or "").startswith("convex/more.ts:1:13: does not parse: ")


@pytest.mark.more
def test_one_answer_does_not_touch_the_next(linter: Linter, tmp_path: Path) -> None:
    """Several threads at once, several answers per worker: each gets its own verdict."""

    def run(number: int) -> tuple[str, ...]:
        bad = "export const f = (n: number) => n === n;\n" * (number % 2)
        return tuple(lint(linter, tmp_path, bad + f"export const n{number} = 1;").log.split())[:1]

    with ThreadPoolExecutor(2) as threads:
        positions = list(threads.map(run, range(6)))
    assert positions == [(), ("convex/more.ts:1:33:",)] * 3


@pytest.mark.more
def test_past_its_time_it_fails_and_the_next_is_unaffected(linter: Linter, tmp_path: Path) -> None:
    """A worker that does not answer in time is replaced."""
    slow = "".join(f"export const a{n} = [{n}].map((x) => x + {n});\n" for n in range(20_000))
    result = lint(linter, tmp_path, slow, wall_s=0.1)  # it took seconds when this was written
    assert result.step.message == "linting did not end within 0.1 s"
    assert lint(linter, tmp_path, "export const a = 1;").passed


@pytest.mark.night
def test_without_a_jail_nothing_is_left_behind(toolchain: Toolchain, tmp_path: Path) -> None:
    """Types are found without a jail too, and the worker removes its folder."""
    before = set(Path(tempfile.gettempdir()).glob("lint-*"))
    source = "export const a = async (p: Promise<void>) => { p; };"
    with Linter(open_jail("none"), toolchain) as linter:
        result = lint(linter, tmp_path, source)
    assert "no-floating-promises" in result.log
    assert set(Path(tempfile.gettempdir()).glob("lint-*")) <= before


class BrokenJail(Jail):
    """A jail of a machine that cannot start anything."""

    name: Kind = "bwrap"

    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:  # noqa: ARG002
        """Refuse to start a program."""
        raise JailBrokenError("no more processes")


def test_broken_machinery_is_not_the_models_failure(
    toolchain: Toolchain, workspace: Workspace
) -> None:
    """Without a worker there is no verdict."""
    with Linter(BrokenJail(), toolchain) as linter:
        result = linter.lint(workspace, 60)
    assert result.step.outcome is Outcome.INFRASTRUCTURE
    assert result.fault
    assert result.fault.kind is FaultClass.SANDBOX


def test_code_is_not_made_of_texts(linter: Linter, workspace: Workspace) -> None:
    """Both eval and Function are refused in every form of call; a type test is allowed."""
    refused = [
        'eval("1");',
        'export const run = eval; run("1");',
        '(0, eval)("1");',
        'export const make = new Function("return 1");',
        'export const make = Function("return 1");',
        'export const maker = Function; maker("return 1");',
        'export const make = Reflect.construct(Function, ["return 1"]);',
    ]
    allowed = [
        "export const isCode = (x: unknown) => x instanceof Function;",
        "export class Function2 { eval(x: number) { return x; } }",
        "export const evaluate = (eval2: number) => eval2;",
    ]
    findings = lint_each(linter, workspace, [*refused, *allowed])
    rule = "answers/no-code-in-texts"
    assert {source: rule in findings[source] for source in refused} == dict.fromkeys(refused, True)
    assert {source: rule in findings[source] for source in allowed} == dict.fromkeys(allowed, False)
