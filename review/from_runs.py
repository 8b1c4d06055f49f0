"""Sessions made from attempts of runs: prompt, answer and the grader's verdict."""

from records.archives.archive import AttemptArtifact
from records.sessions.session import EvalStatus, FromAttempt, Session, SessionMessage, SessionTotals
from records.shapes.attempt import NO_TOKENS, Attempt, Outcome
from records.shapes.base import compute_text_digest
from records.shapes.run import Run

_STATUS = {Outcome.PASSED: EvalStatus.CORRECT, Outcome.FAILED: EvalStatus.INCORRECT}


def build_attempt_session(
    run: Run, attempt: Attempt, artifact: AttemptArtifact, reference: str | None
) -> Session | None:
    """Return the session of an attempt; None if it has no verdict, or no model was asked.

    Args:
        run: the run.
        attempt: the attempt.
        artifact: the files of the attempt in the archive.
        reference: the reference answer in the form of a reply; None if it is not known.
    """
    status = _STATUS.get(attempt.outcome)
    if status is None or artifact.reply is None or not artifact.messages:
        return None
    generation = attempt.generation
    prompt = [
        SessionMessage(role="system" if message.role == "system" else "user", text=message.content)
        for message in artifact.messages
    ]
    answer = SessionMessage(
        role="assistant",
        text=artifact.reply,
        model=run.model.slug,
        tokens=generation.tokens if generation else None,
        cost_usd=generation.cost_usd if generation else None,
        duration_s=generation.duration_s if generation else None,
    )
    sample = f" sample {attempt.sample}" if run.samples > 1 else ""
    return Session(
        schema_version=1,
        id=make_attempt_session_id(run.run_id, attempt.eval, attempt.sample),
        title=f"{attempt.eval}{sample}",
        source=FromAttempt(
            kind="attempt", run_id=run.run_id, eval=attempt.eval, sample=attempt.sample
        ),
        model=run.model.slug,
        project=None,
        created_at=run.started_at,
        updated_at=run.finished_at,
        messages=(*prompt, answer),
        totals=SessionTotals(
            tokens=generation.tokens if generation else NO_TOKENS,
            cost_usd=generation.cost_usd if generation else None,
            duration_s=generation.duration_s if generation else None,
        ),
        eval_status=status,
        expected_output=reference,
    )


def make_attempt_session_id(run_id: str, evaluation: str, sample: int) -> str:
    """Return the id of an attempt's session, which depends only on run, eval and sample."""
    return f"{run_id}-{compute_text_digest(f'{evaluation}/{sample}')[:16]}"
