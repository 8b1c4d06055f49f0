"""The last lines of a run state the present, and the command in them goes on with all runs."""

import re
import shlex
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from records.files.data_folder import DataFolder
from records.journal.entries import make_opening_entry
from records.reader import read_run
from records.shapes.attempt import Outcome
from records.shapes.run import Run
from runner.runs.record import reopen
from tests.leaderboard.commanding import PATIENCE_S
from tests.leaderboard.conftest import Serve
from tests.runner.conftest import FIRST_STEP_ONLY, SlowProvider
from tests.support.warm_command import Ended, WarmCommand, make_command_environment, run_command

pytestmark = pytest.mark.integration

TOO_LONG = "request (7608 tokens) exceeds the available context size (4096 tokens)"
REFUSED = {"kind": "status", "status": 400, "body": f'{{"error": {{"message": "{TOO_LONG}"}}}}'}
PROSE = {"text": "Prose, no files."}


def run_leaderboard(*arguments: str) -> Ended:
    """Run a command; answers fail at the first step."""
    return run_command(*arguments, before=FIRST_STEP_ONLY)


def build_options(suite: Path, data: Path) -> tuple[str, ...]:
    """Return the options for suite and data."""
    return ("--evals", str(suite), "--data", str(data))


def read_local_runs(data: Path) -> list[Run]:
    """Return the development runs."""
    return [read_run(path) for path in DataFolder(data).local.list_run_files()]


def interrupt_run(arguments: Sequence[str], provider: SlowProvider, asked: int) -> Ended:
    """Run a command, and press Ctrl-C once after this number of requests."""
    command = WarmCommand(
        ["run", *arguments],
        env=make_command_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        before=FIRST_STEP_ONLY,
    )
    provider.wait_until_asked(asked)
    command.send_signal(signal.SIGINT)
    output = command.communicate(timeout=PATIENCE_S)[0]
    assert command.returncode is not None
    return subprocess.CompletedProcess(arguments, command.returncode, output, "")


def test_a_stop_of_a_resume_repeats_no_old_evidence(
    suite: Path, serve: Serve, tmp_path: Path
) -> None:
    """The cause was cured and the question is asked anew: the run is stopped, not completed."""
    slow = {"text": "Prose, no files.", "delay_s": 3600}
    rules = [
        {"match": "<1>", "steps": [REFUSED, slow], "then": PROSE},
        {"match": "<2>", "steps": [REFUSED], "then": PROSE},
    ]
    provider = serve({"rules": rules, "default": PROSE})
    data = tmp_path / "data"
    more = ("--api-base", provider.address, "--concurrency", "1", *build_options(suite, data))
    first = run_leaderboard("run", "-m", "openai/m", *more)
    assert first.returncode == 3
    assert "Without a verdict: 2 attempts of local/m default (refused request): " in first.stdout
    assert TOO_LONG in first.stdout
    (run,) = read_local_runs(data)
    assert [attempt.outcome for attempt in run.attempts][1:] == [Outcome.INFRASTRUCTURE] * 2

    stopped = interrupt_run(["--resume", run.run_id, *more], provider, asked=4)
    assert stopped.returncode == 3
    assert "local/m default stopped, 2 left: 1 of 3: 1 failed" in stopped.stdout
    assert "\nlocal/m default: stopped; 1 failed, 2 not run\n" in stopped.stdout
    assert "Not asked, or not graded: 2 attempts of local/m default.\n" in stopped.stdout
    for old in ("completed", "context size", "Without a verdict"):
        assert old not in stopped.stdout
    (run,) = read_local_runs(data)
    assert run.status == "aborted"
    assert [attempt.outcome for attempt in run.attempts][1:] == [Outcome.NOT_RUN] * 2
    status = run_leaderboard("evals", "status", *build_options(suite, data)).stdout
    assert "context size" not in status
    assert f"run {run.run_id[:8]} has 2 attempts left" in status

    resumed = run_leaderboard("run", "--resume", run.run_id, *more)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert sorted(provider.list_asked()) == [0, 1, 1, 1, 2, 2], "the answer of the first is kept"


def test_one_command_goes_on_with_several_runs(suite: Path, serve: Serve, tmp_path: Path) -> None:
    """The printed line names all runs; only missing answers are asked for."""
    rules = [
        {"match": f"<{n}>", "model": m, "steps": [REFUSED], "then": PROSE}
        for n, m in ((0, "first"), (1, "second"))
    ]
    provider = serve({"rules": rules, "default": PROSE})
    data = tmp_path / "data"
    begun = run_leaderboard(
        *("run", "-m", "openai/first", "-m", "openai/second", "--api-base", provider.address),
        *build_options(suite, data),
    )
    assert begun.returncode == 3
    (line,) = re.findall(r"run --resume (\w+ \w+) (--.*)$", begun.stdout, re.MULTILINE)
    runs = {run.model.name: run for run in read_local_runs(data)}
    ids = [runs[name].run_id[:8] for name in ("first", "second")]
    assert line[0].split() == ids
    again = ["run", "--resume", *ids, *shlex.split(line[1]), ids[0]]
    resumed = run_leaderboard(*again)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert sorted(provider.list_asked()[6:]) == [0, 1]
    assert {attempt.outcome for run in read_local_runs(data) for attempt in run.attempts} == {
        Outcome.FAILED
    }
    over = run_leaderboard(*again)
    assert over.returncode == 0
    for run in runs.values():
        assert over.stdout.count(f"nothing is left to do of run {run.run_id}\n") == 1
    assert "loading the model client" not in over.stdout
    assert len(provider.list_asked()) == 8


def test_a_budget_of_its_own_is_kept_apart(suite: Path, serve: Serve, tmp_path: Path) -> None:
    """A resume of several runs needs a shared --budget; the message names the run with its own."""
    rules = [{"match": "<1>", "steps": [REFUSED, REFUSED], "then": PROSE}]
    provider = serve({"rules": rules, "default": PROSE})
    data = tmp_path / "data"
    more = ("--api-base", provider.address, "--price", "1/1", *build_options(suite, data))
    for name in ("first", "second"):
        limited = ("--budget", "5") if name == "second" else ()
        assert run_leaderboard("run", "-m", f"openai/{name}", *limited, *more).returncode == 3
    ids = [run.run_id[:8] for run in read_local_runs(data)]
    (own,) = [run.run_id[:8] for run in read_local_runs(data) if run.budget_usd is not None]
    refused = run_leaderboard("run", "--resume", *ids, *more)
    assert refused.returncode == 2
    assert f"run {own} has a budget of its own, $5: give --budget" in refused.stderr
    assert run_leaderboard("run", "--resume", own, *more).returncode == 0


def test_nothing_is_imported_where_only_grading_is_left(
    suite: Path, serve: Serve, tmp_path: Path
) -> None:
    """Replies that wait for verdicts need no server, no address and no model client."""
    provider = serve({"default": PROSE})
    data = tmp_path / "data"
    options = ("-m", "openai/m", "--api-base", provider.address, *build_options(suite, data))
    assert run_leaderboard("run", *options).returncode == 0
    (run,) = read_local_runs(data)
    journal = reopen(DataFolder(data).local, run, make_opening_entry(run))
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(line for line in lines if b'{"entry":"graded"' not in line[:20]))
    resumed = run_leaderboard("run", "--resume", run.run_id, *build_options(suite, data))
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert "loading the model client" not in resumed.stdout
    assert len(provider.list_asked()) == 3
    (graded,) = read_local_runs(data)
    assert {attempt.outcome for attempt in graded.attempts} == {Outcome.FAILED}


def test_a_run_without_its_option_is_explained() -> None:
    """The message has both options that may be meant: -m for a model, --resume for a run."""
    ended = run_leaderboard("run", "oracle")
    assert ended.returncode == 2
    assert "oracle: a model is named with -m, a run to go on with after --resume" in ended.stderr
