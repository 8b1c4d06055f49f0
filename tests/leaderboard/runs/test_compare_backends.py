"""`verify --backend local`: verdicts of the emulator and of a stand-in for Convex's own backend."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from runner.backends.local import BINARY_VARIABLE
from tests.runner.backends.stand_in import write_stand_in, write_suite_over_stand_in
from tests.support.warm_command import Ended, run_command

pytestmark = pytest.mark.more

GRADER = """
import { expect, test } from "vitest";
test("answers", async () => {
  const url = `http://localhost:${process.env.CONVEX_PORT}/api/query`;
  const body = JSON.stringify({ path: "index:a", args: {}, format: "json" });
  const headers = { "content-type": "application/json" };
  const reply = await (await fetch(url, { method: "POST", headers, body })).json();
  expect(["WORDS"]).toContain(reply.status);
});
"""
"""The emulator answers with an error, as there is no such function; the stand-in with success."""

GRADERS: Mapping[str, str] = {
    "000-only_there": GRADER.replace("WORDS", "success"),
    "001-only_here": GRADER.replace("WORDS", "error"),
    "002-both": GRADER.replace("WORDS", 'error", "success'),
}


def compare(folder: Path, mode: str, *arguments: str | Path, code: int) -> Ended:
    """Compare both backends on the suite in a folder; the stand-in replies with ``mode``."""
    variables = {BINARY_VARIABLE: str(write_stand_in(folder, mode))}
    given = ("verify", "--backend", "local", "--evals", folder / "suite", *arguments)
    return run_command(*given, variables=variables, timeout=300, code=code)


def test_differences_are_listed_by_direction_beside_the_share(tmp_path: Path) -> None:
    """References, a wrong variant and a stored answer: each direction, the share, its interval."""
    suite, data = tmp_path / "suite", tmp_path / "data"
    write_suite_over_stand_in(suite, GRADERS)
    wrong = suite / "evals" / "000-a" / "002-both" / "calibration"
    (wrong / "fail" / "broken" / "convex").mkdir(parents=True)
    (wrong / "fail" / "broken" / "convex" / "index.ts").write_text("export const = 1;\n")
    (wrong / "calibration.toml").write_text('[fail.broken]\nreason = "No code."\nstep = "deploy"\n')
    run = ("run", "-m", "oracle", "-f", "both", "--evals", suite, "--data", data)
    run_command(*run, timeout=300, code=0)
    (record,) = (data / "local" / "runs").rglob("*.json")
    stored = record.stem[:8]

    done = compare(tmp_path, "deploys", stored, "--data", data, code=1)

    first, there_fails, second, here_fails, counts, share = done.stdout.splitlines()
    assert first == "passes here and fails there (1):"
    title = "  000-a/001-only_here reference"
    assert there_fails.startswith(f"{title}: here: passed; there: failed at tests")
    assert second == "fails here and passes there (1):"
    assert here_fails.startswith("  000-a/000-only_there reference: here: failed at tests")
    assert counts == "5 answers: 3 agree, 2 differ, 0 without a verdict on both backends"
    assert share == "60.0% of the verdicts agree (95% interval 23.1% to 88.2%)"


def test_infrastructure_there_is_no_agreement_and_no_difference(tmp_path: Path) -> None:
    """A backend that refuses its key says nothing about an answer: no share, exit code 3."""
    write_suite_over_stand_in(tmp_path / "suite", GRADERS)

    done = compare(tmp_path, "refuses the key", "-f", "only", "--json", code=3)

    comparison = json.loads(done.stdout)
    assert (comparison["agree"], comparison["differ"], comparison["without_verdict"]) == (0, 0, 2)
    assert comparison["share"] is comparison["low"] is comparison["high"] is None
    assert {answer["result"] for answer in comparison["answers"]} == {"infrastructure there"}
