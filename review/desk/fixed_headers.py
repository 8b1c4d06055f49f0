"""A middleware that adds the same headers to all answers, for the desk and for the preview."""

from collections.abc import Mapping, MutableMapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send


class FixedHeaders:
    """A middleware that adds headers, and forbids browsers to cache by default."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        """Add ``headers`` to the responses of ``app``."""
        self._app = app
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(self._headers)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, with_headers)
