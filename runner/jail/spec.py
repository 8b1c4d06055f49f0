"""The specification of a jail: command, binds and limits, as every kind of jail supports them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Kind = Literal["bwrap", "docker", "none"]
"""How jailed programs are held: bubblewrap, a container, or not at all."""

Killed = Literal["wall", "cpu", "memory", "processes", "disk", "output"]
"""Which limit ended a jailed program."""

_CODE_MB = 540
"""What V8 reserves for compiled code in a Node process: RLIMIT_DATA counts it, little is used."""

NODE = "/node"
"""The Node executable, as a jailed command names it."""

NODE_MODULES = "/node_modules"
"""The pinned packages. At the root, so that imports from every folder resolve to this one copy."""

HARNESS = "/harness"
"""Our own programs that run beside model-written code, in folders below this one."""

PROJECT = "/project"
"""What the model wrote."""

SCRATCH = "/scratch"
"""What a jailed program may write to, sockets included."""


_THREADS = 128
"""What threads may be beside processes."""


@dataclass(frozen=True, slots=True)
class JailLimits:
    """Past any of these a jailed program is killed, or refused by the kernel.

    Sizes are in units of 1,000,000 bytes. ``processes`` is of processes alone, which the kernel
    does not count apart from threads: see ``tasks``. ``disk_mb`` bounds /tmp, and all that is
    written to writable binds. ``process_mb`` is what one process may hold by itself, where that is
    less than what all may.
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
        """How many processes and threads the kernel gives at most, all together.

        Node alone has about eleven, a run of vitest thirty, and programs written in Go have more
        the more processors there are. What has no threads is seen and ended within a moment when it
        has more processes than are allowed.
        """
        return self.processes + _THREADS

    @property
    def data_bytes(self) -> int:
        """What one process may have of memory that is writable and its own.

        V8 and Go reserve far more address space than they use, so a limit on that would stop them
        at the start. Thread stacks count in full.
        """
        return ((self.process_mb or self.memory_mb + 500) + _CODE_MB) * 1_000_000


@dataclass(frozen=True, slots=True)
class Bind:
    """A file or folder of this machine, and where the jailed program sees it."""

    source: Path
    target: str
    writable: bool = False


@dataclass(frozen=True, slots=True)
class JailSpec:
    """A program to run: its command and paths are those inside the jail."""

    command: tuple[str, ...]
    binds: tuple[Bind, ...] = ()
    cwd: str = "/"
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    limits: JailLimits = field(default_factory=JailLimits)
    network: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """How a jailed program ended.

    ``returncode`` is the program's own, or 128 plus the signal that ended it. ``killed`` names the
    limit where we ended it for passing one. ``killed_by_stranger`` is true of a death by SIGKILL
    that we did not send: mostly the kernel's, where the machine has no memory left. A program can
    kill itself so, which looks the same from outside.
    """

    returncode: int
    stdout: bytes
    stderr: bytes
    duration_s: float
    killed: Killed | None
    killed_by_stranger: bool = False


@dataclass(frozen=True, slots=True)
class Launch:
    """A jailed program as this machine starts it.

    ``kill`` ends all of it, given the process id of what was started; ``sweep`` ends what outlives
    the program, where its end is not the end of all that it started. ``umask`` is -1 for ours;
    ``inherits`` are the open files that it gets, under the same numbers.
    """

    command: tuple[str, ...]
    cwd: str | None
    env: Mapping[str, str]
    limits: JailLimits
    writable: tuple[Path, ...]
    kill: Callable[[int], None]
    sweep: Callable[[int], None] | None = None
    umask: int = -1
    inherits: tuple[int, ...] = ()
