"""A small eval for tests of grading: one question, to which the right answer is 42."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

from records.eval_config import EvalConfig, Pipeline
from records.time_limits import EvalLimits
from runner.evals.discovery import Eval

EVALS = Path(__file__).parents[2] / "evals"
"""The folder with the toolchain."""

_GRADER = '''
def test_value(convex):
    """The value is 42."""
    assert convex.query("notes:value") == 42
'''
_PACKAGE = '{"name": "answer", "dependencies": {"convex": "^1.17.0"}}\n'


def question(
    folder: Path,
    grader: str = _GRADER,
    *,
    pipeline: Pipeline = Pipeline.FULL,
    limits: EvalLimits | None = None,
) -> Eval:
    """Write an eval with this grader into a folder."""
    home = folder / "000-fundamentals" / "000-value"
    home.mkdir(parents=True, exist_ok=True)
    (home / "grader.py").write_text(textwrap.dedent(grader), "utf-8")
    for path, text in answer(42).items():
        target = home / "answer" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    config = EvalConfig(
        title="One value",
        concept="A query.",
        why="A test needs it.",
        guidelines=(),
        pipeline=pipeline,
        limits=limits or EvalLimits(),
    )
    return Eval("000-fundamentals/000-value", home, "Return 42.", config)


def answer(value: int, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Answer the question with a value, with more files beside."""
    notes = f"""\
import {{ query }} from "./_generated/server";

export const value = query({{ args: {{}}, handler: async () => {value} }});
"""
    return {"package.json": _PACKAGE, "convex/notes.ts": notes, **(more or {})}


def node_action(body: str, head: str = "") -> dict[str, str]:
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
