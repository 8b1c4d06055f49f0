"""Two threads that start and watch all jailed programs of this process.

The kernel ends a jail together with the *thread* that started it (``--die-with-parent``), and the
threads of gradings end early. So a thread that never ends starts all jails. The other thread checks
each running jail, up to twenty times a second, and ends a jail that passes a limit which the kernel
does not enforce.

A fork copies no threads: a forked process, such as a worker that runs graders, makes its own two.
"""

import ctypes
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from runner.jail.kernel import processes, seccomp
from runner.jail.kernel.cgroups import ControlGroup, remove_left_over
from runner.jail.spec import Killed, Launch

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

_MOST_ENTRIES = 20_000
_ENTRY_BYTES = 4096
"""Bytes that each entry counts in addition to its blocks, so that many empty files count too."""
_JOIN_SESSION_KEYRING = 1
"""Linux's KEYCTL_JOIN_SESSION_KEYRING."""
_TICK_S = 0.05
_LESS_OFTEN = 5
"""Ticks between two slow checks. Sizes of folders cost more time than counters, and limits that the
kernel also enforces are less urgent."""
_MARGIN = 4
"""Processes that are counted too, but are the jail's and not the program's."""


class Watched(Protocol):
    """The interface of a jailed program that is watched."""

    started: float
    launch: Launch

    @property
    def held(self) -> bool: ...  # noqa: D102
    @property
    def pid(self) -> int: ...  # noqa: D102
    def poll(self) -> int | None: ...  # noqa: D102
    def ran_out_of_memory(self) -> bool: ...  # noqa: D102
    def end(self, reason: Killed | None) -> None: ...  # noqa: D102


class Watch:
    """The two threads of a process, and the programs and control groups that they look after."""

    def __init__(self) -> None:
        """Begin without threads."""
        self.renew()

    def renew(self) -> None:
        """Begin again without threads."""
        self._lock = threading.Lock()
        self._spawner: ThreadPoolExecutor | None = None
        self._watcher: threading.Thread | None = None
        self._work = threading.Event()
        self._watched: dict[int, Watched] = {}
        self._groups: list[ControlGroup] = []

    def spawn(self, start: "Callable[[], subprocess.Popen[bytes]]") -> "subprocess.Popen[bytes]":
        """Call ``start`` on the thread that runs until this process ends; return the result."""
        with self._lock:
            if self._spawner is None:
                remove_left_over()
                self._spawner = ThreadPoolExecutor(1, thread_name_prefix="jail-spawner")
            spawner = self._spawner
        return spawner.submit(_begin, start).result()

    def watch(self, process: Watched) -> None:
        """Watch a program until `forget` is called."""
        with self._lock:
            self._watched[id(process)] = process
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._go, name="jail-watch", daemon=True)
                self._watcher.start()
        self._work.set()

    def forget(self, process: Watched) -> None:
        """Stop watching a program."""
        with self._lock:
            self._watched.pop(id(process), None)

    def remove_group(self, group: ControlGroup) -> None:
        """Remove a group now, or later if the kernel still counts memory or processes in it."""
        if not group.remove():
            with self._lock:
                self._groups.append(group)
            self._work.set()

    def _go(self) -> None:
        tick = 0
        while True:
            self._work.wait()
            with self._lock:
                watched, groups = list(self._watched.values()), self._groups
                self._groups = []
                if not watched and not groups:
                    self._work.clear()
                    continue
            for process in watched:
                _inspect(process, thoroughly=tick % _LESS_OFTEN == 0)
            for group in groups:
                self.remove_group(group)
            tick += 1
            time.sleep(_TICK_S)


def _begin(start: "Callable[[], subprocess.Popen[bytes]]") -> "subprocess.Popen[bytes]":
    # A session keyring belongs to the calling thread, and the child that it starts inherits it.
    leave_session()
    return start()


def _inspect(process: Watched, *, thoroughly: bool) -> None:
    if process.poll() is not None:
        return
    if time.monotonic() - process.started > process.launch.limits.wall_s:
        process.end("wall")
    elif thoroughly or not process.held:
        reason = _find_passed_limit(process, disk=thoroughly)
        if reason:
            process.end(reason)


def _find_passed_limit(process: Watched, *, disk: bool) -> Killed | None:
    limits = process.launch.limits
    most = limits.processes + _MARGIN
    use = processes.measure_usage(processes.walk_members(process.pid), most)
    if use.processes > most or use.threads > limits.tasks + _MARGIN:
        return "processes"
    # After the kernel killed a process of several, the sum may be below the limit again.
    if use.memory_bytes > limits.memory_mb * 1_000_000 or process.ran_out_of_memory():
        return "memory"
    if use.cpu_s > limits.cpu_s:
        return "cpu"
    if disk and count_written_bytes(process.launch.writable) > limits.disk_mb * 1_000_000:
        return "disk"
    return None


WATCH: Final = Watch()
"""The watch of this process."""
# Threads do not survive a fork.
os.register_at_fork(after_in_child=WATCH.renew)


def count_written_bytes(folders: tuple[Path, ...]) -> int:
    """Return the disk space of all files in bytes; of sparse files only the blocks in use.

    Returns a number above any limit if there are 20,000 entries or more.
    """
    total = seen = 0
    waiting = [str(folder) for folder in folders]
    while waiting and seen < _MOST_ENTRIES:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                seen += 1
                total += _ENTRY_BYTES
                with suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                if seen >= _MOST_ENTRIES:
                    return 1 << 62
    return total


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
