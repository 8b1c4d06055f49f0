"""The edge to the network: bounds whatever a provider sends, before litellm sees any of it.

litellm reads error bodies of any length, searches them for keys for minutes, unpacks what is
packed without a limit, and follows redirects, prompt and all, to wherever they lead.
"""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Final, cast

import httpx

from runner.errors import MalformedReplyError, RedirectedError, ReplyTooLargeError
from runner.models.requests.openai_events import (
    LARGEST_EVENT,
    ChunkWriter,
    EventReader,
    gemini_finish,
)
from runner.models.requests.traffic import TRAFFIC, Traffic

LARGEST_ERROR: Final = 64 * 1024
"""Bytes read of an error's body; the rest is not asked for."""

ERROR_S: Final = 30.0
"""Seconds in which an error's body must come; what came counts, since the status says most."""

LARGEST_STREAM: Final = 512 * 1024 * 1024
"""Bytes of a reply, unpacked, with all that surrounds its text. A token takes some 250."""

REDIRECTS: Final = 5
"""Redirects followed for one request, on one origin."""

PIECE: Final = 64 * 1024
"""Bytes unpacked at a time."""

_KEPT_HEADERS: Final = (
    "content-type",
    "retry-after",
    "retry-after-ms",
    "x-litellm-response-cost",
)
_LONGEST_HEADER: Final = 1000
_CHAT: Final = "/chat/completions"
_GEMINI: Final = ":streamGenerateContent"
_KEEPS_THE_REQUEST: Final = frozenset({307, 308})
_PACKED: Final = frozenset({"gzip", "x-gzip", "deflate"})
_EITHER_HEAD: Final = 32 + zlib.MAX_WBITS
"""Tells zlib to unpack gzip or deflate, by its head."""


class BoundedTransport(httpx.AsyncBaseTransport):
    """Passes requests on to another transport, and bounds what comes back."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        """Pass requests on to ``inner``."""
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Make a request.

        Raises:
            RedirectedError: the server sends the request elsewhere, or in circles.
            MalformedReplyError: the reply is packed in a way that was not asked for.
            ErrorInReplyError: an error came under the status of a reply.
        """
        traffic = TRAFFIC.get() or Traffic()
        request = _as_wanted(request, traffic)
        followed = 0  # redirects
        while True:
            response = await self._inner.handle_async_request(request)
            traffic.status = response.status_code
            if not 300 <= response.status_code < 400:  # noqa: PLR2004 - the classes of HTTP
                return await _bounded(request, response, traffic)
            await response.aclose()
            followed += 1
            if followed > REDIRECTS:
                raise RedirectedError(f"HTTP {response.status_code}: redirected {followed} times")
            request = _redirected(request, response)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def guard(
    create: Callable[..., httpx.AsyncBaseTransport | None],
) -> Callable[..., BoundedTransport]:
    """Return a maker of transports whose transports bound what comes back."""

    def guarded(*args: object, **options: object) -> BoundedTransport:
        return BoundedTransport(create(*args, **options) or httpx.AsyncHTTPTransport())

    return guarded


def _as_wanted(request: httpx.Request, traffic: Traffic) -> httpx.Request:
    """Return ``request``, asking for nothing packed, and for a reply in one piece where wanted."""
    request.headers["Accept-Encoding"] = "identity"
    if not (traffic.unstreamed and request.url.path.endswith(_CHAT)):
        return request
    asked = json.loads(request.content) | {"stream": False}
    asked.pop("stream_options", None)
    return _again(request, request.url, json.dumps(asked).encode())


def _again(request: httpx.Request, url: httpx.URL, content: bytes) -> httpx.Request:
    """Return ``request`` for another address of the same origin, or with another body."""
    headers = request.headers.copy()
    headers.pop("Content-Length", None)
    return httpx.Request(
        request.method, url, headers=headers, content=content, extensions=request.extensions
    )


def _redirected(request: httpx.Request, response: httpx.Response) -> httpx.Request:
    where = response.headers.get("location", "")[:_LONGEST_HEADER]
    told = f"HTTP {response.status_code}: redirected to {where or 'nowhere'}"
    try:
        url = request.url.join(where)
    except (httpx.InvalidURL, ValueError) as error:
        raise RedirectedError(f"{told}, which is no address") from error
    if response.status_code not in _KEEPS_THE_REQUEST or not where:
        raise RedirectedError(f"{told}, which is not followed")
    if _origin(url) != _origin(request.url):
        raise RedirectedError(
            f"{told}, another origin, where prompt and key were not meant to go; if it is right, "
            "give it as the address"
        )
    return _again(request, url, request.content)


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    default = {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, url.port or default


async def _bounded(
    request: httpx.Request, response: httpx.Response, traffic: Traffic
) -> httpx.Response:
    """Return ``response`` with a body that has an end, unpacked, and with known headers only."""
    headers = {
        name: response.headers[name][:_LONGEST_HEADER]
        for name in _KEPT_HEADERS
        if name in response.headers
    }
    body = _unpacked(response, traffic)
    if response.status_code >= 400:  # noqa: PLR2004 - the classes of HTTP
        text = await _error_text(body)
        await response.aclose()
        return httpx.Response(response.status_code, headers=headers, content=text, request=request)
    if request.url.path.endswith(_CHAT):
        body = _chat(body, headers.get("content-type", ""))
        headers["content-type"] = "text/event-stream"
    elif request.url.path.endswith(_GEMINI):
        body = _gemini(body, traffic)
    return httpx.Response(
        response.status_code,
        headers=headers,
        stream=_Body(body, response.aclose),
        request=request,
    )


async def _unpacked(response: httpx.Response, traffic: Traffic) -> AsyncIterator[bytes]:
    """Yield the body as it comes, unpacked piece by piece."""
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing not in _PACKED and packing not in {"", "identity"}:
        raise MalformedReplyError(f"the reply is packed as {packing[:100]}, which was not asked")
    unpack = _unpacker() if packing in _PACKED else None
    async for data in cast("httpx.AsyncByteStream", response.stream):
        rest = data
        while rest:
            piece, rest = unpack(rest) if unpack else (rest, b"")
            traffic.received += len(piece)
            if traffic.received > LARGEST_STREAM:
                raise ReplyTooLargeError(f"the reply has more than {LARGEST_STREAM} bytes")
            yield piece
            if rest:
                await asyncio.sleep(0)  # a small packet can hold a great deal: others go on


def _unpacker() -> Callable[[bytes], tuple[bytes, bytes]]:
    """Return what unpacks a body: from packed bytes the next piece, and what is still packed."""
    unpacker = zlib.decompressobj(_EITHER_HEAD)

    def unpack(data: bytes) -> tuple[bytes, bytes]:
        try:
            piece = unpacker.decompress(data, PIECE)
        except zlib.error as error:
            raise MalformedReplyError(f"the reply cannot be unpacked: {error}") from error
        return piece, unpacker.unconsumed_tail

    return unpack


async def _error_text(body: AsyncIterator[bytes]) -> bytes:
    """Return what of an error's body can be read: its status counts in any case."""
    read = bytearray()
    with suppress(TimeoutError, MalformedReplyError, httpx.TransportError):
        async with asyncio.timeout(ERROR_S):
            await _first(body, LARGEST_ERROR, read)
    return bytes(read[:LARGEST_ERROR])


async def _first(body: AsyncIterator[bytes], most: int, read: bytearray) -> None:
    """Put a body into ``read`` until it is over or ``most`` bytes are there."""
    async for piece in body:
        read += piece
        if len(read) >= most:
            return


async def _chat(body: AsyncIterator[bytes], content_type: str) -> AsyncIterator[bytes]:
    """Yield a reply by the OpenAI protocol as a stream that the OpenAI client can read."""
    reader, writer = EventReader(), ChunkWriter()
    begun = False
    async for piece in body:
        start = piece if begun else piece.lstrip()
        if not begun and start[:1] in (b"{", b"[", b"<"):
            whole = bytearray(start)
            await _first(body, LARGEST_EVENT, whole)
            yield writer.whole(whole.decode("utf-8", "replace"), content_type)
            return
        begun = begun or bool(start)
        for event in reader.feed(piece):
            if written := writer.take(event):
                yield written
    writer.end()


async def _gemini(body: AsyncIterator[bytes], traffic: Traffic) -> AsyncIterator[bytes]:
    """Yield a reply by Gemini's protocol as it is, and note whether it came to its end."""
    reader = EventReader()
    async for piece in body:
        for event in reader.feed(piece):
            traffic.finish_reason = gemini_finish(event) or traffic.finish_reason
        yield piece


class _Body(httpx.AsyncByteStream):
    """A body that closes the response it comes from."""

    def __init__(self, pieces: AsyncIterator[bytes], close: Callable[[], Awaitable[None]]) -> None:
        self._pieces = pieces
        self._close = close

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces

    async def aclose(self) -> None:
        await self._close()
