"""The lint step: rules of correctness, by workers that stay, and that start from a snapshot."""

import json
import os
import re
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from records.shapes.attempt import FaultClass, Outcome
from runner.errors import JailBrokenError, ToolchainBrokenError
from runner.grading.steps.checks import Linter, find_snapshot
from runner.grading.steps.step import StepResult
from runner.jail import Jail, JailedProcess, JailSpec, Kind, open_jail
from runner.toolchain import Toolchain
from runner.workspace import Workspace, create_workspace
from tests.runner.grading.steps.conftest import RIGHT

pytestmark = pytest.mark.integration


def lint(linter: Linter, parent: Path, source: str, wall_s: float = 60) -> StepResult:
    """Lint the right answer with one more file."""
    with create_workspace(parent) as workspace:
        workspace.write({**RIGHT, "convex/more.ts": source})
        return linter.lint(workspace, wall_s)


CASES = json.loads(Path(__file__).with_name("lint_cases.json").read_text("utf-8"))
"""Files, and statements of a function: those that break each rule, and those that are right."""
STATEMENT = """
import timers from "node:timers/promises";
import { cronJobs, anyApi as internal } from "convex/server";
import { convexTest } from "convex-test";
import { useState } from "react";
import { vi } from "vitest";
import { late, soon } from "./elsewhere";
export const a = async () => { {statement} };
export const used = [convexTest, cronJobs, internal, late, soon, timers, useState, vi];
"""
ELSEWHERE = """
export const late = async (n: number) => n > 1;
export const soon = (n: number) => n > 1;
"""
"""Another file of the answer: the result types of its functions are not written at the calls."""


@pytest.mark.parametrize(("kind", "around"), [("files", "{statement}"), ("statements", STATEMENT)])
def test_what_breaks_a_rule_is_found_and_nothing_else(
    linter: Linter, workspace: Workspace, kind: str, around: str
) -> None:
    """Findings name file and rule; right code passes, and generated files and style do too."""
    sources = [(rule, each) for rule, wrong in CASES[kind]["wrong"].items() for each in wrong]
    sources += [("", each) for each in CASES[kind]["right"]]
    texts = {
        f"convex/more{number}.ts": around.replace("{statement}", source)
        for number, (_, source) in enumerate(sources)
    }
    workspace.write({**RIGHT, "convex/elsewhere.ts": ELSEWHERE, **texts})
    lines = linter.lint(workspace, 60).log.splitlines()
    assert {line.partition(":")[0] for line in lines} <= texts.keys()
    for path, (rule, source) in zip(texts, sources, strict=True):
        findings = [line for line in lines if line.startswith(f"{path}:")]
        if rule:
            assert any(f"{rule})" in line for line in findings), (rule, source)
        else:
            assert findings == [], source


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


def test_the_first_mistake_is_the_message(linter: Linter, tmp_path: Path) -> None:
    """The answer has failed, and the message begins with file and place."""
    result = lint(linter, tmp_path, "export const a = (n: number) => n === n;")
    assert result.step.outcome is Outcome.FAILED
    assert (result.step.message or "").startswith("convex/more.ts:1:33:")


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


FLOATING = """
import { mutation } from "./_generated/server";
import { v } from "convex/values";
export const add = mutation({
  args: { n: v.number() },
  handler: async (ctx, args) => { ctx.db.insert("items", args); },
});
"""


@pytest.fixture(scope="session")
def user_snapshot(jail: Jail, toolchain: Toolchain) -> Path:
    """Return the snapshot from which the linters of all tests start."""
    return find_snapshot(jail, toolchain).source


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of snapshots, which is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "convex-leaderboard" / "linters"


@pytest.mark.night
def test_a_snapshot_is_made_once_and_the_next_needs_no_sources(
    cache: Path, jail: Jail, toolchain: Toolchain, workspace: Workspace
) -> None:
    """The second linter finds it; rules with types work in a worker that starts from it."""
    (old := cache / "of-other-sources").mkdir(parents=True)
    (recent := cache / "of-recent-sources").mkdir()
    last_use = time.time() - 8 * 86_400
    os.utime(old, (last_use, last_use))
    folder = find_snapshot(jail, toolchain).source
    made = (folder / "lint_worker.blob").stat()
    assert {path.name for path in folder.iterdir()} == {"lint_worker.blob"}
    assert made.st_mode & 0o022 == 0, "nobody else may write it"
    assert set(cache.iterdir()) == {folder, recent}, "those without use for a week are gone"
    assert find_snapshot(jail, toolchain).source == folder
    assert (folder / "lint_worker.blob").stat() == made
    workspace.write({**RIGHT, "convex/more.ts": FLOATING})
    with Linter(jail, toolchain) as linter:
        result = linter.lint(workspace, 60)
    assert result.step.outcome is Outcome.FAILED
    assert "no-floating-promises" in result.log


def test_a_damaged_snapshot_is_named(
    user_snapshot: Path, cache: Path, jail: Jail, toolchain: Toolchain
) -> None:
    """The message has the folder to remove."""
    shutil.copytree(user_snapshot, cache / user_snapshot.name)
    folder = find_snapshot(jail, toolchain).source
    blob = folder / "lint_worker.blob"
    with blob.open("r+b") as file:
        file.truncate(1_000_000)
    with (
        Linter(jail, toolchain) as linter,
        pytest.raises(JailBrokenError, match=re.escape(f"remove {folder}, and it is made anew")),
    ):
        linter.prepare()
    assert folder.parent == cache


def test_a_snapshot_that_cannot_be_made_is_not_the_models_failure(
    cache: Path, jail: Jail, toolchain: Toolchain
) -> None:
    """The message names the linter: a file stands in the place of the folder."""
    cache.parent.mkdir()
    cache.write_text("")
    with pytest.raises(ToolchainBrokenError, match="our linters could not be made"):
        find_snapshot(jail, toolchain)
