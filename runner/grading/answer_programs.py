"""The programs of an answer, run as its grader asks: each in a jail without the grader.

The grader connects to a Unix socket and sends one line of JSON; one line comes back. So nothing of
the answer runs where the grader runs, and no file of the answer is a program there.
"""

import json
import socket
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Annotated, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from records.files.problems import describe_first_problem
from records.shapes.attempt import Fault, FaultClass
from runner.errors import GraderMistakeError, JailBrokenError, JailEndedError
from runner.jail import Finished, Jail, JailedProcess, JailSpec, paths
from runner.jail.deadlines import Deadline, ProcessorWaits

_LONGEST_REQUEST = 8_000_000
"""Bytes of a request, with the program's input."""
_CHUNK = 1 << 16
_AT_ONCE = 8
"""The most programs of one answer at the same time."""
_MOST = 10_000
"""The most programs in one grading."""
_END_S = 10.0


_Word = Annotated[str, Field(min_length=1, max_length=130_000, pattern=r"^[^\x00]*$")]


class ProgramRequest(BaseModel):
    """A program that a grader asks for."""

    model_config = ConfigDict(extra="forbid")

    command: Annotated[tuple[_Word, ...], Field(min_length=1, max_length=1000)]
    stdin: str | None = ""
    """The program's input; None if its bytes follow on the connection."""
    limit_s: Annotated[float, Field(gt=0)] | None = None
    cwd: str = paths.PROJECT
    env: Mapping[str, str] = {}
    """Variables beside those that each program of an answer has."""


class AnswerJail(Protocol):
    """The jails of an answer's programs, without the grader's files and connections."""

    @property
    def jail(self) -> Jail:
        """The kind of jail."""
        ...

    @property
    def longest_s(self) -> float:
        """The most seconds of a program."""
        ...

    def open_spec(self, request: ProgramRequest) -> AbstractContextManager[JailSpec]:
        """Return the jail of one program, which runs inside the block.

        Raises GraderMistakeError if the program needs what such jails do not have.
        """
        ...


class AnswerPrograms:
    """Answers the requests of one grading, from the moment that it is entered."""

    def __init__(self, answer_jail: AnswerJail, path: Path) -> None:
        """Say where programs run, and at which socket the grader asks for them."""
        self._answer_jail = answer_jail
        self._path = path
        self._lock = threading.Lock()
        self._slots = threading.Semaphore(_AT_ONCE)
        self._running: dict[JailedProcess, Callable[[], float]] = {}
        self._threads: list[threading.Thread] = []
        self._waited_s = 0.0
        self._count = 0
        self._is_over = False
        self.fault: Fault | None = None
        """The fault of ours for which a program could not be run."""

    def __enter__(self) -> Self:
        """Listen at the socket."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(self._path))
        # The user id in the jail is not ours.
        self._path.chmod(0o777)
        self._socket.listen(_AT_ONCE)
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        """End all programs, and listen no more."""
        with self._lock:
            self._is_over = True
            left = list(self._running)
        # A socket that is only closed would not wake the thread that waits at it.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for process in left:
            process.kill()
        for thread in self._threads:
            thread.join(_END_S)
        self._path.unlink(missing_ok=True)

    @property
    def is_running(self) -> bool:
        """True while a program of the answer runs."""
        with self._lock:
            return bool(self._running)

    def compute_waited_s(self) -> float:
        """Return the seconds for which programs waited for a processor that others used."""
        with self._lock:
            waits = list(self._running.values())
            ended_s = self._waited_s
        return ended_s + sum(waited() for waited in waits)

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name="answer-programs", daemon=True)
        thread.start()
        self._threads.append(thread)

    def _accept(self) -> None:
        """Serve each request in a thread of its own, to the end of the grading."""
        while True:
            try:
                connection, _ = self._socket.accept()
                self._start(lambda connection=connection: self._serve(connection))
            except (OSError, RuntimeError) as error:  # closed; or no descriptor or thread is left
                self._refuse(FaultClass.SANDBOX, f"no request could be taken: {error}")
                self._socket.close()
                return

    def _serve(self, connection: socket.socket) -> None:
        """Answer one request. Where the reply is lost, a fault of ours is noted."""
        with connection, self._slots:
            reply = self._answer(connection)
            try:
                connection.sendall(json.dumps(reply).encode() + b"\n")
            except (BrokenPipeError, ConnectionResetError):
                return  # the grader went away meanwhile
            except Exception as error:  # noqa: BLE001 - the grader has no reply, whatever happened
                self._refuse(FaultClass.SANDBOX, f"a reply did not reach the grader: {error!r}")

    def _answer(self, connection: socket.socket) -> dict[str, object]:
        """Read one request, run its program, and return the reply."""
        kind = FaultClass.SANDBOX
        try:
            return self._make_reply(connection)
        except ValidationError as error:
            kind = FaultClass.GRADER
            problem = f"the grader asked for no program: {describe_first_problem(error)}"
        except GraderMistakeError as error:
            kind, problem = FaultClass.GRADER, str(error)
        except JailBrokenError as error:
            problem = str(error)
        except Exception as error:  # noqa: BLE001 - without a reply the answer's test would fail
            problem = f"a program of the answer could not be run: {error!r}"
        return self._refuse(kind, problem)

    def _make_reply(self, connection: socket.socket) -> dict[str, object]:
        connection.settimeout(self._answer_jail.longest_s + _END_S)
        began = time.monotonic()
        held = bytearray()
        while b"\n" not in held[-_CHUNK:] and time.monotonic() - began <= _END_S:
            chunk = connection.recv(_CHUNK)
            if not chunk:
                break
            held += chunk
            # The rest is read, too: a socket that is closed over unread bytes loses the reply.
            del held[_LONGEST_REQUEST + 1 : -_CHUNK]
        line, end, rest = bytes(held).partition(b"\n")
        line += end
        if len(line) > _LONGEST_REQUEST:
            raise GraderMistakeError(
                f"a request of the grader is longer than {_LONGEST_REQUEST:,} bytes"
            )
        request = ProgramRequest.model_validate_json(line)
        self._count += 1
        if self._count > _MOST:
            raise GraderMistakeError(f"the grader ran more than {_MOST} programs")
        finished = self._run(request, connection, rest)
        if finished.killed_by_stranger and not self._is_over:
            raise JailBrokenError("a program of the answer was killed, and not by its limits")
        return {
            "status": finished.returncode,
            "stdout": finished.stdout.decode("utf-8", "replace"),
            "stderr": finished.stderr.decode("utf-8", "replace"),
            "seconds": round(finished.duration_s, 4),
            "killed": finished.killed,
        }

    def _run(self, request: ProgramRequest, connection: socket.socket, rest: bytes) -> Finished:
        """Run a program to its end; ``rest`` are the first bytes of its input."""
        with self._answer_jail.open_spec(request) as spec:
            process = self._answer_jail.jail.start(spec, stdin=True)
            try:
                with self._track_program(process) as waits:
                    longest_s = self._answer_jail.longest_s
                    deadline = Deadline(min(request.limit_s or longest_s, longest_s), waits)
                    threading.Thread(
                        target=end_after, args=(process, deadline), daemon=True
                    ).start()
                    if request.stdin is not None:
                        return process.finish(request.stdin.encode("utf-8", "replace"))
                    self._start(lambda: _pass_input(connection, rest, process))
                    try:
                        return process.finish()
                    finally:
                        with suppress(OSError):
                            connection.shutdown(socket.SHUT_RD)
            finally:
                process.kill()

    @contextmanager
    def _track_program(self, process: JailedProcess) -> Generator[Callable[[], float]]:
        """Count a program among those that run; it ends at once where the grading is over."""
        waits = ProcessorWaits(process.pid)
        with self._lock:
            self._running[process] = waits
            is_late = self._is_over
        try:
            if is_late:
                process.kill()
            yield waits
        finally:
            with self._lock:
                del self._running[process]
                self._waited_s += waits()

    def _refuse(self, kind: FaultClass, evidence: str) -> dict[str, object]:
        """Note the first fault of ours, and return it as the reply.

        After the end of the grader nothing is noted: it no longer waits for a reply.
        """
        with self._lock:
            if not self._is_over:
                self.fault = self.fault or Fault.cut(kind, evidence)
        return {"fault": evidence}


def end_after(process: JailedProcess, deadline: Deadline) -> None:
    """Wait for the end of a program, and end it where its time is over."""
    while (left_s := deadline.compute_left_s()) > 0:
        with suppress(TimeoutError):
            process.wait(left_s)
            return
    process.end("wall")


def _pass_input(connection: socket.socket, rest: bytes, process: JailedProcess) -> None:
    """Pass the bytes that follow a request on to the program, up to their end."""
    with suppress(JailEndedError, OSError):
        connection.settimeout(None)
        process.send(rest)
        while chunk := connection.recv(_CHUNK):
            process.send(chunk)
        process.stdin.close()
