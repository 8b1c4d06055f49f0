"""A gateway before the API that fails as gateways do: in any order that a test names."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

import httpx

from tests.support.request_handlers import SilentHandler, serve_handler

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

    class Handler(SilentHandler):
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
                    self.send_content(answer.content, answer.status_code)
                else:
                    self.close_connection = True
            elif fault == "false gzip":
                self.send_content(b"{}", Content_Encoding="gzip")
            else:
                more = {"Location": "/maintenance"} if fault == "page 302" else {}
                self.send_content(b"<html>Back soon</html>", int(fault[-3:]), "text/html", **more)

        do_POST = do_PUT = _pass  # noqa: N815 - as the base class calls them

    with passing, serve_handler(Handler) as address:
        served = Gateway(address)
        yield served
