"""Dry requests: litellm makes the request of a model, and the transport keeps it from leaving."""

import asyncio
import os
import socket
from contextlib import aclosing
from typing import Any, Final, NoReturn

from records.shapes.registry import ModelEntry
from runner.errors import PastTheTransportError
from runner.models.requests.body import request_options
from runner.models.requests.lazy_litellm import litellm
from runner.models.requests.traffic import TRAFFIC, DryRequestEnd, Outgoing, Traffic

SYSTEM: Final = "the system message of a dry request"
USER: Final = "the user's message of a dry request"
"""The prompt of dry requests; its texts are found again in a body."""

LONGEST_S: Final = 60.0
"""Seconds that a dry request may take; it waits for no network."""

_KEY: Final = "key-of-a-dry-request"
"""The placeholder of a key that is not set."""


def outgoing(entry: ModelEntry) -> Outgoing:
    """Return the request that ``entry`` would be asked with. Nothing is sent, and no key is needed.

    Raises:
        PastTheTransportError: litellm does not use this program's transport for it.
        Exception: litellm cannot make the request; the text has its reason.
    """
    litellm()
    with asyncio.Runner(loop_factory=_OfflineLoop) as runner:
        return runner.run(_outgoing(entry))


async def _outgoing(entry: ModelEntry) -> Outgoing:
    TRAFFIC.set(Traffic(dry=True))
    key = None if entry.api_key_env is None else os.environ.get(entry.api_key_env) or _KEY
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}]
    try:
        async with asyncio.timeout(LONGEST_S):
            stream: Any = await litellm().acompletion(**request_options(entry, messages, key))
            # Some providers get their request only when the first piece of the reply is read.
            async with aclosing(stream):
                await anext(aiter(stream), None)
    except DryRequestEnd as end:
        return end.outgoing
    raise PastTheTransportError(f"{entry.litellm_id} was asked past the transport of this program")


class _OfflineLoop(asyncio.SelectorEventLoop):
    """An event loop that makes no connection: not every library uses the transport."""

    async def getaddrinfo(self, *address: object, **options: object) -> NoReturn:
        """Look up nothing."""
        _refuse(*address, **options)

    async def create_connection(self, *address: object, **options: object) -> NoReturn:  # type: ignore[override]
        """Connect to nothing."""
        _refuse(*address, **options)

    async def sock_connect(self, sock: socket.socket, address: object) -> NoReturn:
        """Connect to nothing."""
        _refuse(sock, address)


def _refuse(*address: object, **options: object) -> NoReturn:
    del address, options
    raise PastTheTransportError("a library opens a connection of its own")
