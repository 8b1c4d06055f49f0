"""Hosts that answered a run. A gateway may pass each request on to another host."""

from collections import Counter
from collections.abc import Iterable, Sequence

from records.shapes.attempt import Attempt
from records.text.visible import make_one_line

_NAMED = 5
"""Names in a list; further names are only counted."""

_LONGEST = 60
"""Characters of a name."""


def describe_host_mixture(attempts: Sequence[Attempt]) -> str | None:
    """Return a sentence on a run with several hosts, or several builds of a server; else None.

    Hosts serve a model with different precision, so the scores of such a run belong to no single
    host.
    """
    hosts = count_by_host(attempts)
    builds = count_by_fingerprint(attempts)
    parts = [f"{len(hosts)} hosts: {format_name_counts(hosts)}"] if len(hosts) > 1 else []
    if len(builds) > 1:
        parts.append(
            f"{len(builds)} builds of the server by its fingerprint: {format_name_counts(builds)}"
        )
    return f"Answers come from {', and from '.join(parts)}" if parts else None


def count_by_host(attempts: Iterable[Attempt]) -> Counter[str]:
    """Count the answers of each host that a gateway named."""
    return _count_names(attempt.generation.served_by for attempt in attempts if attempt.generation)


def count_by_fingerprint(attempts: Iterable[Attempt]) -> Counter[str]:
    """Count the answers with each fingerprint of a server."""
    return _count_names(
        attempt.generation.system_fingerprint for attempt in attempts if attempt.generation
    )


def format_name_counts(counts: Counter[str]) -> str:
    """Return names with their numbers, commonest first: ``DeepInfra (12), Together (3)``."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    names = [f"{make_one_line(name, _LONGEST)} ({number})" for name, number in ordered[:_NAMED]]
    more = len(ordered) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _count_names(names: Iterable[str | None]) -> Counter[str]:
    return Counter(name for name in names if name)
