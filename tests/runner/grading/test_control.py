"""The blame for broken grading, by the results of the reference and of a second grading."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from records.shapes.attempt import Fault, FaultClass, Outcome, Step, StepName
from runner.grading.answer_steps import GradingSettings
from runner.grading.grade import GradingResult, GradingService, Heartbeat, Submission
from runner.grading.worker.protocol import ALL_TESTS
from tests.runner.growing_graders import pass_at_once
from tests.runner.small_eval import SUITE, write_question

pytestmark = pytest.mark.unit

Time = Literal["first", "last", "reference"]


def make_verdict(*outcomes: Outcome) -> GradingResult:
    """Return a verdict from the outcomes of the first steps; the last outcome is the verdict's."""
    steps = tuple(
        Step(name=name, outcome=outcome, duration_s=0, message=None)
        for name, outcome in zip(StepName, outcomes, strict=False)
    )
    is_broken = outcomes[-1] is Outcome.INFRASTRUCTURE
    fault = Fault(kind=FaultClass.OUTAGE, evidence="broken") if is_broken else None
    return replace(pass_at_once(), outcome=outcomes[-1], fault=fault, steps=steps)


PASSED = make_verdict(*[Outcome.PASSED] * 6)
FAILED = make_verdict(Outcome.PASSED, Outcome.FAILED)
BROKEN = make_verdict(Outcome.PASSED, Outcome.PASSED, Outcome.INFRASTRUCTURE)


class _Still(Heartbeat):
    """A heartbeat with a list of gradings that had a gap, and no gap after them."""

    def __init__(self, gaps: Sequence[bool] = ()) -> None:
        super().__init__()
        self._remaining = list(gaps)

    def stood_still_since(self, moment: float) -> bool:
        del moment
        return bool(self._remaining) and self._remaining.pop(0)


class _Scripted(GradingService):
    """Gives verdicts one after the other, and notes the gradings."""

    def __init__(
        self,
        answer: Sequence[GradingResult],
        reference: Sequence[GradingResult],
        heartbeat: Heartbeat,
    ) -> None:
        """Take the verdicts on the answer and on the reference."""
        super().__init__(SUITE, GradingSettings())
        self._answer = list(answer)
        self._reference = list(reference)
        self._heartbeat = heartbeat
        self.times: list[Time] = []

    def _grade(self, submission: Submission, *, is_last: bool) -> GradingResult:
        if submission.reply is None:
            self.times.append("reference")
            return self._reference.pop(0)
        self.times.append("last" if is_last else "first")
        return self._answer.pop(0)


@pytest.mark.parametrize(
    ("answer", "reference", "times", "outcome"),
    [
        ([PASSED], [], ["first"], Outcome.PASSED),
        ([FAILED], [], ["first"], Outcome.FAILED),
        ([BROKEN, PASSED], [PASSED], ["first", "reference", "last"], Outcome.PASSED),
        ([BROKEN, FAILED], [PASSED], ["first", "reference", "last"], Outcome.FAILED),
        ([BROKEN], [BROKEN], ["first", "reference"], Outcome.INFRASTRUCTURE),
        ([BROKEN], [FAILED], ["first", "reference"], Outcome.INFRASTRUCTURE),
    ],
)
def test_the_reference_is_asked_where_something_broke(
    answer: list[GradingResult],
    reference: list[GradingResult],
    times: list[Time],
    outcome: Outcome,
    tmp_path: Path,
) -> None:
    """An answer is graded again only after the reference passed the broken step."""
    grading = _Scripted(answer, reference, _Still())
    judged = grading.judge(Submission(write_question(tmp_path), ALL_TESTS, reply="a reply"))
    assert (grading.times, judged.outcome) == (times, outcome)
    assert judged.control is (reference[0].outcome if reference else None)


@pytest.mark.parametrize(
    ("answer", "gaps", "graded"),
    [
        ([FAILED, PASSED], [True, False], 2),
        ([PASSED], [True], 1),
        ([FAILED, FAILED, PASSED], [True, False], 2),
        ([FAILED] * 4, [True] * 4, 3),
    ],
)
def test_a_verdict_reached_while_the_runner_stood_still_is_reached_again(
    answer: list[GradingResult], gaps: list[bool], graded: int, tmp_path: Path
) -> None:
    """A pass stands; other verdicts are graded again while there are gaps, three times at most."""
    grading = _Scripted(answer, [], _Still(gaps))
    grading.judge(Submission(write_question(tmp_path), ALL_TESTS, reply="a reply"))
    assert len(grading.times) == graded
