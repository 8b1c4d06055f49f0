"""The kernel's keyrings, which no namespace separates: each jail begins with its own keyring."""

import ctypes
import sys
from functools import cache

from runner.jail.kernel import seccomp

_JOIN_SESSION_KEYRING = 1
"""Linux's KEYCTL_JOIN_SESSION_KEYRING."""


def leave_session() -> None:
    """Give the calling thread, and the processes that it starts, a new empty session keyring.

    A login by PAM has a keyring with the user's keys, which all its processes share. Where the
    kernel refuses, or has no keyrings, nothing changes; the filter of system calls still keeps
    bubblewrap's jails from every keyring.
    """
    if sys.platform == "linux" and seccomp.is_known():
        _libc().syscall(seccomp.numbers()["keyctl"], _JOIN_SESSION_KEYRING, None)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)
