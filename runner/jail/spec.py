"""The specification of a jail: command, binds and limits, as every kind of jail supports them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Kind = Literal["bwrap", "docker", "none"]
"""How jailed programs are held: bubblewrap, a container, or not at all."""

Killed = Literal["wall", "cpu", "memory", "processes", "disk", "output"]
"""The limit that ended a jailed program."""

_CODE_MB = 540
"""Memory that V8 reserves for compiled code in a Node process: RLIMIT_DATA counts all of it, little
is used."""

NODE = "/node"
"""The Node executable, as a jailed command names it."""

NODE_MODULES = "/node_modules"
"""The pinned packages. At the root, so that imports from every folder resolve to this copy."""

HARNESS = "/harness"
"""The folder of our own programs that run beside model-written code, each in a subfolder."""

PROJECT = "/project"
"""The folder with the files that the model wrote."""

SCRATCH = "/scratch"
"""The folder that a jailed program may write to, also its sockets."""


_THREADS = 128
"""The number of threads that are allowed in addition to the processes."""


@dataclass(frozen=True, slots=True)
class JailLimits:
    """The limits past which a jailed program is killed, or its request refused by the kernel.

    Sizes are in units of 1,000,000 bytes. ``processes`` counts processes without threads; the
    kernel counts both together: see ``tasks``. ``disk_mb`` bounds /tmp, and all data written to
    writable binds. ``process_mb`` is the memory limit of a single process, where that is less than
    the limit of all together.
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
        """The number of processes and threads together that the kernel allows.

        Node alone has about eleven, a run of vitest thirty, and programs written in Go have more on
        machines with more processors. A program without threads that has too many processes is
        noticed by the watch and ended within a moment.
        """
        return self.processes + _THREADS

    @property
    def data_bytes(self) -> int:
        """The limit of private writable memory of a process, in bytes.

        V8 and Go reserve far more address space than they use, so a limit on address space would
        stop them at the start. Thread stacks count in full.
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
    """A program to run: its command and paths are valid inside the jail."""

    command: tuple[str, ...]
    binds: tuple[Bind, ...] = ()
    cwd: str = "/"
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    limits: JailLimits = field(default_factory=JailLimits)


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a jailed program, with its output.

    ``returncode`` is the program's own, or 128 plus the signal that ended it. ``killed`` names the
    limit for which we ended the program. ``killed_by_stranger`` is true after a SIGKILL that we did
    not send: mostly the kernel sends it, when the machine has no memory left. A program can also
    send it to itself, which looks the same from outside.
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

    ``kill`` takes the id of the started process and ends the whole jail. ``sweep`` ends the
    processes that outlive the program, in kinds of jail where this can happen. ``umask`` is -1 to
    keep ours; ``inherits`` are the open files that the program gets, under the same numbers.
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
