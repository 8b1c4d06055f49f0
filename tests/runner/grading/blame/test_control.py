"""The blame for broken grading, by the results of the reference and of a second grading."""

from dataclasses import dataclass

import pytest

from records.shapes.attempt import Outcome, Step, StepName
from runner.grading.blame.control import Time, judge
from runner.grading.blame.heartbeat import Heartbeat

pytestmark = pytest.mark.unit


@dataclass(frozen=True)
class Verdict:
    """A verdict of a grading."""

    outcome: Outcome
    steps: tuple[Step, ...]


def verdict(*outcomes: Outcome) -> Verdict:
    """Return a verdict from the outcomes of the first steps; the last outcome is the verdict's."""
    steps = tuple(
        Step(name=name, outcome=outcome, duration_s=0, message=None)
        for name, outcome in zip(StepName, outcomes, strict=False)
    )
    return Verdict(outcomes[-1], steps)


PASSED = verdict(*[Outcome.PASSED] * 6)
FAILED = verdict(Outcome.PASSED, Outcome.FAILED)
BROKEN = verdict(Outcome.PASSED, Outcome.PASSED, Outcome.INFRASTRUCTURE)


class GradingService:
    """Gives verdicts one after the other, and notes the calls."""

    def __init__(self, answer: list[Verdict], reference: list[Verdict]) -> None:
        """Take the verdicts on the answer and on the reference."""
        self._answer = answer
        self._reference = reference
        self.asked: list[str] = []

    def grade(self, time: Time) -> Verdict:
        """Grade the answer."""
        self.asked.append(time)
        return self._answer.pop(0)

    def grade_reference(self) -> Verdict:
        """Grade the reference."""
        self.asked.append("reference")
        return self._reference.pop(0)


@pytest.mark.parametrize(
    ("answer", "reference", "asked", "outcome"),
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
    answer: list[Verdict], reference: list[Verdict], asked: list[str], outcome: Outcome
) -> None:
    """An answer is graded again only after the reference passed the broken step."""
    grading = GradingService(list(answer), list(reference))
    with Heartbeat() as heartbeat:
        judged, control = judge(grading.grade, grading.grade_reference, heartbeat)
    assert (grading.asked, judged.outcome) == (asked, outcome)
    assert control is (reference[0] if reference else None)


class _Stopping(Heartbeat):
    """A heartbeat with a list of gradings that had a gap."""

    def __init__(self, gaps: list[bool]) -> None:
        super().__init__()
        self._told = gaps

    def stood_still_since(self, moment: float) -> bool:
        del moment
        return self._told.pop(0)


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
    answer: list[Verdict], gaps: list[bool], graded: int
) -> None:
    """A pass stands; other verdicts are graded again while there are gaps, three times at most."""
    grading = GradingService(list(answer), [])
    judge(grading.grade, grading.grade_reference, _Stopping(gaps))
    assert len(grading.asked) == graded
