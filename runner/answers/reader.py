"""Reads replies apart from this process, so that a reply can block only its own attempt.

Parsing takes time in proportion to a reply's length. A reply for which this does not hold
passes a limit of processor time and is unusable; nothing stands still meanwhile, as it
would in a thread of this process, because Python runs one thread at a time.
"""

import signal
from contextlib import suppress
from functools import partial
from multiprocessing import Pipe

from pydantic import TypeAdapter, ValidationError

from runner.answers.reader_process import Refusal
from runner.answers.rules import CONVEX_RULES, Admitted, FileRules
from runner.errors import InfrastructureError, UnusableReplyError
from runner.jail.warm_workers import Warm, start_module

_LIMIT_S = 60.0
"""Processor time for one reply: many times the need of the longest reply that is read."""

_ANSWER = TypeAdapter[Admitted | Refusal](Admitted | Refusal)
"""Answers are JSON: a process that reads hostile replies must not choose what we unpickle."""


class _WorkerDiedError(InfrastructureError):
    """A process that reads replies ended while it read a reply, but not by its time limit."""


class _ReaderProcess:
    """A process that reads replies."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._pipe, theirs = Pipe()
        with theirs:
            self._process = start_module("runner.answers.reader_process", theirs.fileno(), {})
        with suppress(BrokenPipeError):
            self._pipe.send(limit_s)

    @property
    def usable(self) -> bool:
        return self._process.poll() is None

    def read(self, reply: str, rules: FileRules) -> Admitted | Refusal:
        try:
            with suppress(BrokenPipeError):
                self._pipe.send((reply, rules))
            return _ANSWER.validate_json(self._pipe.recv_bytes())
        except ValidationError as error:
            raise _WorkerDiedError(
                f"the process that reads replies sent nonsense: {error}"
            ) from error
        except (EOFError, OSError):  # OSError in the middle of a message
            status = self._process.wait()
        if status != -signal.SIGPROF:
            raise _WorkerDiedError(f"the process that reads replies ended with status {status}")
        return (
            "too_large",
            f"the reply takes more than {self._limit_s:g} s of processor time to read",
        )

    def close(self) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.wait()


class ReplyReader(Warm[_ReaderProcess]):
    """Reads replies, for several threads: workers stay, and few are enough."""

    def __init__(self, limit_s: float = _LIMIT_S) -> None:
        """Start nothing yet; ``limit_s`` is the processor time that a reply may take."""
        super().__init__(partial(_ReaderProcess, limit_s))

    def read(self, reply: str, rules: FileRules = CONVEX_RULES) -> Admitted:
        """Return the files in a reply.

        Raises:
            UnusableReplyError: the reply has no usable file, or takes too long to read.
            InfrastructureError: its reader process was ended from outside, twice.
        """
        read = self.use(lambda worker: worker.read(reply, rules), _WorkerDiedError)
        if not isinstance(read, Admitted):
            raise UnusableReplyError(*read)
        return read
