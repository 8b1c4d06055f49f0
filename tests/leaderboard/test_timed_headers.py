"""Half requests: the server closes their connections after a stated time."""

import socket

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from leaderboard import request_guards
from tests.support.applications import serve_on_loopback

pytestmark = pytest.mark.integration

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HALVES = [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", REQUEST + b"GET / HTTP/1.1\r\nHo"]


@pytest.mark.parametrize("half", HALVES, ids=["nothing", "a byte", "half", "the second"])
def test_half_a_request_is_closed(half: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection ends, also on a kept connection; whole requests are answered meanwhile."""
    monkeypatch.setattr(request_guards, "HEADERS_S", 0.3)
    app = Starlette(routes=[Route("/", PlainTextResponse("here"))])
    with serve_on_loopback(app, request_guards.TimedHeadersProtocol) as address:
        place = ("127.0.0.1", int(address.rpartition(":")[2]))
        with socket.create_connection(place, 60) as slow:
            slow.sendall(half)
            with socket.create_connection(place, 60) as whole:
                whole.sendall(REQUEST)
                assert whole.recv(100).startswith(b"HTTP/1.1 200")
            received = b""
            while piece := slow.recv(1000):  # ends as the server closes, or fails after a minute
                received += piece
            assert received.count(b"200 OK") == half.count(b"\r\n\r\n")
