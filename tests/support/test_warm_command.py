"""A warm child of the command behaves as the installed program does."""

import socket
from pathlib import Path

import pytest

from tests.leaderboard.commanding import run_installed
from tests.support.warm_command import (
    run_command,
)

pytestmark = pytest.mark.integration

CALLS = {
    "a command that ends well": ("runs",),
    "a mistake": ("check", "--nonsense"),
    "a mistake that the command itself finds": ("check", "--repair", "zzzzzzzz"),
}


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


def test_it_may_ask_the_network() -> None:
    """The guard of the tests against sockets is not in it: a refused connection is reported."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    arguments = ("run", "-m", "openai/x", "--api-base", f"http://127.0.0.1:{port}/v1")
    assert "Connection refused" in run_command(*arguments).stderr
