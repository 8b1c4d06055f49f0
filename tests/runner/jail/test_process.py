"""A jailed program that runs on: lines out, lines in, and its end."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from runner.errors import JailBrokenError, JailEndedError
from runner.jail import JailedProcess, JailSpec
from runner.jail.kernel import processes
from tests.runner.jail.conftest import QUICK, Prison, run_in_child

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
        return prison.jail.run(prison.make_jail_spec(("/bin/cat",)), stdin=b"%d" % number).stdout

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
    deadline = time.monotonic() + 60
    while prison.list_survivors() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert prison.list_survivors() == []


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
    deadline = time.monotonic() + 60
    while not before.issuperset(list_own_control_groups()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert before.issuperset(list_own_control_groups())


def list_own_control_groups() -> list[str]:
    """Folders of control groups named after this process.

    `os.walk` skips a folder that vanishes meanwhile, as those of other processes' jails do;
    `Path.rglob` raises in Python 3.11.
    """
    mine = f"convex-leaderboard-{os.getpid()}-"
    return [
        name for _, names, _ in os.walk("/sys/fs/cgroup") for name in names if name.startswith(mine)
    ]
