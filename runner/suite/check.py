"""The proof of graders: reference and right variants pass, wrong variants fail as described."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from operator import itemgetter
from threading import Lock
from typing import Final

from records.shapes.attempt import Outcome, StepName
from runner.evals.discovery import Calibration, Eval
from runner.grading.grade import GradingResult, GradingService
from runner.grading.worker.protocol import SelectedTests
from runner.models import baselines

_REFERENCE: Final = "reference"
_EMPTY: Final = "baseline/empty"
_STUB: Final = "baseline/stub"


@dataclass(frozen=True, slots=True)
class Expectation:
    """An answer to an eval, and the verdict that grading must return."""

    evaluation: Eval
    name: str
    """``reference``, ``baseline/empty``, ``baseline/stub``, ``pass/<name>`` or ``fail/<name>``."""
    outcome: Outcome
    step: StepName | None
    """The first step that must fail; None for any step, or for an answer that must pass."""
    tests: tuple[str, ...]
    """Tests that must be among the failed tests."""
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Proof:
    """The verdicts of all gradings of an answer, and their differences from the expectation."""

    evaluation: str
    name: str
    problems: tuple[str, ...]
    """A line for each difference; empty if all verdicts are as expected."""
    verdicts: tuple[GradingResult, ...]
    """Empty for an answer that was left out, because the reference of its eval does not pass."""

    @property
    def is_left_out(self) -> bool:
        """True if the answer was not graded."""
        return not self.verdicts

    @property
    def holds(self) -> bool:
        """True if the answer was graded and every verdict is as expected."""
        return not self.problems and not self.is_left_out

    @property
    def tests_s(self) -> float | None:
        """The seconds of the longest tests step of all gradings; None if no such step ran."""
        steps = (step for verdict in self.verdicts for step in verdict.steps)
        spent = [step.duration_s for step in steps if step.name is StepName.TESTS]
        return max((seconds for seconds in spent if seconds is not None), default=None)

    @property
    def is_infrastructure(self) -> bool:
        """True if a fault of our machinery prevented a verdict on the answer."""
        return any(verdict.outcome is Outcome.INFRASTRUCTURE for verdict in self.verdicts)


def check_graders(  # noqa: PLR0913 - what to grade, and who receives the proofs
    evals: Sequence[Eval],
    grading: GradingService,
    *,
    workers: int = 2,
    times: int = 2,
    seed: int | None = None,
    on_proof: Callable[[Proof, str], None] | None = None,
) -> list[Proof]:
    """Grade each known answer of ``evals`` ``times`` times, and compare with the expectations.

    The order of the answers, and of the result, mixes the categories evenly, because answers of
    some categories compute while others wait. With ``seed`` the order is random. If the reference
    of an eval does not pass, the other answers of the eval are left out, because their verdicts
    would repeat the fault. ``on_proof`` is called in this thread after each answer, with the proof
    and the count so far, such as ``3/20``.

    Raises:
        InvalidEvalError: a file of an eval cannot be used.
    """
    expected = in_turn([each for evaluation in evals for each in expectations(evaluation)])
    if seed is not None:
        random.Random(seed).shuffle(expected)  # noqa: S311 - an order, not a secret
    references = _References(evals, grading, times)
    proofs: list[Proof] = []
    with ThreadPoolExecutor(workers, thread_name_prefix="calibration") as threads:
        for proof in threads.map(references.prove, expected):
            proofs.append(proof)
            if on_proof is not None:
                on_proof(proof, f"{len(proofs)}/{len(expected)}")
    return proofs


class _References:
    """The proofs of references, which are made before other answers of their evals are graded."""

    def __init__(self, evals: Sequence[Eval], grading: GradingService, times: int) -> None:
        """Store the service and the number of times that each answer is graded."""
        self._grading = grading
        self._times = times
        self._locks = {evaluation.name: Lock() for evaluation in evals}
        self._proofs: dict[str, Proof] = {}

    def prove(self, expected: Expectation) -> Proof:
        """Grade an answer and compare; leave it out if the reference of its eval does not pass."""
        reference = self._prove_reference(expected.evaluation)
        if expected.name == _REFERENCE:
            return reference
        if not reference.holds:
            return Proof(expected.evaluation.name, expected.name, (), ())
        return _prove(expected, grading=self._grading, times=self._times)

    def _prove_reference(self, evaluation: Eval) -> Proof:
        """Return the proof of a reference; the first thread grades it, other threads wait."""
        with self._locks[evaluation.name]:
            if evaluation.name not in self._proofs:
                expected = _expect_reference(evaluation)
                self._proofs[evaluation.name] = _prove(
                    expected, grading=self._grading, times=self._times
                )
            return self._proofs[evaluation.name]


def in_turn(expected: Sequence[Expectation]) -> list[Expectation]:
    """Return ``expected`` in an order in which each category is spread evenly."""
    numbers = Counter(expectation.evaluation.category for expectation in expected)
    met = Counter[str]()
    placed: list[tuple[float, str, Expectation]] = []
    for expectation in expected:
        category = expectation.evaluation.category
        placed.append(((met[category] + 0.5) / numbers[category], category, expectation))
        met[category] += 1
    return [expectation for _, _, expectation in sorted(placed, key=itemgetter(0, 1))]


def expectations(evaluation: Eval) -> Iterator[Expectation]:
    """Yield each known answer of an eval with the verdict that grading must return."""
    yield _expect_reference(evaluation)
    for slug in (_EMPTY, _STUB):
        files = baselines.answer(slug, evaluation)
        yield Expectation(evaluation, slug, Outcome.FAILED, None, (), files)
    for calibration in evaluation.calibrations():
        yield _of_calibration(evaluation, calibration)


def _expect_reference(evaluation: Eval) -> Expectation:
    return Expectation(evaluation, _REFERENCE, Outcome.PASSED, None, (), evaluation.answer())


def _of_calibration(evaluation: Eval, calibration: Calibration) -> Expectation:
    return Expectation(
        evaluation,
        f"{calibration.kind}/{calibration.name}",
        Outcome.PASSED if calibration.kind == "pass" else Outcome.FAILED,
        calibration.step,
        calibration.tests,
        calibration.files,
    )


def _prove(expected: Expectation, *, grading: GradingService, times: int) -> Proof:
    # A wrong variant is proven as soon as the tests of its calibration have failed. If the
    # calibration names no test, it is proven as soon as any test has failed.
    wrong = expected.outcome is Outcome.FAILED
    selection = SelectedTests(only=expected.tests, stop_at_failure=wrong and not expected.tests)
    verdicts = tuple(
        grading.grade(expected.evaluation, expected.files, selection) for _ in range(times)
    )
    problems = tuple(dict.fromkeys(_problems(expected, verdicts)))
    return Proof(expected.evaluation.name, expected.name, problems, verdicts)


def _problems(expected: Expectation, verdicts: Sequence[GradingResult]) -> Iterator[str]:
    for verdict in verdicts:
        yield from _surprises(expected, verdict)
    if len({_essence(verdict) for verdict in verdicts}) > 1:
        outcomes = " / ".join(_describe_verdict(verdict) for verdict in verdicts)
        yield f"graded differently each time: {outcomes}"


def _surprises(expected: Expectation, verdict: GradingResult) -> Iterator[str]:
    if verdict.outcome is not expected.outcome:
        yield f"must be {expected.outcome}, is {_describe_verdict(verdict)}"
        return
    if expected.step is not None and verdict.failed_step is not expected.step:
        yield f"must fail at {expected.step}, but {_describe_verdict(verdict)}"
        return
    failed = _failed_tests(verdict)
    test_names = {test.name for test in verdict.tests or ()}
    for name in expected.tests:
        if name not in test_names:
            yield f"must fail {name}, but the grader has no such test"
        elif name not in failed:
            yield f"must fail {name}, which passed"


def _describe_verdict(verdict: GradingResult) -> str:
    match verdict.outcome:
        case Outcome.PASSED:
            return "passed"
        case Outcome.FAILED:
            return f"failed at {verdict.failed_step}: {verdict.reason}"
        case _:
            evidence = verdict.fault.evidence if verdict.fault else "no reason"
            return f"{verdict.outcome}: {evidence}"


def _failed_tests(verdict: GradingResult) -> frozenset[str]:
    tests = verdict.tests or ()
    return frozenset(test.name for test in tests if test.outcome is Outcome.FAILED)


def _essence(verdict: GradingResult) -> tuple[Outcome, StepName | None, frozenset[str]]:
    """Return the parts of a verdict that must be the same every time."""
    return verdict.outcome, verdict.failed_step, _failed_tests(verdict)
