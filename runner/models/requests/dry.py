"""Dry requests: litellm makes a request to a model, and the transport does not send it."""

import asyncio
import os
from contextlib import aclosing
from typing import Any, Final, NoReturn

from records.shapes.registry import ModelEntry
from runner.errors import PastTheTransportError
from runner.models.requests.body import make_request_options
from runner.models.requests.lazy_litellm import load_litellm
from runner.models.requests.traffic import TRAFFIC, DryRequestEnd, Outgoing, Traffic

SYSTEM: Final = "the system message of a dry request"
USER: Final = "the user's message of a dry request"
"""The user's message. This and the system message can be recognized in the body of a request."""

LONGEST_S: Final = 60.0
"""The most seconds of a dry request, which uses no network."""

_KEY: Final = "key-of-a-dry-request"
"""The placeholder for a key that is not set."""


def capture_outgoing(entry: ModelEntry) -> Outgoing:
    """Return the request that would be sent to ``entry``. Nothing is sent; no key is needed.

    Raises:
        PastTheTransportError: litellm does not use this program's transport for the request.
        Exception: litellm cannot make the request; the text of the exception has the reason.
    """
    load_litellm()
    with asyncio.Runner(loop_factory=_OfflineLoop) as runner:
        return runner.run(_capture_outgoing(entry))


async def _capture_outgoing(entry: ModelEntry) -> Outgoing:
    TRAFFIC.set(Traffic(dry=True))
    key = None if entry.api_key_env is None else os.environ.get(entry.api_key_env) or _KEY
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]
    try:
        async with asyncio.timeout(LONGEST_S):
            stream: Any = await load_litellm().acompletion(
                **make_request_options(entry, messages, key)
            )
            # For some providers litellm makes the request only when the reply is read.
            async with aclosing(stream):
                await anext(aiter(stream), None)
    except DryRequestEnd as end:
        return end.outgoing
    raise PastTheTransportError(f"{entry.litellm_id} was asked past the transport of this program")


class _OfflineLoop(asyncio.SelectorEventLoop):
    """An event loop without connections, because not every library uses the transport."""

    async def _refuse(self, *_: object, **_options: object) -> NoReturn:
        raise PastTheTransportError("a library opens a connection of its own")

    getaddrinfo = create_connection = sock_connect = _refuse  # type: ignore[assignment]
