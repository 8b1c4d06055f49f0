"""Messages between the grading service and the grading worker."""

import os
import socket
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Timer
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from records.shapes.attempt import Fault, Test
from records.shapes.base import OutsideText, Record
from runner.backends.backend import Address
from runner.jail import Kind
from runner.toolchain import Toolchain

_LARGEST = 64_000_000
"""The most bytes of a message; a request contains all files of an answer."""
_REST_S = 2.0
"""The seconds in which the rest of a message comes, also after the deadline."""


def send(connection: Connection, message: Record) -> None:
    """Send a message. Raises EOFError if the other side has closed the connection."""
    try:
        connection.send_bytes(message.model_dump_json().encode())
    except OSError as error:
        raise EOFError(str(error)) from error


def receive(connection: Connection, deadline: float | None = None) -> bytes:
    """Return the bytes of the next message.

    Raises TimeoutError if it did not begin before ``deadline``, a time of `time.monotonic`, or did
    not end soon after; the connection is then of no more use. Raises EOFError if the other side has
    closed the connection or sends a message that is too long.
    """
    if deadline is None:
        return _read(connection)
    if not connection.poll(max(deadline - time.monotonic(), 0)):
        raise TimeoutError
    # The other side may be stopped in the middle of a message.
    expired = Event()
    left_s = max(deadline - time.monotonic(), _REST_S)
    timer = Timer(left_s, _shut_down, [connection, expired])
    timer.start()
    try:
        message = _read(connection)
    except EOFError as error:
        if expired.is_set():
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()
        timer.join()
    if expired.is_set():
        raise TimeoutError
    return message


def _read(connection: Connection) -> bytes:
    try:
        return connection.recv_bytes(_LARGEST)
    except (EOFError, OSError) as error:
        raise EOFError(str(error) or "the other side is gone") from error


def _shut_down(connection: Connection, expired: Event) -> None:
    """End all reading from a connection, because its deadline has expired."""
    expired.set()
    with suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as stream:
        stream.shutdown(socket.SHUT_RDWR)


class SelectedTests(Record):
    """The selection of a grader's tests, and of the output to report; by default all tests."""

    only: tuple[str, ...] = ()
    """The tests to run, by their names or the names of their functions; empty for all tests."""
    stop_at_failure: bool = False
    """True if no test runs after the first failure."""
    with_output: bool = False
    """True if each test is reported with the grader's printed texts and the logged lines."""


ALL_TESTS = SelectedTests()
"""The selection for published verdicts."""


class PageRendering(Record):
    """The kind of jail, the packages and the project's folder, for pages and written tests."""

    sandbox: Kind
    toolchain: Toolchain
    project: Path


class GradingRequest(Record):
    """The run of a grader over an answer."""

    grader: str
    """The path of grader.py."""
    deployment: Address | None
    """The answer's deployment; None for evals that are not deployed."""
    rendering: PageRendering | None
    """The settings of page rendering and written tests; None if the grader needs neither."""
    files: dict[str, str]
    """The texts of the answer's files, by path."""
    time_limit_s: float
    """The seconds that all tests together may take; the worker enforces this limit."""
    selection: SelectedTests = ALL_TESTS
    last: bool = False
    """True if a fault is the answer's failure: grading broke before, and not on the reference."""


class TestOutput(Record):
    """The printed and logged texts of a test."""

    __test__ = False  # pytest would otherwise collect this class

    printed: OutsideText
    """The grader's standard output and standard error."""
    logged: tuple[OutsideText, ...] | None
    """The lines that functions logged; None if the backend does not provide them."""


class Began(Record):
    """The worker's child exists; its process group has the child's id."""

    kind: Literal["began"] = "began"
    pid: int


class Collected(Record):
    """The tests that will run, in their order."""

    kind: Literal["collected"] = "collected"
    tests: tuple[str, ...]
    printed: OutsideText = ""
    """The printed texts of the grader's modules during import; empty if not requested."""


class ServiceQuestion(Record):
    """A question of the worker to the grading service; the worker waits for the reply."""

    kind: Literal["asks"] = "asks"
    what: Literal["reference", "deployment_end"]
    """``reference`` requests a deployment of the reference answer; ``deployment_end`` requests how
    the deployment of the model's answer ended."""


class FinishedTest(Record):
    """A test has ended; ``log`` is stored in the artifact."""

    kind: Literal["finished"] = "finished"
    test: Test
    log: OutsideText
    output: TestOutput | None = None
    """The test's output; None if not requested."""


class Broke(Record):
    """Our machinery broke, so there is no verdict."""

    kind: Literal["broke"] = "broke"
    fault: Fault
    log: OutsideText


class Done(Record):
    """All tests were reported. Without this message there is no verdict."""

    kind: Literal["done"] = "done"


class ServiceReply(Record):
    """The reply to a ServiceQuestion."""

    deployment: Address | None = None
    """The deployment of the reference answer, if requested."""
    ended: OutsideText | None = None
    """The end of the model's deployment, if requested; None while it runs."""
    fault: Fault | None = None
    """The fault of ours because of which there is no verdict; None if there is none."""


WorkerMessage = Annotated[
    Began | Collected | ServiceQuestion | FinishedTest | Broke | Done, Field(discriminator="kind")
]
WORKER_MESSAGE: TypeAdapter[WorkerMessage] = TypeAdapter(WorkerMessage)
