"""Upper bounds of a request's bill, and estimates where a provider does not tell the bill."""

from collections.abc import Mapping, Sequence
from typing import Final

from records.registry import ModelEntry
from runner.models.costs import prices
from runner.models.costs.prices import Rates

AROUND_MESSAGE: Final = 64
"""Tokens at most by which a provider marks where a message begins and ends."""

AROUND_REQUEST: Final = 256
"""Tokens at most that a provider says to its model before all messages."""


def most_input(messages: Sequence[Mapping[str, str]]) -> int:
    """Return the most tokens that ``messages`` may be: none is shorter than a byte."""
    return AROUND_REQUEST + sum(
        AROUND_MESSAGE + len(message["content"].encode("utf-8", "surrogatepass"))
        for message in messages
    )


def most(
    entry: ModelEntry, rates: Rates | None, messages: Sequence[Mapping[str, str]]
) -> float | None:
    """Return the most dollars that one request may cost; None where nobody knows."""
    limit = entry.output_limit
    if rates is None or limit is None:
        return None
    return prices.upper_cost(rates, most_input(messages), limit)


def settled(
    at_most: float | None, known: float | None, *, whole: bool, billed: bool
) -> float | None:
    """Return what a request that is over counts for, in dollars; None where nobody knows.

    What the provider said counts where the reply came to its end. Else all that it may bill does:
    it may have gone on writing when nobody listened any more.

    Args:
        at_most: the most that it may be billed; None where nobody knows.
        known: what it cost by the provider's word; None where it said nothing.
        whole: whether the reply came to its end.
        billed: whether the provider may bill it; one that refuses a request does not.
    """
    if whole and known is not None:
        return known
    return at_most if billed else 0.0
