"""Verification: the answers of a record are graded again, to reproduce its verdicts."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from records.shapes.attempt import Outcome
from runner.grading.grade import GradingResult
from runner.grading.graders import Graders
from runner.runs.stored import Grading, StoredAnswer


class Reproduction(StrEnum):
    """The result of grading an answer again."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    """The same grader gives another verdict."""
    TAMPERED = "tampered"
    """The archive does not hold the answer that the record's verdict is about."""
    OTHER_GRADER = "other_grader"
    """This suite lacks the eval, or has another grader: check out the commit of the record."""
    INFRASTRUCTURE = "infrastructure"
    """This machine could not reach a verdict."""


@dataclass(frozen=True, slots=True)
class Verified:
    """One attempt, graded again."""

    eval: str
    sample: int
    result: Reproduction
    published: str
    """The record's verdict, in words."""
    here: str | None
    """The result on this machine, in words; null if the answer was not graded."""
    same_toolchain: bool
    """True if Node, Convex and the other tools have the versions that the record names."""


def verify(
    answers: Sequence[StoredAnswer], graders: Graders, grading: Grading
) -> Iterator[Verified]:
    """Yield the result of each of ``answers``, in their order, as soon as it is known.

    Equal replies to an eval are graded once: a baseline gives the same replies in each of its runs.
    """
    submitted: dict[tuple[str, str], Future[GradingResult]] = {}
    verdicts: list[Future[GradingResult] | None] = []
    for answer in answers:
        name_and_reply = answer.attempt.eval, answer.reply
        if not (answer.is_intact and grading.has_same_grader(answer)):
            verdicts.append(None)
            continue
        if name_and_reply not in submitted:
            submitted[name_and_reply] = graders.submit(grading.make_submission(answer))
        verdicts.append(submitted[name_and_reply])
    for answer, verdict in zip(answers, verdicts, strict=True):
        yield _verify_answer(answer, verdict, grading)


def _verify_answer(
    answer: StoredAnswer, verdict: Future[GradingResult] | None, grading: Grading
) -> Verified:
    attempt = answer.attempt
    key = grading.compute_verdict_key(answer)
    published = describe_verdict(attempt.outcome, attempt.failed_step, attempt.reason)
    same_toolchain = bool(key and attempt.key and key.toolchain == attempt.key.toolchain)
    verified = partial(
        Verified, attempt.eval, attempt.sample, published=published, same_toolchain=same_toolchain
    )
    if not answer.is_intact:
        return verified(result=Reproduction.TAMPERED, here=None)
    if verdict is None:
        return verified(result=Reproduction.OTHER_GRADER, here=None)
    result = verdict.result()
    here = describe_verdict(result.outcome, result.failed_step, result.reason)
    if result.outcome is Outcome.INFRASTRUCTURE:
        return verified(result=Reproduction.INFRASTRUCTURE, here=here)
    same = (result.outcome, result.failed_step) == (attempt.outcome, attempt.failed_step)
    return verified(result=Reproduction.REPRODUCED if same else Reproduction.DIFFERS, here=here)


def describe_verdict(outcome: Outcome, step: str | None, reason: str | None) -> str:
    """Return a verdict in words."""
    return f"{outcome}{f' at {step}' if step else ''}{f': {reason}' if reason else ''}"
