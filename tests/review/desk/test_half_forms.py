"""Incomplete forms end in time, and a sender that leaves causes no traceback."""

import logging
import socket
import time
from urllib.parse import urlsplit

import httpx
import pytest

from review.desk import guard

pytestmark = pytest.mark.integration

HALF = (
    b"POST /review/many HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken=a"
)
PATIENCE_S = 60


@pytest.fixture
def place(address: str) -> str:
    """Return host and port of the desk."""
    return urlsplit(address).netloc


def send_half_form(place: str) -> socket.socket:
    """Send half a form; return its connection."""
    host, _, port = place.partition(":")
    connection = socket.create_connection((host, int(port)), timeout=PATIENCE_S)
    connection.sendall(HALF % place.encode())
    return connection


def test_a_form_that_never_comes_whole_ends(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer is 408; other pages are served meanwhile."""
    monkeypatch.setattr(guard, "FORM_S", 0.5)
    connections = [send_half_form(place) for _ in range(50)]
    assert httpx.get(f"http://{place}/review/", timeout=PATIENCE_S).status_code == 200
    for connection in connections:
        with connection:
            assert connection.recv(100).startswith(b"HTTP/1.1 408 ")


def test_a_sender_that_leaves_prints_no_traceback(
    place: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The end of a connection in mid-form is no fault of the program."""
    errors = logging.getLogger("uvicorn.error")  # it passes no record to the root logger
    errors.addHandler(caplog.handler)
    connections = [send_half_form(place) for _ in range(5)]
    time.sleep(0.5)
    for connection in connections:
        connection.close()
    time.sleep(0.5)
    assert httpx.get(f"http://{place}/review/", timeout=PATIENCE_S).status_code == 200
    errors.removeHandler(caplog.handler)
    assert "Traceback" not in caplog.text
