"""The specification of a jail, for all kinds of jail: command and binds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from runner.jail.limits import JailLimits

Kind = Literal["bwrap", "docker", "none"]
"""The kind of jail: bubblewrap, Docker's containers, or no jail."""

Killed = Literal["wall", "cpu", "memory", "processes", "disk", "output"]
"""The limit that ended a jailed program."""


class Bind(NamedTuple):
    """A file or folder of this machine (source), and its path in the jail (target)."""

    source: Path
    target: str
    writable: bool = False


class JailSpec(NamedTuple):
    """A program to run in a jail; its command and its paths are those inside the jail."""

    command: tuple[str, ...]
    binds: tuple[Bind, ...] = ()
    cwd: str = "/"
    env: Mapping[str, str] = {}
    limits: JailLimits = JailLimits()


class Finished(NamedTuple):
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
