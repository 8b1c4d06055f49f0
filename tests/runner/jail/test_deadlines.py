"""A limit on the clock does not run while a program waits for a processor."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from runner.grading.toolchain import Toolchain
from runner.jail import NODE, Jail, JailSpec
from runner.jail.deadlines import MOST, Deadline, ProcessorWaits
from runner.jail.kernel import processes

pytestmark = pytest.mark.integration

_BUSY = "while True: pass"


@pytest.fixture
def busy() -> Iterator[list[int]]:
    """Four programs that compete for one processor."""
    one = min(os.sched_getaffinity(0))
    with ExitStack() as stack:
        started: list[int] = []
        for _ in range(4):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", _BUSY]))
            stack.callback(process.kill)
            os.sched_setaffinity(process.pid, {one})
            started.append(process.pid)
        yield started


def test_who_competes_for_a_processor_is_waited_for_longer(busy: list[int]) -> None:
    """The limit is over on the clock long before it is for a program that could seldom run."""
    waits = ProcessorWaits(busy[0])
    deadline = Deadline(1.0, waits)
    time.sleep(2)
    assert waits() > 1
    assert deadline.left_s() > 0


def test_who_only_sleeps_is_waited_for_no_longer() -> None:
    """A program that waits for something else has had its time."""
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        deadline = Deadline(0.5, ProcessorWaits(process.pid))
        time.sleep(0.6)
        left = deadline.left_s()
        process.kill()
    assert left < 0.2


def test_a_wait_is_bounded() -> None:
    """However long a program says that it waited for a processor."""
    seconds = iter([0.0, 1e9])
    deadline = Deadline(0.01, lambda: next(seconds))
    time.sleep(0.02)
    assert 0 < deadline.left_s() < MOST * 0.01


def test_what_is_not_known_is_no_excuse() -> None:
    """A program that has ended, or that nobody knows, has waited for nothing."""
    with subprocess.Popen(["/bin/true"]) as process:
        process.wait()
        assert ProcessorWaits(process.pid)() == 0
    assert ProcessorWaits()() == 0


def test_a_process_that_becomes_a_holder_later_is_looked_behind(busy: list[int]) -> None:
    """Asked too early, the process that holds the program still has its parent's name."""
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
            ends_at = time.monotonic() + 60
            while waits() < 1:
                assert time.monotonic() < ends_at, "it is not the program that is asked about"
                time.sleep(0.05)
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_the_program_is_found_behind_what_holds_it(
    bubblewrap: Jail, toolchain: Toolchain, busy: list[int]
) -> None:
    """What is asked about is the jailed program itself, not what started it and waits."""
    one = os.sched_getaffinity(busy[0])
    spec = JailSpec((NODE, "-e", "for (;;);"), binds=toolchain.binds())
    process = bubblewrap.start(spec)
    try:
        waits = ProcessorWaits(process.pid)
        ends_at = time.monotonic() + 60
        while waits() < 1:
            assert time.monotonic() < ends_at, "it is not the program that is asked about"
            for pid in processes.members(process.pid):
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(pid, one)
            time.sleep(0.05)
    finally:
        process.kill()
