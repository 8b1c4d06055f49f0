"""The warm grading worker: it has imported the modules of graders, and forks for each grading.

It is started as ``python -m runner.grading.worker.process DESCRIPTOR`` with a Unix socket as that
descriptor. Each message on the socket carries another socket, over which a forked child receives a
request and reports. The verdict is made here, outside the jail: no code of the model ever runs in
these processes.
"""

import ctypes
import gc
import os
import resource
import signal
import socket
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from runner.grading.worker.message_stream import MessageStream
from runner.grading.worker.protocol import Began, GradingRequest
from runner.grading.worker.pytest_session import run_grader
from runner.jail import limits

_DIE_WITH_PARENT: Final = 1
"""Linux's PR_SET_PDEATHSIG."""
_NOTHING: Final = "def test_nothing(output, source): assert source.paths == []\n"
_WARM_S: Final = 60.0


def main() -> None:
    """Serve until the grading service closes its end or dies."""
    control = socket.socket(fileno=int(sys.argv[1]))
    # With SIGCHLD ignored the kernel reaps children: none stays a zombie.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # Ctrl-C is for the grading service, which finishes the running gradings.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _warm_up()
    worker, status = os.getpid(), 1
    with TemporaryDirectory() as compiled:
        try:
            run_grader(lambda: _next(control, compiled))
            status = 0
        finally:
            if os.getpid() != worker:
                # A forked child must not run the parent's exit handlers and finally blocks.
                os._exit(status)


def _warm_up() -> None:
    """Run an empty grading, so that all its modules are imported."""
    import_module("tree_sitter_typescript")
    ours, theirs = socket.socketpair()
    with ours, theirs, TemporaryDirectory() as folder:
        # Not called grader.py: Python would take it from sys.modules for the first real grader.
        grader = Path(folder) / "warm_up.py"
        grader.write_text(_NOTHING, "utf-8")
        request = GradingRequest(
            grader=str(grader), deployment=None, rendering=None, files={}, time_limit_s=_WARM_S
        )
        searched = list(sys.path)
        run_grader(lambda: (request, MessageStream(theirs)))
        # pytest put the temporary folder at the front of sys.path; it is deleted below.
        sys.path[:] = searched


def _next(control: socket.socket, compiled: str) -> tuple[GradingRequest, MessageStream] | None:
    """Fork a child for each grading and return its request there; None at the end of gradings."""
    # gc.freeze: collections in children skip these objects and so copy none of their pages.
    gc.collect()
    gc.freeze()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            return None
        connection = socket.socket(fileno=descriptors[0])
        if os.fork() == 0:
            control.close()
            return _begin(connection, compiled)
        connection.close()


def _begin(connection: socket.socket, compiled: str) -> tuple[GradingRequest, MessageStream]:
    """Receive a request in the forked child, in its own session."""
    os.setsid()
    _die_with_parent()
    # Only the soft limit is lowered: jails started from here set their own limits, which may not
    # be above the hard limit.
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (limits.GRADING_WORKER_MEMORY, hard))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # pytest compiles a grader with rewritten assertions; the file is stored in this cache folder,
    # never beside the grader, and used for all later answers.
    sys.pycache_prefix, sys.dont_write_bytecode = compiled, False
    stream = MessageStream(connection)
    stream.send(Began(pid=os.getpid()))
    return GradingRequest.model_validate_json(stream.receive()), stream


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)


if __name__ == "__main__":
    main()
