"""Notes which requests go out on connections that earlier ones have used.

A server may close a kept connection at the moment in which the next request is sent on it. Such a
request was read by nobody, and is sent again.
"""

from functools import cache
from types import SimpleNamespace
from typing import Any

import aiohttp
import httpx

from runner.models.requests.traffic import TRAFFIC


def note_reuse(transport: httpx.AsyncBaseTransport) -> None:
    """Let the sessions of litellm's transport note reuse; any other kind is left as it is."""
    original: Any = getattr(transport, "get_valid_client_session", None)
    if original is None:
        return

    def noting() -> aiohttp.ClientSession:
        session: aiohttp.ClientSession = original()
        if _notes() not in session.trace_configs:
            session.trace_configs.append(_notes())
        return session

    transport.get_valid_client_session = noting  # type: ignore[attr-defined]


async def _note(
    session: aiohttp.ClientSession,
    context: SimpleNamespace,
    params: aiohttp.TraceConnectionReuseconnParams,
) -> None:
    del session, context, params
    traffic = TRAFFIC.get()
    if traffic is not None:
        traffic.reused = True


@cache
def _notes() -> aiohttp.TraceConfig:
    config = aiohttp.TraceConfig()
    config.on_connection_reuseconn.append(_note)
    config.freeze()
    return config
