"""The places where the real backend's binary is searched, and its end."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from runner.backends.local import BINARY_VARIABLE, find_binary
from runner.errors import ToolchainMissingError
from runner.jail.kernel import processes
from tests.support.waiting import wait_until
from tests.support.warm_command import ROOT, make_command_environment

pytestmark = pytest.mark.unit


def test_the_variable_names_the_binary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that CONVEX_LOCAL_BACKEND names is used."""
    binary = tmp_path / "convex-local-backend"
    binary.touch()
    monkeypatch.setenv(BINARY_VARIABLE, str(binary))
    assert find_binary() == str(binary)


@pytest.mark.parametrize(
    ("value", "message"),
    [("", "releases and set CONVEX_LOCAL_BACKEND"), ("/gone", "gone, which is not a file")],
)
def test_a_missing_binary_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, message: str
) -> None:
    """The message names the release page and the variable, and its value if it has one."""
    monkeypatch.setenv(BINARY_VARIABLE, value)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainMissingError, match=message):
        find_binary()


_DEPLOY = """
import sys
from pathlib import Path

from runner.backends.local import LocalBackend
from runner.toolchain import find_toolchain
from runner.workspace import create_workspace

with create_workspace(Path(sys.argv[1])) as workspace:
    LocalBackend(find_toolchain(Path("evals"))).deploy(workspace, 60)
"""


@pytest.mark.integration
def test_the_backend_dies_with_a_killed_grader(tmp_path: Path) -> None:
    """A program in place of the binary never answers; SIGKILL of its starter ends it, too."""
    binary = tmp_path / "convex-local-backend"
    binary.write_text('#!/bin/sh\n[ "$1" = keygen ] || exec sleep 600\n')
    binary.chmod(0o755)
    grader = subprocess.Popen(
        [sys.executable, "-c", _DEPLOY, str(tmp_path / "attempts")],
        cwd=ROOT,
        env=make_command_environment(**{BINARY_VARIABLE: str(binary)}),
    )

    def find_asleep() -> list[int]:
        assert grader.poll() is None
        return [pid for pid in processes.list_children(grader.pid) if is_asleep(pid)]

    wait_until(find_asleep)
    started = find_asleep()
    assert started
    grader.kill()
    grader.wait()
    wait_until(lambda: not any(map(is_asleep, started)))


def is_asleep(pid: int) -> bool:
    """Return whether a process is the program in place of the binary."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"sleep\0")
    return False
