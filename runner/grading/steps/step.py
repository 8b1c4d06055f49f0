"""The result of a grading step, and the clock that measures it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from records.shapes.attempt import Fault, FaultClass, Outcome, Step, StepName, Test
from records.text.visible import make_one_line
from runner.grading.worker.protocol import TestOutput

LONGEST_MESSAGE = 500
"""The most characters of a step's message, and of a verdict's reason."""
_LOG = 200_000


@dataclass(frozen=True, slots=True)
class StepResult:
    """A step of an attempt: its record, its whole log, and the fault if it was not judged."""

    step: Step
    log: str
    fault: Fault | None = None
    is_unsupported: bool = False
    """True if the answer may be right, but no model judged it (`GradingService.judge`)."""
    tests: tuple[Test, ...] | None = None
    """The reported tests of the step tests; None if there is no report, as for other steps."""
    printed: str = ""
    """The printed texts of the grader's modules during import; empty if not requested."""
    outputs: Mapping[str, TestOutput] = field(default_factory=dict[str, TestOutput])
    """The outputs by test; empty if not requested."""

    @property
    def passed(self) -> bool:
        """True if the answer passed the step."""
        return self.step.outcome is Outcome.PASSED

    def blame_answer(self) -> "StepResult":
        """Return this step, as the answer's failure if it broke (see `GradingService.judge`).

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
        return replace(self, step=step, fault=None)


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
        fault = Fault.cut(kind, evidence.strip() or "no evidence was left")
        evidence = fault.evidence
        return self._make_result(Outcome.INFRASTRUCTURE, evidence, log or evidence, fault)

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


def judge_tests(clock: StepClock, tests: Sequence[Test], log: str) -> StepResult:
    """Return the verdict of tests: a failed test is the answer's, one that could not judge is not.

    The message has the first test of the kind that decides.
    """
    by_outcome = {
        outcome: [test for test in tests if test.outcome is outcome] for outcome in Outcome
    }
    if failed := by_outcome[Outcome.FAILED]:
        title = failed[0].title
        first = f"{title}{'' if title.endswith('.') else ':'} {failed[0].message}"
        return clock.fail_step(with_more(first, len(failed), "failed test"), log)
    if errors := by_outcome[Outcome.INFRASTRUCTURE]:
        evidence = f"the test {errors[0].name} could not judge: {errors[0].message}"
        return clock.report_fault(FaultClass.GRADER, evidence, log)
    if skipped := by_outcome[Outcome.NOT_RUN]:
        evidence = f"the grader skipped {skipped[0].name}: a test that does not run judges nobody"
        return clock.report_fault(FaultClass.GRADER, evidence, log)
    return clock.pass_step(f"all {len(tests)} tests passed", log)


def with_more(first: str, count: int, noun: str) -> str:
    """Return the first of ``count`` items, with the number of the others if there are any."""
    more = count - 1
    return first if more < 1 else f"{first} (and {more} more {noun}{'s' if more > 1 else ''})"
