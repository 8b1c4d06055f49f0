"""Classes of failures: whose fault each is, by a person who looked at it."""

from enum import StrEnum
from typing import Final


class FailureClass(StrEnum):
    """Whose fault a failure is, by a person who looked at it."""

    MODEL_FAULT = "model_fault"
    """The answer is wrong."""
    OVERLY_STRICT = "overly_strict"
    """The answer is right and the grader refused it."""
    AMBIGUOUS_TASK = "ambiguous_task"
    """The task can be read in a way that makes the answer right."""
    KNOWN_GAP = "known_gap"
    """The answer is wrong, in a way that many models share and the guidelines could mend."""
    HARNESS_FAULT = "harness_fault"
    """The machinery around the grader broke, and the run's publisher counted it as a failure."""


SET_ASIDE: Final = frozenset(
    {FailureClass.OVERLY_STRICT, FailureClass.AMBIGUOUS_TASK, FailureClass.HARNESS_FAULT}
)
"""Classes of failures that the attributed score leaves out: they are not laid on the model."""
