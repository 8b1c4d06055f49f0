"""The reading of usage reports, in the forms of all protocols that gateways pass on."""

from typing import Any

from runner.models.requests import claims
from runner.models.requests.heard import ReportedUsage
from runner.models.requests.protocols.fields import Fields, read_fields


def read_usage(report: object) -> ReportedUsage:
    """Return a usage report in OpenAI's or Anthropic's form; empty if it has neither form."""
    fields = read_fields(report)
    if not fields:
        return ReportedUsage()
    into = read_fields(fields.get("prompt_tokens_details") or fields.get("input_tokens_details"))
    out = read_fields(
        fields.get("completion_tokens_details") or fields.get("output_tokens_details")
    )
    details = read_fields(fields.get("cost_details"))
    cached = _find_first_count(
        into.get("cached_tokens"),
        fields.get("prompt_cache_hit_tokens"),  # DeepSeek
        fields.get("cached_tokens"),  # Moonshot
        fields.get("cache_read_input_tokens"),  # Anthropic
    )
    written = _find_first_count(
        into.get("cache_write_tokens"),  # OpenRouter
        into.get("cache_creation_tokens"),
        fields.get("cache_creation_input_tokens"),  # Anthropic
    )
    output = _find_first_count(fields.get("completion_tokens"), fields.get("output_tokens"))
    reasoning = _find_first_count(
        out.get("reasoning_tokens"),
        out.get("thinking_tokens"),  # Anthropic
        fields.get("reasoning_tokens"),
    )
    total = claims.read_count(fields.get("total_tokens"))
    own_key = fields.get("is_byok")
    return ReportedUsage(
        input=_count_input(
            fields, (cached or 0, written or 0), (output or 0, reasoning or 0), total
        ),
        cached_input=cached,
        written_input=written,
        output=output,
        reasoning=reasoning,
        total=total,
        cost_usd=_read_cost(fields.get("cost")),
        upstream_cost_usd=claims.read_dollars(details.get("upstream_inference_cost")),
        own_key=own_key if isinstance(own_key, bool) else None,
    )


def _count_input(
    fields: Fields, cached: tuple[int, int], out: tuple[int, int], total: int | None
) -> int | None:
    """Return the number of all input tokens; some providers count those of a cache separately.

    Args:
        fields: the report.
        cached: the tokens read from a cache, and those written to it.
        out: the output tokens, and those of reasoning.
        total: the sum of all tokens, which shows how they are counted; None if not reported.
    """
    prompt = claims.read_count(fields.get("prompt_tokens"))
    base = claims.read_count(fields.get("input_tokens")) if prompt is None else prompt
    if base is None:
        return None
    read, written = cached
    sums = (base, base + read, base + written, base + read + written)
    for into in sums:
        if total in {into + out[0], into + sum(out)}:
            return claims.read_count(into)
    by_anthropic = prompt is None and not fields.get("input_tokens_details")
    return claims.read_count(sums[3] if by_anthropic or max(cached) > base else base)


def _read_cost(cost: object) -> float | None:
    """Return a cost in dollars, which is a number, or in the field of an object."""
    return claims.read_dollars(read_fields(cost).get("total_cost", cost))


def _find_first_count(*values: Any) -> int | None:  # noqa: ANN401 - JSON of a provider
    """Return the first of ``values`` that is a count."""
    return next(
        (count for value in values if (count := claims.read_count(value)) is not None), None
    )
