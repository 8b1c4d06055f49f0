"""A pool with a warm grading worker, whose children run the gradings."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from pydantic import ValidationError

import runner
from records.shapes.attempt import Fault, FaultClass, Outcome, Test
from runner.grading.worker.message_stream import MessageStream, StreamClosedError
from runner.grading.worker.protocol import (
    SAID,
    Began,
    Broke,
    Collected,
    FinishedTest,
    GradingRequest,
    Said,
    ServiceQuestion,
    ServiceReply,
    TestOutput,
)
from runner.jail.deadlines import MOST

_GRACE_S: Final = 10.0
"""Seconds for the worker beyond the longest time of tests, which the worker enforces itself."""
_STOP_S: Final = 5.0
_TRIES: Final = 3
Responder = Callable[[ServiceQuestion], ServiceReply]


@dataclass(slots=True)
class WorkerReport:
    """The report of a grading; a verdict only when there is no fault."""

    planned: tuple[str, ...] = ()
    tests: list[Test] = field(default_factory=list[Test])
    log: str = ""
    printed: str = ""
    """Printed texts of the grader during its import, if requested."""
    outputs: dict[str, TestOutput] = field(default_factory=dict[str, TestOutput])
    """The outputs by test, if requested."""
    fault: Fault | None = None
    began: bool = False
    """True if a worker took the request."""
    ended: bool = False


class GraderPool:
    """A warm worker process, which forks a child for every grading. Safe for many threads."""

    def __init__(self) -> None:
        """Prepare without a worker: the first grading starts it."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def run(self, request: GradingRequest, respond: Responder) -> WorkerReport:
        """Run a grader over an answer; ``respond`` answers the worker's questions.

        Does not raise for a failure of the worker: the report then has the fault.
        """
        report = WorkerReport()
        for _ in range(_TRIES):
            report = self._try(request, respond)
            if report.began:
                break
            # The worker died before its child began to grade, so a second try runs nothing twice.
        return report

    def _try(self, request: GradingRequest, respond: Responder) -> WorkerReport:
        report = WorkerReport()
        try:
            connection = self._fork()
        except OSError as error:
            report.fault = _fault(f"the grading worker cannot be started: {error}")
            return report
        with connection:
            _converse(MessageStream(connection), request, respond, report)
        return report

    def __enter__(self) -> Self:
        """Return this object; its processes start when first needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the worker."""
        self.close()

    def close(self) -> None:
        """End the worker and its children; the next grading starts another worker."""
        with self._lock:
            self._stop()

    def warm_up(self) -> None:
        """Start the worker before the first grading."""
        with self._lock:
            if self._process is None:
                self._control = self._start()

    def _fork(self) -> socket.socket:
        """Let the worker fork a child, and return our end of the connection to the child."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            try:
                self._hand_over(theirs)
            except OSError:
                ours.close()
                self._stop()
                raise
        return ours

    def _hand_over(self, theirs: socket.socket) -> None:
        if self._process is None or self._process.poll() is not None:
            self._stop()
            self._control = self._start()
        if self._control is not None:
            socket.send_fds(self._control, [b"\0"], [theirs.fileno()])

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "runner.grading.worker.process", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=_environment(),
            )
        return ours

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is None:
            return
        # The worker exits when its control socket closes; it is killed where it does not.
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_STOP_S)
        self._process.kill()
        self._process.wait()
        self._process = None


def _environment() -> dict[str, str]:
    """Return only the variables that Python needs: no key, no setting of the user."""
    inherited = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return {
        **inherited,
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(Path(runner.__file__).parents[1]),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def _converse(
    stream: MessageStream, request: GradingRequest, respond: Responder, report: WorkerReport
) -> None:
    """Send a request and handle messages up to the last, or until the worker is too late."""
    limit_s = MOST * request.time_limit_s + _GRACE_S
    deadline = time.monotonic() + limit_s
    child: int | None = None
    try:
        stream.send(request)
        while not report.ended:
            message = SAID.validate_json(stream.receive(deadline))
            if isinstance(message, Began):
                child = message.pid
                report.began = True
            elif isinstance(message, ServiceQuestion):
                question_began = time.monotonic()
                stream.send(respond(message))
                # The time of the grading service's answer does not count against the tests' limit.
                deadline += time.monotonic() - question_began
            else:
                _note(message, report)
    except TimeoutError:
        if child is not None:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
        report.fault = report.fault or _fault(
            f"the grading worker did not report within {limit_s:g} s"
        )
    except StreamClosedError as error:
        report.fault = report.fault or _fault(f"the grading worker died: {error}")
    except ValidationError as error:
        report.fault = report.fault or _fault(f"the grading worker sent nonsense: {error}")
    report.fault = report.fault or _missing(report, request)


def _note(said: Said, report: WorkerReport) -> None:
    match said:
        case Collected():
            report.planned = said.tests
            report.printed = said.printed
        case FinishedTest():
            report.tests.append(said.test)
            if said.output is not None:
                report.outputs[said.test.name] = said.output
            if said.log:
                report.log += f"{said.test.name}\n{said.log.rstrip()}\n\n"
        case Broke():
            report.fault = said.fault
            report.log += said.log
            report.ended = True
        case _:
            report.ended = True


def _missing(report: WorkerReport, request: GradingRequest) -> Fault | None:
    if request.selection.stop_at_failure and any(
        test.outcome is Outcome.FAILED for test in report.tests
    ):
        return None
    reported = {test.name for test in report.tests}
    lost = [name for name in report.planned if name not in reported]
    if lost or not report.planned:
        return _fault(f"no report came for {lost[0] if lost else 'any test'}")
    return None


def _fault(evidence: str) -> Fault:
    return Fault(kind=FaultClass.GRADER, evidence=evidence[:4000])
