"""The page before the end of the first build: real processes and sockets."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

import httpx
import pytest

from tests.leaderboard.commanding import PATIENCE_S

pytestmark = pytest.mark.integration

_BUILDING = """
import signal, socket, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # not ignored
from leaderboard.preview.waiting_page import serve_waiting_page

with socket.create_server(("127.0.0.1", 0)) as listening:
    with serve_waiting_page(listening, "desk.example"):
        print(listening.getsockname()[1], flush=True)
        sys.stdin.readline()
    listening.setblocking(True)
    print("built", flush=True)
    connection, _ = listening.accept()
    with connection:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\\r\\ncontent-length: 4\\r\\n\\r\\nsite")
"""


@contextmanager
def start_building() -> Generator[tuple[subprocess.Popen[str], str]]:
    """Yield a process that builds for as long as it gets no line, and its address."""
    with subprocess.Popen(
        [sys.executable, "-c", _BUILDING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process, f"http://127.0.0.1:{process.stdout.readline().strip()}"
        if process.poll() is None:
            process.kill()


def test_every_address_has_a_page_that_asks_again_until_the_site_is_built() -> None:
    """The page comes at once with 503; the site answers the first request after the build."""
    with start_building() as (process, address):
        for path in ("/", "/models/x/?only=a", "/api/runs"):
            answer = httpx.get(f"{address}{path}", timeout=PATIENCE_S)
            assert answer.status_code == 503
            assert '<meta http-equiv="refresh" content="1">' in answer.text
            assert "Building the site" in answer.text
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "built\n"
        assert httpx.get(address, timeout=PATIENCE_S).text == "site"


def test_a_form_that_comes_too_early_learns_that_nothing_was_saved() -> None:
    """A reload would lose the form; the browser goes back to it."""
    with start_building() as (_, address):
        answer = httpx.post(f"{address}/review/", data={"note": "long"}, timeout=PATIENCE_S)
        assert (answer.status_code, "refresh" in answer.text) == (503, False)
        assert "nothing was saved" in answer.text


def test_only_requests_for_this_machine_see_that_something_is_built() -> None:
    """A page of another site cannot read it through a name of its own."""
    with start_building() as (_, address):
        refused = httpx.get(address, headers={"Host": "elsewhere.example"}, timeout=PATIENCE_S)
        assert refused.status_code == 421


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_the_waiting_page_ends_with_the_build(sent: signal.Signals) -> None:
    """After any end of the build, nobody listens at its port."""
    with start_building() as (process, address):
        assert httpx.get(address, timeout=PATIENCE_S).status_code == 503
        os.kill(process.pid, sent)
        process.wait(timeout=PATIENCE_S)
        until = time.monotonic() + PATIENCE_S
        with suppress(httpx.TransportError):
            # The process that served it gets the end a moment later.
            while time.monotonic() < until:
                httpx.get(address, timeout=PATIENCE_S)
            pytest.fail("the waiting page is served on")
