"""Hosts that answered a run. A gateway may pass each request on to another host."""

from collections import Counter
from collections.abc import Iterable, Sequence

from records.shapes.attempt import Attempt
from records.text.visible import make_one_line

HOST = "served_by"
"""The field of an answer with the host that a gateway named."""
BUILD = "system_fingerprint"
"""The field of an answer with the fingerprint of the server."""
_NAMED = 5
"""Names in a list; further names are only counted."""

_LONGEST = 60
"""Characters of a name."""


def describe_host_mixture(attempts: Sequence[Attempt]) -> str | None:
    """Return a sentence on a run with several hosts, or several builds of a server; else None.

    Hosts serve a model with different precision, so the scores of such a run belong to no single
    host.
    """
    hosts, builds = count_answers(attempts, HOST), count_answers(attempts, BUILD)
    parts = [f"{len(hosts)} hosts: {format_name_counts(hosts)}"] if len(hosts) > 1 else []
    if len(builds) > 1:
        parts.append(
            f"{len(builds)} builds of the server by its fingerprint: {format_name_counts(builds)}"
        )
    return f"Answers come from {', and from '.join(parts)}" if parts else None


def count_answers(attempts: Iterable[Attempt], field: str) -> Counter[str]:
    """Count the answers with each name that a ``field`` of them has, `HOST` or `BUILD`."""
    generations = (attempt.generation for attempt in attempts if attempt.generation)
    return Counter(filter(None, (getattr(generation, field) for generation in generations)))


def format_name_counts(counts: Counter[str]) -> str:
    """Return names with their numbers, commonest first: ``DeepInfra (12), Together (3)``."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    names = [f"{make_one_line(name, _LONGEST)} ({number})" for name, number in ordered[:_NAMED]]
    more = len(ordered) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
