"""Messages between the grading service and the grading worker."""

import socket
import time
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from records.shapes.attempt import Fault, Test
from records.shapes.base import OutsideText, Record
from runner.backends.backend import Address
from runner.jail import Kind
from runner.toolchain import Toolchain

_CHUNK = 1 << 16
_LARGEST = 64_000_000
"""The most bytes of a message; a request contains all files of an answer."""


class StreamClosedError(Exception):
    """The other side has closed the connection, or sent a message that is too long."""


class MessageStream:
    """One side of a connection for messages."""

    def __init__(self, connection: socket.socket) -> None:
        """Use a connected stream socket."""
        self._connection = connection
        self._held = bytearray()

    def send(self, message: Record) -> None:
        """Send a message. Raises StreamClosedError if the other side has closed the connection."""
        try:
            self._connection.settimeout(None)
            self._connection.sendall(message.model_dump_json().encode() + b"\n")
        except OSError as error:
            raise StreamClosedError(str(error)) from error

    def receive(self, deadline: float | None = None) -> bytes:
        """Return the bytes of the next message.

        Raises TimeoutError after ``deadline``, a time of `time.monotonic`; StreamClosedError if the
        other side has closed the connection or sends a message that is too long.
        """
        while (end := self._held.find(b"\n")) < 0:
            if len(self._held) > _LARGEST:
                raise StreamClosedError("a message without an end")
            self._held += self._read(deadline)
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        return line

    def _read(self, deadline: float | None) -> bytes:
        remaining_s = None if deadline is None else deadline - time.monotonic()
        if remaining_s is not None and remaining_s <= 0:
            raise TimeoutError
        self._connection.settimeout(remaining_s)
        try:
            chunk = self._connection.recv(_CHUNK)
        except TimeoutError:
            raise
        except OSError as error:
            raise StreamClosedError(str(error)) from error
        if not chunk:
            raise StreamClosedError("the other side is gone")
        return chunk


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
