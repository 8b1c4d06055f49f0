"""A small eval for tests of grading: one question, to which the right answer is 42."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

from records.suites.eval_config import EvalConfig, EvalLimits, Pipeline
from runner.evals.discovery import Eval, Suite
from tests.support.texts import write_files

EVALS = Path(__file__).parents[2] / "evals"
"""The folder with the toolchain."""
SUITE = Suite(EVALS, (), "")
"""That folder as a suite without evals: a grading service needs no more of it."""

GRADER = '''
def test_value(convex) -> None:
    """The value is 42."""
    assert convex.query("notes:value") == 42
'''
_CONFIG = """\
title = "One value"
concept = "A query"
why = "Every backend has one."
guidelines = ["values"]
pipeline = "full"
"""
_PACKAGE = '{"name": "answer", "dependencies": {"convex": "^1.17.0"}}\n'


def write_question(
    folder: Path,
    grader: str = GRADER,
    *,
    pipeline: Pipeline = Pipeline.FULL,
    limits: EvalLimits | None = None,
) -> Eval:
    """Write an eval with this grader into a folder."""
    home = folder / "000-fundamentals" / "000-value"
    _write(home, {"grader.py": textwrap.dedent(grader)})
    config = EvalConfig(
        title="One value",
        concept="A query.",
        why="A test needs it.",
        guidelines=(),
        pipeline=pipeline,
        limits=limits or EvalLimits(),
    )
    return Eval("000-fundamentals/000-value", home, "Return 42.", config)


def write_eval(home: Path, task: str, grader: str = GRADER) -> None:
    """Write all files of an eval of a suite; its guidelines have the section ``values``."""
    _write(home, {"TASK.txt": f"{task}\n", "eval.toml": _CONFIG, "grader.py": grader})


def _write(home: Path, files: Mapping[str, str]) -> None:
    """Write files of an eval, and its reference answer."""
    reference = {f"answer/{path}": text for path, text in make_value_answer(42).items()}
    write_files(home, {**files, **reference})


def make_value_answer(value: int, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Answer the question with a value, with more files beside."""
    notes = f"""\
import {{ query }} from "./_generated/server";

export const value = query({{ args: {{}}, handler: async () => {value} }});
"""
    return {"package.json": _PACKAGE, "convex/notes.ts": notes, **(more or {})}


def make_node_action(body: str, head: str = "") -> dict[str, str]:
    """Write a module whose action ``evil:run`` does this in Node, returning a string."""
    return {
        "convex/evil.ts": f"""\
"use node";
import {{ v }} from "convex/values";
import * as fs from "node:fs";
import * as net from "node:net";
import * as child_process from "node:child_process";
import {{ action }} from "./_generated/server";

export const tools = [fs, net, child_process].length;
{head}
export const run = action({{
  args: {{}},
  returns: v.string(),
  handler: async () => {{
{textwrap.indent(textwrap.dedent(body), "    ")}
  }},
}});
"""
    }
