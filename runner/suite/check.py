"""The known answers of evals, and the proof of graders by them.

Reference and right variants pass, wrong variants fail as described. A stub, which does nothing,
should fail most tests. An answer to grade alone is found by its name, or is a folder.
"""

import asyncio
import difflib
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import NamedTuple

from records.shapes.attempt import Attempt, Outcome, StepName
from runner.answers.rules import MOST_BYTES_IN_ALL, MOST_FILES
from runner.errors import BadSelectionError, InvalidEvalError
from runner.evals.discovery import Eval, Suite
from runner.evals.text_files import is_text, list_files, read_tree
from runner.grading.grade import Graders, GradingResult, Submission, describe_verdict
from runner.grading.worker.protocol import ALL_TESTS, SelectedTests
from runner.models import baselines
from runner.places import AttemptPlaces
from runner.suite.lint.eval_files import Finding

_REFERENCE = "reference"
_EMPTY = "baseline/empty"
_STUB = "baseline/stub"
_MOST_TITLES = 3
_MOST_PROPOSED = 5


class Expectation(NamedTuple):
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


class Proof(NamedTuple):
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


def check_graders(
    evals: Sequence[Eval],
    graders: Graders,
    *,
    times: int = 2,
    seed: int = 1,
    on_proof: Callable[[Proof, str], None] | None = None,
) -> list[Proof]:
    """Grade each known answer of ``evals`` ``times`` times, and compare with the expectations.

    The order of the answers, and of the result, is random by ``seed``, because answers of some
    categories compute while others wait. If the reference
    of an eval does not pass, the other answers of the eval are left out, because their verdicts
    would repeat the fault. ``on_proof`` is called in this thread as soon as an answer is proven,
    whatever its place in the order, with the proof and the count so far, such as ``3/20``.

    Raises:
        InvalidEvalError: a file of an eval cannot be used.
    """
    expected = [each for evaluation in evals for each in list_expectations(evaluation)]
    random.Random(seed).shuffle(expected)  # noqa: S311 - an order, not a secret
    places = AttemptPlaces(lambda: graders.window)
    numbers = itertools.count(1)
    references: dict[str, asyncio.Task[Proof]] = {}

    async def prove(each: Expectation) -> Proof:
        """Grade an answer and compare; leave it out if the reference of its eval does not pass."""
        evaluation = each.evaluation
        if evaluation.name not in references:
            proving = _grade(_expect_reference(evaluation), graders, places, times)
            references[evaluation.name] = asyncio.create_task(proving)
        proof = await references[evaluation.name]
        if each.name != _REFERENCE:
            left_out = Proof(evaluation.name, each.name, (), ())
            proof = await _grade(each, graders, places, times) if proof.holds else left_out
        if on_proof is not None:
            on_proof(proof, f"{next(numbers)}/{len(expected)}")
        return proof

    async def prove_all() -> list[Proof]:
        # All at once, as far as there are graders.
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(prove(each)) for each in expected]
        return [task.result() for task in tasks]

    return asyncio.run(prove_all())


async def _grade(
    expected: Expectation, graders: Graders, places: AttemptPlaces, times: int
) -> Proof:
    """Have an answer graded ``times`` times, one grading after the other."""
    # A wrong variant is proven as soon as the tests of its calibration have failed. If the
    # calibration names no test, it is proven as soon as any test has failed.
    wrong = expected.outcome is Outcome.FAILED
    selection = SelectedTests(only=expected.tests, stop_at_failure=wrong and not expected.tests)
    submission = Submission(expected.evaluation, selection, files=expected.files)
    async with places.hold():
        verdicts = [await asyncio.wrap_future(graders.submit(submission)) for _ in range(times)]
    problems = tuple(dict.fromkeys(_find_problems(expected, verdicts)))
    return Proof(expected.evaluation.name, expected.name, problems, tuple(verdicts))


def find_stub_passes(
    evals: Sequence[Eval], graders: Graders, on_graded: Callable[[Eval], None]
) -> list[Finding]:
    """Grade the reference and the stub of each eval; return the faults that they show, sorted.

    ``on_graded`` is called in this thread after each eval.

    Raises:
        InvalidEvalError: a reference cannot be read.
    """

    def submit(evaluation: Eval, files: Mapping[str, str]) -> Future[GradingResult]:
        return graders.submit(Submission(evaluation, ALL_TESTS, files=files))

    submitted = [
        (each, submit(each, each.read_answer()), submit(each, baselines.make_answer(_STUB, each)))
        for each in evals
    ]
    findings: list[Finding] = []
    for evaluation, of_reference, of_stub in submitted:
        reference, stub = of_reference.result(), of_stub.result()
        find = partial(Finding, evaluation.name, evaluation.grader.name, 1)
        if reference.outcome is not Outcome.PASSED:
            advice = f"the reference answer is {reference.outcome}: {reference.reason}"
            findings.append(find("wrong-verdict", advice))
        tests = stub.tests or ()
        passed = [test.title for test in tests if test.outcome is Outcome.PASSED]
        if stub.outcome is Outcome.INFRASTRUCTURE:
            advice = f"an answer that does nothing is not judged: {stub.reason}"
            findings.append(find("wrong-verdict", advice))
        elif stub.outcome is Outcome.PASSED:
            advice = "an answer that does nothing passes: nothing is measured"
            findings.append(find("wrong-verdict", advice))
        elif passed:
            more = f" and {len(passed) - _MOST_TITLES} more" if len(passed) > _MOST_TITLES else ""
            advice = (
                f"an answer that does nothing passes {len(passed)} of {len(tests)} tests: "
                f"{', '.join(passed[:_MOST_TITLES])}{more}"
            )
            findings.append(find("stub-passes", advice))
        on_graded(evaluation)
    return sorted(findings)


def list_expectations(evaluation: Eval) -> Iterator[Expectation]:
    """Yield each known answer of an eval with the verdict that grading must return."""
    yield _expect_reference(evaluation)
    for slug in (_EMPTY, _STUB):
        files = baselines.make_answer(slug, evaluation)
        yield Expectation(evaluation, slug, Outcome.FAILED, None, (), files)
    for calibration in evaluation.load_calibrations():
        yield Expectation(
            evaluation,
            f"{calibration.kind}/{calibration.name}",
            Outcome.PASSED if calibration.kind == "pass" else Outcome.FAILED,
            calibration.step,
            calibration.tests,
            calibration.files,
        )


def _expect_reference(evaluation: Eval) -> Expectation:
    return Expectation(evaluation, _REFERENCE, Outcome.PASSED, None, (), evaluation.read_answer())


def _find_problems(expected: Expectation, verdicts: Sequence[GradingResult]) -> Iterator[str]:
    for verdict in verdicts:
        failed = _find_failed_tests(verdict)
        test_names = {test.name for test in verdict.tests or ()}
        if verdict.outcome is not expected.outcome:
            yield f"must be {expected.outcome}, is {describe_verdict(verdict)}"
        elif expected.step not in {None, verdict.failed_step}:
            yield f"must fail at {expected.step}, but {describe_verdict(verdict)}"
        else:
            for name in expected.tests:
                if name not in test_names:
                    # Tests close to it, first those with its parameters.
                    cases = sorted(test for test in test_names if test.startswith(f"{name}["))
                    close = cases or difflib.get_close_matches(name, sorted(test_names))
                    hint = f"; close to it: {', '.join(close[:_MOST_PROPOSED])}" if close else ""
                    yield f"must fail {name}, but the grader has no such test{hint}"
                elif name not in failed:
                    yield f"must fail {name}, which passed"
    essences = {
        (verdict.outcome, verdict.failed_step, _find_failed_tests(verdict)) for verdict in verdicts
    }
    if len(essences) > 1:
        outcomes = " / ".join(describe_verdict(verdict) for verdict in verdicts)
        yield f"graded differently each time: {outcomes}"


def _find_failed_tests(verdict: GradingResult) -> frozenset[str]:
    tests = verdict.tests or ()
    return frozenset(test.name for test in tests if test.outcome is Outcome.FAILED)


class AnswerToGrade(NamedTuple):
    """An answer, with the facts about it before its grading."""

    title: str
    """The name of the answer, such as ``fail/wrong_order``."""
    files: Mapping[str, str]
    reply: str | None = None
    """The model's reply, from which the files are parsed again; None if there is no reply."""
    expected: str | None = None
    """The expected verdict in words; None if no verdict is expected."""
    recorded: Attempt | None = None
    """The attempt of a run; None if the answer belongs to no attempt."""


def find_eval(suite: Suite, name: str) -> Eval:
    """Return the eval called ``name``, or the only eval that ``name`` matches as a regex.

    Raises:
        BadSelectionError: no eval matches, or several match.
    """
    exact = [evaluation for evaluation in suite.evals if evaluation.name == name]
    matching = exact or list(suite.select(name, ()))
    if len(matching) > 1:
        names = ", ".join(evaluation.name for evaluation in matching[:5])
        more = f" and {len(matching) - 5} more" if len(matching) > 5 else ""  # noqa: PLR2004
        raise BadSelectionError(f"{name!r} matches {len(matching)} evals: {names}{more}; name one")
    return matching[0]


def read_answer(evaluation: Eval, name: str) -> AnswerToGrade:
    """Return the answer called ``name``: the reference, a baseline, a variant, or a folder.

    A variant may be named without ``pass/`` or ``fail/``. A folder whose name is that of an answer
    must be given as ``./NAME``.

    Raises:
        BadSelectionError: there is no such answer; the message lists the answers of the eval.
        InvalidEvalError: a file cannot be used; the message names it.
    """
    answers: dict[str, AnswerToGrade] = {}
    for each in list_expectations(evaluation):
        verdict = "must pass"
        if each.outcome is not Outcome.PASSED:
            step = f" at {each.step}" if each.step else ""
            tests = f", {', '.join(each.tests)} among its tests" if each.tests else ""
            verdict = f"must fail{step}{tests}"
        answers[each.name] = AnswerToGrade(each.name, each.files, expected=verdict)
    short = {each.partition("/")[2] or each: answer for each, answer in answers.items()}
    if (answer := answers.get(name) or short.get(name)) is not None:
        return answer
    folder = Path(name)
    if folder.is_dir():
        return AnswerToGrade(
            name, read_folder(folder, only_texts=evaluation.kind.has_convex_answers)
        )
    close = difflib.get_close_matches(name, [*answers, *short], n=1)
    nearest = f"; close to it is {close[0]}" if close else ""
    raise BadSelectionError(
        f"{name}: is no folder, no RUN:SAMPLE and no answer of {evaluation.name}{nearest}; "
        f"its answers are {', '.join(answers)}"
    )


def read_folder(folder: Path, *, only_texts: bool) -> dict[str, str]:
    """Return the files of an answer in a folder; with ``only_texts`` without all that are no text.

    Raises:
        InvalidEvalError: a file cannot be used, or the folder has no files, or more files or bytes
            than an answer may have.
    """
    paths = list_files(folder)
    if only_texts and len(paths) <= MOST_FILES:
        paths = [path for path in paths if is_text(path)]
    size = sum(path.lstat().st_size for path in paths)
    if len(paths) > MOST_FILES or size > MOST_BYTES_IN_ALL:
        raise InvalidEvalError(
            f"{folder}: holds {len(paths)} files of {size:,} bytes in all: an answer has at most "
            f"{MOST_FILES} of {MOST_BYTES_IN_ALL:,}; name the folder with its package.json"
        )
    if not paths:
        raise InvalidEvalError(f"{folder}: holds no files")
    return read_tree(folder, only_texts=only_texts)
