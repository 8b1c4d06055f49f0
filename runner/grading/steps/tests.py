"""tests: every test of the eval's grader passes."""

from dataclasses import dataclass

from records.run import Outcome, StepName, Test
from runner.grading.steps.base import StepClock, StepResult, with_more
from runner.grading.worker.pool import GraderPool, Responder, WorkerReport
from runner.grading.worker.protocol import GradingRequest


@dataclass(frozen=True, slots=True)
class TestsResult:
    """The step, and every test it reported."""

    __test__ = False  # pytest would otherwise collect this class

    result: StepResult
    tests: tuple[Test, ...]


def run_tests(pool: GraderPool, request: GradingRequest, respond: Responder) -> TestsResult:
    """Run a grader over one answer; the first test that failed is the message.

    ``respond`` answers what the worker asks of the grading service while the tests run.
    """
    clock = StepClock(StepName.TESTS)
    report = pool.run(request, respond)
    tests = tuple(report.tests)
    log = _log(report)
    if report.fault is not None:
        step = clock.infrastructure(report.fault.kind, report.fault.evidence, log)
        return TestsResult(step, tests)
    failed = [test for test in tests if test.outcome is not Outcome.PASSED]
    if not failed:
        return TestsResult(clock.passed(f"all {len(tests)} tests passed", log), tests)
    first = f"{failed[0].title} {failed[0].message}"
    return TestsResult(clock.failed(with_more(first, len(failed), "failed test"), log), tests)


def _log(report: WorkerReport) -> str:
    lines = [f"{test.outcome:<15} {test.name}  {test.duration_s:.2f} s" for test in report.tests]
    return "\n".join([*lines, "", report.log])
