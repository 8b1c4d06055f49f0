"""Jails for all programs that run model-written code."""

from runner.jail.kinds import NoJail, open_bubblewrap, open_docker
from runner.jail.process import Jail, JailedProcess
from runner.jail.spec import (
    HARNESS,
    NODE,
    NODE_MODULES,
    PROJECT,
    RUN_NODE,
    SCRATCH,
    Bind,
    Finished,
    JailLimits,
    JailSpec,
    Killed,
    Kind,
)

__all__ = [
    "HARNESS",
    "NODE",
    "NODE_MODULES",
    "PROJECT",
    "RUN_NODE",
    "SCRATCH",
    "Bind",
    "Finished",
    "Jail",
    "JailLimits",
    "JailSpec",
    "JailedProcess",
    "Killed",
    "Kind",
    "open_jail",
]


def open_jail(kind: Kind) -> Jail:
    """Open a jail of the requested kind.

    Raises SandboxUnavailableError if this machine cannot run such jails. The message has the
    remedy.
    """
    match kind:
        case "bwrap":
            return open_bubblewrap()
        case "docker":
            return open_docker()
        case "none":
            return NoJail()
