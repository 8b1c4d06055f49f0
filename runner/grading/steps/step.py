"""The result of a grading step, and the clock that measures the step and makes its result."""

import time
from dataclasses import dataclass, field, replace
from typing import Final

from records.shapes.attempt import Fault, FaultClass, Outcome, Step, StepName
from records.text.visible import make_one_line

LONGEST_MESSAGE: Final = 500
"""The most characters of a step's message, and of a verdict's reason."""
_LOG = 200_000
_EVIDENCE = 4000


@dataclass(frozen=True, slots=True)
class StepResult:
    """A step of an attempt: its record, its whole log, and the fault if it was not judged."""

    step: Step
    log: str
    fault: Fault | None = None
    is_unsupported: bool = False
    """True if the answer may be right, but nothing here can judge it (see blame.py)."""

    @property
    def passed(self) -> bool:
        """True if the answer passed the step."""
        return self.step.outcome is Outcome.PASSED

    def blame_answer(self) -> "StepResult":
        """Return this step, as the answer's failure if it broke (see blame.py).

        An answer that nothing here can judge is not blamed.
        """
        if self.fault is None or self.is_unsupported:
            return self
        reason = (
            f"this step broke on this answer twice, and not on the reference: {self.fault.evidence}"
        )
        step = self.step.model_copy(
            update={"outcome": Outcome.FAILED, "message": make_one_line(reason, LONGEST_MESSAGE)}
        )
        return StepResult(step, self.log)


@dataclass(frozen=True, slots=True)
class StepClock:
    """A step that has begun: its name, and its start on the monotonic clock."""

    name: StepName
    began: float = field(default_factory=time.monotonic)

    def pass_step(self, message: str | None = None, log: str = "") -> StepResult:
        """Return the step as passed."""
        return self._make_result(Outcome.PASSED, message, log)

    def fail_step(self, message: str, log: str = "") -> StepResult:
        """Return the step as failed: the message describes a fault in the model's files."""
        return self._make_result(Outcome.FAILED, message, log or message)

    def report_fault(self, kind: FaultClass, evidence: str, log: str = "") -> StepResult:
        """Return the step as not judged, because of a fault of our machinery."""
        evidence = evidence.strip()[:_EVIDENCE] or "no evidence was left"
        fault = Fault(kind=kind, evidence=evidence)
        return self._make_result(Outcome.INFRASTRUCTURE, evidence, log or evidence, fault)

    def report_unsupported(self, kind: FaultClass, evidence: str) -> StepResult:
        """Return the step as not judged, because nothing here can judge such an answer."""
        return replace(self.report_fault(kind, evidence), is_unsupported=True)

    def _make_result(
        self, outcome: Outcome, message: str | None, log: str, fault: Fault | None = None
    ) -> StepResult:
        return StepResult(
            step=Step(
                name=self.name,
                outcome=outcome,
                duration_s=round(time.monotonic() - self.began, 4),
                message=make_one_line(message, LONGEST_MESSAGE) if message else None,
            ),
            log=log if len(log) <= _LOG else f"{log[:_LOG]}\n(cut off after {_LOG} characters)\n",
            fault=fault,
        )


def with_more(first: str, count: int, noun: str) -> str:
    """Return the first of ``count`` items, with the number of the others if there are any."""
    more = count - 1
    return first if more < 1 else f"{first} (and {more} more {noun}{'s' if more > 1 else ''})"
