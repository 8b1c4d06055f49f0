"""The reference as control: a decision who is to blame where grading breaks on an answer.

The answer is responsible for all output of a jail, which is judged where it is read. But an answer
may also break a program of ours that reads it: the bundler, the linter, the grading worker. Then
the eval's reference is the control. Where grading breaks on the reference too, the attempt is
infrastructure; where it breaks only on the answer, and twice, the answer has failed. An answer
that needs a part of Convex which the backend does not have stays infrastructure.
"""

from collections.abc import Callable
from typing import Final, Literal, Protocol, TypeVar

from records.shapes.attempt import Outcome, Step, StepName
from runner.grading.blame.heartbeat import Heartbeat

_TRIES: Final = 3
"""The most gradings of an answer while this process stands still again and again."""

Time = Literal["first", "last"]


class Judged(Protocol):
    """The parts of a verdict that this module reads."""

    @property
    def outcome(self) -> Outcome: ...  # noqa: D102
    @property
    def steps(self) -> tuple[Step, ...]: ...  # noqa: D102


_J = TypeVar("_J", bound=Judged)


def judge(
    answer: Callable[[Time], _J], reference: Callable[[], _J], heartbeat: Heartbeat
) -> tuple[_J, _J | None]:
    """Grade an answer; return its verdict, and the reference's where grading broke on the answer.

    ``answer`` grades it, for the first or the last time: a break at the last time is the answer's
    failure. The reference is graded only after a break.
    """
    first = _undisturbed(lambda: answer("first"), heartbeat)
    broken = broken_at(first)
    if broken is None:
        return first, None
    control = _undisturbed(reference, heartbeat)
    if not _got_through(control, broken):
        return first, control
    return _undisturbed(lambda: answer("last"), heartbeat), control


def broken_at(verdict: Judged) -> StepName | None:
    """Return the first step that could not be judged, or None."""
    broken = (step.name for step in verdict.steps if step.outcome is Outcome.INFRASTRUCTURE)
    return next(broken, None)


def _got_through(control: Judged, name: StepName) -> bool:
    """Return true if the reference was judged at the step where grading broke on the answer."""
    judged = {step.name for step in control.steps if step.outcome is not Outcome.INFRASTRUCTURE}
    return name in judged and broken_at(control) is None


def _undisturbed(grade: Callable[[], _J], heartbeat: Heartbeat) -> _J:
    """Grade, and repeat where this process stood still meanwhile and the answer did not pass.

    While a process is stopped, an interpreter blocked or a machine suspended, limits pass that the
    answer had no chance to keep.
    """
    for _ in range(_TRIES - 1):
        began = heartbeat.now()
        verdict = grade()
        if verdict.outcome is Outcome.PASSED or not heartbeat.stood_still_since(began):
            return verdict
    return grade()
