"""The step tests: all tests of the eval's grader pass."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from records.shapes.attempt import Outcome, StepName, Test
from runner.grading.steps.step import StepClock, StepResult, with_more
from runner.grading.worker.pool import GraderPool, Responder, WorkerReport
from runner.grading.worker.protocol import GradingRequest, TestOutput


@dataclass(frozen=True, slots=True)
class TestsResult:
    """The result of the step, with all reported tests."""

    __test__ = False  # pytest would otherwise collect this class

    result: StepResult
    tests: tuple[Test, ...]
    printed: str = ""
    """The printed texts of the grader's modules during import; empty if not requested."""
    outputs: Mapping[str, TestOutput] = field(default_factory=dict[str, TestOutput])
    """The outputs by test; empty if not requested."""


def run_tests(pool: GraderPool, request: GradingRequest, respond: Responder) -> TestsResult:
    """Run a grader over an answer; the message of the step has the first failed test.

    ``respond`` answers the worker's questions to the grading service while the tests run.
    """
    clock = StepClock(StepName.TESTS)
    report = pool.run(request, respond)
    tests = tuple(report.tests)
    log = _log(report)
    if report.fault is not None:
        step = clock.report_fault(report.fault.kind, report.fault.evidence, log)
    elif failed := [test for test in tests if test.outcome is not Outcome.PASSED]:
        first = f"{failed[0].title} {failed[0].message}"
        step = clock.fail_step(with_more(first, len(failed), "failed test"), log)
    else:
        step = clock.pass_step(f"all {len(tests)} tests passed", log)
    return TestsResult(step, tests, report.printed, report.outputs)


def _log(report: WorkerReport) -> str:
    lines = [f"{test.outcome:<15} {test.name}  {test.duration_s:.2f} s" for test in report.tests]
    return "\n".join([*lines, "", report.log])
