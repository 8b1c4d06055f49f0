"""What ends a test: the model's failures, and ours."""

import traceback
from pathlib import Path
from typing import Final

import pytest

from records.run import Fault, FaultClass
from runner.backends.values import Value
from runner.errors import (
    BackendBrokenError,
    BackendUnsupportedError,
    InfrastructureError,
    ModelFailure,
)

_MESSAGE: Final = 2000
_ADVICE: Final = "Use -v to get more diff"


class FunctionFailed(ModelFailure):
    """A function threw, or refused its arguments. ``pytest.raises`` may expect it."""

    def __init__(
        self, path: str, message: str, data: Value = None, log_lines: tuple[str, ...] = ()
    ) -> None:
        """Take what the backend answered."""
        super().__init__(f"{path}: {message}")
        self.message = message
        """The backend's message, such as ``[Request ID: ...] Server Error ...``."""
        self.data = data
        """What a ConvexError carries; None for all others."""
        self.log_lines = log_lines
        """What the function logged."""


class DeploymentLost(ModelFailure):
    """The model's deployment does not answer any more: it ended, or hangs for good."""


class DeploymentConfused(ModelFailure):
    """The model's deployment refuses what is right, or answers what no backend of Convex answers.

    The same requests are made of reference answers, and answered: so the model's code, which runs
    beside the backend, has come between.
    """


class ForeignAddress(ModelFailure):
    """The answer gave out a URL that is not its deployment's."""


class FunctionHung(ModelFailure):
    """A call got no answer in time. Not a FunctionFailed: no test may expect this."""


class TimeIsUp(BaseException):
    """The time limit of all tests together has passed."""

    def __init__(self, limit_s: float, *, reached: bool = True) -> None:
        """Say whether the test at hand had begun."""
        began = "did not end" if reached else "was not reached"
        super().__init__(f"the test {began} within the time limit of {limit_s:g} s for all tests")


class FaultyError(InfrastructureError):
    """Carries a fault that was found elsewhere."""

    def __init__(self, fault: Fault) -> None:
        """Keep the fault as it is."""
        super().__init__(fault.evidence)
        self.fault = fault


_EXPLAINED: Final = (
    *(AssertionError, ModelFailure, InfrastructureError),
    *(TimeIsUp, pytest.fail.Exception),
)
"""Whose messages say all: of other exceptions the class is said, too."""


def fault_of(error: BaseException | None) -> Fault | None:
    """Return the fault where an exception is not the model's failure, else None."""
    if isinstance(error, FaultyError):
        return error.fault
    if isinstance(error, BackendUnsupportedError | BackendBrokenError):
        return _fault(FaultClass.BACKEND, error)
    if isinstance(error, InfrastructureError):
        return _fault(FaultClass.GRADER, error)
    if isinstance(error, pytest.FixtureLookupError):
        return Fault(kind=FaultClass.GRADER, evidence=f"no fixture is named {error.argname}")
    if isinstance(error, pytest.skip.Exception | pytest.exit.Exception | pytest.xfail.Exception):
        evidence = f"a grader must neither skip nor stop: {error}"
        return Fault(kind=FaultClass.GRADER, evidence=evidence[:4000])
    return None


def message_of(error: BaseException | None, grader: Path) -> str:
    """Say what failed, with the values compared, and on which line of the grader."""
    if error is None:
        return "the test failed without an exception"
    said = str(error).removesuffix(_ADVICE).strip()
    if not isinstance(error, _EXPLAINED):
        said = f"{type(error).__name__}: {said}"
    said = said or "assertion failed"
    text = _with_place(said, place) if (place := _place(error, grader)) else said
    return text if len(text) <= _MESSAGE else f"{text[: _MESSAGE - 1]}…"


def _with_place(said: str, place: str) -> str:
    return f"{place}: {said}" if "\n" in said else f"{said} ({place})"


def _place(error: BaseException, grader: Path) -> str | None:
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(grader)]
    return f"{grader.name}:{lines[-1]}" if lines else None


def _fault(kind: FaultClass, error: BaseException) -> Fault:
    return Fault(kind=kind, evidence=(str(error) or type(error).__name__)[:4000])
