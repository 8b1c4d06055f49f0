"""The answer under test, for graders in Python: its files, and its programs in their own jail.

    from answer import call, files, run

    def test_greets() -> None:
        assert call("greeting.py", "greet", "Ada") == "Hello, Ada!"
        assert run(["python3", "greeting.py"], stdin="Ada").status == 0

A grader must not import or run the answer's files in its own process: they could then write the
report. The functions here run them in a jail that has neither the grader nor its report.
"""

import json
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

_ANSWER: Final = "LEADERBOARD_ANSWER"
_SOCKET: Final = "LEADERBOARD_SOCKET"
_CHUNK: Final = 1 << 16
_SHOWN: Final = 2000

_CALLER: Final = """\
import importlib.util, inspect, json, os, sys
given = json.loads(sys.stdin.readline())
reply = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
sys.path.insert(0, os.getcwd())

def load():
    name = os.path.splitext(os.path.basename(given["file"]))[0]
    spec = importlib.util.spec_from_file_location(name, given["file"])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return getattr(module, given["function"])

def check_arguments(function):
    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except ValueError:  # a function in C, which may wrap one of Python, as functools.cache does
        try:
            signature = inspect.signature(function)
        except ValueError:
            return
    signature.bind(*given["args"], **given["kwargs"])

def report():
    try:
        function = load()
    except Exception as error:
        return fail("could not be loaded", error)
    try:
        check_arguments(function)
    except Exception as error:
        return fail("does not take the arguments of the test", error)
    try:
        value = function(*given["args"], **given["kwargs"])
    except Exception as error:
        return json.dumps({"error": type(error).__name__, "message": str(error)})
    try:
        return json.dumps({"value": value})
    except Exception as error:
        return fail("returned a result that JSON cannot hold", error)

def fail(failure, error):
    return json.dumps({"failure": failure + ": " + type(error).__name__ + ": " + str(error)})

reply.write(report() + "\\n")
reply.flush()
"""
"""Calls a function of the answer. Only an exception that its body raises is one of the function.

Arguments are compared before the call, because a ``TypeError`` does not tell whose it is.
"""


class AnswerFailed(AssertionError):  # noqa: N818 - a failure of the answer, like an assertion
    """A program of the answer did not do what was asked of it."""


class AnswerRaised(AnswerFailed):
    """A function of the answer raised an exception; its file was loaded before."""

    def __init__(self, kind: str, message: str) -> None:
        """Name the class of the exception, and its text."""
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message


class GradingBroken(RuntimeError):  # noqa: N818 - no error of a test
    """A program of the answer could not be run, for a reason that is not the answer's."""


_faults: list[str] = []


@dataclass(frozen=True)
class Ran:
    """The end of a program of the answer."""

    status: int
    """The exit status; 128 plus a signal's number where one ended it."""
    stdout: str
    stderr: str
    seconds: float
    killed: str | None
    """The limit for which it was ended: wall, cpu, memory, processes, disk or output; or None."""


@cache
def files() -> Mapping[str, str]:
    """Return the text of each file of the answer, by its path."""
    with open(os.environ[_ANSWER], encoding="utf-8") as opened:  # noqa: PTH123 - any Python has it
        return json.load(opened)["files"]


def run(command: Sequence[str], *, stdin: str = "", limit_s: float | None = None) -> Ran:
    """Run a program in the folder of the answer's files, and return how it ended.

    ``limit_s`` is its longest time, at most that of the suite. Raises GradingBroken where the
    program could not be run.
    """
    request = {"command": list(command), "stdin": stdin, "limit_s": limit_s}
    try:
        reply = _ask(request)
    except (OSError, ValueError) as error:
        raise _break(f"no reply to a request for a program of the answer: {error}") from error
    if "fault" in reply:
        raise _break(reply["fault"])
    return Ran(**reply)


def _break(fault: str) -> GradingBroken:
    """Note a fault, which a test may hide, and return it as an exception."""
    _faults.append(fault)
    return GradingBroken(fault)


def list_faults() -> list[str]:
    """Return why programs could not be run, for each; a report is then of no use."""
    return list(_faults)


def call(file: str, function: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - any JSON
    """Call a function of a Python file of the answer; arguments and result are JSON.

    A tuple arrives as a list, and the keys of an object as texts. Raises AnswerRaised where the
    function raises. Raises AnswerFailed where the file cannot be loaded, the function is missing,
    the result is nothing that JSON can hold, or no result comes back.
    """
    request = {"file": file, "function": function, "args": args, "kwargs": kwargs}
    ran = run(["python3", "-c", _CALLER], stdin=f"{json.dumps(request)}\n")
    if ran.killed:
        raise AnswerFailed(f"{file}: {function} was ended for passing its limit: {ran.killed}")
    try:
        reply = json.loads(ran.stdout)
        if "failure" in reply:
            raise AnswerFailed(f"{file}: {function} {reply['failure']}")
        if "error" in reply:
            raise AnswerRaised(str(reply["error"]), str(reply.get("message")))
        return reply["value"]
    except (ValueError, TypeError, KeyError, RecursionError):
        end = ran.stderr[-_SHOWN:] or ran.stdout[-_SHOWN:]
        raise AnswerFailed(
            f"{file}: {function} gave no result, it ended with status {ran.status}: {end}"
        ) from None


def _ask(asked: object) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ[_SOCKET])
        connection.sendall(json.dumps(asked).encode() + b"\n")
        reply = b"".join(iter(lambda: connection.recv(_CHUNK), b""))
    return json.loads(reply)
