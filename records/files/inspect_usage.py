"""Tokens in logs of Inspect, whose counts are 0 if the provider reported none."""

from collections.abc import Callable
from typing import NamedTuple


class InspectUsage(NamedTuple):
    """Tokens that a model used; a count is None if it is not known."""

    input: int | None
    """With those from the cache, which Inspect counts apart."""
    cached_input: int | None
    output: int | None
    reasoning: int | None


def read_usage(count_at: Callable[[str], int | None]) -> InspectUsage:
    """Return the known counts of a model's usage; ``get_count`` returns the count of a field.

    All input is the total without the output. No request has an empty input, so a total that is not
    above the output says nothing of the input.
    """
    total, output = count_at("total_tokens"), count_at("output_tokens")
    cached, reasoning = count_at("input_tokens_cache_read"), count_at("reasoning_tokens")
    if not any((total, output, cached, reasoning)):
        return InspectUsage(None, None, None, None)
    return InspectUsage(
        input=None if total is None or output is None or total <= output else total - output,
        cached_input=cached,
        output=output if total or output else None,
        reasoning=reasoning,
    )
