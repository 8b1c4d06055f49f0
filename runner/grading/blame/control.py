"""The reference as control: a decision who is to blame where grading breaks on an answer.

The answer is responsible for all output of a jail, which is judged where it is read. But an answer
may also break a program of ours that reads it: the bundler, the linter, the grading worker. Then
the eval's reference is the control. Where grading breaks on the reference too, the attempt is
infrastructure; where it breaks only on the answer, and twice, the answer has failed. An answer
that needs a part of Convex which the backend does not have stays infrastructure.
"""

from typing import Final, Protocol

from records.shapes.attempt import Outcome, Step, StepName

TRIES: Final = 3
"""The most gradings of an answer while this process stands still again and again."""


class Judged(Protocol):
    """The parts of a verdict that this module reads."""

    @property
    def steps(self) -> tuple[Step, ...]: ...  # noqa: D102


def broken_at(verdict: Judged) -> StepName | None:
    """Return the first step that could not be judged, or None."""
    broken = (step.name for step in verdict.steps if step.outcome is Outcome.INFRASTRUCTURE)
    return next(broken, None)


def is_judged_at(control: Judged, name: StepName) -> bool:
    """Return true if the reference was judged at the step where grading broke on the answer."""
    judged = {step.name for step in control.steps if step.outcome is not Outcome.INFRASTRUCTURE}
    return name in judged and broken_at(control) is None
