"""The specification of a jail, for all kinds of jail: command, binds and limits."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Kind = Literal["bwrap", "docker", "none"]
"""The kind of jail: bubblewrap, Docker's containers, or no jail."""

Killed = Literal["wall", "cpu", "memory", "processes", "disk", "output"]
"""The limit that ended a jailed program."""

_CODE_MB = 540
"""Megabytes that V8 reserves for compiled code in a Node process. V8 uses little of it, but
RLIMIT_DATA counts all of it."""

_THREADS = 128
"""The number of threads that are allowed in addition to the processes."""


@dataclass(frozen=True, slots=True)
class JailLimits:
    """The limits of a jailed program. Past a limit it is killed, or the kernel refuses its request.

    Sizes (``_mb``) are in units of 1,000,000 bytes. ``processes`` counts processes without threads;
    the kernel counts both together: see ``tasks``. ``disk_mb`` bounds /tmp, and all data written to
    writable binds. ``process_mb`` is the memory limit of a single process, if it is lower than the
    limit of all processes together (``memory_mb``).
    """

    wall_s: float = 60.0
    cpu_s: float = math.inf
    memory_mb: int = 1500
    processes: int = 64
    file_size_mb: int = 100
    output_mb: int = 8
    disk_mb: int = 200
    process_mb: int | None = None

    @property
    def tasks(self) -> int:
        """The most processes and threads together that the kernel allows.

        Node alone has about eleven threads, a run of vitest thirty. Programs written in Go have
        more threads on machines with more processors. If processes without threads are more than
        ``processes``, the watch notices this and ends the program.
        """
        return self.processes + _THREADS

    @property
    def rlimits(self) -> Mapping[str, int]:
        """The kernel's limits of each process (setrlimit), in bytes and seconds, by their names.

        ``data`` is private writable memory, in which the stacks of threads count in full. A limit
        of address space (RLIMIT_AS) would stop V8 and Go at their start, because they reserve far
        more than they use.
        """
        data = ((self.process_mb or self.memory_mb + 500) + _CODE_MB) * 1_000_000
        cpu = {"cpu": math.ceil(self.cpu_s) + 1} if math.isfinite(self.cpu_s) else {}
        return {"data": data, "fsize": self.file_size_mb * 1_000_000, "core": 0, **cpu}


@dataclass(frozen=True, slots=True)
class Bind:
    """A file or folder of this machine (source), and its path in the jail (target)."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True)
class JailSpec:
    """A program to run in a jail; its command and its paths are those inside the jail."""

    command: tuple[str, ...]
    binds: tuple[Bind, ...] = ()
    cwd: str = "/"
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    limits: JailLimits = field(default_factory=JailLimits)


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a jailed program, with its output.

    ``returncode`` is the program's own, or 128 plus the signal that ended it. ``killed`` is the
    limit because of which we ended the program. ``killed_by_stranger`` is true after a SIGKILL that
    we did not send: mostly the kernel sends it, when the machine has no memory left. A program can
    also send this signal to itself; the difference cannot be seen.
    """

    returncode: int
    stdout: bytes
    stderr: bytes
    duration_s: float
    killed: Killed | None
    killed_by_stranger: bool = False


@dataclass(frozen=True, slots=True)
class Launch:
    """The command and settings with which this machine starts a jailed program.

    ``kill`` takes the id of the started process and ends the whole jail. ``sweep`` takes the same
    id and ends the processes that outlived the program; None if the kind of jail leaves none.
    ``umask`` is -1 to keep the runner's umask.
    ``inherits`` are the open files that the program gets, under the same numbers.
    """

    command: tuple[str, ...]
    cwd: str | None
    env: Mapping[str, str]
    kill: Callable[[int], None]
    sweep: Callable[[int], None] | None = None
    umask: int = -1
    inherits: tuple[int, ...] = ()
