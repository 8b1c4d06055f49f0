"""Verification: the answers of a record are graded again, to reproduce its verdicts."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from records.shapes.attempt import Outcome
from runner.grading.grade import GradingService
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
    answers: Sequence[StoredAnswer], service: GradingService, grading: Grading, workers: int
) -> Iterator[Verified]:
    """Grade ``answers`` with ``workers`` threads; yield the results in the order of answers."""
    with ThreadPoolExecutor(workers) as threads:
        yield from threads.map(partial(_verify_answer, service, grading), answers)


def _verify_answer(service: GradingService, grading: Grading, answer: StoredAnswer) -> Verified:
    attempt = answer.attempt
    key = grading.key(answer)
    published = _words(attempt.outcome, attempt.failed_step, attempt.reason)
    same_toolchain = bool(key and attempt.key and key.toolchain == attempt.key.toolchain)
    verified = partial(
        Verified, attempt.eval, attempt.sample, published=published, same_toolchain=same_toolchain
    )
    if not answer.is_intact:
        return verified(result=Reproduction.TAMPERED, here=None)
    if key is None or attempt.key is None or key.grader != attempt.key.grader:
        return verified(result=Reproduction.OTHER_GRADER, here=None)
    result = service.grade_reply(grading.evals[attempt.eval], answer.reply)
    here = _words(result.outcome, result.failed_step, result.reason)
    if result.outcome is Outcome.INFRASTRUCTURE:
        return verified(result=Reproduction.INFRASTRUCTURE, here=here)
    same = (result.outcome, result.failed_step) == (attempt.outcome, attempt.failed_step)
    return verified(result=Reproduction.REPRODUCED if same else Reproduction.DIFFERS, here=here)


def _words(outcome: Outcome, step: str | None, reason: str | None) -> str:
    return f"{outcome}{f' at {step}' if step else ''}{f': {reason}' if reason else ''}"
