"""A jailed program that runs on: lines out, lines in, and its end."""

import os
import signal
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import JailBrokenError, JailEndedError
from runner.jail import Finished, JailedProcess, JailLimits, JailSpec
from runner.jail.kernel import cgroups, processes
from tests.runner.jail.conftest import QUICK, Prison, run_in_child
from tests.support.waiting import wait_until

pytestmark = pytest.mark.integration
ECHO = """
    console.log("ready");
    require("readline").createInterface({ input: process.stdin })
        .on("line", (line) => console.log(line.toUpperCase()));
"""


def test_lines_go_in_and_out(prison: Prison) -> None:
    """A ready line comes, then an answer to each line sent, until the program is killed."""
    process = prison.start(ECHO, stdin=True)
    assert process.read_line(60) == b"ready"
    for word in (b"one", b"two"):
        process.send(word + b"\n")
        assert process.read_line(60) == word.upper()
    process.kill()
    assert process.killed is None
    assert prison.list_survivors() == []


def test_waiting_for_a_line_has_a_limit(prison: Prison) -> None:
    """A program that is silent past the limit is not ended by that."""
    process = prison.start(ECHO, stdin=True)
    process.read_line(60)
    with pytest.raises(TimeoutError):
        process.read_line(0.05)
    assert process.poll() is None
    process.kill()


def test_an_end_instead_of_a_line_has_its_cause(prison: Prison) -> None:
    """The message of a program that died at its start holds its status and its last output."""
    process = prison.start("console.error('no such thing'); process.exit(3)")
    with pytest.raises(JailEndedError, match=r"status 3: no such thing"):
        process.read_line(60)


def test_writing_to_a_dead_program_shows_how_it_ended(prison: Prison) -> None:
    """A request to an ended program is refused with the status of its end."""
    process = prison.start("process.exit(4)", stdin=True)
    process.wait(60)
    with pytest.raises(JailEndedError, match="status 4"):
        process.send(b"x" * 1_000_000)


def test_outlives_the_thread_that_started_it(prison: Prison) -> None:
    """The kernel ties a jail to a thread, but the thread that asked for it may end."""
    started: list[JailedProcess] = []
    thread = threading.Thread(target=lambda: started.append(prison.start(ECHO, stdin=True)))
    thread.start()
    thread.join()
    process = started[0]
    time.sleep(0.3)
    assert process.poll() is None
    process.kill()


def test_many_threads_at_once(prison: Prison) -> None:
    """Programs started from several threads do not get in each other's way."""

    def run(number: int) -> bytes:
        process = prison.jail.start(prison.make_jail_spec(("/bin/cat",)), stdin=True)
        return process.finish(b"%d" % number).stdout

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(run, range(40))) == [b"%d" % number for number in range(40)]
    assert prison.list_survivors() == []


def test_works_in_a_forked_child(prison: Prison) -> None:
    """A child without this process's threads starts jails of its own."""
    prison.run_shell("true")
    child = os.fork()
    if child == 0:
        os._exit(prison.run_shell("exit 9").returncode)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 9


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become someone else")
def test_holds_a_fork_bomb_of_an_ordinary_user(prison: Prison) -> None:
    """Without control groups the limit on processes holds just as well."""
    prison.scratch.parent.chmod(0o755)
    bomb = ("/bin/sh", "-c", "for i in $(seq 200); do sleep 9 & done; echo all")
    spec = JailSpec(bomb, limits=replace(QUICK, processes=30, wall_s=5))

    def explode() -> bytes:
        done = prison.jail.run(spec)
        return b"fork" if done.killed == "processes" else done.stderr + done.stdout

    output = run_in_child(explode, ordinary=True)
    assert b"fork" in output
    assert b"all" not in output


def test_ends_with_this_program(prison: Prison) -> None:
    """When the process that started a jail is killed, the jail is gone with it."""
    child = os.fork()
    if child == 0:
        prison.start("setInterval(() => {}, 1000); console.log('ready')").read_line(60)
        os.kill(os.getpid(), 9)
    os.waitpid(child, 0)
    wait_until(lambda: not prison.list_survivors(), describe=prison.list_survivors)


def test_a_death_by_a_strangers_hand_is_distinguished_from_ours(prison: Prison) -> None:
    """A SIGKILL from outside is recognised; our own kills and limits do not count as such."""
    process = prison.start(ECHO, stdin=True)
    process.read_line(60)
    assert not process.killed_by_stranger
    os.kill(processes.list_children(process.pid)[0], signal.SIGKILL)
    done = process.finish()
    assert (done.returncode, done.killed, done.killed_by_stranger) == (137, None, True)
    assert process.killed_by_stranger

    ours = prison.start(ECHO, stdin=True)
    ours.read_line(60)
    ours.kill()
    assert (ours.poll(), ours.killed_by_stranger) == (137, False)
    slow = prison.jail.run(prison.make_jail_spec(("/bin/sleep", "60"), replace(QUICK, wall_s=0.2)))
    assert (slow.returncode, slow.killed, slow.killed_by_stranger) == (137, "wall", False)


def test_a_command_that_does_not_exist(prison: Prison) -> None:
    """The program ends with a status and the reason, and the jail does not count as broken."""
    done = prison.jail.run(prison.make_jail_spec(("/no/such/program",)))
    assert done.returncode != 0
    assert b"/no/such/program" in done.stderr


def test_a_folder_that_does_not_exist(open_field: Prison) -> None:
    """A program that this machine cannot start is broken machinery, named in the error."""
    with pytest.raises(JailBrokenError, match="could not be started"):
        open_field.jail.run(JailSpec(("true",), cwd="/no/such/folder"))


def test_leaves_no_control_group(prison: Prison) -> None:
    """The kernel's folders of a jail are removed after its end.

    Other jails of this process, which fixtures of a whole session keep open, have theirs meanwhile.
    """
    before = set(list_own_control_groups())
    prison.run_shell("true")
    wait_until(
        lambda: before.issuperset(list_own_control_groups()),
        describe=lambda: set(list_own_control_groups()) - before,
    )


def list_own_control_groups() -> list[str]:
    """Folders of control groups named after this process.

    `os.walk` skips a folder that vanishes meanwhile, as those of other processes' jails do;
    `Path.rglob` raises in Python 3.11.
    """
    mine = f"convex-leaderboard-{os.getpid()}-"
    return [
        name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names if name.startswith(mine)
    ]


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
