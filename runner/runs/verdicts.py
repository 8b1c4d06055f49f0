"""The entries of the journal for verdicts, and for attempts without a verdict."""

from records.archives.archive import compute_artifact_digest
from records.journal.entries import Generated, Graded, build_artifact
from records.shapes.attempt import Attempt, Fault, FaultClass, Outcome
from records.text.visible import make_one_line
from runner.grading.grade import GradingResult
from runner.grading.steps.step import LONGEST_MESSAGE
from runner.runs.reasons import explain_reason


def make_judged_entry(generated: Generated, verdict: GradingResult, limit: int | None) -> Graded:
    """Return the entry of a graded reply; ``limit`` is the limit of its tokens, None if unknown."""
    graded = Graded(
        attempt=Attempt(
            eval=generated.eval,
            sample=generated.sample,
            outcome=verdict.outcome,
            failed_step=verdict.failed_step,
            reason=explain_reason(
                verdict.reason,
                verdict.failed_step,
                generated.reply or "",
                generated.generation,
                limit,
            ),
            fault=verdict.fault,
            steps=verdict.steps,
            tests=verdict.tests,
            generation=generated.generation,
            failed_tries_usd=generated.failed_tries_usd,
            graded_at=verdict.graded_at,
            key=verdict.key,
            artifact=None,
            carried_over=generated.carried_over,
        ),
        files=verdict.files,
        logs=verdict.logs,
    )
    return with_digest(generated, graded)


def without_verdict(generated: Generated, what: str, error: Exception) -> Graded:
    """Return the entry of a reply whose grading broke: ``what`` failed, and raised ``error``."""
    evidence = make_one_line(f"{what}: {type(error).__name__}: {error}", LONGEST_MESSAGE)
    graded = make_unjudged_entry(generated, Fault(kind=FaultClass.OUTAGE, evidence=evidence))
    # A resume asks again for an attempt without a list of steps, and would pay for it twice: the
    # empty list marks the generation as done.
    attempt = graded.attempt.model_copy(update={"steps": ()})
    return with_digest(generated, graded.model_copy(update={"attempt": attempt}))


def make_unjudged_entry(generated: Generated, fault: Fault | None) -> Graded:
    """Return the entry of an attempt without a verdict, because of ``fault``."""
    attempt = Attempt(
        eval=generated.eval,
        sample=generated.sample,
        outcome=Outcome.INFRASTRUCTURE,
        failed_step=None,
        reason=None,
        fault=fault,
        steps=None,
        tests=None,
        generation=generated.generation,
        failed_tries_usd=generated.failed_tries_usd,
        graded_at=None,
        key=None,
        artifact=None,
        carried_over=generated.carried_over,
    )
    return with_digest(generated, Graded(attempt=attempt, files={}, logs={}))


def with_digest(generated: Generated, graded: Graded) -> Graded:
    """Return ``graded`` with the digest of the attempt's part of the run's archive."""
    digest = compute_artifact_digest(build_artifact(generated, graded))
    return graded.model_copy(
        update={"attempt": graded.attempt.model_copy(update={"artifact": digest})}
    )
