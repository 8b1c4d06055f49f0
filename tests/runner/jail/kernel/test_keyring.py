"""Keys that a program leaves in the kernel are out of reach for all others."""

import ctypes
import sys

import pytest

from runner.jail import JailSpec
from runner.jail.kernel import seccomp
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
