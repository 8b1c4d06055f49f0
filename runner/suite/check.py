"""Proves graders: the reference passes, what must pass passes, what must fail fails as it says."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from operator import itemgetter
from threading import Lock
from typing import Final

from records.attempt import Outcome, StepName
from runner.evals.discovery import Calibration, Eval
from runner.grading.grade import GradingResult, GradingService
from runner.grading.worker.protocol import SelectedTests
from runner.models import baselines

_REFERENCE: Final = "reference"
_EMPTY: Final = "baseline/empty"
_STUB: Final = "baseline/stub"


@dataclass(frozen=True, slots=True)
class Expectation:
    """One answer to an eval, and what grading must say about it."""

    evaluation: Eval
    name: str
    """``reference``, ``baseline/empty``, ``baseline/stub``, ``pass/<name>`` or ``fail/<name>``."""
    outcome: Outcome
    step: StepName | None
    """The first step that must fail; None for any, or where it must pass."""
    tests: tuple[str, ...]
    """Tests that must be among those that fail."""
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Proof:
    """What grading said about one answer, each time, and what is wrong with that."""

    evaluation: str
    name: str
    problems: tuple[str, ...]
    """Empty where everything is as expected; a line each."""
    verdicts: tuple[GradingResult, ...]
    """Empty for an answer that was left out, since the reference of its eval does not pass."""

    @property
    def is_left_out(self) -> bool:
        """Tell whether the answer was not graded."""
        return not self.verdicts

    @property
    def holds(self) -> bool:
        """Tell whether the grader did as it should."""
        return not self.problems and not self.is_left_out

    @property
    def tests_s(self) -> float | None:
        """The seconds of the tests step, the longest of all gradings; None where none ran."""
        steps = (step for verdict in self.verdicts for step in verdict.steps)
        spent = [step.duration_s for step in steps if step.name is StepName.TESTS]
        return max((seconds for seconds in spent if seconds is not None), default=None)

    @property
    def is_infrastructure(self) -> bool:
        """Tell whether something of ours kept an answer from being judged."""
        return any(verdict.outcome is Outcome.INFRASTRUCTURE for verdict in self.verdicts)


def check(  # noqa: PLR0913 - what to grade, and how to tell of it
    evals: Sequence[Eval],
    grading: GradingService,
    *,
    workers: int = 2,
    times: int = 2,
    seed: int | None = None,
    on_proof: Callable[[Proof, str], None] | None = None,
) -> list[Proof]:
    """Grade every answer that ``evals`` have an opinion about, ``times`` over, and compare.

    That happens in turn over the categories, for the answers of some compute and those of others
    wait, or in a random order that ``seed`` stands for; so is the result. Where the reference of an
    eval does not pass, the eval's other answers are left out: their verdicts would repeat the
    fault. ``on_proof`` is called as each is done, from this thread, with how many of how many that
    makes.

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
    """The references of evals: graded once, before any other answer of their eval."""

    def __init__(self, evals: Sequence[Eval], grading: GradingService, times: int) -> None:
        """Grade each answer ``times`` over."""
        self._grading = grading
        self._times = times
        self._locks = {evaluation.name: Lock() for evaluation in evals}
        self._proofs: dict[str, Proof] = {}

    def prove(self, expected: Expectation) -> Proof:
        """Grade an answer and compare; leave it out where the reference does not pass."""
        reference = self._prove_reference(expected.evaluation)
        if expected.name == _REFERENCE:
            return reference
        if not reference.holds:
            return Proof(expected.evaluation.name, expected.name, (), ())
        return _prove(expected, grading=self._grading, times=self._times)

    def _prove_reference(self, evaluation: Eval) -> Proof:
        """Return the reference's proof; whoever asks first grades it, the others wait."""
        with self._locks[evaluation.name]:
            if evaluation.name not in self._proofs:
                expected = _expect_reference(evaluation)
                self._proofs[evaluation.name] = _prove(
                    expected, grading=self._grading, times=self._times
                )
            return self._proofs[evaluation.name]


def in_turn(expected: Sequence[Expectation]) -> list[Expectation]:
    """Spread the answers of each category evenly over all."""
    numbers = Counter(one.evaluation.category for one in expected)
    met = Counter[str]()
    placed: list[tuple[float, str, Expectation]] = []
    for one in expected:
        category = one.evaluation.category
        placed.append(((met[category] + 0.5) / numbers[category], category, one))
        met[category] += 1
    return [one for _, _, one in sorted(placed, key=itemgetter(0, 1))]


def expectations(evaluation: Eval) -> Iterator[Expectation]:
    """Return what grading must say about each answer that an eval knows."""
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
    # A wrong variant is proven once the tests that its calibration names have failed or, where it
    # names none, once any test has.
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
        said = " / ".join(_said(verdict) for verdict in verdicts)
        yield f"graded differently each time: {said}"


def _surprises(expected: Expectation, verdict: GradingResult) -> Iterator[str]:
    if verdict.outcome is not expected.outcome:
        yield f"must be {expected.outcome}, is {_said(verdict)}"
        return
    if expected.step is not None and verdict.failed_step is not expected.step:
        yield f"must fail at {expected.step}, but {_said(verdict)}"
        return
    failed = _failed_tests(verdict)
    known = {test.name for test in verdict.tests or ()}
    for name in expected.tests:
        if name not in known:
            yield f"must fail {name}, but the grader has no such test"
        elif name not in failed:
            yield f"must fail {name}, which passed"


def _said(verdict: GradingResult) -> str:
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
    """Return of a verdict what must be the same every time."""
    return verdict.outcome, verdict.failed_step, _failed_tests(verdict)
