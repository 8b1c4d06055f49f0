"""The pytest plugin of a grading, which enforces the time limit and reports each test."""

import signal
from collections.abc import Callable, Generator
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, Literal

import pytest

from records.shapes.attempt import Fault, FaultClass, Outcome, Test
from runner.backends.backend import Address
from runner.errors import BackendUnsupportedError, FaultyError, InfrastructureError
from runner.grading.fixtures import failures
from runner.grading.fixtures.convex import Convex
from runner.grading.worker import protocol
from runner.grading.worker.pytest_fixtures import GraderFixtures
from runner.jail.deadlines import Deadline, ProcessorWaits, read_own_waited_s
from runner.jail.kernel.processes import follow

_LOG = 20_000
_AGAIN_S = 0.2
"""Seconds until the next signal to a test that runs past the time limit."""
_PROBE_S = 3.0
"""Seconds in which a deployment that did not answer must answer a probe."""
_LEFT_OUT = tuple(
    """
    cacheprovider debugging doctest faulthandler junitxml logging pastebin recwarn setuponly
    setupplan stepwise threadexception unittest unraisableexception
    """.split()  # noqa: SIM905 - words are read better without quotes
)
"""Plugins of pytest that graders do not need; each would take time at each start."""
_ARGUMENTS = (
    "-qq",
    "--noconftest",
    "--config-file=/dev/null",
    "--rootdir=/",
    "--override-ini=python_files=grader.py check_*.py",
    "--override-ini=filterwarnings=ignore",
    "--capture=sys",
    *(part for name in _LEFT_OUT for part in ("-p", f"no:{name}")),
)
"""Arguments with which pytest reads no settings of the machine, its user or parent folders."""


Taker = Callable[[], tuple[protocol.GradingRequest, Connection] | None]


class GraderPlugin:
    """The time limit and the reporting of a grading."""

    def __init__(self, request: protocol.GradingRequest, service: Connection) -> None:
        """Prepare the fixtures and the time limit of a request."""
        self._request = request
        self._service = service
        self.fixtures = GraderFixtures(request, self._request_reference)
        self._waits = ProcessorWaits(*request.deployment.pids if request.deployment else ())
        self._patience = Deadline(request.time_limit_s, self._compute_waited_s)
        self._interruptible = False
        self._lost: str | None = None
        self._reports: list[tuple[pytest.TestReport, pytest.CallInfo[None]]] = []
        self._printed = ""
        self.broken: protocol.Broke | None = None
        """The fault of our machinery, with which there is no verdict; None if there is none."""

    # --- The time limit ----------------------------------------------------------------------

    def begin(self) -> None:
        """Move to the deployment's processor, and start the timer of the time limit.

        The limit is for all tests together.
        """
        for pid in self._request.deployment.pids[:1] if self._request.deployment else ():
            follow(pid)
        signal.signal(signal.SIGALRM, self._raise_if_time_is_up)
        signal.setitimer(signal.ITIMER_REAL, max(self._patience.compute_left_s(), _AGAIN_S))

    def pytest_sessionfinish(self) -> None:
        """Stop the timer of the time limit, and close the fixtures."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.fixtures.close()

    def _compute_waited_s(self) -> float:
        """Return the seconds so far that do not count against the time limit.

        These are the waits of this process and of the deployment for a processor, and the time of
        the answer's own tests, which have their own limits.
        """
        return read_own_waited_s() + self._waits() + self.fixtures.written_tests_s

    def _raise_if_time_is_up(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        try:
            if self._interruptible and self._patience.compute_left_s() <= 0:
                self._interruptible = False
                raise failures.TimeIsUp(self._request.time_limit_s)
        finally:
            # A repeating timer would interrupt this handler where the machine is slow.
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_S)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail a test at once if the time is over or the deployment does not answer any more."""
        del item
        if self._patience.compute_left_s() <= 0:
            raise failures.TimeIsUp(self._request.time_limit_s, reached=False)
        if self._lost is not None:
            raise failures.DeploymentLost(self._lost)
        return (yield from self._run_interruptibly())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Allow the time limit to end a test while it runs."""
        del item
        return (yield from self._run_interruptibly())

    def _run_interruptibly(self) -> Generator[None, object, object]:
        self._interruptible = True
        try:
            return (yield)
        finally:
            self._interruptible = False

    # --- Reporting ---------------------------------------------------------------------------

    def conclude(self, status: int) -> None:
        """Send the last message; ``status`` is pytest's exit status."""
        if not self.broken and status not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}:
            evidence = f"pytest ended with status {status} and no verdict"
            self._break(Fault.cut(FaultClass.GRADER, evidence), evidence)
        protocol.send(self._service, self.broken or protocol.Done())

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record the texts that a grader printed during import, and the fault if import failed."""
        self._printed += _read_captured_output(report)
        if report.failed:
            text = report.longreprtext
            last = text.strip().splitlines()[-1] if text.strip() else "no reason was given"
            self._break(Fault.cut(FaultClass.GRADER, f"grader.py cannot be loaded: {last}"), text)

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Record a failure of pytest itself."""
        self._break(
            Fault.cut(FaultClass.GRADER, f"pytest failed: {excinfo.exconly()}"),
            str(excinfo.getrepr()),
        )

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Remove the tests that are not selected; if no test is, keep all."""
        only = self._request.selection.only
        # Parametrized tests have the same function.
        selected = [item for item in items if {item.name, item.name.partition("[")[0]} & set(only)]
        # If no test has a selected name, the report then shows the names that exist.
        items[:] = selected or items

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Send the names of the tests that will run, so that a missing report is noticed."""
        if not session.items:
            self._break(Fault.cut(FaultClass.GRADER, "grader.py holds no tests"), "")
        printed = self._printed if self._request.selection.with_output else ""
        tests = tuple(item.name for item in session.items)
        protocol.send(self._service, protocol.Collected(tests=tests, printed=printed[:_LOG]))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Collect the reports of a test's phases, and report the test after its last phase."""
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
            error = call.excinfo.value if call.excinfo else None
            # A test that was skipped or is expected to fail (xfail) is an evasion.
            if not report.failed and not isinstance(error, pytest.skip.Exception):
                reason = getattr(report, "wasxfail", "") or "it is expected to fail"
                error = pytest.xfail.Exception(reason)
            outcome, message = self._judge(error)
            log = report.longreprtext[:_LOG]
        function: Any = getattr(item, "function", None)
        lines = (getattr(function, "__doc__", None) or "").strip().splitlines()
        test = Test(
            name=item.name,
            title=lines[0] if lines else item.name,
            outcome=outcome,
            duration_s=round(sum(report.duration for report, _ in phases), 4),
            message=message,
        )
        output = self._read_output(phases[-1][0])
        protocol.send(self._service, protocol.FinishedTest(test=test, log=log, output=output))
        if self.broken:
            item.session.shouldstop = "no verdict can be given"
        elif wrong is not None and self._request.selection.stop_at_failure:
            item.session.shouldfail = "one failure is enough"

    def _read_output(self, last: pytest.TestReport) -> protocol.TestOutput | None:
        """Return the printed and logged texts of a test; None if not requested.

        ``last`` is the report of the test's last phase.
        """
        if not self._request.selection.with_output:
            return None
        try:
            logged = self.fixtures.take_log() if self._lost is None else ()
        except BackendUnsupportedError:
            logged = None
        return protocol.TestOutput(printed=_read_captured_output(last)[:_LOG], logged=logged)

    def _judge(self, error: BaseException | None) -> tuple[Outcome, str]:
        """Return the outcome and message of a test that did not pass.

        The outcome is the model's failure or infrastructure; then the fault is recorded too.
        """
        if isinstance(error, failures.DeploymentLost):
            error = self._explain_loss(error)
        elif isinstance(error, failures.FunctionHung) and self._request.deployment is not None:
            # May later tests use a deployment that did not answer?
            try:
                Convex.connect(self._request.deployment, timeout_s=_PROBE_S).reset()
            except (failures.FunctionHung, failures.DeploymentLost):
                self._lost = f"the deployment answers nothing since: {error}"
        fault = failures.find_fault(error)
        if fault is None and self.fixtures.killed:
            # After a SIGKILL of the answer's own tests a failure may be caused by the machine.
            fault = Fault.cut(FaultClass.SANDBOX, f"written tests: {self.fixtures.killed}")
        if fault is not None and not self._request.last:
            self._break(fault, str(error))
            return Outcome.INFRASTRUCTURE, fault.evidence
        return Outcome.FAILED, failures.describe_failure(error, Path(self._request.grader))

    def _explain_loss(self, error: failures.DeploymentLost) -> BaseException:
        """Return the error for a deployment that does not answer, with the cause of its end.

        Only the first call asks the grading service for the cause.
        """
        if self._lost is None:
            answer = self._ask("deployment_end")
            if answer.fault is not None and not self._request.last:
                return FaultyError(answer.fault)
            self._lost = f"the deployment died: it {answer.ended}" if answer.ended else str(error)
        return failures.DeploymentLost(self._lost)

    def _request_reference(self) -> Address:
        """Return the address of a deployment of the reference answer, which only this grading uses.

        Raises:
            FaultyError: there is no such deployment; the error has the service's reason.
            InfrastructureError: the service gave neither a deployment nor a reason.
        """
        answer = self._ask("reference")
        if answer.fault is not None:
            raise FaultyError(answer.fault)
        if answer.deployment is None:
            raise InfrastructureError(
                "the grading service gave no reference deployment and no reason"
            )
        return answer.deployment

    def _ask(self, what: Literal["reference", "deployment_end"]) -> protocol.ServiceReply:
        protocol.send(self._service, protocol.ServiceQuestion(what=what))
        return protocol.ServiceReply.model_validate_json(protocol.receive(self._service))

    def _break(self, fault: Fault, log: str) -> None:
        self.broken = self.broken or protocol.Broke(fault=fault, log=log[:_LOG])


def _read_captured_output(report: pytest.CollectReport | pytest.TestReport) -> str:
    """Return the output that pytest captured up to the end of a report's phase."""
    return report.capstdout + report.capstderr


def run_grader(
    take: Taker,
) -> None:
    """Run a grader's tests over an answer, and report each test over a connection.

    ``take`` returns the request and the connection, or None at the end of gradings. It is called
    after pytest's set-up, which is the same for all graders. So if ``take`` forks a process, this
    process needs no set-up.
    """
    waiting = _PytestSession(take)
    status = pytest.main(list(_ARGUMENTS), plugins=[waiting])
    if waiting.grading:
        waiting.grading.conclude(int(status))


class _PytestSession:
    """A plugin that waits for a request when pytest collects tests, and collects that grader."""

    def __init__(self, take: Taker) -> None:
        self._take = take
        self.grading: GraderPlugin | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Collect the tests of the requested grader, and of no other file."""
        next_grading = self._take()
        if next_grading is None:
            pytest.exit("nothing is left to be graded", returncode=0)
        self.grading = GraderPlugin(*next_grading)
        self.grading.begin()
        config = session.config
        config.pluginmanager.register(self.grading.fixtures)
        config.pluginmanager.register(self.grading)
        module: Any = pytest.Module  # its constructor has no types
        grader: pytest.Module = module.from_parent(session, path=Path(next_grading[0].grader))
        session.items = list(session.genitems(grader))
        config.hook.pytest_collection_modifyitems(
            session=session, config=config, items=session.items
        )
        config.hook.pytest_collection_finish(session=session)
        session.testscollected = len(session.items)
        return True
