"""The entries of the journal for verdicts, and for attempts without a verdict."""

from typing import Final

from records.archives.archive import compute_artifact_digest
from records.journal.entries import Generated, Graded, build_artifact, get_attempt_key
from records.runs.finish_reasons import CALLS, End, end_by
from records.shapes.attempt import Attempt, Fault, FaultClass, Generation, Outcome, Step, StepName
from records.text.visible import make_one_line
from runner.grading.grade import GradingResult
from runner.grading.steps.step import LONGEST_MESSAGE
from runner.runs.record import make_unrun_attempt

_FACTS: Final = ("outcome", "failed_step", "fault", "steps", "tests", "graded_at", "key")
"""The fields that an attempt has from its verdict, beside the reason."""


def make_judged_entry(generated: Generated, verdict: GradingResult, limit: int | None) -> Graded:
    """Return the entry of a graded reply; ``limit`` is the limit of its tokens, None if unknown."""
    unrun = make_unrun_attempt(get_attempt_key(generated), generated)
    attempt = with_verdict(unrun, verdict, generated.reply or "", limit)
    return with_digest(generated, Graded(attempt=attempt, files=verdict.files, logs=verdict.logs))


def with_verdict(
    attempt: Attempt, verdict: GradingResult, reply: str, limit: int | None
) -> Attempt:
    """Return ``attempt`` with a verdict on its reply; ``limit`` is as above."""
    reason = explain_reason(verdict.reason, verdict.failed_step, reply, attempt.generation, limit)
    facts = {name: getattr(verdict, name) for name in _FACTS}
    return Attempt.model_validate(dict(attempt) | facts | {"reason": reason})


def without_verdict(generated: Generated, what: str, error: Exception) -> Graded:
    """Return the entry of a reply whose grading broke: ``what`` failed, and raised ``error``."""
    evidence = make_one_line(f"{what}: {type(error).__name__}: {error}", LONGEST_MESSAGE)
    # A resume asks again for an attempt without a list of steps, and would pay for it twice: the
    # empty list marks the generation as done.
    return make_unjudged_entry(
        generated, Fault(kind=FaultClass.OUTAGE, evidence=evidence), steps=()
    )


def make_unjudged_entry(
    generated: Generated, fault: Fault | None, steps: tuple[Step, ...] | None = None
) -> Graded:
    """Return the entry of an attempt without a verdict, because of ``fault``."""
    unrun = make_unrun_attempt(get_attempt_key(generated), generated)
    facts = {"outcome": Outcome.INFRASTRUCTURE, "fault": fault, "steps": steps}
    attempt = Attempt.model_validate(dict(unrun) | facts)
    return with_digest(generated, Graded(attempt=attempt, files={}, logs={}))


def with_digest(generated: Generated, graded: Graded) -> Graded:
    """Return ``graded`` with the digest of the attempt's part of the run's archive."""
    digest = compute_artifact_digest(build_artifact(generated, graded))
    return graded.model_copy(
        update={"attempt": graded.attempt.model_copy(update={"artifact": digest})}
    )


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
