"""The Content-Security-Policy of the previewed site, as a middleware."""

from collections.abc import MutableMapping
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)
"""The Content-Security-Policy that netlify.toml gives the published site."""


class PolicyMiddleware:
    """A middleware that adds the site's policy, and forbids browsers to cache by default."""

    def __init__(self, app: ASGIApp) -> None:
        """Add the headers to the responses of ``app``."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def with_policy(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = POLICY
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, with_policy)
