"""Half requests: the server closes their connections after a stated time."""

import socket
from collections.abc import Generator
from contextlib import contextmanager
from threading import Thread

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from leaderboard import request_guards

pytestmark = pytest.mark.integration

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HALVES = [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", REQUEST + b"GET / HTTP/1.1\r\nHo"]


@contextmanager
def _serve() -> Generator[tuple[str, int]]:
    app = Starlette(routes=[Route("/", PlainTextResponse("here"))])
    config = uvicorn.Config(
        app, log_level="critical", lifespan="off", http=request_guards.TimedHeadersProtocol
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()
        finally:
            server.should_exit = True
            thread.join()


@pytest.mark.parametrize("half", HALVES, ids=["nothing", "a byte", "half", "the second"])
def test_half_a_request_is_closed(half: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection ends, also on a kept connection; whole requests are answered meanwhile."""
    monkeypatch.setattr(request_guards, "HEADERS_S", 0.3)
    with _serve() as address, socket.create_connection(address, 60) as slow:
        slow.sendall(half)
        with socket.create_connection(address, 60) as whole:
            whole.sendall(REQUEST)
            assert whole.recv(100).startswith(b"HTTP/1.1 200")
        received = b""
        while piece := slow.recv(1000):  # ends because the server closes, or fails after a minute
            received += piece
        assert received.count(b"200 OK") == half.count(b"\r\n\r\n")
