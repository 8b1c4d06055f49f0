"""The kernel's keyrings. No namespace separates them, so each jail begins with its own keyring."""

import ctypes
import sys
from functools import cache

from runner.jail.kernel import seccomp

_JOIN_SESSION_KEYRING = 1
"""Linux's KEYCTL_JOIN_SESSION_KEYRING."""


def leave_session() -> None:
    """Give the calling thread, and the processes that it starts later, an empty session keyring.

    Otherwise jails would share the keyring of the user's login (PAM), which has the user's keys. If
    the kernel refuses or has no keyrings, nothing changes. In jails of bubblewrap the filter of
    system calls also refuses all calls about keyrings.
    """
    if sys.platform == "linux" and seccomp.is_known():
        _load_libc().syscall(seccomp.get_call_numbers()["keyctl"], _JOIN_SESSION_KEYRING, None)


@cache
def _load_libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)
