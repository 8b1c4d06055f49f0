"""The reference as control: it shows whether the answer is to blame when grading breaks.

An answer may break one of our programs that reads it, such as the bundler, the linter or the
grading worker. Then the eval's reference is graded as the control. If grading breaks on the
reference too, the attempt is infrastructure. If it breaks only on the answer, and a second time,
the answer has failed. An answer on which a judge model gave no verdict stays infrastructure.

Output from a jail does not need the control: the answer is responsible for all of it.
"""

from typing import Final, Protocol

from records.shapes.attempt import Outcome, Step, StepName

TRIES: Final = 3
"""The most gradings of an answer if this process stands still during each of them."""


class Judged(Protocol):
    """The parts of a verdict that this module reads."""

    @property
    def steps(self) -> tuple[Step, ...]: ...  # noqa: D102


def find_broken_step(verdict: Judged) -> StepName | None:
    """Return the first step that could not be judged; None if all could."""
    broken = (step.name for step in verdict.steps if step.outcome is Outcome.INFRASTRUCTURE)
    return next(broken, None)


def is_judged_at(control: Judged, name: StepName) -> bool:
    """Return true if the step ``name`` judged the reference, and no step broke on it."""
    judged = {step.name for step in control.steps if step.outcome is not Outcome.INFRASTRUCTURE}
    return name in judged and find_broken_step(control) is None
