"""The reading of a reply from the network into `Heard`, by its protocol."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

from runner.errors import MalformedReplyError
from runner.models.requests import claims
from runner.models.requests.heard import Heard
from runner.models.requests.protocols.events import LARGEST_EVENT, EventReader
from runner.models.requests.protocols.fields import (
    QUOTED,
    make_reply_error,
    parse_object,
    take_fields,
)
from runner.models.requests.protocols.table import ReplyProtocol, find_protocol
from runner.models.requests.traffic import Incoming

TURN: Final = 64
"""The events that are read without a pause; then other requests get their turn."""

_NO_EVENT: Final = (b"{", b"[", b"<")
"""The first bytes of bodies that are no stream of events."""


async def receive(incoming: Incoming, heard: Heard, moved: Callable[[], None]) -> None:
    """Read a reply to its end mark or the end of its body, or until it is too long.

    ``moved`` is called after each piece of the reply. If the connection breaks after the finish
    reason, the reply counts as ended.

    Raises:
        ErrorInReplyError: an error came instead of the reply, or in the middle of it.
        MalformedReplyError: the body is not a reply of the protocol.
        ReplyTooLargeError: the body, or one event of it, is larger than the limit.
        httpx.TransportError: the connection broke before the reply had ended.
    """
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late

    protocol = find_protocol(incoming.path)
    if protocol is None:
        raise AssertionError(incoming.path)
    heard.header_cost = claims.read_dollars_text(incoming.cost)
    try:
        await _read(incoming, protocol, heard, moved)
    except httpx.TransportError:
        if not heard.is_over:
            raise
    finally:
        await incoming.close()


async def _read(
    incoming: Incoming, protocol: ReplyProtocol, heard: Heard, moved: Callable[[], None]
) -> None:
    reader = EventReader()
    begun = False
    events = 0
    async for piece in incoming.body:
        start = piece if begun else piece.lstrip()
        if not begun and start.startswith(_NO_EVENT):
            _read_whole(await _read_rest(incoming.body, start), incoming, protocol, heard)
            return
        begun = begun or bool(start)
        for event in reader.feed(piece):
            before = heard.moves
            fields = take_fields(event, heard)
            if fields is not None and not protocol.read_event(fields, heard):
                heard.strange_event = heard.strange_event or event.data[:QUOTED]
            if heard.moves > before:
                moved()
            if heard.closed or heard.rambled:
                return
            events += 1
            if events % TURN == 0:
                await asyncio.sleep(0)


async def _read_rest(body: AsyncIterator[bytes], start: bytes) -> str:
    whole = bytearray(start)
    async for piece in body:
        whole += piece
        if len(whole) >= LARGEST_EVENT:
            break
    return whole.decode("utf-8", "replace")


def _read_whole(text: str, incoming: Incoming, protocol: ReplyProtocol, heard: Heard) -> None:
    kind = incoming.content_type.partition(";")[0].strip() or "of no type"
    reply = parse_object(text, f"the reply is {kind}, not a stream of events, and")
    if reply.get("error"):
        raise make_reply_error(reply["error"])
    if not protocol.read_whole(reply, heard):
        raise MalformedReplyError(f"the reply is {kind}, not a stream of events: {text[:QUOTED]}")
    heard.closed = True
