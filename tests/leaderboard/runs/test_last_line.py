"""A run on the terminal, from its first second to its last lines, and a command that goes on."""

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from leaderboard.runs.run import choose_watcher
from records.journal.entries import make_opening_entry
from records.shapes.attempt import Outcome
from runner.runs.record import reopen
from tests.leaderboard import commanding
from tests.leaderboard.conftest import AskSuite
from tests.records.reading import read_local_run
from tests.runner.conftest import FIRST_STEP_ONLY, write_prose_suite
from tests.support.warm_command import WarmCommand, make_command_environment, run_command

pytestmark = pytest.mark.integration
TOO_LONG = "request (7608 tokens) exceeds the available context size (4096 tokens)"
REFUSED = {"kind": "status", "status": 400, "body": f'{{"error": {{"message": "{TOO_LONG}"}}}}'}
PROSE = {"text": "Prose, no files."}


def interrupt_run(asking: commanding.AskedSuite, *arguments: str, after: int) -> str:
    """Run a command, and press Ctrl-C once after this number of requests; return its output."""
    command = WarmCommand(
        ["run", *arguments],
        env=make_command_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        before=FIRST_STEP_ONLY,
    )
    asking.provider.wait_until_asked(after)
    command.send_signal(signal.SIGINT)
    output, _ = command.communicate(timeout=commanding.PATIENCE_S)
    assert command.returncode == 3
    return output


def test_a_stop_of_a_resume_repeats_no_old_evidence(ask_suite: AskSuite) -> None:
    """The cause was cured and the question is asked anew: the run is stopped, not completed."""
    slow = {"text": "Prose, no files.", "delay_s": 3600}
    rules = [
        {"match": "<1>", "steps": [REFUSED, slow], "then": PROSE},
        {"match": "<2>", "steps": [REFUSED], "then": PROSE},
    ]
    asking = ask_suite({"rules": rules, "default": PROSE})
    first = asking.run("-m", "openai/m", "--concurrency", "1", code=3)
    assert "Without a verdict: 2 attempts of local/m default (refused request): " in first
    assert TOO_LONG in first
    (run,) = asking.read_local_runs()
    assert [attempt.outcome for attempt in run.attempts][1:] == [Outcome.INFRASTRUCTURE] * 2

    again = ("--resume", run.run_id, "--concurrency", "1", *asking.options)
    stopped = interrupt_run(asking, *again, after=4)
    assert "local/m default stopped, 2 left: 1 of 3: 1 failed" in stopped
    assert "\nlocal/m default: stopped; 1 failed, 2 not run\n" in stopped
    assert "Not asked, or not graded: 2 attempts of local/m default.\n" in stopped
    for old in ("completed", "context size", "Without a verdict"):
        assert old not in stopped
    (run,) = asking.read_local_runs()
    assert run.status == "aborted"
    assert [attempt.outcome for attempt in run.attempts][1:] == [Outcome.NOT_RUN] * 2
    status = asking.call("evals", "status", *asking.folders)
    assert "context size" not in status
    assert f"run {run.run_id[:8]} has 2 attempts left" in status

    asking.call("run", *again)
    assert asking.take_asked() == [0, 1, 1, 1, 2, 2], "the answer of the first is kept"


def read_all_files(folder: Path) -> dict[Path, bytes]:
    """Return the content of every file below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_one_command_goes_on_with_several_runs(ask_suite: AskSuite) -> None:
    """The printed line names all runs; only missing answers are asked for."""
    rules = [
        {"match": f"<{n}>", "model": m, "steps": [REFUSED], "then": PROSE}
        for n, m in ((0, "first"), (1, "the second's"))
    ]
    asking = ask_suite({"rules": rules, "default": PROSE})
    again = commanding.parse_next_command(
        asking.run("-m", "openai/first", "-m", "openai/the second's", code=3)
    )
    asking.take_asked()
    runs = {run.model.name: run for run in asking.read_local_runs()}
    ids = [runs[name].run_id[:8] for name in ("first", "the second's")]
    assert again[:4] == ["run", "--resume", *ids]
    asking.call(*again, ids[0])
    assert asking.take_asked() == [0, 1]
    outcomes = {attempt.outcome for run in asking.read_local_runs() for attempt in run.attempts}
    assert outcomes == {Outcome.FAILED}
    before = read_all_files(asking.data.root)
    over = asking.call(*again)
    assert read_all_files(asking.data.root) == before
    for run in runs.values():
        assert over.count(f"nothing is left to do of run {run.run_id}\n") == 1
    assert "loading the model client" not in over
    assert asking.take_asked() == []


def test_a_budget_of_its_own_is_kept_apart(ask_suite: AskSuite) -> None:
    """A resume of several runs needs a shared --budget; the message names the run with its own."""
    rules = [{"match": "<1>", "steps": [REFUSED, REFUSED], "then": PROSE}]
    asking = ask_suite({"rules": rules, "default": PROSE})
    for name, limited in (("first", ()), ("second", ("--budget", "5"))):
        asking.run("-m", f"openai/{name}", "--price", "1/1", *limited, code=3)
    ids = [run.run_id[:8] for run in asking.read_local_runs()]
    (own,) = [run.run_id[:8] for run in asking.read_local_runs() if run.budget_usd is not None]
    refused = asking.run("--resume", *ids, "--price", "1/1", code=2)
    assert f"run {own} has a budget of its own, $5: give --budget" in refused
    asking.run("--resume", own, "--price", "1/1")


def test_nothing_is_imported_where_only_grading_is_left(ask_suite: AskSuite) -> None:
    """Replies that wait for verdicts need no server, no address and no model client."""
    asking = ask_suite({"default": PROSE})
    asking.run("-m", "openai/m")
    asking.take_asked()
    (run,) = asking.read_local_runs()
    journal = reopen(asking.data.local, run, make_opening_entry(run))
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(line for line in lines if b'{"entry":"graded"' not in line[:20]))
    resumed = asking.call("run", "--resume", run.run_id, *asking.folders)
    assert "loading the model client" not in resumed
    assert asking.take_asked() == []
    (graded,) = asking.read_local_runs()
    assert {attempt.outcome for attempt in graded.attempts} == {Outcome.FAILED}


def test_a_run_without_its_option_is_explained() -> None:
    """The message has both options that may be meant: -m for a model, --resume for a run."""
    ended = run_command("run", "oracle", code=2)
    assert "oracle: a model is named with -m, a run to go on with after --resume" in ended.stderr


EVALS = 3
USAGE = {"prompt_tokens": 1_000, "completion_tokens": 100, "total_tokens": 1_100}
ANSWER = {"text": "Prose, no files.", "usage": USAGE}


@pytest.fixture
def billing(ask_suite: AskSuite) -> commanding.AskedSuite:
    """A provider that reports 100 tokens for each of its answers, which cost ten cents."""
    return ask_suite({"default": ANSWER})


TERMS = ("-m", "openai/scripted", "--concurrency", "1", "--price", "0/1000", "--max-tokens", "1000")
"""A model that is asked for a thousand tokens at most, which cost a dollar, one by one."""


def test_a_budget_below_the_first_request_is_reported_and_the_hint_suffices(
    billing: commanding.AskedSuite,
) -> None:
    """No model is asked; the printed command asks for all answers."""
    output = billing.run(*TERMS, "--budget", "0.05", code=3)
    assert "the first request may cost $1.00, the budget is $0.05" in output
    assert "is spent" not in output
    assert billing.take_asked() == []
    hint = commanding.parse_next_command(output)
    assert hint[hint.index("--budget") + 1] == "3.00"
    billing.call(*hint)
    assert len(billing.take_asked()) == EVALS


def test_a_spent_budget_is_reported_though_the_command_is_quiet(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With `-q` the reason of an early stop is on standard error, and no progress is."""
    with click.Context(click.Command("leaderboard")) as context:
        context.params["quiet"] = True
        watcher = choose_watcher()
    watcher.report_event("another request at once")
    watcher.report_stop("budget spent", "the budget of $1.00 is spent")
    assert capsys.readouterr() == ("", "the budget of $1.00 is spent\n")


def test_a_budget_that_is_used_up_is_raised_by_the_hint_for_the_rest(
    billing: commanding.AskedSuite,
) -> None:
    """The money spent before counts; a resume of the run's own budget needs the option, too."""
    output = billing.run(*TERMS, "--budget", "1.1", code=3)
    assert len(billing.take_asked()) == 2
    assert "the budget of $1.10 is spent: $0.20 went" in output
    assert "--budget 1.20" in output
    hint = commanding.parse_next_command(output)
    position = hint.index("--budget")
    as_it_was = billing.call(*hint[:position], *hint[position + 2 :], code=3)
    assert "--budget 1.20" in as_it_was
    assert billing.take_asked() == []
    billing.call(*hint)


def test_the_end_shows_the_cost_of_failed_tries(ask_suite: AskSuite) -> None:
    """A stream that broke off may have cost money, though the next try answered."""
    broken = {"kind": "end_midway", "repeat": 50}
    asking = ask_suite({"rules": [{"match": "", "steps": [broken], "then": ANSWER}]})
    assert "$0.30, failed tries $1.00 at most" in asking.run(*TERMS)
    row = read_row(asking)
    assert row["cost_usd"] == pytest.approx(0.3)
    assert row["failed_tries_usd"] == 0


def read_row(asking: commanding.AskedSuite) -> dict[str, Any]:
    """Run the model again; return its row in JSON."""
    done = run_command("run", *TERMS, "--json", *asking.options, before=FIRST_STEP_ONLY, code=0)
    (row,) = json.loads(done.stdout)
    return row


def _make_reply(host: str) -> dict[str, object]:
    piece = {
        "id": "x",
        "object": "chat.completion.chunk",
        "provider": host,
        "system_fingerprint": f"fp_{host}",
        "choices": [{"index": 0, "delta": {"content": "Prose."}, "finish_reason": "stop"}],
        "usage": USAGE,
    }
    return {"kind": "raw", "raw": [f"data: {json.dumps(piece)}\n\n", "data: [DONE]\n\n"]}


def test_a_run_of_two_hosts_is_reported_at_its_end(ask_suite: AskSuite) -> None:
    """A gateway passed the requests on to hosts that may serve the model differently."""
    rule = {"match": "", "steps": [_make_reply("DeepInfra")], "then": _make_reply("Together")}
    asking = ask_suite({"rules": [rule]})
    output = asking.run(*TERMS)
    assert "Answers come from 2 hosts: Together (2), DeepInfra (1)" in output
    assert "2 builds of the server by its fingerprint: fp_Together (2)" in output
    row = read_row(asking)
    assert row["hosts"] == {"Together": 3}
    assert row["fingerprints"] == {"fp_Together": 3}


def test_a_prompt_that_the_server_cut_has_no_verdict(ask_suite: AskSuite) -> None:
    """The exit code is 3; the output has the counted tokens and the command that goes on."""
    usage = {"prompt_tokens": 40, "completion_tokens": 30, "total_tokens": 70}
    output = ask_suite({"default": {**ANSWER, "usage": usage}}).run(*TERMS, code=3)
    assert "prompt cut by server" in output
    assert "the server counted 40 tokens of a prompt that has about" in output
    assert "Go on with:" in output


@pytest.mark.integration(reason="three commands, each of which opens what grades")
def test_an_ablation_proposes_no_budget_that_was_too_small(billing: commanding.AskedSuite) -> None:
    """The proposed budget pays for all remaining answers, at the start and at a resume."""
    output = billing.call("ablate", *TERMS, *billing.options, "--budget", "0.05", code=3)
    assert billing.provider.list_asked() == []
    for budget in ("0.01", "1.2"):
        hint = commanding.parse_next_command(output)
        position = hint.index("--budget") + 1
        assert float(hint[position]) == pytest.approx(2 * EVALS)
        output = billing.call(*hint[:position], budget, *hint[position + 1 :], code=3)
    assert 0 < len(billing.provider.list_asked()) < 2 * EVALS
    hint = commanding.parse_next_command(output)
    assert float(hint[hint.index("--budget") + 1]) > 1.2
    billing.call(*hint)
    assert len(billing.provider.list_asked()) == 2 * EVALS


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
    with commanding.serve_provider(tmp_path / "provider", SCRIPT) as at:
        yield at


@pytest.mark.parametrize("columns", [40, pytest.param(120, marks=pytest.mark.night)])
def test_a_run_is_shown_from_its_first_second_to_the_command_that_goes_on(
    columns: int, suite: Path, address: str, tmp_path: Path
) -> None:
    """The lines name the waits, the reason of a missing verdict, and a command to copy whole."""
    data = tmp_path / "my data"
    folders = ["--evals", str(suite), "--data", str(data)]
    words = ["run", "-m", "openai/scripted", "--api-base", address, "--concurrency", "3", *folders]
    with commanding.Terminal(words, columns=columns, before=FIRST_STEP_ONLY) as screen:
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
    with commanding.Terminal(again, columns=columns, before=FIRST_STEP_ONLY) as screen:
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
    with commanding.Terminal(["run", "-m", "oracle", *folders], true_process=why) as screen:
        screen.wait_for("grading, 2")
        os.kill(screen.pid, signal.SIGINT)
        screen.wait_for("Ctrl-C again stops at once")
        os.kill(screen.pid, signal.SIGINT)
        assert screen.wait_for_end() == 130
        assert "Stopped at once. Go on with:" in screen.text
        assert " run --resume " in screen.text
