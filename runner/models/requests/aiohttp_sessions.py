"""Watches the aiohttp sessions below litellm's transport, for two facts that it does not pass on.

A server may close a kept connection at the moment in which the next request is sent on it. The
server never read such a request, and it can be sent again. And httpx, litellm's form of
responses, fails on a header that is not ASCII.
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import aiohttp
import httpx

from runner.models.requests.traffic import TRAFFIC


def watch_sessions(transport: httpx.AsyncBaseTransport) -> None:
    """Watch the sessions of litellm's transport; leave a transport without sessions as it is."""
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


async def _note_reuse(
    session: aiohttp.ClientSession,
    context: SimpleNamespace,
    params: aiohttp.TraceConnectionReuseconnParams,
) -> None:
    del session, context, params
    traffic = TRAFFIC.get()
    if traffic is not None:
        traffic.reused = True


async def _escape_headers(
    session: aiohttp.ClientSession,
    context: SimpleNamespace,
    params: aiohttp.TraceRequestEndParams,
) -> None:
    del session, context
    response: Any = params.response
    if all(value.isascii() for value in response.headers.values()):
        return
    escaped = response.headers.copy()
    for name, value in response.headers.items():
        escaped[name] = value.encode("ascii", "backslashreplace").decode()
    response._headers = escaped  # noqa: SLF001 - aiohttp has no other way in
    response._cache.pop("headers", None)  # noqa: SLF001
