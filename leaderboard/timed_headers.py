"""HTTP connections that are closed if the headers of a request do not come in time."""

import asyncio
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADERS_S: Final = 10.0
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
