"""Reads replies apart from this process, so that a reply can block only its own attempt.

Parsing takes time in proportion to a reply's length. A reply for which this does not hold
passes a limit of processor time and is unusable; nothing stands still meanwhile, as it
would in a thread of this process, because Python runs one thread at a time.
"""

import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from pydantic import BaseModel, TypeAdapter, ValidationError

import runner
from runner.answers.reader_process import ENCODING, TYPESCRIPT, receive, send
from runner.answers.rules import CONVEX_RULES, TYPESCRIPT_RULES, Admitted, FileRules, SuiteFileRules
from runner.errors import InfrastructureError, UnusableReplyError
from runner.jail.warm_workers import Warm

_LIMIT_S: Final = 60.0
"""Processor time for one reply: many times the need of the longest reply that is read."""


class _Unusable(BaseModel):
    kind: str
    reason: str


_ANSWER: Final = TypeAdapter[Admitted | _Unusable](Admitted | _Unusable)


class _WorkerDiedError(InfrastructureError):
    """A process that reads replies ended while it read a reply, but not by its time limit."""


class _ReaderProcess:
    """A process that reads replies."""

    def __init__(self, limit_s: float, rules: FileRules) -> None:
        self._limit_s = limit_s
        argument = [TYPESCRIPT] if rules == TYPESCRIPT_RULES else []
        if isinstance(rules, SuiteFileRules):
            argument = [rules.answers.model_dump_json()]
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "runner.answers.reader_process", f"{limit_s}"),
                *argument,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # No key and no setting of the user's.
            env={"LANG": "C.UTF-8", "PYTHONPATH": str(Path(runner.__file__).parents[1])},
        )

    @property
    def usable(self) -> bool:
        return self._process.poll() is None

    def read(self, reply: str) -> Admitted | UnusableReplyError:
        requests, answers = self._process.stdin, self._process.stdout
        if requests is None or answers is None:
            raise _WorkerDiedError("the process that reads replies has no pipes")
        with suppress(BrokenPipeError):
            send(requests, reply.encode(*ENCODING))
        answer = receive(answers)
        if answer is None:
            status = self._process.wait()
            if status != -signal.SIGPROF:
                raise _WorkerDiedError(f"the process that reads replies ended with status {status}")
            reason = f"the reply takes more than {self._limit_s:g} s of processor time to read"
            return UnusableReplyError("too_large", reason)
        try:
            result = _ANSWER.validate_json(answer)
        except ValidationError as error:
            raise _WorkerDiedError(
                f"the process that reads replies sent nonsense: {error}"
            ) from error
        if isinstance(result, _Unusable):
            return UnusableReplyError(result.kind, result.reason)
        return result

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


class ReplyReader(Warm[_ReaderProcess]):
    """Reads replies, for several threads: workers stay, and few are enough."""

    def __init__(self, limit_s: float = _LIMIT_S, rules: FileRules = CONVEX_RULES) -> None:
        """Start nothing yet; ``limit_s`` is the processor time that a reply may take."""
        super().__init__(partial(_ReaderProcess, limit_s, rules))

    def read(self, reply: str) -> Admitted:
        """Return the files in a reply.

        Raises:
            UnusableReplyError: the reply has no usable file, or takes too long to read.
            InfrastructureError: its reader process was ended from outside, twice.
        """
        read = self.use(lambda worker: worker.read(reply), _WorkerDiedError)
        if isinstance(read, UnusableReplyError):
            raise read
        return read
