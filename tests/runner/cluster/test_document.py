"""The steps of docs/cluster.md, from nothing to workers that another command uses."""

import os
import re
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import yaml

from leaderboard.commands.setup import certificates_command
from runner.cluster.certificates import write_certificates
from tests.runner.cluster.conftest import write_small_suite
from tests.runner.served import find_free_port
from tests.support.shell_blocks import ShellBlock, parse_files, parse_shell_blocks, run
from tests.support.warm_command import BIN, ROOT

pytestmark = pytest.mark.integration

DOCUMENT = ROOT / "docs" / "cluster.md"
_STAYS = re.compile(r"^ *dask (?:scheduler|worker) ", re.MULTILINE)


PORT = str(find_free_port())


@pytest.fixture
def blocks(tmp_path: Path) -> list[ShellBlock]:
    """The commands of one machine and of two, for a project in the test's folder."""
    write_small_suite(tmp_path / "evals")
    (tmp_path / "data").mkdir()
    return [adapt(block) for block in parse_shell_blocks(DOCUMENT.read_text("utf-8"))][:5]


@pytest.mark.night
def test_several_processes_on_one_machine(blocks: list[ShellBlock], tmp_path: Path) -> None:
    """The command starts its workers, which grade."""
    printed = run(blocks[0], tmp_path, BIN)
    assert "3 of 3: 3 passed" in printed


@pytest.mark.more
@pytest.mark.night
def test_two_machines_from_nothing(blocks: list[ShellBlock], tmp_path: Path) -> None:
    """Workers grade for a command with the cluster's file, and not for one with another file.

    All machines of the document are the machine of the test.
    """
    make_file, scheduler, workers, command = blocks[1:]
    assert [bool(_STAYS.search(block.commands)) for block in (scheduler, workers)] == [True, True]
    run(make_file, tmp_path, BIN)
    with start_commands(scheduler, tmp_path), start_commands(workers, tmp_path):
        printed = run(command, tmp_path, BIN)
        write_certificates(tmp_path / "other.yaml")
        stranger = ShellBlock(command.commands.replace("/cluster.yaml", "/other.yaml"), None)
        with pytest.raises(AssertionError, match="no scheduler answers with these certificates"):
            run(stranger, tmp_path, BIN)
    assert "3 of 3: 3 passed" in printed
    assert "grades: 1 worker for 1 answer at once" in printed


def test_the_examples_of_the_command_are_those_of_the_document() -> None:
    """Who follows the help of `cluster certificates` has the same scheduler."""
    documented = DOCUMENT.read_text("utf-8").splitlines()
    epilog = certificates_command.epilog or ""
    commands = [
        line.strip() for line in epilog.splitlines() if "cluster.yaml" in line or "dask" in line
    ]
    assert len(commands) == 3
    assert set(commands) <= set(documented)


def test_the_files_for_other_schedulers_can_be_used() -> None:
    """The job of Slurm is Python; the pods of Kubernetes have the document's image and secret."""
    text = DOCUMENT.read_text("utf-8")
    compile(parse_files(text)["slurm_job.py"], "slurm_job.py", "exec")
    pods = DOCUMENT.with_name("cluster") / "kubernetes.yaml"
    specs = yaml.safe_load(pods.read_text("utf-8"))["spec"]
    for role in ("scheduler", "worker"):
        (container,) = specs[role]["spec"]["containers"]
        (volume,) = specs[role]["spec"]["volumes"]
        assert container["args"][:2] == ["dask", role]
        assert {container["image"], volume["secret"]["secretName"]} <= set(
            re.findall(r"[\w-]+", text)
        )


def adapt(block: ShellBlock) -> ShellBlock:
    """Return the commands for one machine, with a port that is free."""
    commands = block.commands.replace("first.internal:8786", f"127.0.0.1:{PORT}")
    commands = commands.replace("--port 8786", f"--port {PORT} --host 127.0.0.1")
    commands = commands.replace("--nworkers 2", "--nworkers 1 --host 127.0.0.1")
    return ShellBlock(commands.replace(" -f dome", ""), None)


@contextmanager
def start_commands(block: ShellBlock, folder: Path) -> Generator[None]:
    """Run commands that stay, and end all their processes after the block."""
    path = os.pathsep.join([str(BIN), "/usr/local/bin", "/usr/bin", "/bin"])
    process = subprocess.Popen(
        ["bash", "-eu", "-c", block.commands],
        cwd=folder,
        env={"PATH": path, "HOME": str(Path.home()), "LANG": "C.UTF-8"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
