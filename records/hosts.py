"""The hosts that answered a run: a gateway may pass each request on to another one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from records.attempt import Attempt
from records.showing import one_line

_NAMED: Final = 5
"""Names that are listed; those after them are counted."""

_LONGEST: Final = 60
"""Characters of a name."""


def host_mixture(attempts: Sequence[Attempt]) -> str | None:
    """Return a sentence about a run of several hosts, or of several builds of a server.

    None where there is one of each, or none is named. Hosts serve one model at different precision,
    so the scores of such a run belong to no single one.
    """
    hosts = host_counts(attempts)
    builds = fingerprint_counts(attempts)
    parts = [f"{len(hosts)} hosts: {listing(hosts)}"] if len(hosts) > 1 else []
    if len(builds) > 1:
        parts.append(f"{len(builds)} builds of the server by its fingerprint: {listing(builds)}")
    return f"Answers come from {', and from '.join(parts)}" if parts else None


def host_counts(attempts: Iterable[Attempt]) -> Counter[str]:
    """Count the answers of each host that a gateway named."""
    return _counts(one.generation.served_by for one in attempts if one.generation)


def fingerprint_counts(attempts: Iterable[Attempt]) -> Counter[str]:
    """Count the answers under each fingerprint."""
    return _counts(one.generation.system_fingerprint for one in attempts if one.generation)


def listing(counts: Counter[str]) -> str:
    """Return names with their numbers, commonest first: ``DeepInfra (12), Together (3)``."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{one_line(name, _LONGEST)} ({number})" for name, number in ordered[:_NAMED]]
    rest = len(ordered) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def _counts(names: Iterable[str | None]) -> Counter[str]:
    return Counter(name for name in names if name)
