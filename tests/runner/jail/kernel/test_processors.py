"""Processes that exchange messages all the time share a processor."""

import os
import subprocess
import sys

import pytest

from runner.jail.kernel import processes
from runner.jail.kernel.processes import Processors

pytestmark = pytest.mark.integration

_SLEEPS = "import subprocess, sys; subprocess.run(['sleep', '60'])"


def _get_affinity(pid: int) -> set[int]:
    return set(os.sched_getaffinity(pid))


def test_processes_and_their_children_are_moved_together() -> None:
    """Each process and its children run on one processor; the next deployment gets another."""
    usable = _get_affinity(0)
    if len(usable) < 2:
        pytest.skip("needs two processors")
    chosen = Processors()
    with (
        subprocess.Popen([sys.executable, "-c", _SLEEPS]) as parent,
        subprocess.Popen(["sleep", "60"]) as other,
    ):
        try:
            first = chosen.take(parent.pid, other.pid)
            second = chosen.take()
            assert first in usable
            assert second in usable - {first}
            assert _get_affinity(parent.pid) == _get_affinity(other.pid) == {first}
            chosen.give_back(first)
            assert chosen.take() == first
        finally:
            subprocess.run(["pkill", "-P", str(parent.pid)], check=False)
            parent.kill()
            other.kill()


def test_where_there_is_one_processor_nothing_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a single processor there is no choice, and no processor to give back."""

    def get_one_processor(_pid: int) -> set[int]:
        return {0}

    monkeypatch.setattr(os, "sched_getaffinity", get_one_processor)
    chosen = Processors()
    assert chosen.take(os.getpid()) is None
    chosen.give_back(None)


def test_processes_that_are_gone_do_no_harm() -> None:
    """A deployment may end while it is being moved."""
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    Processors().take(gone.pid)


def test_a_process_follows_another_and_comes_back() -> None:
    """A process joins the processor of a deployment, and has all processors again afterwards."""
    script = (
        "import os, sys\n"
        "from runner.jail.kernel.processes import follow, spread\n"
        "follow(int(sys.argv[1])); print(sorted(os.sched_getaffinity(0)))\n"
        "spread(); print(sorted(os.sched_getaffinity(0)))\n"
    )
    usable = sorted(_get_affinity(0))
    with subprocess.Popen(["sleep", "60"]) as followed:
        try:
            os.sched_setaffinity(followed.pid, {usable[-1]})
            affinities = subprocess.run(
                [sys.executable, "-c", script, str(followed.pid)],
                capture_output=True,
                check=True,
                text=True,
            ).stdout.splitlines()
        finally:
            followed.kill()
    assert affinities == [str([usable[-1]]), str(usable)]


def test_the_module_does_without_a_kernel_that_can_move_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the system has no such call, every process stays on its processors."""
    monkeypatch.delattr("os.sched_getaffinity")
    assert Processors().take(os.getpid()) is None
    processes.follow(os.getpid())
