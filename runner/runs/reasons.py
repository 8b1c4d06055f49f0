"""The reason of a failed attempt, with how its reply ended where the reply cannot tell that."""

from typing import Final

from records.run import Generation, StepName

_CALLS: Final = frozenset({"tool_calls", "function_call"})
"""Finish reasons of a reply that ends in calls of tools."""

_AT_THE_LIMIT: Final = frozenset({"length", "max_tokens", "max_output_tokens"})
"""Finish reasons of a reply that ends at the limit on its tokens."""


def explained(
    reason: str | None,
    step: StepName | None,
    reply: str,
    generation: Generation | None,
    limit: int | None,
) -> str | None:
    """Return why an attempt failed, and why its reply has no files where the finish reason tells.

    Args:
        reason: the grader's reason; None where the attempt passed.
        step: the step that failed.
        reply: the text of the model.
        generation: facts of the reply; None for a baseline.
        limit: tokens of output that the model was allowed; None where no limit was sent.
    """
    if reason is None or generation is None or step is not StepName.FILESYSTEM:
        return reason
    end = (generation.finish_reason or "").lower()
    if end in _CALLS and not reply.strip():
        return f"{reason}: the model calls tools, of which none was offered"
    if end in _AT_THE_LIMIT and limit is not None:
        return f"{reason}; the reply was cut at its limit of {limit} tokens"
    return reason
