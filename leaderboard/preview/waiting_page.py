"""The page that `leaderboard serve` shows until the first build has ended.

A process of its own serves this page, because a build forks processes, and a process with the
threads of a server must not fork.
"""

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from leaderboard.request_guards import HostGuard

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="1">
<title>Building the site</title>
</head>
<body>
<h1>Building the site</h1>
<p>This page opens as soon as the build has ended.</p>
</body>
</html>
"""


_NOT_SAVED = "The site is being built, and nothing was saved. Go back, and send it again.\n"
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


@contextmanager
def serve_waiting_page(listening: socket.socket, host: str) -> Generator[None]:
    """Answer requests at a socket with the waiting page, until the end of the block.

    Requests after this wait for another server; the socket is non-blocking then. If this process
    cannot fork, requests wait from the start.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        yield
        return
    forks = get_context("fork")
    # The kernel closes this end of the pipe, however this process ends.
    stop, parent_end = forks.Pipe(duplex=False)
    process = forks.Process(target=_serve, args=(listening, host, stop, parent_end))
    # Python loses a Ctrl-C that comes during a fork, so the signal is blocked. In the child it
    # stays blocked.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    stop.close()
    try:
        yield
    finally:
        parent_end.close()
        process.join()


def _serve(listening: socket.socket, host: str, stop: Connection, parent_end: Connection) -> None:
    parent_end.close()
    app = Starlette(
        routes=[Route("/{path:path}", _answer_request, methods=_METHODS)],
        middleware=[Middleware(HostGuard, hosts=[host])],
    )
    server = uvicorn.Server(
        uvicorn.Config(
            app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1, workers=1
        )
    )

    def end() -> None:
        with contextlib.suppress(EOFError, OSError):
            stop.recv_bytes()
        server.should_exit = True

    threading.Thread(target=end, daemon=True).start()
    server.run(sockets=[listening])
    # Left without buffers and exit handlers, because they belong to the parent process.
    os._exit(0)


async def _answer_request(request: Request) -> Response:
    headers = {"Retry-After": "1", "Cache-Control": "no-store"}
    if request.method not in {"GET", "HEAD"}:
        return PlainTextResponse(_NOT_SAVED, status_code=503, headers=headers)
    return HTMLResponse(_PAGE, status_code=503, headers=headers)
