"""The reason of a failed attempt, with the end of its reply where the reply does not show it."""

from records.runs.finish_reasons import CALLS, End, end_by
from records.shapes.attempt import Generation, StepName


def explained(
    reason: str | None,
    step: StepName | None,
    reply: str,
    generation: Generation | None,
    limit: int | None,
) -> str | None:
    """Return why an attempt failed, and the cause of a reply without files by its finish reason.

    Args:
        reason: the grader's reason; None where the attempt passed.
        step: the step that failed.
        reply: the text of the model.
        generation: facts of the reply; None for a baseline.
        limit: tokens of output that the model was allowed; None where no limit was sent.
    """
    if reason is None or generation is None or step is not StepName.FILESYSTEM:
        return reason
    word = generation.finish_reason
    if word in CALLS and not reply.strip():
        return f"{reason}: the model calls tools, of which none was offered"
    if end_by(word) is End.LIMIT and limit is not None:
        return f"{reason}; the reply was cut at its limit of {limit} tokens"
    return reason
