"""Tests that the stub passes. An answer that does nothing should fail most tests."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from records.shapes.attempt import Outcome
from runner.evals.discovery import Eval
from runner.grading.grade import GradingService
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
        faults: list[tuple[str, str]] = []
        if reference.outcome is not Outcome.PASSED:
            advice = f"the reference answer is {reference.outcome}: {reference.reason}"
            faults.append(("wrong-verdict", advice))
        tests = stub.tests or ()
        passed = [test.title for test in tests if test.outcome is Outcome.PASSED]
        if stub.outcome is Outcome.INFRASTRUCTURE:
            advice = f"an answer that does nothing is not judged: {stub.reason}"
            faults.append(("wrong-verdict", advice))
        elif stub.outcome is Outcome.PASSED:
            advice = "an answer that does nothing passes: nothing is measured"
            faults.append(("wrong-verdict", advice))
        elif passed:
            more = f" and {len(passed) - _MOST_TITLES} more" if len(passed) > _MOST_TITLES else ""
            advice = (
                f"an answer that does nothing passes {len(passed)} of {len(tests)} tests: "
                f"{', '.join(passed[:_MOST_TITLES])}{more}"
            )
            faults.append(("stub-passes", advice))
        name, file = evaluation.name, evaluation.grader.name
        return evaluation, [Finding(name, file, 1, rule, advice) for rule, advice in faults]

    findings: list[Finding] = []
    with ThreadPoolExecutor(workers, thread_name_prefix="stub") as threads:
        for evaluation, faults in threads.map(grade, evals):
            findings += faults
            on_graded(evaluation)
    return sorted(findings)
