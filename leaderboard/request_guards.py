"""The refusals of requests to other hosts and of headers that come too late."""

import asyncio
import ipaddress
import re
from collections.abc import Sequence

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")


class HostGuard:
    """An ASGI app that passes on only requests for a known name, `localhost` or an IP address."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        """Store ``app``, which gets the requests, and ``hosts``, the known names."""
        self._app = app
        self._names = {"localhost", *(host.lower() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 421 Misdirected Request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers: list[bytes] = [value for name, value in scope["headers"] if name == b"host"]
        match = _HOST.fullmatch(headers[0].decode("latin-1")) if len(headers) == 1 else None
        host = match["name"].lower() if match else ""
        if host in self._names or _is_address(host):
            await self._app(scope, receive, send)
            return
        text = f"This server does not have the name {host!r}: open it by its address."
        path: str = scope["path"]
        refusal: Response = (
            JSONResponse({"error": text, "parameter": "Host"}, 421)
            if path.startswith(("/api/", "/openapi.json"))
            else Response(f"{text}\n", 421, media_type="text/plain")
        )
        await refusal(scope, receive, send)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


HEADERS_S = 10.0
"""The most seconds from the first byte of a request, or from the connection, to its last header.

Without a limit a client that sends half a request keeps its connection for ever.
"""


class TimedHeadersProtocol(HttpToolsProtocol):
    """uvicorn's protocol of HTTP/1.1 with a time limit for headers; bodies have their own."""

    _headers_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Wait for the other headers of a request that begins on a kept connection."""
        if self._headers_timer is None and (not self.cycle or self.cycle.response_complete):
            self._start_timer()
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """End the wait, because the headers have come."""
        self._stop_timer()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the wait, because the client has left."""
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._headers_timer = self.loop.call_later(HEADERS_S, self._close)

    def _stop_timer(self) -> None:
        if self._headers_timer is not None:
            self._headers_timer.cancel()
            self._headers_timer = None

    def _close(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
