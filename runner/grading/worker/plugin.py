"""The pytest side of a grading: gives tests their fixtures, and reports how each one ended."""

import signal
from collections.abc import Generator
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

from records.run import Fault, FaultClass, Outcome, Test
from runner.errors import BackendUnsupportedError, InfrastructureError
from runner.grading.fixtures.convex import Convex
from runner.grading.fixtures.failures import (
    DeploymentLost,
    FaultyError,
    FunctionHung,
    TimeIsUp,
    fault_of,
    message_of,
)
from runner.grading.fixtures.output import Output
from runner.grading.fixtures.source import Source
from runner.grading.fixtures.ui import Setting, Ui
from runner.grading.fixtures.written_tests import SuiteEnvironment, WrittenTests
from runner.grading.worker.protocol import Broke, Collected, Done, FinishedTest, GradingRequest
from runner.grading.worker.service_connection import ServiceConnection
from runner.jail import Jail, Kind, open_jail
from runner.jail.deadlines import Deadline, ProcessorWaits, own_waited_s
from runner.jail.kernel.processors import follow, spread
from runner.jail.kinds.bwrap import BubblewrapJail

_LOG: Final = 20_000
_AGAIN_S: Final = 0.2
"""How soon a test that outlives the time limit is told again."""
_PROBE_S: Final = 3.0
"""How soon a deployment must answer after it did not."""


class GraderPlugin:
    """The fixtures and the reporting of one grading."""

    def __init__(self, request: GradingRequest, line: ServiceConnection) -> None:
        """Prepare for one request; nothing is started before a test asks for it."""
        self._request = request
        self._service = line
        self._waits = ProcessorWaits(*request.deployment.pids if request.deployment else ())
        self._patience = Deadline(request.time_limit_s, self._waited_s)
        self._interruptible = False
        self._lost: str | None = None
        self._reports: list[tuple[pytest.TestReport, pytest.CallInfo[None]]] = []
        self.broken: Broke | None = None
        """Set once something of ours broke: then there is no verdict."""

    # --- Fixtures ----------------------------------------------------------------------------

    @pytest.fixture(name="convex")
    def _convex(self) -> Convex:
        """The model's deployment, emptied before every test."""
        self._model.reset()
        return self._model

    @pytest.fixture(name="reference")
    def _reference_fixture(self) -> Convex:
        """The same over the reference answer, emptied before every test."""
        self._reference.reset()
        return self._reference

    @pytest.fixture(name="ui")
    def _ui(self, convex: Convex) -> Generator[Ui]:
        """Pages of the model's components, over its deployment."""
        del convex  # asked for so that the deployment is empty
        yield self._pages
        self._pages.reset()

    @pytest.fixture(name="output")
    def _output(self) -> Output:
        """The answer's files."""
        return Output(self._request.files)

    @pytest.fixture(name="source")
    def _source(self) -> Source:
        """The answer's TypeScript, parsed."""
        return self._parsed

    @pytest.fixture(name="written_tests")
    def _written_tests(self) -> WrittenTests:
        """The tests among the answer's files, to be run over versions of the code."""
        return self._suite

    @cached_property
    def _suite(self) -> WrittenTests:
        rendering = self._request.rendering
        if rendering is None:
            raise InfrastructureError("there is no place to run written tests in")
        # Outside of the project folder, which the jail of the model's deployment can write to.
        place = rendering.project.parent / "versions"
        return WrittenTests(
            SuiteEnvironment(_reopen(rendering.sandbox), rendering.toolchain, place),
            self._request.files,
            as_asked=bool(self._request.selection.only),
        )

    @cached_property
    def _parsed(self) -> Source:
        return Source(self._request.files)

    @cached_property
    def _model(self) -> Convex:
        if self._request.deployment is None:
            raise InfrastructureError('eval.toml: pipeline = "static" has no deployment to test')
        return Convex.connect(self._request.deployment)

    @cached_property
    def _pages(self) -> Ui:
        to, rendering = self._request.deployment, self._request.rendering
        if to is None or rendering is None or to.socket is None:
            raise BackendUnsupportedError("pages are rendered over the embedded backend only")
        # Page and deployment work at the same time, so this process may use every processor again.
        spread()
        return Ui(
            Setting(
                jail=_reopen(rendering.sandbox),
                toolchain=rendering.toolchain,
                project=rendering.project,
                socket=to.socket,
                origin=to.origin,
                site_origin=to.site_origin,
                backend=to.pids,
            )
        )

    @cached_property
    def _reference(self) -> Convex:
        return Convex.connect(self._service.reference())

    # --- The time limit ----------------------------------------------------------------------

    def begin(self) -> None:
        """Join the deployment's processor, and watch the time limit of all tests together."""
        for pid in self._request.deployment.pids[:1] if self._request.deployment else ():
            follow(pid)
        signal.signal(signal.SIGALRM, self._time_is_up)
        left = max(self._patience.left_s(), _AGAIN_S)
        signal.setitimer(signal.ITIMER_REAL, left, _AGAIN_S)

    def pytest_sessionfinish(self) -> None:
        """Stop watching."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        if "_pages" in self.__dict__:
            self._pages.close()

    def _waited_s(self) -> float:
        """Return what does not count against the limit of all tests.

        That is how long this process and the deployment have waited for a processor, and how long
        the answer's own tests ran, which have limits of their own.
        """
        written_s = self._suite.spent_s if "_suite" in self.__dict__ else 0.0
        return own_waited_s() + self._waits() + written_s

    def _time_is_up(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._interruptible and self._patience.left_s() <= 0:
            self._interruptible = False
            raise TimeIsUp(self._request.time_limit_s)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail at once what can no longer be tested."""
        del item
        if self._patience.left_s() <= 0:
            raise TimeIsUp(self._request.time_limit_s, reached=False)
        if self._lost is not None:
            raise DeploymentLost(self._lost)
        return (yield from self._interruptibly())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Let the time limit end a test."""
        del item
        return (yield from self._interruptibly())

    def _interruptibly(self) -> Generator[None, object, object]:
        self._interruptible = True
        try:
            return (yield)
        finally:
            self._interruptible = False

    # --- Reporting ---------------------------------------------------------------------------

    def conclude(self, status: int) -> None:
        """Say the last word, when pytest has ended with this status."""
        if not self.broken and status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            evidence = f"pytest ended with status {status} and no verdict"
            self._break(_grader_fault(evidence), evidence)
        self._service.send(self.broken or Done())

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a grader that cannot be imported."""
        if report.failed:
            text = report.longreprtext
            last = text.strip().splitlines()[-1] if text.strip() else "no reason was given"
            self._break(_grader_fault(f"grader.py cannot be loaded: {last}"), text)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Note a failure of the test runner itself."""
        self._break(_grader_fault(f"pytest failed: {excinfo.exconly()}"), str(excinfo.getrepr()))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the tests that are not asked for."""
        wanted = [item for item in items if _name(item) in self._request.selection.only]
        # If no test has one of these names all are kept, and the report then lists the known names.
        items[:] = wanted or items

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Announce the tests, so that none can get lost."""
        if not session.items:
            self._break(_grader_fault("grader.py holds no tests"), "")
        self._service.send(Collected(tests=tuple(_name(item) for item in session.items)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Gather the phases of a test, and report it at the end of the last."""
        report = yield
        self._reports.append((report, call))
        if call.when == "teardown":
            phases, self._reports = self._reports, []
            self._report(item, phases)
        return report

    def _report(
        self, item: pytest.Item, phases: list[tuple[pytest.TestReport, pytest.CallInfo[None]]]
    ) -> None:
        outcome, message = Outcome.PASSED, None
        wrong = next(((r, c) for r, c in phases if not r.passed or hasattr(r, "wasxfail")), None)
        log = ""
        if wrong is not None:
            report, call = wrong
            expected = not report.failed
            outcome, message = self._judge(pytest.xfail.Exception() if expected else _error(call))
            log = report.longreprtext[:_LOG]
        test = Test(
            name=_name(item),
            title=_title(item),
            outcome=outcome,
            duration_s=round(sum(report.duration for report, _ in phases), 4),
            message=message,
        )
        self._service.send(FinishedTest(test=test, log=log))
        if self.broken:
            item.session.shouldstop = "no verdict can be given"
        elif wrong is not None and self._request.selection.stop_at_failure:
            item.session.shouldfail = "one failure is enough"

    def _judge(self, error: BaseException | None) -> tuple[Outcome, str]:
        """Tell the model's failures from ours."""
        if isinstance(error, DeploymentLost):
            error = self._why_lost(error)
        elif isinstance(error, FunctionHung):
            self._look_after(error)
        fault = fault_of(error) or self._killed_tests()
        if fault is not None and not self._request.last:
            self._break(fault, str(error))
            return Outcome.INFRASTRUCTURE, fault.evidence
        return Outcome.FAILED, message_of(error, Path(self._request.grader))

    def _killed_tests(self) -> Fault | None:
        """Doubt a failed test where something killed the answer's own tests."""
        killed = self._suite.killed if "_suite" in self.__dict__ else None
        if not killed:
            return None
        return Fault(kind=FaultClass.SANDBOX, evidence=f"written tests: {killed}"[:4000])

    def _why_lost(self, error: DeploymentLost) -> BaseException:
        """Ask how the deployment ended, the first time that it does not answer."""
        if self._lost is None:
            answer = self._service.how_it_ended()
            if answer.fault is not None and not self._request.last:
                return FaultyError(answer.fault)
            self._lost = f"the deployment died: it {answer.ended}" if answer.ended else str(error)
        return DeploymentLost(self._lost)

    def _look_after(self, error: FunctionHung) -> None:
        """See whether a deployment that did not answer is good for the tests to come."""
        if self._request.deployment is None:
            return
        try:
            Convex.connect(self._request.deployment, timeout_s=_PROBE_S).reset()
        except (FunctionHung, DeploymentLost):
            self._lost = f"the deployment answers nothing since: {error}"

    def _break(self, fault: Fault, log: str) -> None:
        self.broken = self.broken or Broke(fault=fault, log=log[:_LOG])


def _reopen(sandbox: Kind) -> Jail:
    """Take up the kind of jail that the grading service has opened, without trying it again."""
    return BubblewrapJail() if sandbox == "bwrap" else open_jail(sandbox)


def _grader_fault(evidence: str) -> Fault:
    return Fault(kind=FaultClass.GRADER, evidence=evidence[:4000])


def _error(call: pytest.CallInfo[None]) -> BaseException | None:
    return call.excinfo.value if call.excinfo else None


def _name(item: pytest.Item) -> str:
    return item.name


def _title(item: pytest.Item) -> str:
    function: Any = getattr(item, "function", None)
    lines = (getattr(function, "__doc__", None) or "").strip().splitlines()
    return lines[0] if lines else item.name
