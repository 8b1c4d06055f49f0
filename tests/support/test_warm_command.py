"""A warm child of the command behaves as the installed program does."""

import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests.leaderboard.commanding import Terminal, run_installed
from tests.support.warm_command import (
    WarmCommand,
    make_command_environment,
    make_warm_program,
    run_command,
    start_server,
)

pytestmark = pytest.mark.integration

CALLS = {
    "a command that ends well": ("runs", "list"),
    "a mistake": ("check", "--nonsense"),
    "a mistake that the command itself finds": ("repair", "zzzzzzzz"),
}
INTERRUPTED = {0, 130}
"""Exit codes of a server after Ctrl-C; 130 where it comes before the first request is awaited."""


@pytest.mark.parametrize("call", CALLS)
def test_it_ends_and_prints_as_the_installed_program(call: str, tmp_path: Path) -> None:
    """Exit code, output and errors are the same, the name of the program included."""
    arguments = (*CALLS[call], "--data", str(tmp_path))
    true = run_installed("it is what the warm child is compared with", *arguments)
    warm = run_command(*arguments)
    assert (warm.returncode, warm.stdout, warm.stderr) == (
        true.returncode,
        true.stdout,
        true.stderr,
    )


def test_a_crash_ends_with_a_traceback(tmp_path: Path) -> None:
    """The traceback of an unexpected error goes to standard error; the exit code is 1."""
    with (tmp_path / "errors").open("w+") as errors:
        crashing = WarmCommand(
            ["check"], stderr=errors, before="tests.support.test_warm_command:crash"
        )
        assert crashing.wait() == 1
        errors.seek(0)
        assert errors.read().splitlines()[-1] == "RuntimeError: of the test"


def crash() -> None:
    """Raise an error that no command expects; a child calls this."""
    raise RuntimeError("of the test")


def test_nothing_of_a_child_reaches_the_next(tmp_path: Path) -> None:
    """Each call has its own environment and working directory."""
    (tmp_path / "data").mkdir()
    models = ("models", "--json")
    key = make_command_environment(OPENAI_API_KEY="sk-test")
    keyed = run_command(*models, env=key).stdout
    assert keyed != run_command(*models).stdout
    assert run_command("check", "--data", "data", cwd=tmp_path).returncode == 0
    assert run_command("check", "--data", "data", cwd=Path("/")).returncode == 2


def test_it_dies_by_signals(tmp_path: Path) -> None:
    """A wait returns the signal; two children run at once, and a poll does not wait."""
    arguments = ["serve", "--port", "0", "--data", str(tmp_path), "--out", str(tmp_path / "site")]
    with (
        WarmCommand(arguments, stdout=subprocess.PIPE) as first,
        WarmCommand(arguments) as second,
    ):
        assert first.stdout is not None
        assert first.stdout.readline().startswith("building the site; http://")
        assert first.stdout.readline().startswith("http://")
        assert (first.poll(), second.poll()) == (None, None)
        second.kill()
        assert second.wait() == -signal.SIGKILL
        first.send_signal(signal.SIGINT)
        assert first.wait() in INTERRUPTED


def test_keys_of_a_terminal_reach_it(tmp_path: Path) -> None:
    """The terminal controls the command: Ctrl-C is a signal to the command."""
    arguments = ["serve", "--port", "0", "--data", str(tmp_path), "--out", str(tmp_path / "site")]
    with Terminal(arguments) as screen:
        screen.wait_for("Ctrl-C ends it")
        screen.type("\x03")
        assert screen.wait_for_end() in INTERRUPTED


def test_shells_call_it_by_a_program() -> None:
    """Arguments, streams and the exit code pass through."""
    line = f"{make_warm_program()} check --nonsense 2>&1 | tail -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", line],
        env=make_command_environment(),
        pass_fds=[start_server().fileno()],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "Error: No such option '--nonsense'.\n")


def test_it_may_ask_the_network() -> None:
    """The guard of the tests against sockets is not in it: a refused connection is reported."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    arguments = ("run", "-m", "openai/x", "--api-base", f"http://127.0.0.1:{port}/v1")
    assert "Connection refused" in run_command(*arguments).stderr
