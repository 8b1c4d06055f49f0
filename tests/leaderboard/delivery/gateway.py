"""A gateway before the API that fails as gateways do: in any order that a test names."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Literal

import httpx

Fault = Literal["502", "lost acknowledgement", "page 404", "page 302", "page 200", "false gzip"]
Faults = Callable[[int], Fault | None]
"""Failures of a gateway by the number of a request, from 0; None passes the request on."""


@dataclass
class Gateway:
    """A gateway that is running."""

    address: str
    requests: list[str] = field(default_factory=list[str])
    """Method and path of each request, also of failed requests."""


def fail_every_other(fault: Fault) -> Faults:
    """Fail at each second request, beginning with the second."""
    return lambda number: fault if number % 2 else None


@contextmanager
def serve_gateway(server: str, faults: Faults) -> Generator[Gateway]:
    """Pass requests on to ``server``, except for faults; yield the gateway."""
    numbers = count()
    passing = httpx.Client(base_url=server, timeout=60)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            served.requests.append(f"{self.command} {self.path}")
            fault = faults(next(numbers))
            if fault is None or fault == "lost acknowledgement":
                headers = {
                    name: self.headers[name]
                    for name in ("Authorization", "Content-Type")
                    if self.headers[name]
                }
                answer = passing.request(self.command, self.path, content=body, headers=headers)
                if fault is None:
                    self._answer(answer.status_code, answer.content, "application/json")
                else:
                    self.close_connection = True
            elif fault == "false gzip":
                self._answer(200, b"{}", "application/json", ("Content-Encoding", "gzip"))
            else:
                more = [("Location", "/maintenance")] if fault == "page 302" else []
                self._answer(int(fault[-3:]), b"<html>Back soon</html>", "text/html", *more)

        def do_POST(self) -> None:
            self._pass()

        def do_PUT(self) -> None:
            self._pass()

        def _answer(self, status: int, body: bytes, kind: str, *more: tuple[str, str]) -> None:
            self.send_response(status)
            sizes = [("Content-Type", kind), ("Content-Length", str(len(body)))]
            for name, value in [*sizes, *more]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Stay silent."""

    with passing, ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.daemon_threads = True
        served = Gateway(f"http://127.0.0.1:{listening.server_port}")
        thread = threading.Thread(target=listening.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield served
        finally:
            listening.shutdown()
            thread.join()
