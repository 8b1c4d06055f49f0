"""A limit on the clock does not run while a program waits for a processor."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from runner.jail import Jail, JailLimits, JailSpec, paths
from runner.jail.deadlines import Deadline, ProcessorWaits
from runner.jail.kernel import cgroups, processes
from runner.jail.limits import MOST
from runner.toolchain import Toolchain
from tests.support.waiting import wait_until

pytestmark = pytest.mark.integration

_BUSY = "while True: pass"
_PATIENCE_S = 600
"""Where others have a hundred times its share, a program gets a second in some minutes."""


@pytest.fixture
def busy() -> Iterator[list[int]]:
    """Four programs that compete for one processor."""
    processor = min(os.sched_getaffinity(0))
    with ExitStack() as stack:
        started: list[int] = []
        for _ in range(4):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", _BUSY]))
            stack.callback(process.kill)
            os.sched_setaffinity(process.pid, {processor})
            started.append(process.pid)
        yield started


@pytest.mark.more
def test_who_competes_for_a_processor_is_waited_for_longer(busy: list[int]) -> None:
    """The limit ends on the clock long before it ends for a program that could seldom run."""
    waits = ProcessorWaits(busy[0])
    deadline = Deadline(1.0, waits)
    time.sleep(2)
    assert waits() > 1
    assert deadline.compute_left_s() > 0


def test_who_only_sleeps_is_waited_for_no_longer() -> None:
    """A program that waits for something else has had its time."""
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        deadline = Deadline(0.5, ProcessorWaits(process.pid))
        time.sleep(0.6)
        remaining_s = deadline.compute_left_s()
        process.kill()
    assert remaining_s < 0.2


def test_a_wait_is_bounded() -> None:
    """The deadline is bounded, however long the reported wait for a processor is."""
    seconds = iter([0.0, 1e9])
    deadline = Deadline(0.01, lambda: next(seconds))
    time.sleep(0.02)
    assert 0 < deadline.compute_left_s() < MOST * 0.01


def test_an_unknown_limit_is_no_excuse() -> None:
    """An ended or unknown program has waited for nothing."""
    with subprocess.Popen(["/bin/true"]) as process:
        process.wait()
        assert ProcessorWaits(process.pid)() == 0
    assert ProcessorWaits()() == 0


def test_a_process_that_becomes_a_holder_later_is_looked_behind(busy: list[int]) -> None:
    """The later holder of the program still has its parent's name at the first measurement."""
    holds = f"'{sys.executable}' -c '{_BUSY}' & wait"
    becomes = f"import os; input(); os.execv('/bin/sh', ['sh', '-c', {holds!r}])"
    command = [sys.executable, "-c", becomes]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as process:
        try:
            os.sched_setaffinity(process.pid, os.sched_getaffinity(busy[0]))
            waits = ProcessorWaits(process.pid)
            waits()
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
            wait_until(
                lambda: waits() >= 1,
                _PATIENCE_S,
                lambda: "it is not the program that is asked about",
            )
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("has_group", [True, False])
def test_the_program_is_found_behind_its_wrappers(
    jail: Jail,
    toolchain: Toolchain,
    busy: list[int],
    monkeypatch: pytest.MonkeyPatch,
    has_group: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """The time is that of the jailed program, also in an ordinary user's jail without a group."""
    if not has_group:
        monkeypatch.setattr(cgroups, "read_cpu_s", dict[int, float]().get)
    (processor,) = os.sched_getaffinity(busy[0])
    spec = JailSpec(
        (paths.NODE, "-e", "for (;;);"),
        binds=toolchain.list_binds(),
        limits=JailLimits(wall_s=2 * _PATIENCE_S),
    )
    process = jail.start(spec)
    try:
        waits = ProcessorWaits(process.pid)
        ends_at = time.monotonic() + _PATIENCE_S
        while waits() < 0.5:
            assert time.monotonic() < ends_at, "it is not the program that is asked about"
            for member in processes.walk_members(process.pid):
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(member, {processor})
            time.sleep(0.05)
    finally:
        monkeypatch.undo()
        process.kill()


def read_waited_s(pid: int) -> float:
    """Read how long a process was ready to run and did not run."""
    return int(Path(f"/proc/{pid}/schedstat").read_text("ascii").split()[1]) / 1e9


@pytest.mark.more
def test_time_in_which_its_own_children_ran_is_not_given_back(
    jail: Jail, toolchain: Toolchain
) -> None:
    """A main process that could not run because of fifty busy children has had that time."""
    script = (
        "const { spawn } = require('child_process');"
        "for (let i = 0; i < 50; i++) spawn('/bin/sh', ['-c', 'while :; do :; done']);"
        "for (;;);"
    )
    process = jail.start(JailSpec((paths.NODE, "-e", script), binds=toolchain.list_binds()))
    try:
        wait_until(
            lambda: len(list(processes.walk_members(process.pid))) >= 50,
            describe=lambda: "the children do not start",
        )
        members = list(processes.walk_members(process.pid))
        names = {pid: Path(f"/proc/{pid}/comm").read_text("utf-8").strip() for pid in members}
        main = min(pid for pid, name in names.items() if name in {"node", "MainThread"})
        children = [pid for pid in members if pid > main]
        waits = ProcessorWaits(process.pid)
        waited, used = -read_waited_s(main), -processes.measure_usage(iter(children)).cpu_s
        wait_until(
            lambda: used + processes.measure_usage(iter(children)).cpu_s >= 0.4,
            describe=lambda: "the children do not run",
        )
        waited += read_waited_s(main)
        used += processes.measure_usage(iter(children)).cpu_s
        given_back = waits()
    finally:
        process.kill()
    assert given_back <= max(waited - used, 0) + 0.3


def test_the_group_of_a_jail_counts_ended_processes_too(jail: Jail, toolchain: Toolchain) -> None:
    """Processor time of children that nobody waited for is the jail's own."""
    script = (
        "const { spawnSync } = require('child_process');"
        "spawnSync('/bin/sh', ['-c', '(i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done) &']);"
        "setInterval(() => {}, 1000);"
    )
    process = jail.start(JailSpec((paths.NODE, "-e", script), binds=toolchain.list_binds()))
    try:
        if not cgroups._find_parents():  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            pytest.skip("jails have no control group here")
        wait_until(
            lambda: (cgroups.read_cpu_s(process.pid) or 0) >= 0.35,
            describe=lambda: "the time of the child is not counted",
        )
    finally:
        process.kill()
    assert cgroups.read_cpu_s(os.getpid()) is None
