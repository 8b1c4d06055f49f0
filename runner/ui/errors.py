"""What can go wrong with a page: the model's component, or our rendering of it."""

from runner.errors import InfrastructureError, ModelFailure


class UiFailed(ModelFailure, AssertionError):  # noqa: N818 - what happened, not an error of ours
    """The page is not as the grader demands; the message says what was on it instead."""


class UiBroken(InfrastructureError):  # noqa: N818 - a pair with UiFailed
    """The renderer could not be started or used: never the component's failure."""
