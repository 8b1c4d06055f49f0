"""The kernel's keyrings, which no namespace parts: each jail begins with one of its own."""

import ctypes
import sys
from functools import cache

from runner.jail.kernel import seccomp

_JOIN_SESSION_KEYRING = 1
"""Linux's KEYCTL_JOIN_SESSION_KEYRING."""


def leave_session() -> None:
    """Give the calling thread, and all that it starts, a new session keyring with nothing in it.

    A login by PAM has one with the user's keys in it, which all that is started shares. Where the
    kernel refuses, or has no keyrings, nothing changes; the filter of system calls then still keeps
    bubblewrap's jails from every keyring.
    """
    if sys.platform == "linux" and seccomp.is_known():
        _libc().syscall(seccomp.numbers()["keyctl"], _JOIN_SESSION_KEYRING, None)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)
