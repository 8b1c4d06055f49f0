"""The address of a cluster, as ``--cluster`` takes it."""

import ipaddress
import re
from contextlib import suppress

from runner.errors import BadClusterError

MOST_PROCESSES = 256
_LOCAL = re.compile(r"local:([1-9][0-9]{0,2})")
_SCHEDULER = re.compile(
    r"(?P<scheme>tls|tcp)://"
    r"(?:\[(?P<six>[^\[\]]+)\]|(?P<host>[A-Za-z0-9][A-Za-z0-9._-]*)):(?P<port>[1-9][0-9]{0,4})",
    re.ASCII,
)
"""An address without user, path, query and fragment, which have no meaning here."""
_LAST_PORT = 65535
_FORMS = "local:4 for four processes of this machine, or tls://HOST:8786 for a scheduler"


def parse_cluster(text: str) -> str | int:
    """Return the address of a scheduler, or the number of processes to start on this machine.

    Raises:
        BadClusterError: it names none, or a scheduler that anybody on the network could use.
    """
    if match := _LOCAL.fullmatch(text):
        processes = int(match[1])
        if processes > MOST_PROCESSES:
            raise BadClusterError(f"--cluster {text}: at most {MOST_PROCESSES} processes")
        return processes
    match = _SCHEDULER.fullmatch(text)
    host = ""
    with suppress(ValueError):  # brackets around what is no address of IPv6
        if match is not None and int(match["port"]) <= _LAST_PORT:
            host = match["host"] or str(ipaddress.IPv6Address(match["six"]))
    if match is None or not host:
        raise BadClusterError(f"--cluster {text}: give {_FORMS}, and nothing before or after it")
    is_loopback = host == "localhost"
    with suppress(ValueError):  # a name
        is_loopback = is_loopback or ipaddress.ip_address(host).is_loopback
    if match["scheme"] == "tcp" and not is_loopback:
        raise BadClusterError(
            f"--cluster {text}: whoever reaches a scheduler without TLS runs programs on all of "
            "its machines; use tls:// and the files of `leaderboard cluster certificates`"
        )
    return text
