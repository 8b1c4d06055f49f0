"""Attempts between records and their shapes on the wire.

Values that could contradict the rest of a record, such as digests, are not sent but computed.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from leaderboard.api.attempt_shapes import (
    SENT_ATTEMPT,
    PassedStep,
    PassedTest,
    PricedGeneration,
    SentFailed,
    SentInfrastructure,
    SentNotRun,
    SentPassed,
    UnpricedGeneration,
)
from records.archives.archive import AttemptArtifact, answer_digest, attempt_digest
from records.shapes.attempt import Attempt, Generation, GradingKey, Outcome, Step, Test


def received(
    sent: SentPassed | SentFailed | SentInfrastructure | SentNotRun, evaluation: str, sample: int
) -> tuple[Attempt, AttemptArtifact | None]:
    """Return the attempt that was sent for a place, and its artifact; None if it was not made."""
    if isinstance(sent, SentNotRun):
        return _attempt(sent, evaluation, sample, None), None
    artifact = AttemptArtifact(
        eval=evaluation,
        sample=sample,
        messages=sent.artifact.messages,
        reply=sent.artifact.reply,
        files=sent.artifact.files,
        logs=sent.artifact.logs,
    )
    return _attempt(sent, evaluation, sample, artifact), artifact


def sent_attempt(
    attempt: Attempt, kept: AttemptArtifact | None
) -> SentPassed | SentFailed | SentInfrastructure | SentNotRun:
    """Return the body by which a runner sends an attempt with its artifact.

    Raises:
        ValueError: it cannot be sent, such as a file's path that is longer than any server takes.
    """
    fields = attempt.model_dump(mode="json")
    outcome = attempt.outcome
    keep = {"outcome", "generation", "failed_tries_usd", "carried_over"}
    if outcome is not Outcome.NOT_RUN:
        keep |= {"reason", "graded_at", "key", "earlier_verdicts", "steps", "tests"}
        if kept is None:
            raise ValueError("what the attempt wrote is not kept any more")
    keep |= {"failed_step"} if outcome is Outcome.FAILED else set()
    keep |= {"fault"} if outcome is Outcome.INFRASTRUCTURE else set()
    chosen: dict[str, Any] = {name: fields[name] for name in fields if name in keep}
    if chosen.get("key"):
        del chosen["key"]["answer"]
    if outcome is not Outcome.NOT_RUN and kept is not None:
        chosen["artifact"] = kept.model_dump(mode="json", exclude={"eval", "sample"})
    return SENT_ATTEMPT.validate_python(chosen)


def attempt_record_digest(attempt: Attempt) -> str:
    """Return the SHA-256 by which runner and server compare an attempt."""
    return sha256(attempt.model_dump_json().encode()).hexdigest()


def _attempt(
    sent: SentPassed | SentFailed | SentInfrastructure | SentNotRun,
    evaluation: str,
    sample: int,
    kept: AttemptArtifact | None,
) -> Attempt:
    judged = None if isinstance(sent, SentNotRun) else sent
    key = judged.key if judged else None
    return Attempt(
        eval=evaluation,
        sample=sample,
        outcome=sent.outcome,
        failed_step=sent.failed_step if isinstance(sent, SentFailed) else None,
        reason=judged.reason if judged else None,
        fault=sent.fault if isinstance(sent, SentInfrastructure) else None,
        steps=_steps(judged.steps if judged else None),
        tests=_tests(judged.tests if judged else None),
        generation=_generation(sent.generation, kept.reply if kept else None),
        failed_tries_usd=sent.failed_tries_usd,
        graded_at=judged.graded_at if judged else None,
        key=GradingKey(answer=answer_digest(kept.files), grader=key.grader, toolchain=key.toolchain)
        if key and kept
        else None,
        artifact=attempt_digest(kept) if kept else None,
        earlier_verdicts=judged.earlier_verdicts if judged else (),
        carried_over=sent.carried_over,
    )


def _generation(
    sent: PricedGeneration | UnpricedGeneration | None, reply: str | None
) -> Generation | None:
    if sent is None:
        return None
    digest = sent.reply_digest if reply is None else sha256(reply.encode()).hexdigest()
    fields = sent.model_dump() | {"reply_digest": digest}
    return Generation.model_validate(fields)


def _steps(steps: Sequence[Step | PassedStep] | None) -> tuple[Step, ...] | None:
    return None if steps is None else tuple(Step.model_validate(dict(step)) for step in steps)


def _tests(tests: Sequence[Test | PassedTest] | None) -> tuple[Test, ...] | None:
    return None if tests is None else tuple(Test.model_validate(dict(test)) for test in tests)
