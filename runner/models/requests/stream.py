"""One request to a model: litellm sends it, and its reply is read to the end."""

import asyncio
import codecs
import html
import io
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from typing import Any, NamedTuple, cast

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    parse_dollars,
    require_text_or_null,
)
from records.shapes.registry import ModelEntry
from runner.errors import (
    EndlessReplyError,
    ErrorInReplyError,
    MalformedReplyError,
    NotAskedError,
    ReplyTooLargeError,
    SilentProviderError,
)
from runner.models.requests import error_codes
from runner.models.requests.body import make_request_options
from runner.models.requests.heard import (
    END_MARK,
    TRAFFIC,
    Heard,
    Incoming,
    TakenOver,
    read_usage,
)
from runner.models.requests.lazy_litellm import load_litellm
from runner.models.tokens import Prompt

LONGEST_REPLY_S = 2 * 60 * 60.0
"""The most seconds of a whole reply. In this time 5 tokens a second give 36,000 tokens."""

GOODBYE_S = 5.0
"""The most seconds of silence after a finish reason, in which usage and end mark may follow."""

AT_ONCE = 64
"""The events that are read without a pause; then other requests get their turn."""

_BLANK = b" \t\r\n\xef\xbb\xbf"
"""Blanks, line ends and the byte order mark, which may stand before a body."""

_NO_EVENT = (b"{", b"[", b"<")
"""The first bytes of bodies that are no stream of events."""

LARGEST_EVENT = 32 * 1024 * 1024
"""The most bytes of one event, or of a reply that was not streamed."""

_PAGE = re.compile(r"\s*+<(?:!doctype html|html|head|body|!--)", re.IGNORECASE)
_PAGE_STATUS = re.compile(r"<(?:title|h1)[^<>]*+>[^<0-9]{0,40}?\b([45]\d\d)\b", re.IGNORECASE)
_SIGN_IN = re.compile(
    r"type=[\"']?password|\b(?:sign|log)(?:ging|ing)?[- ]?in\b|\bsso\b|authenticat|unauthori[sz]ed",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]*+>")

_SEARCHED = 64 * 1024
"""The most characters of a page that are searched."""

_QUOTED_WORDS = 300
"""The most characters of a page's words that are quoted."""


class Event(NamedTuple):
    """One server-sent event with data."""

    name: str
    """The name; empty if the event has none."""
    data: str


class EventReader:
    """Turns the bytes of a stream into events, by the rules of the HTML standard."""

    def __init__(self) -> None:
        """Begin a stream."""
        decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._decoder = io.IncrementalNewlineDecoder(decoder, translate=True)
        self._held: list[str] = []
        self._size = 0
        self._name = ""
        self._data: list[str] = []

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yield the events that ``data``, the next bytes, completes.

        Raises:
            ReplyTooLargeError: an event is larger than the limit.
        """
        *lines, partial_line = self._decoder.decode(data).split("\n")
        for line in lines:
            self._hold(line)
            whole = "".join(self._held)
            self._held.clear()
            yield from self._take(whole)
        self._hold(partial_line)

    def _hold(self, part: str) -> None:
        self._held.append(part)
        self._size += len(part)
        if self._size > LARGEST_EVENT:
            raise ReplyTooLargeError(f"one event of the reply has more than {LARGEST_EVENT} bytes")

    def _take(self, line: str) -> Iterator[Event]:
        if not line:
            data = "\n".join(self._data)
            if data.strip():
                yield Event(self._name, data)
            self._name, self._data, self._size = "", [], 0
            return
        field, _, value = line.partition(":")
        text = value.removeprefix(" ")
        if field == "data":
            self._data.append(text)
        elif field == "event":
            self._name = text
        else:
            self._size -= len(line)  # a comment or an unused field, which is dropped


async def ask(
    entry: ModelEntry,
    messages: Prompt,
    key: str | None,
    heard: Heard,
) -> None:
    """Ask ``entry`` once, and store the reply in ``heard``.

    litellm sends the request, and reads the reply only if this program has no reader for its
    protocol. Silence after a finish reason ends the reply without an error.

    Raises:
        SilentProviderError: no piece of the reply came for the time limit of the model.
        EndlessReplyError: the reply did not end in time.
        Exception: litellm or a library that it uses has failed. `faults.diagnosis` has the meanings
            of these exceptions.
    """
    loop, silence_s = asyncio.get_running_loop(), entry.limits.timeout_s
    TRAFFIC.set(heard.traffic)
    end = loop.time() + LONGEST_REPLY_S
    time_limit = asyncio.timeout(min(silence_s, LONGEST_REPLY_S))

    def renew() -> None:
        """Restart the wait for the next piece, because a piece has come."""
        wait_s = min(GOODBYE_S, silence_s) if heard.is_over else silence_s
        time_limit.reschedule(min(loop.time() + wait_s, end))

    try:
        async with time_limit:
            with suppress(TakenOver):
                request = make_request_options(entry, messages, key)
                # For some providers litellm sends the request only when the reply is read.
                async with aclosing(await load_litellm().acompletion(**request)) as stream:
                    await _translate(stream, heard, renew)
            if heard.traffic.incoming is not None:
                await receive(heard.traffic.incoming, heard, renew)
    except TimeoutError as error:
        if not time_limit.expired():
            raise
        if not heard.is_over:
            if time_limit.when() == end:
                came = f"{heard.size} characters came"
                late = f"the reply did not end within {LONGEST_REPLY_S:g} s; {came}"
                raise EndlessReplyError(late) from error
            received = heard.traffic.received
            besides = f", though {received} bytes did" if received and not heard.size else ""
            late = f"no piece of the reply came for {silence_s:g} s{besides}"
            raise SilentProviderError(late) from error
        heard.ended = heard.moved_at
    heard.ended = heard.ended or time.monotonic()


async def _translate(stream: Any, heard: Heard, moved: Callable[[], None]) -> None:  # noqa: ANN401 - litellm's own class
    """Read a reply as litellm translates it."""
    headers: Mapping[str, Any] = getattr(stream, "_response_headers", None) or {}
    heard.header_cost = parse_dollars(headers.get("x-litellm-response-cost"))
    async for chunk in stream:
        moved()
        _take(stream, chunk, heard)
        if heard.rambled:
            return
    # The finish reason stays unknown, because litellm turns each unknown word into "stop".
    heard.closed = bool(stream.received_finish_reason)


def _take(stream: Any, chunk: Any, heard: Heard) -> None:  # noqa: ANN401 - litellm's own classes
    # litellm keeps every chunk, to count tokens at the end if the provider reports none. This takes
    # memory and time, so usage is read from the chunks, and they are dropped.
    for held in stream.chunks:
        usage = getattr(held, "usage", None)
        if usage is not None:
            heard.report(read_usage(usage.model_dump()))
    stream.chunks.clear()
    # With every chunk litellm copies the reply so far, for guardrails that are not used here.
    stream.response_uptil_now = ""
    hidden: Mapping[str, Any] = getattr(chunk, "hidden_params", None) or {}
    heard.store_names(hidden, "provider_response_model")
    if not chunk.choices:
        return
    delta = chunk.choices[0].delta
    if getattr(delta, "tool_calls", None):
        heard.call_tool()
    try:
        thought = getattr(delta, "reasoning_content", None)
        heard.add_thought(require_text_or_null(thought, "reasoning"))
        heard.add_text(require_text_or_null(delta.content, "text"))
    except UnknownShapeError as error:
        raise make_malformed_error(error) from error


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

    heard.header_cost = parse_dollars(incoming.headers.get("x-litellm-response-cost"))
    try:
        await _read(incoming, heard, moved)
    except UnknownShapeError as error:
        raise make_malformed_error(error) from error
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


async def _read(incoming: Incoming, heard: Heard, moved: Callable[[], None]) -> None:
    reader = EventReader()
    begun = False
    events = 0
    async for piece in incoming.body:
        start = piece if begun else piece.lstrip(_BLANK)
        if not begun and start.startswith(_NO_EVENT):
            whole = bytearray(start)
            async for rest in incoming.body:
                whole += rest
                if len(whole) >= LARGEST_EVENT:
                    break
            _read_whole(whole.decode("utf-8", "replace"), incoming, heard)
            return
        begun = begun or bool(start)
        for event in reader.feed(piece):
            before = heard.moves
            if event.data.strip() == END_MARK:
                heard.close()
            else:
                _read_event(event, incoming, heard)
            if heard.moves > before:
                moved()
            if heard.closed or heard.rambled:
                return
            events += 1
            if events % AT_ONCE == 0:
                await asyncio.sleep(0)


def _read_event(event: Event, incoming: Incoming, heard: Heard) -> None:
    """Add an event to ``heard``; its type is the name of the event, unless it has one itself."""
    fields = _parse_object(event.data, "an event of the reply")
    if event.name == "error":
        raise error_codes.make_reply_error(fields)
    error_codes.check_no_error(fields)
    typed = fields if fields.get("type") else {**fields, "type": event.name}
    if not incoming.read(typed, heard):
        if not heard.recognized:
            error_codes.check_no_code(typed)
        heard.strange_event = heard.strange_event or event.data[: error_codes.QUOTED]


def _read_whole(text: str, incoming: Incoming, heard: Heard) -> None:
    kind = incoming.headers.get("content-type", "").partition(";")[0].strip() or "of no type"
    check_no_page(text, kind)
    reply = _parse_object(text, f"the reply is {kind}, not a stream of events, and")
    error_codes.check_no_error(reply)
    if incoming.read(reply, heard) and heard.recognized:
        heard.closed = True
        return
    error_codes.check_no_code(reply)
    # A body that is no reply may have words for a reader, as an error has them.
    has_message = any(reply.get(name) for name in error_codes.MESSAGES)
    error = NotAskedError if has_message else MalformedReplyError
    raise error(f"the reply is {kind}, not a stream of events: {text[: error_codes.QUOTED]}")


def make_malformed_error(error: UnknownShapeError) -> MalformedReplyError:
    """Return the error of a reply with a field that does not have the form of the protocol."""
    quoted = f"the {error.place} of the reply {error.reason}: {error.value!r}"
    return MalformedReplyError(quoted[: error_codes.QUOTED])


def _parse_object(text: str, subject: str) -> Fields:
    """Return the JSON object in ``text``; ``subject`` names the text in messages.

    Raises:
        ErrorInReplyError: the text is a list of objects, and one of them is an error.
        MalformedReplyError: the text is not a JSON object.
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedReplyError(f"{subject} is no JSON: {text[: error_codes.QUOTED]}") from error
    if isinstance(value, list):
        for item in cast("list[object]", value):
            error_codes.check_no_error(as_fields(item))
    if not isinstance(value, dict):
        raise MalformedReplyError(f"{subject} is no JSON object: {text[: error_codes.QUOTED]}")
    return cast("Fields", value)


def check_no_page(text: str, kind: str) -> None:
    """Check that the body of a reply of the media type ``kind`` is no HTML page.

    Raises:
        ErrorInReplyError: it is a page with an HTTP status in its title, or one to sign in, which
            counts as the status 401.
        NotAskedError: it is any other page.
    """
    if not (kind.lower() == "text/html" or _PAGE.match(text)):
        return
    page = text[:_SEARCHED]
    words = " ".join(html.unescape(_TAG.sub(" ", page)).split())[:_QUOTED_WORDS]
    evidence = f"an HTML page in place of a reply: {words}"
    status = _PAGE_STATUS.search(page)
    if status is not None:
        raise ErrorInReplyError(evidence, {"code": int(status[1])})
    if _SIGN_IN.search(page):
        raise ErrorInReplyError(evidence, {"code": 401})
    raise NotAskedError(evidence)
