"""A suite of one eval without lint findings, made as an author makes it."""

import json
import textwrap
from pathlib import Path

from runner.evals import canary
from runner.evals.discovery import discover
from runner.suite.lint import Finding, lint
from runner.suite.new import make_eval
from tests.runner.small_suite import PINS
from tests.support.texts import read_texts

TEXTS = read_texts(__file__)

GUIDELINES = "# Writing\n\n## Kinds\n\nChoose the right kind.\n"

TASK = TEXTS["task"]

CONFIG = """\
title = "Skates by size"
concept = "Reading by an index."
why = "A query without an index reads the whole table, and fails once it has grown."
guidelines = ["kinds"]
level = "standard"
"""

TEST_OF_VARIANTS = "test_skates_of_a_size_are_listed"
"""The test that every wrong variant names."""

ANSWER = "answer/convex/example.ts"

DEFINED = """\
export const count = query({ args: { sizeEu: v.number(), weightG: v.number() }, handler });
const handler = () => { throw new ConvexError({ size: { owner: "NOT_FOUND" } }, "not found"); };
export default defineSchema({ lockers: defineTable({ lender: v.string() }).index("by_size", []) });
export const App = () => <button>Borrow</button>;
"""
"""A file of the reference with names that the task does not mention."""

HEAD = TEXTS["head"]

GRADER = HEAD + TEXTS["text"]


def write_clean(root: Path) -> Path:
    """Make a suite at ``root`` with one eval, fill it in, and return the eval's folder."""
    root.mkdir(parents=True)
    (root / "guidelines.md").write_text(GUIDELINES)
    (root / "package.json").write_text(json.dumps({"dependencies": PINS}))
    folder = make_eval(root, "queries", "skates")
    fill_in(folder)
    return folder


def fill_in(folder: Path) -> None:
    """Fill in the texts that `suite new` leaves to the author."""
    (folder / "TASK.txt").write_text(TASK)
    (folder / "eval.toml").write_text(CONFIG)
    (folder / "grader.py").write_text(GRADER)
    calibration = folder / "calibration" / "calibration.toml"
    filled = calibration.read_text().replace("FILL IN", "So it is")
    filled = filled.replace("test_something", TEST_OF_VARIANTS)
    before = (folder / ANSWER).read_text().splitlines()[-1]
    assert before in filled
    calibration.write_text(filled.replace(before, "export const list = 1;"))
    for number, path in enumerate([folder / ANSWER, *folder.glob("calibration/pass/*/**/*.ts")]):
        path.write_text(f"export const list = {number + 1};\n")
    (folder / "answer" / "convex" / "sizes.tsx").write_text(DEFINED)
    canary.mark(folder)


def plant_code(folder: Path, code: str) -> list[Finding]:
    """Put further code into the grader, and return the lint findings."""
    grader = folder / "grader.py"
    grader.write_text(f"{grader.read_text()}\n\n{textwrap.dedent(code)}")
    return list_findings(folder)


def list_findings(folder: Path) -> list[Finding]:
    """Return the lint findings of an eval's suite."""
    suite = discover(folder.parents[1])
    return lint(suite, suite.evals)


def list_found_rules(findings: list[Finding]) -> list[str]:
    """Return the rules of findings."""
    return [finding.rule for finding in findings]
