"""The reading of a reply from the network into `Heard`, by its protocol."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

from runner.errors import ErrorInReplyError, MalformedReplyError, NotAskedError
from runner.models.requests import claims
from runner.models.requests.heard import Heard
from runner.models.requests.protocols.events import LARGEST_EVENT, EventReader
from runner.models.requests.protocols.fields import (
    QUOTED,
    check_no_code,
    check_no_error,
    has_message,
    parse_object,
    take_fields,
)
from runner.models.requests.protocols.pages import check_no_page
from runner.models.requests.protocols.table import ReplyProtocol, find_protocol
from runner.models.requests.traffic import Incoming

TURN: Final = 64
"""The events that are read without a pause; then other requests get their turn."""

_BLANK: Final = b" \t\r\n\xef\xbb\xbf"
"""Blanks, line ends and the byte order mark, which may stand before a body."""

_NO_EVENT: Final = (b"{", b"[", b"<")
"""The first bytes of bodies that are no stream of events."""


async def receive(incoming: Incoming, heard: Heard, moved: Callable[[], None]) -> None:
    """Read a reply to its end mark or the end of its body, or until it is too long.

    ``moved`` is called after each piece of the reply. If the connection breaks after the finish
    reason, the reply counts as ended. An error or a page before the first piece counts as a
    refusal of the request, in spite of the status of the response.

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
    heard.header_cost = claims.read_dollars_text(incoming.headers.get("x-litellm-response-cost"))
    try:
        await _read(incoming, protocol, heard, moved)
    except (ErrorInReplyError, NotAskedError) as error:
        heard.traffic.refused = not heard.moves
        if isinstance(error, ErrorInReplyError):
            error.headers = incoming.headers
        raise
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
        start = piece if begun else piece.lstrip(_BLANK)
        if not begun and start.startswith(_NO_EVENT):
            _read_whole(await _read_rest(incoming.body, start), incoming, protocol, heard)
            return
        begun = begun or bool(start)
        for event in reader.feed(piece):
            before = heard.moves
            fields = take_fields(event, heard)
            if fields is not None and not protocol.read_event(fields, heard):
                if not heard.recognized:
                    check_no_code(fields)
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
    kind = incoming.headers.get("content-type", "").partition(";")[0].strip() or "of no type"
    check_no_page(text, kind)
    reply = parse_object(text, f"the reply is {kind}, not a stream of events, and")
    check_no_error(reply)
    if protocol.read_whole(reply, heard):
        heard.closed = True
        return
    check_no_code(reply)
    error = NotAskedError if has_message(reply) else MalformedReplyError
    raise error(f"the reply is {kind}, not a stream of events: {text[:QUOTED]}")
