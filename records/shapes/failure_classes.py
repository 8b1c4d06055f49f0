"""Classes of failures: the party at fault, as a person decided."""

from collections.abc import Mapping
from enum import StrEnum


class FailureClass(StrEnum):
    """The party at fault for a failure, as a person decided."""

    MODEL_FAULT = "model_fault"
    """The answer is wrong."""
    OVERLY_STRICT = "overly_strict"
    """The answer is right and the grader refused it."""
    AMBIGUOUS_TASK = "ambiguous_task"
    """The task can be read in a way that makes the answer right."""
    KNOWN_GAP = "known_gap"
    """The answer has an error of many models that the guidelines could prevent."""
    HARNESS_FAULT = "harness_fault"
    """The machinery around the grader broke, but the run's publisher counted a failure."""


SET_ASIDE = frozenset(
    {FailureClass.OVERLY_STRICT, FailureClass.AMBIGUOUS_TASK, FailureClass.HARNESS_FAULT}
)
"""Classes of failures that the attributed score leaves out, because the model is not at fault."""

CLASSES: Mapping[FailureClass | None, tuple[str, str]] = {
    FailureClass.MODEL_FAULT: ("model fault", "m"),
    FailureClass.OVERLY_STRICT: ("overly strict grader", "s"),
    FailureClass.AMBIGUOUS_TASK: ("ambiguous task", "a"),
    FailureClass.KNOWN_GAP: ("known gap", "g"),
    FailureClass.HARNESS_FAULT: ("harness fault", "h"),
    None: ("not classed", "?"),
}
"""The words for each class of failure, and its letter in the matrix; None if it has no class."""
