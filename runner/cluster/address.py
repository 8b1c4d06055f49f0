"""The address of a cluster, as ``--cluster`` takes it."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from runner.errors import BadClusterError

MOST_PROCESSES: Final = 256
_LOCAL: Final = re.compile(r"local:([1-9][0-9]{0,2})")
_FORMS: Final = "local:4 for four processes of this machine, or tls://HOST:8786 for a scheduler"


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """The address of a cluster."""

    scheduler: str | None
    """The address of a scheduler; None for processes of this machine, which are started."""
    processes: int = 0
    """The number of worker processes to start."""


def parse_cluster(text: str) -> ClusterAddress:
    """Return the cluster that ``text`` names.

    Raises:
        BadClusterError: it names none, or a scheduler that anybody on the network could use.
    """
    if match := _LOCAL.fullmatch(text):
        processes = int(match[1])
        if processes > MOST_PROCESSES:
            raise BadClusterError(f"--cluster {text}: at most {MOST_PROCESSES} processes")
        return ClusterAddress(None, processes)
    try:
        parts = urlsplit(text)
        is_whole = parts.scheme in {"tls", "tcp"} and parts.hostname and parts.port
    except ValueError:  # a port that is no number
        is_whole = False
    if not is_whole:
        raise BadClusterError(f"--cluster {text}: give {_FORMS}")
    parts = urlsplit(text)
    if parts.scheme == "tcp" and not _is_loopback(parts.hostname or ""):
        raise BadClusterError(
            f"--cluster {text}: whoever reaches a scheduler without TLS runs programs on all of "
            "its machines; use tls:// and the files of `leaderboard cluster certificates`"
        )
    return ClusterAddress(text)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
