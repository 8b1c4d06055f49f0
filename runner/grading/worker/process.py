"""The program of the warm grading worker, which has imported all modules that graders need.

It is started as ``python -m runner.grading.worker.process DESCRIPTOR``; the descriptor is a Unix
socket. Each message on this socket carries another socket, for which the worker forks a child. The
child receives a grading request over it and sends reports. These processes run outside of jails,
and never run code of the model.
"""

import gc
import os
import resource
import signal
import socket
import sys
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.grading.worker.plugin import run_grader
from runner.grading.worker.protocol import Began, GradingRequest, receive, send
from runner.jail import limits
from runner.jail.kernel.processes import die_with_parent

_NOTHING = "def test_nothing(output, source): assert source.paths == []\n"
_WARM_S = 60.0


def main() -> None:
    """Serve until the grading service closes its side of the socket or dies."""
    control = socket.socket(fileno=int(sys.argv[1]))
    # If SIGCHLD is ignored, the kernel reaps children, and none stays a zombie.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # Ctrl-C is handled by the grading service, which lets the running gradings end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _warm_up()
    worker, status = os.getpid(), 1
    with TemporaryDirectory() as compiled:
        try:
            run_grader(lambda: _await_request(control, compiled))
            status = 0
        finally:
            if os.getpid() != worker:
                # A forked child must not run the parent's exit handlers and finally blocks.
                os._exit(status)


def _warm_up() -> None:
    """Run an empty grading, so that all modules that a grading needs are imported."""
    import_module("tree_sitter_typescript")
    ours, theirs = Pipe()
    with ours, theirs, TemporaryDirectory() as folder:
        # With the name grader.py, Python would use this module as the first real grader
        # (sys.modules).
        grader = Path(folder) / "warm_up.py"
        grader.write_text(_NOTHING, "utf-8")
        request = GradingRequest(
            grader=str(grader), deployment=None, rendering=None, files={}, time_limit_s=_WARM_S
        )
        searched = list(sys.path)
        run_grader(lambda: (request, theirs))
        # pytest put the temporary folder at the front of sys.path; the folder is deleted below.
        sys.path[:] = searched


def _await_request(
    control: socket.socket, compiled: str
) -> tuple[GradingRequest, Connection] | None:
    """Fork a child for each grading; in the child, return its request and connection.

    In the worker, return None at the end of gradings.
    """
    # After gc.freeze, garbage collections in children do not touch these objects, so their memory
    # pages are not copied.
    gc.collect()
    gc.freeze()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            return None
        connection = Connection(descriptors[0])
        if os.fork() == 0:
            control.close()
            break
        connection.close()
    # The child gets a session and limits of its own.
    os.setsid()
    die_with_parent()
    # Only the soft limit is lowered: jails that this process starts set their own limits, which
    # must not be above the hard limit.
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (limits.GRADING_WORKER_MEMORY, hard))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # pytest compiles a grader with rewritten assertions. It stores the compiled file in this cache
    # folder, never beside the grader, and uses it for all later answers.
    sys.pycache_prefix, sys.dont_write_bytecode = compiled, False
    send(connection, Began(pid=os.getpid()))
    return GradingRequest.model_validate_json(receive(connection)), connection


if __name__ == "__main__":
    main()
