"""The programs of an answer, run as its grader asks: each in a jail without the grader.

The grader connects to a Unix socket and sends one line of JSON; one line comes back. So nothing of
the answer runs where the grader runs, and no file of the answer is a program there.
"""

import json
import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from records.files.problems import describe_first_problem
from records.shapes.attempt import Fault, FaultClass
from records.suites.suite_config import GraderProgram, Word
from runner.errors import JailBrokenError
from runner.jail import PROJECT, SCRATCH, Finished, Jail, JailedProcess, JailSpec, limits
from runner.jail.deadlines import Deadline, ProcessorWaits
from runner.python_toolchain import SEARCH_PATH, list_python_binds
from runner.workspace import Workspace

_LONGEST_REQUEST: Final = 8_000_000
"""Bytes of a request, with the program's input."""
_CHUNK: Final = 1 << 16
_AT_ONCE: Final = 8
"""The most programs of one answer at the same time."""
_MOST: Final = 10_000
"""The most programs in one grading."""
_END_S: Final = 10.0


class _ProgramRequest(BaseModel):
    """A program that a grader asks for."""

    model_config = ConfigDict(extra="forbid")

    command: Annotated[tuple[Word, ...], Field(min_length=1, max_length=1000)]
    stdin: str = ""
    limit_s: Annotated[float, Field(gt=0)] | None = None


@dataclass(frozen=True, slots=True)
class AnswerJail:
    """Where and within which limits the programs of an answer run."""

    jail: Jail
    workspace: Workspace
    tools: Path
    program: GraderProgram

    def make_spec(self, request: _ProgramRequest) -> JailSpec:
        """Return the jail of one program: the answer's files, a folder to write to, and Python."""
        return JailSpec(
            command=request.command,
            binds=(
                *self.workspace.list_binds(),
                *list_python_binds(self.tools),
            ),
            cwd=PROJECT,
            env={
                "PATH": SEARCH_PATH,
                "HOME": SCRATCH,
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONHASHSEED": "0",
            },
            limits=limits.make_answer_program_limits(
                self.compute_limit_s(request),
                self.program.answer_memory_mb,
                self.program.answer_processes,
            ),
        )

    def compute_limit_s(self, request: _ProgramRequest) -> float:
        """Return the longest time of a program."""
        return min(request.limit_s or self.program.answer_s, self.program.answer_s)


class AnswerPrograms:
    """Answers the requests of one grading, from the moment that it is entered."""

    def __init__(self, answer_jail: AnswerJail, path: Path) -> None:
        """Say where programs run, and at which socket the grader asks for them."""
        self._place = answer_jail
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
        """Read one request, and return the reply to it."""
        try:
            connection.settimeout(self._place.program.answer_s + _END_S)
            return self._make_reply(_read_line(connection))
        except Exception as error:  # noqa: BLE001 - without a reply the answer's test would fail
            return self._refuse(
                FaultClass.SANDBOX, f"a program of the answer could not be run: {error!r}"
            )

    def _make_reply(self, line: bytes) -> dict[str, object]:
        if len(line) > _LONGEST_REQUEST:
            return self._refuse(
                FaultClass.GRADER,
                f"a request of the grader is longer than {_LONGEST_REQUEST:,} bytes",
            )
        try:
            request = _ProgramRequest.model_validate_json(line)
        except ValidationError as error:
            return self._refuse(
                FaultClass.GRADER,
                f"the grader asked for no program: {describe_first_problem(error)}",
            )
        self._count += 1
        if self._count > _MOST:
            return self._refuse(FaultClass.GRADER, f"the grader ran more than {_MOST} programs")
        try:
            finished = self._run(request)
        except JailBrokenError as error:
            return self._refuse(FaultClass.SANDBOX, str(error))
        if finished.killed_by_stranger and not self._is_over:
            return self._refuse(
                FaultClass.SANDBOX, "a program of the answer was killed, and not by its limits"
            )
        return {
            "status": finished.returncode,
            "stdout": finished.stdout.decode("utf-8", "replace"),
            "stderr": finished.stderr.decode("utf-8", "replace"),
            "seconds": round(finished.duration_s, 4),
            "killed": finished.killed,
        }

    def _run(self, request: _ProgramRequest) -> Finished:
        process = self._place.jail.start(self._place.make_spec(request), stdin=True)
        try:
            with self._track_program(process) as waits:
                deadline = Deadline(self._place.compute_limit_s(request), waits)
                threading.Thread(target=end_after, args=(process, deadline), daemon=True).start()
                return process.finish(request.stdin.encode("utf-8", "replace"))
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
                self.fault = self.fault or Fault(kind=kind, evidence=evidence[:4000])
        return {"fault": evidence}


def end_after(process: JailedProcess, deadline: Deadline) -> None:
    """Wait for the end of a program, and end it where its time is over."""
    while (left_s := deadline.compute_left_s()) > 0:
        with suppress(TimeoutError):
            process.wait(left_s)
            return
    process.end("wall")


def _read_line(connection: socket.socket) -> bytes:
    """Return the request of a grader, up to its end of line; of a longer one a part too long."""
    began = time.monotonic()
    held = bytearray()
    while not held.endswith(b"\n") and time.monotonic() - began <= _END_S:
        chunk = connection.recv(_CHUNK)
        if not chunk:
            break
        held += chunk
        # The rest is read, too: a socket that is closed over unread bytes loses the reply.
        del held[_LONGEST_REQUEST + 1 : -1]
    return bytes(held)
