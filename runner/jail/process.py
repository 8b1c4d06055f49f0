"""A running jailed program with its pipes, limits and end; its watch, and the interface of a jail.

Two threads start and watch all jailed programs of this process. The kernel ends a jail together
with the *thread* that started it (``--die-with-parent``), and the threads of gradings end early. So
a thread that never ends starts all jails. The other thread checks each running jail, up to twenty
times a second, and ends a jail that passes a limit which the kernel does not enforce.

A fork copies no threads: a forked process, such as a worker that runs graders, makes its own two.
"""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import IO

from runner.errors import JailBrokenError, JailEndedError
from runner.jail.kernel import cgroups, processes, seccomp
from runner.jail.spec import Finished, JailSpec, Killed, Kind, Launch

_CHUNK = 1 << 16
_END_S = 5.0
"""Seconds that the kernel may take to end killed processes."""
_TAIL = 4000
_KILLED = 128 + signal.SIGKILL
_JOIN = 'for entry in $JOIN; do echo $$ >"$entry" || exit 125; done; unset JOIN; exec "$@"'
_SPAWNED_IN = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
"""The environment of bubblewrap itself, which jailed programs can read in /proc/1/environ."""
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


class _Drain:
    """A thread that reads a pipe to its end, so that the program never waits to write.

    It keeps at most ``cap`` bytes, and calls ``on_flood`` when more come.
    """

    def __init__(self, pipe: IO[bytes], cap: int, on_flood: Callable[[], None]) -> None:
        self._pipe = pipe
        self._cap = cap
        self._on_flood = on_flood
        self._held = bytearray()
        self._ended = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, name="jail-drain", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        descriptor = self._pipe.fileno()
        while True:
            try:
                chunk = os.read(descriptor, _CHUNK)
            except OSError:
                chunk = b""
            with self._changed:
                room = self._cap - len(self._held)
                self._held += chunk[: max(room, 0)]
                self._ended = not chunk
                self._changed.notify_all()
            if not chunk:
                self._pipe.close()
                return
            if len(chunk) > room:
                self._on_flood()

    def take_line(self, deadline: float) -> bytes | None:
        """Take and return the next whole line; None if the pipe ended before a line feed.

        Raises TimeoutError after ``deadline``, a time of `time.monotonic`.
        """
        searched = 0
        with self._changed:
            while (end := self._held.find(b"\n", searched)) < 0:
                if self._ended:
                    return None
                searched = len(self._held)
                if not self._changed.wait(deadline - time.monotonic()):
                    raise TimeoutError
            line = bytes(self._held[:end])
            del self._held[: end + 1]
            return line

    def peek_bytes(self) -> bytes:
        """Return the bytes that were read and not yet taken."""
        with self._changed:
            return bytes(self._held)

    def wait(self) -> None:
        """Wait until the pipe has been read to its end."""
        self._thread.join(_END_S)


class JailedProcess:
    """A jailed program that was started. Safe to use from several threads."""

    def __init__(self, spec: JailSpec, launch: Launch, *, stdin: bool) -> None:
        """Start the program. Raises JailBrokenError if this machine cannot start it."""
        self._limits = spec.limits
        self._writable = tuple(bind.source for bind in spec.binds if bind.writable)
        self._launch = launch
        self._group = cgroups.create(spec.limits)
        self._lock = threading.Lock()
        self._over = False
        self._ended_by_us = False
        self.killed: Killed | None = None
        self.started = time.monotonic()
        self._popen = WATCH.spawn(lambda: self._start(stdin=stdin))
        cap = spec.limits.output_mb * 1_000_000
        stdout, stderr = self._popen.stdout, self._popen.stderr
        if stdout is None or stderr is None:  # pragma: no cover - both were asked for
            raise JailBrokenError("a jailed program started without its pipes")
        self._stdout = _Drain(stdout, cap, lambda: self.end("output"))
        self._stderr = _Drain(stderr, cap, lambda: self.end("output"))
        WATCH.watch(self)

    def _start(self, *, stdin: bool) -> "subprocess.Popen[bytes]":
        launch, group = self._launch, self._group
        command = launch.command
        env = dict(launch.env) or _SPAWNED_IN
        if group:
            command = ("/bin/sh", "-c", _JOIN, "jail", *command)
            env = {**env, "JOIN": " ".join(group.entries)}
        try:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=env,
                cwd=launch.cwd,
                start_new_session=True,
                umask=launch.umask,
                pass_fds=launch.inherits,
            )
        except OSError as error:
            if group:
                group.remove()
            reason = f"{os.path.basename(launch.command[0])}: {error.strerror}"  # noqa: PTH119
            raise JailBrokenError(f"a jailed program could not be started: {reason}") from error

    @property
    def killed_by_stranger(self) -> bool:
        """True if a SIGKILL that we did not send ended the program; false while it runs.

        The kernel sends this signal when the machine has no memory left. A program of the same user
        may send it, too, also the jailed program to itself: the difference cannot be seen.
        """
        died = self.poll() == _KILLED
        return died and self.killed is None and not self._ended_by_us

    @property
    def pid(self) -> int:
        """The id, on this machine, of the process that was started: it ends after the program."""
        return self._popen.pid

    @property
    def stdin(self) -> IO[bytes]:
        """The pipe to the program's standard input.

        Raises JailBrokenError if the program was started without this pipe.
        """
        if self._popen.stdin is None:
            raise JailBrokenError("this jailed program was started without a pipe to it")
        return self._popen.stdin

    def send(self, data: bytes) -> None:
        """Write to the program's standard input. Raises JailEndedError if the program has ended."""
        try:
            self.stdin.write(data)
            self.stdin.flush()
        except (OSError, ValueError) as error:
            raise JailEndedError(self._describe_end()) from error

    def read_line(self, timeout_s: float) -> bytes:
        """Return the next line that the program prints, without its line feed.

        Raises TimeoutError if no line comes in time (the program continues), JailEndedError if the
        program ended before a whole line.
        """
        line = self._stdout.take_line(time.monotonic() + timeout_s)
        if line is None:
            raise JailEndedError(self._describe_end())
        return line

    def get_stderr(self) -> bytes:
        """Return the program's standard error so far."""
        return self._stderr.peek_bytes()

    def poll(self) -> int | None:
        """Return the exit status, or None while the program runs."""
        code = self._popen.poll()
        if code is not None:
            self._finish()
        return _convert_exit_status(code)

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for the end and return the exit status.

        Raises TimeoutError after ``timeout_s`` seconds; None is no limit.
        """
        try:
            code = self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        self._finish()
        return _convert_exit_status(code) or 0

    def kill(self) -> None:
        """End all processes of the jail, and return when none is left."""
        self.end(None)
        self.wait()

    def end(self, reason: Killed | None) -> None:
        """End all processes of the jail.

        ``reason`` is the limit that was passed, if any; only the first reason is kept.
        """
        with self._lock:
            if self._over or self._popen.poll() is not None:
                return
            self.killed = self.killed or reason
            self._ended_by_us = True
            self._launch.kill(self._popen.pid)
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(_END_S)
            return
        processes.kill_each([self._popen.pid])

    def finish(self, data: bytes | None = None) -> Finished:
        """Wait for the end, and return its status, output, duration and cause.

        Before that, ``data`` is sent and the standard input closed, unless it is None.
        """
        if data is not None:
            with suppress(JailEndedError, OSError):
                self.send(data)
                self.stdin.close()
        code = self.wait()
        elapsed = time.monotonic() - self.started
        self._stdout.wait()
        self._stderr.wait()
        return Finished(
            code,
            self._stdout.peek_bytes(),  # what was not read as lines
            self.get_stderr(),
            elapsed,
            self.killed,
            self.killed_by_stranger,
        )

    def inspect(self, *, thoroughly: bool) -> None:
        """End the program if it has passed a limit."""
        limits, group, most = self._limits, self._group, self._limits.processes + _MARGIN
        if self.poll() is not None:
            return
        if time.monotonic() - self.started > limits.wall_s:
            self.end("wall")
        # A whole group means that the kernel itself limits memory and processes.
        elif thoroughly or not (group and group.whole):
            use = processes.measure_usage(processes.walk_members(self.pid), most)
            if use.processes > most or use.threads > limits.tasks + _MARGIN:
                self.end("processes")
            # After the kernel killed a process of several, the sum may be below the limit again.
            elif use.memory_bytes > limits.memory_mb * 1_000_000 or (
                group and group.ran_out_of_memory()
            ):
                self.end("memory")
            elif use.cpu_s > limits.cpu_s:
                self.end("cpu")
            elif thoroughly and count_written_bytes(self._writable) > limits.disk_mb * 1_000_000:
                self.end("disk")

    def _finish(self) -> None:
        """After the end, remove the processes, control group and pipe that are left of the jail.

        Only the first call does this. A call from another thread waits for it, so that the cause of
        the end is known after each call.
        """
        with self._lock:
            if self._over:
                return
            self._over = True
            WATCH.forget(self)
            if self._launch.sweep:
                self._launch.sweep(self._popen.pid)
            if self._group and self._group.ran_out_of_memory():
                self.killed = self.killed or "memory"
            if self._group:
                self._group.kill()
                WATCH.remove_group(self._group)
            if self._popen.stdin:
                with suppress(OSError):
                    self._popen.stdin.close()

    def _describe_end(self) -> str:
        try:
            code = self.wait(_END_S)
        except TimeoutError:
            return "it closed its standard output and went on"
        if self.killed:
            return f"it was killed for passing its limit: {self.killed}"
        self._stderr.wait()
        tail = self.get_stderr()[-_TAIL:].decode("utf-8", "replace").strip()
        return f"it ended with status {code}" + (f": {tail}" if tail else "")


def _convert_exit_status(code: int | None) -> int | None:
    """Return Popen's exit code, for an end by a signal 128 plus the signal, as bubblewrap does."""
    return 128 - code if code is not None and code < 0 else code


class Jail(ABC):
    """A kind of jail that is ready to run programs."""

    name: Kind
    """The kind of jail, as the field ``sandbox`` of records has it."""

    @abstractmethod
    def start(self, spec: JailSpec, *, stdin: bool = False) -> JailedProcess:
        """Start a program and return at once; ``stdin`` is true for a pipe to its standard input.

        Raises JailBrokenError if this machine cannot start it.
        """

    def run(self, spec: JailSpec) -> Finished:
        """Run a program to its end, or to the first limit it passes.

        Raises JailBrokenError if this machine cannot start it.
        """
        return self.start(spec).finish()


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
        self._watched: dict[int, JailedProcess] = {}
        self._groups: list[cgroups.ControlGroup] = []

    def spawn(self, start: "Callable[[], subprocess.Popen[bytes]]") -> "subprocess.Popen[bytes]":
        """Call ``start`` on the thread that runs until this process ends; return the result."""

        def begin() -> "subprocess.Popen[bytes]":
            # A session keyring belongs to the calling thread, and its children inherit it. Without
            # an empty one jails would share the keyring of the user's login (PAM), which has keys.
            # If the kernel refuses or has none, nothing changes; in bubblewrap's jails the filter
            # of system calls also refuses all calls about keyrings.
            if sys.platform == "linux" and seccomp.is_known():
                keyctl = seccomp.get_call_numbers()["keyctl"]
                ctypes.CDLL(None).syscall(keyctl, _JOIN_SESSION_KEYRING, None)
            return start()

        with self._lock:
            if self._spawner is None:
                cgroups.remove_left_over()
                self._spawner = ThreadPoolExecutor(1, thread_name_prefix="jail-spawner")
            spawner = self._spawner
        return spawner.submit(begin).result()

    def watch(self, process: JailedProcess) -> None:
        """Watch a program until `forget` is called."""
        with self._lock:
            self._watched[id(process)] = process
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._go, name="jail-watch", daemon=True)
                self._watcher.start()
        self._work.set()

    def forget(self, process: JailedProcess) -> None:
        """Stop watching a program."""
        with self._lock:
            self._watched.pop(id(process), None)

    def remove_group(self, group: cgroups.ControlGroup) -> None:
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
                process.inspect(thoroughly=tick % _LESS_OFTEN == 0)
            for group in groups:
                self.remove_group(group)
            tick += 1
            time.sleep(_TICK_S)


WATCH = Watch()
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
