"""A program takes all resources that it can get: its neighbours get their share all the same."""

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import JailEndedError
from runner.jail import Finished, JailedProcess, JailLimits
from runner.jail.kernel import cgroups
from tests.runner.jail.conftest import QUICK, Prison

pytestmark = pytest.mark.integration

HONEST = """
    let sum = 0;
    for (let i = 0; i < 1e8; i++) sum = (sum + i * i) % 1000003;
    console.log(sum);
"""
BUSY = "for i in $(seq 150); do (while :; do :; done) & done; echo busy; wait"
GENEROUS = 12
"""The highest ratio of an honest program's time to its time alone; without groups it is seventy."""
PATIENT = replace(QUICK, wall_s=300)


def _are_groups_held() -> bool:
    held = {"memory", "pids", "cpu"} <= set(cgroups._find_parents())  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return held or "unified" in cgroups._find_parents()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


only_groups = pytest.mark.skipif(not _are_groups_held(), reason="needs control groups")


def _time_program(prison: Prison, source: str) -> tuple[Finished, float]:
    begun = time.monotonic()
    done = prison.run_javascript(source, PATIENT)
    return done, time.monotonic() - begun


@contextmanager
def _keep_busy(prison: Prison, *, processes: int) -> Generator[JailedProcess]:
    limits = replace(QUICK, processes=processes, wall_s=600)
    process = prison.jail.start(prison.make_jail_spec(("/bin/sh", "-c", BUSY), limits))
    try:
        yield process
    finally:
        process.kill()


@pytest.mark.night
@only_groups
def test_150_busy_processes_slow_no_neighbour_down(prison: Prison) -> None:
    """An honest program beside them ends about as soon as it does alone."""
    alone, first = _time_program(prison, HONEST)
    with _keep_busy(prison, processes=200) as busy:
        assert busy.read_line(300) == b"busy"
        beside, took = _time_program(prison, HONEST)
        assert busy.poll() is None
    again, last = _time_program(prison, HONEST)
    outcomes = {(done.returncode, done.stdout, done.killed) for done in (alone, beside, again)}
    assert len(outcomes) == 1
    assert took < GENEROUS * max(first, last)


@pytest.mark.night
def test_more_processes_than_allowed_end_the_program(prison: Prison) -> None:
    """A program with more than 64 processes is ended for it, and its neighbour is not."""
    with _keep_busy(prison, processes=JailLimits().processes) as busy:
        done, _ = _time_program(prison, HONEST)
        assert busy.wait(300) == 137
    assert busy.killed == "processes"
    assert (done.returncode, done.killed) == (0, None)
    assert prison.list_survivors() == []


@only_groups
def test_all_jails_together_leave_this_machine_its_memory(
    prison: Prison, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If each program is within its limit and all together are not, the largest one ends.

    Its end is that of a kill from outside. A program that asks for more while the largest is still
    ending may follow it; a program that asks for nothing stays.
    """
    # A group of its own: the usual one may be holding other programs.
    monkeypatch.setattr(cgroups, "_TOGETHER", f"convex-leaderboard-test-{os.getpid()}")
    monkeypatch.setattr(cgroups, "_compute_most_memory", lambda *_: 700_000_000)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    fill = "const held = Buffer.alloc({}, 1); console.log('held'); setInterval(() => {{}}, 1000);"
    small = prison.start(fill.format("50e6"), memory_mb=400)
    assert small.read_line(30) == b"held"
    large = prison.start(fill.format("400e6"), memory_mb=600)
    assert large.read_line(30) == b"held"
    last = prison.start(fill.format("250e6"), memory_mb=600)
    died = large.finish()
    assert (died.returncode, died.killed, died.killed_by_stranger) == (137, None, True)
    try:
        assert last.read_line(30) == b"held"
    except JailEndedError:
        last.finish()
        assert last.killed_by_stranger
    assert small.poll() is None
    small.kill()
    last.kill()


@only_groups
def test_its_own_limit_is_distinguished_from_that_of_all(prison: Prison) -> None:
    """A program over its own share of memory is recorded with its own limit as cause."""
    done = prison.run_javascript("const all = []; for (;;) all.push(Buffer.alloc(20e6, 1))")
    assert (done.killed, done.killed_by_stranger) == ("memory", False)


def test_the_kernel_is_asked_for_the_same_by_either_version(tmp_path: Path) -> None:
    """Both versions of control groups hold processes, memory without swap, and processor time."""
    limits, tasks = JailLimits(memory_mb=700), str(JailLimits().tasks + 4)
    groups_for = cgroups._plan_folders  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    (second,) = groups_for({"unified": tmp_path}, "name", limits)
    assert second.settings["pids.max"] == tasks
    assert second.settings["memory.max"] == "700000000"
    assert second.hopes["memory.swap.max"] == "0"
    quota, period = second.hopes["cpu.max"].split()
    assert 0 < int(quota) / int(period) <= 4
    parents = {name: tmp_path / name for name in ("pids", "memory", "cpu")}
    first = {each.folder.parent.name: each for each in groups_for(parents, "name", limits)}
    assert first["pids"].settings == {"pids.max": tasks}
    assert first["memory"].settings["memory.limit_in_bytes"] == "700000000"
    assert first["memory"].hopes["memory.memsw.limit_in_bytes"] == "700000000"
    assert first["cpu"].settings["cpu.cfs_quota_us"] == quota
