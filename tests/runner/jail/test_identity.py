"""The rights of a jailed program in the kernel: it may change nothing of this machine."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from runner.errors import SandboxUnavailableError
from runner.jail import JailedProcess, JailSpec, open_jail
from runner.jail.folders import remove_tree
from runner.jail.kernel import processes
from tests.runner.jail.conftest import QUICK, Prison, run_in_child
from tests.support.texts import read_texts

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)

only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root's jails become someone else")
IN_A_ROOTLESS_CONTAINER = ("unshare", "--user", "--map-root-user")
RUN_ID = """
import os
from runner.jail import JailSpec, open_jail
print(os.geteuid())
print(open_jail("bwrap").run(JailSpec(("/usr/bin/id", "-u"))).stdout.decode().strip())
"""
WAIT = "console.log('ready'); setInterval(() => {}, 1000)"

OPEN_EVERYTHING = TEXTS["open_everything"]
HARMLESS = {
    *("/dev/null", "/dev/zero", "/dev/full"),  # writes are lost
    *("/dev/random", "/dev/urandom"),  # stirs the pool, without being believed to be random
    *("/dev/tty", "/dev/ptmx", "/dev/pts/ptmx"),  # terminals that the program makes for itself
}
STREAMS = {"/dev/stdin", "/dev/stdout", "/dev/stderr"}
"""Links to the program's own three streams: /dev/null, and the pipes that take its output."""


def _is_own_stream(path: str) -> bool:
    return path in STREAMS or re.fullmatch(r"/proc/.*/fd/[012]", path) is not None


def _open_everything(prison: Prison) -> bytes:
    done = prison.jail.run(JailSpec(("/usr/bin/perl", "-e", OPEN_EVERYTHING), limits=QUICK))
    return done.stdout + done.stderr


@pytest.mark.parametrize("ordinary", [False, True])
def test_opens_nothing_of_the_machine_for_writing(prison: Prison, ordinary: bool) -> None:  # noqa: FBT001
    """Only harmless devices and own streams open, among all files of /proc, /sys and /dev."""
    output = run_in_child(lambda: _open_everything(prison), ordinary=ordinary)
    *opened, last = output.decode().splitlines()
    assert last == "tried"
    assert {path for path in opened if not _is_own_stream(path)} <= HARMLESS


@pytest.mark.parametrize("ordinary", [False, True])
def test_has_no_right_at_all(prison: Prison, ordinary: bool) -> None:  # noqa: FBT001
    """The program has no capability, can gain none by any program, and has no further group."""

    def read_process_status() -> bytes:
        spec = JailSpec(("/bin/cat", "/proc/self/status"), limits=QUICK)
        return prison.jail.run(spec).stdout

    output = run_in_child(read_process_status, ordinary=ordinary)
    fields = dict(line.split(":\t", 1) for line in output.decode().splitlines())
    held = {name: int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")}
    assert set(held.values()) == {0}
    assert fields["NoNewPrivs"] == "1"
    if not ordinary and os.geteuid() == 0:
        assert int(fields["CapBnd"], 16) == 0
        assert fields["Groups"].strip() == ""


def _read_users(process: JailedProcess) -> set[str]:
    """Return the user and group ids, as this machine sees them, of the program in the jail."""
    pid = max(processes.walk_members(process.pid), key=lambda pid: len(list(_list_ancestors(pid))))
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    ids = [line.split()[1:] for line in lines if line.startswith(("Uid:", "Gid:"))]
    return {number for each in ids for number in each}


def _list_ancestors(pid: int) -> list[int]:
    pids: list[int] = []
    while pid > 1:
        pids.append(pid)
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pids


@only_root
def test_each_of_roots_jails_is_a_user_of_its_own(prison: Prison) -> None:
    """Outside of its namespaces, too, a program is neither root nor another program's user."""
    with ExitStack() as stack:
        seen: list[set[str]] = []
        for _ in range(4):
            process = prison.start(WAIT)
            stack.callback(process.kill)
            process.read_line(60)
            seen.append(_read_users(process))
    assert all(len(users) == 1 for users in seen)
    assert len(set[str]().union(*seen)) == 4
    assert all(int(user) >= 1_900_000_000 for users in seen for user in users)


@only_root
def test_folders_closed_to_others_are_shown_all_the_same(prison: Prison) -> None:
    """A bound folder is reachable, though the folder above is open to its owner only."""
    prison.scratch.parent.chmod(0o700)
    prison.scratch.parent.parent.chmod(0o700)
    (prison.scratch / "given").write_text("text")
    done = prison.run_shell("cat given && echo more > made && cat made")
    assert (done.returncode, done.stdout) == (0, b"textmore\n")


def test_one_jail_reaches_the_socket_of_another(prison: Prison) -> None:
    """Programs that share a folder reach each other's sockets there, with any users."""
    server = prison.start("""
        const server = require("net").createServer((socket) => socket.end("welcome"));
        server.listen("/scratch/socket", () => console.log("ready"));
    """)
    server.read_line(60)
    done = prison.run_javascript("require('net').connect('/scratch/socket').pipe(process.stdout)")
    server.kill()
    assert done.stdout == b"welcome"


def test_its_leftovers_can_be_removed(prison: Prison) -> None:
    """Folders that the program closed to everybody, with files in them, can be removed."""
    done = prison.run_shell("mkdir -p a/b && echo x > a/b/c && chmod 000 a/b/c a/b a")
    assert done.returncode == 0
    remove_tree(prison.scratch)
    assert not prison.scratch.exists()


@only_root
def test_a_umask_that_closes_bound_folders_is_refused(prison: Prison) -> None:
    """Under root's umask 077 no program could read an answer: the message names the right umask."""
    before = os.umask(0o077)
    try:
        with pytest.raises(SandboxUnavailableError, match="umask 022"):
            open_jail("bwrap")
    finally:
        os.umask(before)
    assert prison.run_shell("true").returncode == 0


@only_root
def test_counts_its_processes_without_control_groups(
    prison: Prison, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where root has no control group, the kernel counts the processes of the jail's own user."""
    monkeypatch.setattr("runner.jail.kernel.cgroups._find_parents", dict[str, Path])
    monkeypatch.setattr(JailedProcess, "inspect", lambda *_, **__: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    neighbour = prison.start(WAIT)
    neighbour.read_line(60)
    done = prison.run_shell(f"for i in $(seq {QUICK.tasks}); do sleep 9 & done; echo all")
    assert b"fork" in done.stderr
    assert b"all" not in done.stdout
    assert neighbour.poll() is None
    neighbour.kill()


def test_the_root_of_a_rootless_container_jails_as_an_ordinary_user() -> None:
    """Root without any other user ids gets a jail, in which the program is nobody."""
    tried = None
    if shutil.which("unshare"):
        tried = subprocess.run([*IN_A_ROOTLESS_CONTAINER, "true"], check=False)
    if tried is None or tried.returncode != 0:
        pytest.skip("user namespaces cannot be made here")
    done = subprocess.run(
        [*IN_A_ROOTLESS_CONTAINER, sys.executable, "-c", RUN_ID],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["0", "65534"], "")
