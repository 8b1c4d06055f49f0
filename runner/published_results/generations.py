"""Tokens, cost and time of an answer as another tool recorded them."""

from records.shapes.attempt import CostBasis, Generation, Tokens, TokensBasis


def make_generation(  # noqa: PLR0913 - the facts that a file may have of an answer
    *,
    input_tokens: int | None = None,
    cached_input_tokens: int | None = None,
    output_tokens: int | None = None,
    reasoning_tokens: int | None = None,
    cost_usd: float | None = None,
    duration_s: float | None = None,
    finish_reason: str | None = None,
) -> Generation | None:
    """Return the facts of an answer; None if no amount is known."""
    tokens = Tokens(
        input=input_tokens,
        cached_input=cached_input_tokens,
        output=output_tokens,
        reasoning=reasoning_tokens,
    )
    has_tokens = any(count is not None for count in tokens.model_dump().values())
    if not has_tokens and cost_usd is None and duration_s is None:
        return None
    return Generation(
        duration_s=duration_s,
        time_to_first_token_s=None,
        finish_reason=finish_reason,
        answered_by=None,
        tries=None,
        tokens=tokens,
        tokens_basis=TokensBasis.REPORTED if has_tokens else TokensBasis.UNKNOWN,
        cost_usd=cost_usd,
        cost_basis=CostBasis.UNKNOWN if cost_usd is None else CostBasis.REPORTED,
        reply_digest=None,
    )
