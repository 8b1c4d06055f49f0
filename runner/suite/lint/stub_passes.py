"""Tests that the stub passes. An answer that does nothing should fail most tests."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from records.shapes.attempt import Outcome
from runner.evals.discovery import Eval
from runner.grading.grade import GradingResult, GradingService
from runner.models import baselines
from runner.suite.lint.eval_files import Finding

_STUB: Final = "baseline/stub"
_REFERENCE: Final = "baseline/oracle"
_MOST_TITLES: Final = 3


def find_stub_passes(
    evals: Sequence[Eval],
    grading: GradingService,
    workers: int,
    on_graded: Callable[[Eval], None],
) -> list[Finding]:
    """Grade the reference and the stub of each eval; return the faults that they show, sorted.

    ``on_graded`` is called in this thread after each eval.

    Raises:
        InvalidEvalError: a reference cannot be read.
    """

    def grade(evaluation: Eval) -> tuple[Eval, list[Finding]]:
        reference, stub = (
            grading.grade(evaluation, baselines.make_answer(slug, evaluation))
            for slug in (_REFERENCE, _STUB)
        )
        return evaluation, [
            *_find_reference_faults(evaluation, reference),
            *_find_stub_faults(evaluation, stub),
        ]

    findings: list[Finding] = []
    with ThreadPoolExecutor(workers, thread_name_prefix="stub") as threads:
        for evaluation, faults in threads.map(grade, evals):
            findings += faults
            on_graded(evaluation)
    return sorted(findings)


def _find_reference_faults(evaluation: Eval, verdict: GradingResult) -> Iterator[Finding]:
    if verdict.outcome is not Outcome.PASSED:
        advice = f"the reference answer is {verdict.outcome}: {verdict.reason}"
        yield Finding(evaluation.name, evaluation.grader.name, 1, "wrong-verdict", advice)


def _find_stub_faults(evaluation: Eval, verdict: GradingResult) -> Iterator[Finding]:
    passed = [test.title for test in verdict.tests or () if test.outcome is Outcome.PASSED]
    if verdict.outcome is Outcome.INFRASTRUCTURE:
        advice = f"an answer that does nothing is not judged: {verdict.reason}"
        yield Finding(evaluation.name, evaluation.grader.name, 1, "wrong-verdict", advice)
    elif verdict.outcome is Outcome.PASSED:
        advice = "an answer that does nothing passes: nothing is measured"
        yield Finding(evaluation.name, evaluation.grader.name, 1, "wrong-verdict", advice)
    elif len(passed) > 0:
        more = f" and {len(passed) - _MOST_TITLES} more" if len(passed) > _MOST_TITLES else ""
        advice = (
            f"an answer that does nothing passes {len(passed)} of {len(verdict.tests or ())} "
            f"tests: {', '.join(passed[:_MOST_TITLES])}{more}"
        )
        yield Finding(evaluation.name, evaluation.grader.name, 1, "stub-passes", advice)
