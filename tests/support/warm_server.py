"""Server of `tests.support.warm_command`: imports all, and forks a child for each command.

Started as ``python -m tests.support.warm_server DESCRIPTOR``. Each message on that socket is a
request, with a socket for answers and the child's three streams. Answers are the child's process id
and, later, how it ended. The server ends when the last caller has closed its side.
"""

import atexit
import fcntl
import functools
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import sys
import termios
import threading
import types
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

PACKAGES = ("records", "runner", "generator", "review", "leaderboard")
IMPORTED_LATE = ("pandas", "pygments.lexers", "zipfile", "markdown_it.token", "pyarrow")
"""Modules of other projects that functions import when they are called."""

LARGEST_REQUEST = 1 << 17
SENT_DESCRIPTORS = 4


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of a call of the command, apart from its streams."""

    arguments: tuple[str, ...]
    """Arguments, the program's own path first."""
    env: dict[str, str]
    """All of its environment."""
    cwd: str
    """Working directory."""
    before: str | None
    """Function that the child calls before the command, as ``module:name``."""

    @classmethod
    def parse(cls, message: bytes) -> Self:
        """Return the request that a message holds."""
        return cls(**json.loads(message))


def main() -> None:
    """Serve; in a child, be the command."""
    atexit.register(_Ending.leave)
    _import_everything()
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        request = _serve(requests)
    if request is not None:
        _run_command(request)


def _import_everything() -> None:
    for package in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in IMPORTED_LATE:
        importlib.import_module(name)
    importlib.import_module("runner.models.requests.lazy_litellm").load_litellm()
    gc.collect()
    gc.freeze()
    # A thread would not be in the children, and a lock that it holds would stay locked there.
    assert threading.active_count() == 1
    assert len(list(Path("/proc/self/task").iterdir())) == 1


def _serve(requests: socket.socket) -> Request | None:
    """Fork a child for each request and report its end; return a request in the child only."""
    children: dict[int, tuple[int, socket.socket]] = {}
    with selectors.DefaultSelector() as selector:
        selector.register(requests, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fd in children:
                    selector.unregister(key.fd)
                    _report(*children.pop(key.fd))
                    os.close(key.fd)
                    continue
                message, descriptors, *_ = socket.recv_fds(
                    requests, LARGEST_REQUEST, SENT_DESCRIPTORS
                )
                if not message:
                    for child, _ in children.values():
                        os.kill(child, signal.SIGKILL)
                        os.waitpid(child, 0)
                    return None
                child = os.fork()
                if child == 0:
                    for number, descriptor in enumerate(descriptors[1:]):
                        os.dup2(descriptor, number)
                    for descriptor in (*descriptors, *children):
                        os.close(descriptor)
                    return Request.parse(message)
                for descriptor in descriptors[1:]:
                    os.close(descriptor)
                answers = socket.socket(fileno=descriptors[0])
                _answer(answers, child)
                watched = os.pidfd_open(child)
                selector.register(watched, selectors.EVENT_READ)
                children[watched] = (child, answers)


def _report(child: int, answers: socket.socket) -> None:
    _, status = os.waitpid(child, 0)
    with answers:
        _answer(answers, os.waitstatus_to_exitcode(status))


def _answer(answers: socket.socket, number: int) -> None:
    with suppress(BrokenPipeError):  # the caller may be gone
        answers.send(str(number).encode())


def _run_command(request: Request) -> None:
    """Become the command, like the installed program, and end with its exit code."""
    os.setsid()
    # A shell lets background jobs, such as the tests, ignore these signals; the command must not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(request.cwd)
    # The interpreter itself sets this where the environment names no encoding.
    coerced = {name: value for name, value in os.environ.items() if name == "LC_CTYPE"}
    os.environ.clear()
    os.environ.update({**coerced, **request.env})
    sys.argv = list(request.arguments)
    sys.path[0] = str(Path(sys.executable).parent)
    text = functools.partial(open, encoding="utf-8", closefd=False)
    sys.stdin = text(0)
    sys.stdout = text(1, "w", buffering=1 if os.isatty(1) else -1)
    sys.stderr = text(2, "w", buffering=1, errors="backslashreplace")
    if request.before is not None:
        module, _, name = request.before.partition(":")
        getattr(importlib.import_module(module), name)()
    # click asks this module for the program's name.
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        sys.exit(importlib.import_module("leaderboard.cli").main())
    except SystemExit as error:
        _Ending.code = 0 if error.code is None else error.code
        raise


class _Ending:
    """The end of a child without the clean-up of all modules, which costs a tenth of a second."""

    code: ClassVar[object] = None
    """Exit code that the command asked for."""

    @classmethod
    def leave(cls) -> None:
        """Leave at once with the exit code, if it is a number; else Python ends as it does.

        As the first handler to be registered this is the last to be called. The handler of coverage
        (if any) is called later still, and so must be reached.
        """
        if isinstance(cls.code, int) and not any(
            name.startswith("COVERAGE_") for name in os.environ
        ):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(cls.code & 0xFF)


if __name__ == "__main__":
    main()
