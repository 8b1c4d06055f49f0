"""The reasons of failed attempts, with causes that only the end of the reply shows."""

from records.runs.finish_reasons import CALLS, End, end_by
from records.shapes.attempt import Generation, StepName


def explain_reason(
    reason: str | None,
    step: StepName | None,
    reply: str,
    generation: Generation | None,
    limit: int | None,
) -> str | None:
    """Return the reason of a failed attempt; None if it passed.

    If the reply has no usable files, its finish reason may show the cause, which is added: the
    reply was cut at its limit, or the model called tools.

    Args:
        reason: the grader's reason; None if the attempt passed.
        step: the step that failed.
        reply: the text of the model.
        generation: facts of the reply; None for a baseline.
        limit: the most output tokens of the model; None if no limit was sent.
    """
    if reason is None or generation is None or step is not StepName.FILESYSTEM:
        return reason
    word = generation.finish_reason
    if word in CALLS and not reply.strip():
        return f"{reason}: the model calls tools, of which none was offered"
    if end_by(word) is End.LIMIT and limit is not None:
        return f"{reason}; the reply was cut at its limit of {limit} tokens"
    return reason
