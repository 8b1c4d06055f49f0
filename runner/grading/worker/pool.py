"""The grading worker of a grading service: its start, its forks for gradings, and its end."""

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Self

from pydantic import ValidationError

from records.shapes.attempt import Fault, FaultClass, Outcome, Test
from runner.grading.worker import protocol
from runner.jail.limits import MOST
from runner.jail.warm_workers import start_module

_GRACE_S = 10.0
"""Seconds that the pool waits longer than the longest time of tests, which the worker enforces."""
_STOP_S = 5.0
_TRIES = 3
_INHERITED = ("PATH", "TMPDIR")
Responder = Callable[[protocol.ServiceQuestion], protocol.ServiceReply]


@dataclass(slots=True)
class WorkerReport:
    """The report of a grading; with a fault it is no verdict."""

    planned: tuple[str, ...] = ()
    tests: list[Test] = field(default_factory=list[Test])
    log: str = ""
    printed: str = ""
    """The printed texts of the grader's modules during import; empty if not requested."""
    outputs: dict[str, protocol.TestOutput] = field(default_factory=dict[str, protocol.TestOutput])
    """The outputs by test; empty if not requested."""
    fault: Fault | None = None
    child: int | None = None
    """The id of the worker's child, and of its process group; None before it exists."""
    ended: bool = False
    """True after the last message."""

    def add(self, message: protocol.WorkerMessage) -> None:
        """Add what a message reports."""
        match message:
            case protocol.Collected():
                self.planned, self.printed = message.tests, message.printed
            case protocol.FinishedTest():
                self.tests.append(message.test)
                if message.output is not None:
                    self.outputs[message.test.name] = message.output
                if message.log:
                    self.log += f"{message.test.name}\n{message.log.rstrip()}\n\n"
            case protocol.Broke():
                self.fault, self.ended = message.fault, True
                self.log += message.log
            case _:
                self.ended = True


class GraderPool:
    """A warm worker process, which forks a child for each grading.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        """Prepare the pool; the first grading starts the worker."""
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def run(self, request: protocol.GradingRequest, respond: Responder) -> WorkerReport:
        """Run a grader over an answer; ``respond`` answers the worker's questions.

        A failure of the worker raises no error; the report then has the fault.
        """
        report = WorkerReport()
        for _ in range(_TRIES):
            report = WorkerReport()
            try:
                connection = self._fork()
            except OSError as error:
                report.fault = Fault.cut(
                    FaultClass.GRADER, f"the grading worker cannot be started: {error}"
                )
                continue
            # An OSError of ``respond`` is not the worker's.
            with connection:
                _converse(connection, request, respond, report)
            if report.child is not None:
                break
            # The worker died before its child began to grade, so no test runs twice.
        return report

    def __enter__(self) -> Self:
        """Return this object; the worker starts when it is first needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the worker and its children."""
        with self._lock:
            self._stop()

    def warm_up(self) -> None:
        """Start the worker before the first grading."""
        with self._lock:
            if self._process is None:
                self._control = self._start()

    def _fork(self) -> Connection:
        """Make the worker fork a child, and return our side of the connection to the child.

        Raises OSError.
        """
        ours, theirs = Pipe()
        with theirs, self._lock:
            try:
                if self._process is None or self._process.poll() is not None:
                    self._stop()
                    self._control = self._start()
                if self._control is not None:
                    socket.send_fds(self._control, [b"\0"], [theirs.fileno()])
            except OSError:
                ours.close()
                self._stop()
                raise
        return ours

    def _start(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = start_module(
                "runner.grading.worker.process",
                theirs.fileno(),
                {
                    **{name: os.environ[name] for name in _INHERITED if name in os.environ},
                    "PYTHONDONTWRITEBYTECODE": "1",
                    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                },
            )
        return ours

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is None:
            return
        # The worker ends when its control socket closes; if it does not, it is killed.
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_STOP_S)
        self._process.kill()
        self._process.wait()
        self._process = None


def _converse(
    connection: Connection,
    request: protocol.GradingRequest,
    respond: Responder,
    report: WorkerReport,
) -> None:
    """Send a request, and add the worker's messages to the report.

    Ends after the last message, with a fault if the connection fails or messages come too late.
    """
    limit_s = MOST * request.time_limit_s + _GRACE_S
    deadline = time.monotonic() + limit_s
    trouble: str | None = None
    try:
        protocol.send(connection, request)
        while not report.ended:
            message = protocol.WORKER_MESSAGE.validate_json(protocol.receive(connection, deadline))
            if isinstance(message, protocol.Began):
                report.child = message.pid
            elif isinstance(message, protocol.ServiceQuestion):
                question_began = time.monotonic()
                protocol.send(connection, respond(message))
                # The time that the grading service takes to answer does not count.
                deadline += time.monotonic() - question_began
            else:
                report.add(message)
    except TimeoutError:
        if report.child is not None:
            with suppress(ProcessLookupError):
                os.killpg(report.child, signal.SIGKILL)
        trouble = f"the grading worker did not report within {limit_s:g} s"
    except EOFError as error:
        trouble = f"the grading worker died: {error}"
    except ValidationError as error:
        trouble = f"the grading worker sent nonsense: {error}"
    failed = any(test.outcome is Outcome.FAILED for test in report.tests)
    lost = [name for name in report.planned if name not in {test.name for test in report.tests}]
    is_whole = bool(report.planned) and not lost
    if not is_whole and not (request.selection.stop_at_failure and failed):
        trouble = trouble or f"no report came for {lost[0] if lost else 'any test'}"
    if report.fault is None and trouble is not None:
        report.fault = Fault.cut(FaultClass.GRADER, trouble)
