"""Jails for all programs that run model-written code."""

from runner.jail import paths
from runner.jail.kinds import NoJail, open_bubblewrap, open_docker
from runner.jail.limits import JailLimits
from runner.jail.process import Jail, JailedProcess
from runner.jail.spec import Bind, Finished, JailSpec, Killed, Kind

__all__ = ["Bind", "Finished", "Jail", "JailLimits", "JailSpec", "JailedProcess", "Killed", "Kind"]
__all__ += ["open_jail", "paths"]


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
