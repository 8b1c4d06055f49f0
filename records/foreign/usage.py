"""Reports of tokens in replies, in the forms of OpenAI, Anthropic and those who follow them."""

from dataclasses import dataclass

from records.foreign.fields import Fields, as_count, as_fields, find_count
from records.shapes.attempt import Tokens


@dataclass(frozen=True, slots=True)
class TokenReport:
    """The reported tokens of a reply. Each count is None if it is not reported."""

    input: int | None = None
    """All input, including that read from a cache or written to it."""
    cached_input: int | None = None
    written_input: int | None = None
    """Input that was written to a cache."""
    output: int | None = None
    """Output; `total` shows whether the tokens of reasoning are among it."""
    reasoning: int | None = None
    total: int | None = None

    def as_tokens(self) -> Tokens | None:
        """Return the counts for a record; None if none is reported."""
        counts = (self.input, self.cached_input, self.output, self.reasoning)
        if all(count is None for count in counts):
            return None
        return Tokens(
            input=self.input,
            cached_input=self.cached_input,
            output=self.output,
            reasoning=self.reasoning,
        )


def read_token_report(report: object) -> TokenReport:
    """Return the tokens in the field `usage` of a reply; all None if it has no known form."""
    fields = as_fields(report)
    into = as_fields(fields.get("prompt_tokens_details") or fields.get("input_tokens_details"))
    out = as_fields(fields.get("completion_tokens_details") or fields.get("output_tokens_details"))
    cached = find_count(
        into.get("cached_tokens"),
        fields.get("prompt_cache_hit_tokens"),  # DeepSeek
        fields.get("cached_tokens"),  # Moonshot
        fields.get("cache_read_input_tokens"),  # Anthropic
    )
    written = find_count(
        into.get("cache_write_tokens"),  # OpenRouter
        into.get("cache_creation_tokens"),
        fields.get("cache_creation_input_tokens"),  # Anthropic
    )
    output = find_count(fields.get("completion_tokens"), fields.get("output_tokens"))
    reasoning = find_count(
        out.get("reasoning_tokens"),
        out.get("thinking_tokens"),  # Anthropic
        fields.get("reasoning_tokens"),
    )
    total = as_count(fields.get("total_tokens"))
    return TokenReport(
        input=_count_input(
            fields, (cached or 0, written or 0), (output or 0, reasoning or 0), total
        ),
        cached_input=cached,
        written_input=written,
        output=output,
        reasoning=reasoning,
        total=total,
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
    prompt = as_count(fields.get("prompt_tokens"))
    base = as_count(fields.get("input_tokens")) if prompt is None else prompt
    if base is None:
        return None
    read, written = cached
    sums = (base, base + read, base + written, base + read + written)
    for into in sums:
        if total in {into + out[0], into + sum(out)}:
            return as_count(into)
    by_anthropic = prompt is None and not fields.get("input_tokens_details")
    return as_count(sums[3] if by_anthropic or max(cached) > base else base)
