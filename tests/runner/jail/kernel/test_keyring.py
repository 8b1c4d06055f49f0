"""Keys that a program leaves in the kernel are out of reach for all others."""

import ctypes
import os
import subprocess
import sys

import pytest

from runner.jail import JailSpec
from runner.jail.kernel import processes, seccomp
from tests.runner.jail.conftest import QUICK, Prison, run_in_child

pytestmark = pytest.mark.integration
SESSION = -3
JOIN, READ = 1, 11
KEYS = """
import ctypes
numbers = {numbers}
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    got = libc.syscall(numbers[name], *arguments)
    return got if got >= 0 else -ctypes.get_errno()
{body}
"""
PUT = "print(call('add_key', b'user', b'secret', b'canary', 6, -3))"
FIND = "print(call('keyctl', 10, -3, b'user', b'secret', 0))"
TAKE = """
held = ctypes.create_string_buffer(64)
print(call('keyctl', 11, {key}, held, 64), held.value)"""


def _run_key_program(prison: Prison, body: str) -> str:
    """Run a program that uses keys; only its own keyring separates it from the keys of others."""
    source = KEYS.format(numbers=seccomp.get_call_numbers(), body=body)
    done = prison.jail.run(JailSpec((sys.executable, "-c", source), limits=QUICK))
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


@pytest.fixture
def keys_here(open_field: Prison) -> Prison:
    """Give a jail without a filter of system calls, where the kernel has keyrings."""
    if int(_run_key_program(open_field, PUT)) < 0:
        pytest.skip("this kernel, or what this runs in, has no keyrings")
    return open_field


def test_a_key_of_one_attempt_is_not_the_nexts(keys_here: Prison) -> None:
    """A program finds the key that it puts into its session, and no later program finds it."""
    assert int(_run_key_program(keys_here, PUT + ";" + FIND).split()[1]) > 0
    assert int(_run_key_program(keys_here, FIND)) < 0


def test_a_key_of_the_users_session_is_out_of_reach(keys_here: Prison) -> None:
    """The keys of the runner's own session are neither found nor read by number."""

    def with_a_key_of_our_own() -> bytes:
        libc, numbers = ctypes.CDLL(None), seccomp.get_call_numbers()
        libc.syscall(numbers["keyctl"], JOIN, None)
        key = libc.syscall(numbers["add_key"], b"user", b"secret", b"canary", 6, SESSION)
        own = libc.syscall(numbers["keyctl"], READ, key, ctypes.create_string_buffer(64), 64)
        find_result = _run_key_program(keys_here, FIND)
        read_result = _run_key_program(keys_here, TAKE.format(key=key))
        return f"{own} {find_result} {read_result}".encode()

    own, find_result, read_result, text = run_in_child(with_a_key_of_our_own).decode().split()
    assert int(own) == len("canary")
    assert int(find_result) < 0
    assert int(read_result) < 0
    assert "canary" not in text


_SLEEPS = "import subprocess, sys; subprocess.run(['sleep', '60'])"


def _get_affinity(pid: int) -> set[int]:
    return set(os.sched_getaffinity(pid))


def test_processes_and_their_children_are_moved_together() -> None:
    """Each process and its children run on one processor; the next deployment gets another."""
    usable = _get_affinity(0)
    if len(usable) < 2:
        pytest.skip("needs two processors")
    chosen = processes.Processors()
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
    chosen = processes.Processors()
    assert chosen.take(os.getpid()) is None
    chosen.give_back(None)


def test_processes_that_are_gone_do_no_harm() -> None:
    """A deployment may end while it is being moved."""
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    processes.Processors().take(gone.pid)


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
    assert processes.Processors().take(os.getpid()) is None
    processes.follow(os.getpid())
