"""Reports of tokens in replies, in the forms of OpenAI, Anthropic and those who follow them."""

from dataclasses import dataclass

from records.foreign.fields import as_count, as_fields, find_count
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
    prompt = as_count(fields.get("prompt_tokens"))
    base = as_count(fields.get("input_tokens")) if prompt is None else prompt
    whole = None
    if base is not None:
        # Some providers count the tokens of a cache separately, as the total may show.
        read, made, out, thoughts = (count or 0 for count in (cached, written, output, reasoning))
        sums = (base, base + read, base + made, base + read + made)
        by_anthropic = prompt is None and not fields.get("input_tokens_details")
        usual = sums[3] if by_anthropic or max(read, made) > base else base
        fitting = (each for each in sums if total in {each + out, each + out + thoughts})
        whole = as_count(next(fitting, usual))
    return TokenReport(
        input=whole,
        cached_input=cached,
        written_input=written,
        output=output,
        reasoning=reasoning,
        total=total,
    )
