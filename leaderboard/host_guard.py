"""The refusal of requests for other hosts.

A foreign site can point its own host name at this machine (DNS rebinding). Then the site could read
the pages of this server as if they were its own. This is not possible with an IP address.
"""

import ipaddress
import re
from collections.abc import Sequence
from typing import Final

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

_HOST: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")


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
        host = _parse_hostname(scope)
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


def _parse_hostname(scope: Scope) -> str:
    """Return the name or address in the Host header; empty without exactly one valid header."""
    headers: list[bytes] = [value for name, value in scope["headers"] if name == b"host"]
    match = _HOST.fullmatch(headers[0].decode("latin-1")) if len(headers) == 1 else None
    return match["name"].lower() if match else ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
