"""A run on a real terminal, against a provider that limits and refuses."""

import os
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from records.shapes.attempt import Outcome
from tests.leaderboard.commanding import Terminal, serve_provider
from tests.records.reading import read_local_run
from tests.runner.conftest import FIRST_STEP_ONLY, write_prose_suite

pytestmark = pytest.mark.integration

HOSTILE = "\x1b]0;owned\x07 maximum context length is 2048 tokens"
SCRIPT = {
    "rules": [
        {
            "match": "<0>",
            "steps": [{"kind": "status", "status": 429, "headers": {"Retry-After": "3"}}],
        },
        {"match": "<1>", "steps": [{"kind": "status", "status": 400, "body": HOSTILE}]},
    ],
    "default": {"text": "Prose, no files.", "delay_s": 1.5},
}


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A provider that limits the first question for a while, and refuses the second once."""
    with serve_provider(tmp_path / "provider", SCRIPT) as at:
        yield at


@pytest.mark.parametrize("columns", [40, pytest.param(120, marks=pytest.mark.night)])
def test_a_run_is_shown_from_its_first_second_to_the_command_that_goes_on(
    columns: int, suite: Path, address: str, tmp_path: Path
) -> None:
    """The lines name the waits, the reason of a missing verdict, and a command to copy whole."""
    data = tmp_path / "my data"
    folders = ["--evals", str(suite), "--data", str(data)]
    words = ["run", "-m", "openai/scripted", "--api-base", address, "--concurrency", "3", *folders]
    with Terminal(words, columns=columns, before=FIRST_STEP_ONLY) as screen:
        screen.wait_for("Starting …")
        screen.wait_for("local/scripted default, 3 attempts")
        screen.wait_for("first token")
        screen.wait_for("rate limit, ")
        screen.wait_for("infra: refused request: ")
        assert screen.wait_for_end() == 3
        drawn, text = screen.drawn, screen.text
    assert "\x1b]0;" not in drawn
    assert "⟦U+001B⟧]0;owned⟦U+0007⟧" in text
    run = read_local_run(data)
    assert f"run {run.run_id[:8]}: local/scripted" in text
    (command,) = [line for line in text.splitlines() if " run --resume " in line]
    _, *again = shlex.split(command)
    with Terminal(again, columns=columns, before=FIRST_STEP_ONLY) as screen:
        assert screen.wait_for_end() == 0
        assert "2 already judged" in screen.text
    assert {attempt.outcome for attempt in read_local_run(data).attempts} == {Outcome.FAILED}


@pytest.mark.more
def test_a_second_ctrl_c_stops_at_once_and_shows_how_to_go_on(tmp_path: Path) -> None:
    """The first Ctrl-C waits for current grading, with a message; the second does not wait."""
    root = write_prose_suite(tmp_path / "suite", 1)
    (settings,) = root.rglob("eval.toml")
    with settings.open("a") as file:
        file.write("\n[limits]\ntests_s = 600\n")  # longer than a terminal is waited for
    (packages,) = root.rglob("answer/package.json")
    packages.write_text('{"name": "slow", "dependencies": {"convex": "*"}}')
    (grader,) = root.rglob("grader.py")
    grader.write_text(
        'import time\n\n\ndef test_it() -> None:\n    """It."""\n    time.sleep(600)\n'
    )
    folders = ["--evals", str(root), "--data", str(tmp_path / "data")]
    why = "its grader and workers are in the terminal's own group of processes"
    with Terminal(["run", "-m", "oracle", *folders], true_process=why) as screen:
        screen.wait_for("grading, 2")
        os.kill(screen.pid, signal.SIGINT)
        screen.wait_for("Ctrl-C again stops at once")
        os.kill(screen.pid, signal.SIGINT)
        assert screen.wait_for_end() == 130
        assert "Stopped at once. Go on with:" in screen.text
        assert " run --resume " in screen.text
