"""Observers of the aiohttp sessions that litellm's transport uses, for two purposes.

The first notes whether a request was sent on a connection that was used before. A server may close
such a connection just when the request is sent. It never read this request, so the request can be
sent again. The second escapes headers that are not ASCII, because httpx, which litellm uses for
responses, fails on them.
"""

from functools import cache
from typing import Any

import aiohttp
import httpx

from runner.models.requests.traffic import TRAFFIC


def watch_sessions(transport: httpx.AsyncBaseTransport) -> None:
    """Add the observers to the sessions of ``transport``; does nothing if it has no sessions."""
    original: Any = getattr(transport, "get_valid_client_session", None)
    if original is None:
        return

    def watched() -> aiohttp.ClientSession:
        session: aiohttp.ClientSession = original()
        if _watch() not in session.trace_configs:
            session.trace_configs.append(_watch())
        return session

    transport.get_valid_client_session = watched  # type: ignore[attr-defined]


@cache
def _watch() -> aiohttp.TraceConfig:
    config = aiohttp.TraceConfig()
    config.on_connection_reuseconn.append(_note_reuse)
    config.on_request_end.append(_escape_headers)
    config.freeze()
    return config


async def _note_reuse(*_: object) -> None:
    if traffic := TRAFFIC.get():
        traffic.reused = True


async def _escape_headers(
    _session: object, _context: object, params: aiohttp.TraceRequestEndParams
) -> None:
    response: Any = params.response
    if all(value.isascii() for value in response.headers.values()):
        return
    escaped = response.headers.copy()
    for name, value in response.headers.items():
        escaped[name] = value.encode("ascii", "backslashreplace").decode()
    response._headers = escaped  # noqa: SLF001 - aiohttp has no other way in
    response._cache.pop("headers", None)  # noqa: SLF001
