"""Upper bounds of the bill of a request, before the request is made."""

from collections.abc import Mapping, Sequence
from typing import Final

from records.shapes.registry import ModelEntry
from runner.models.costs import prices
from runner.models.costs.prices import Rates

AROUND_MESSAGE: Final = 64
"""The most tokens that a provider adds to each message, to mark its start and end."""

AROUND_REQUEST: Final = 256
"""The most tokens that a provider adds before all messages."""


def compute_most_input(messages: Sequence[Mapping[str, str]]) -> int:
    """Return the most tokens that ``messages`` may have; a token has at least one byte."""
    return AROUND_REQUEST + sum(
        AROUND_MESSAGE + len(message["content"].encode("utf-8", "surrogatepass"))
        for message in messages
    )


def estimate_upper_usd(
    entry: ModelEntry,
    rates: Rates | None,
    messages: Sequence[Mapping[str, str]],
    output_tokens: int | None = None,
) -> float | None:
    """Return the most dollars that a request may cost; None if unknown.

    ``output_tokens`` is the most tokens that the reply may have, by default the sent limit.
    """
    longest = entry.output_limit if output_tokens is None else output_tokens
    if rates is None or longest is None:
        return None
    return prices.compute_upper_cost(rates, compute_most_input(messages), longest)
