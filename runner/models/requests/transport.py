"""The transport of requests, which limits all data from a provider before litellm gets it.

Without it litellm reads error bodies of any length and searches them for keys for minutes, unpacks
bodies without a limit, and follows redirects to any address, with prompt and key.
"""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import cast

import httpx

from records.foreign.fields import as_fields
from runner.errors import (
    ErrorInReplyError,
    MalformedReplyError,
    RedirectedError,
    ReplyTooLargeError,
)
from runner.models.requests.heard import TRAFFIC, Incoming, Outgoing, TakenOver, Traffic
from runner.models.requests.protocols import find_reader

LARGEST_ERROR = 64 * 1024
"""The most bytes that are read of an error's body."""

ERROR_S = 30.0
"""The most seconds for reading an error's body; a part of the body is enough."""

LARGEST_STREAM = 512 * 1024 * 1024
"""The most bytes of a reply, unpacked, with the events around its text: some 250 per token."""

REDIRECTS = 5
"""The most redirects that are followed for one request; all must stay on its origin."""

REPEATS = 8
"""The most kept connections on which a request is sent, if the server has closed each of them."""

PIECE = 64 * 1024
"""The most bytes that are unpacked at a time."""

PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_EITHER_HEAD = 32 + zlib.MAX_WBITS
"""The mode in which zlib recognizes gzip or deflate by its header."""

_NO_HEAD = -zlib.MAX_WBITS

_HEADS = {0x8, 0xF}
"""The lower halves of the first byte of deflate with a header, and of gzip; no deflate without a
header begins so."""

_KEPT_HEADERS = (
    "content-type",
    "retry-after",
    "retry-after-ms",
    "x-litellm-response-cost",
)
_LONGEST_HEADER = 1000
_KEEPS_THE_REQUEST = frozenset({307, 308})


class BoundedTransport(httpx.AsyncBaseTransport):
    """A transport that passes requests on to another transport, and limits its responses."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        """Store ``inner``, the transport that makes the requests."""
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its response.

        A dry request is not sent, but stored in its `Traffic`, as is the reply if this program has
        a reader for its protocol.

        Raises:
            RedirectedError: the server redirects the request to another origin, or too often.
            MalformedReplyError: the reply has a compression that was not requested.
            TakenOver: the traffic holds the dry request, or the reply.
            ErrorInReplyError: the response has a status below 200.
        """
        traffic = TRAFFIC.get() or Traffic()
        if traffic.dry:
            traffic.outgoing = Outgoing(request.url.host, request.content)
            raise TakenOver
        traffic.path = request.url.path
        traffic.origin = f"{request.url.scheme}://{request.url.netloc.decode('ascii', 'replace')}"
        request = _adapt_request(request, traffic)
        followed = 0  # the number of redirects
        repeats = 0
        while True:
            traffic.reused = False
            try:
                observed = httpx.Request(
                    request.method,
                    request.url,
                    headers=request.headers,
                    stream=_Leaving(request.content, traffic),
                    extensions=request.extensions,
                )
                response = await self._inner.handle_async_request(observed)
            except httpx.TransportError as error:
                # If the server has closed a kept connection, the request is sent on another one.
                is_late = isinstance(error, httpx.TimeoutException)
                if is_late or not traffic.reused or repeats == REPEATS:
                    raise
                repeats += 1
                continue
            traffic.status = response.status_code
            if response.status_code < 200:  # noqa: PLR2004 - the classes of HTTP
                await response.aclose()
                raise ErrorInReplyError(f"HTTP {response.status_code}, which was not asked for")
            if not 300 <= response.status_code < 400:  # noqa: PLR2004 - the classes of HTTP
                # The body is unpacked and of limited size, and only known headers are kept.
                headers = {
                    name: response.headers[name][:_LONGEST_HEADER]
                    for name in _KEPT_HEADERS
                    if name in response.headers
                }
                body = _unpack_body(response, traffic)
                if response.status_code >= 400:  # noqa: PLR2004 - the classes of HTTP
                    text = await _read_error_text(body)
                    await response.aclose()
                    return httpx.Response(
                        response.status_code, headers=headers, content=text, request=request
                    )
                if (read := find_reader(request.url.path)) is not None:
                    traffic.incoming = Incoming(read, headers, body, response.aclose)
                    raise TakenOver
                return httpx.Response(
                    response.status_code,
                    headers=headers,
                    stream=_Body(body, response.aclose),
                    request=request,
                )
            await response.aclose()
            followed, repeats = followed + 1, 0
            if followed > REDIRECTS:
                raise RedirectedError(f"HTTP {response.status_code}: redirected {followed} times")
            request = _follow_redirect(request, response)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def _adapt_request(request: httpx.Request, traffic: Traffic) -> httpx.Request:
    """Return ``request`` for a reply without compression.

    If ``traffic`` requires this, and the protocol has a reader here, the reply is requested in one
    piece.
    """
    request.headers["Accept-Encoding"] = "identity"
    if not (traffic.unstreamed and find_reader(request.url.path)):
        return request
    try:
        body = dict(as_fields(json.loads(request.content)))
    except (ValueError, httpx.RequestNotRead):
        return request
    if not body.get("stream"):
        return request
    body.pop("stream_options", None)
    return _copy_request(request, request.url, json.dumps(body | {"stream": False}).encode())


def _copy_request(request: httpx.Request, url: httpx.URL, content: bytes) -> httpx.Request:
    """Return ``request`` with another ``url`` of the same origin, or another body."""
    headers = request.headers.copy()
    headers.pop("Content-Length", None)
    return httpx.Request(
        request.method, url, headers=headers, content=content, extensions=request.extensions
    )


def _follow_redirect(request: httpx.Request, response: httpx.Response) -> httpx.Request:
    where = response.headers.get("location", "")[:_LONGEST_HEADER]
    answer = f"HTTP {response.status_code}: redirected to {where or 'nowhere'}"
    try:
        url = request.url.join(where)
    except (httpx.InvalidURL, ValueError) as error:
        raise RedirectedError(f"{answer}, which is no address") from error
    if not where.isascii() or "\\" in where or url.userinfo:
        raise RedirectedError(f"{answer}, which is no plain address")
    if response.status_code not in _KEEPS_THE_REQUEST or not where:
        raise RedirectedError(f"{answer}, which is not followed")
    if _get_origin(url) != _get_origin(request.url):
        raise RedirectedError(
            f"{answer}, another origin, which must not get prompt and key; if it is right, "
            "give it as the address"
        )
    return _copy_request(request, url, request.content)


def _get_origin(url: httpx.URL) -> tuple[str, str, int | None]:
    default = {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, url.port or default


async def _unpack_body(response: httpx.Response, traffic: Traffic) -> AsyncIterator[bytes]:
    """Yield the body as it comes, unpacked piece by piece."""
    packing = response.headers.get("content-encoding", "identity").strip().lower()
    if packing not in PACKED and packing not in {"", "identity"}:
        raise MalformedReplyError(f"the reply is packed as {packing[:100]}, which was not asked")
    member = None
    async for data in cast("httpx.AsyncByteStream", response.stream):
        pending = data
        while pending:
            piece, rest = pending, b""
            if packing in PACKED:
                if member is None:
                    may_lack_head = packing == "deflate" and pending[0] & 0xF not in _HEADS
                    member = zlib.decompressobj(_NO_HEAD if may_lack_head else _EITHER_HEAD)
                elif member.eof:  # gzip has one or more members, perhaps with padding
                    pending, member = pending.lstrip(b"\0"), zlib.decompressobj(_EITHER_HEAD)
                try:
                    piece = member.decompress(pending, PIECE)
                except zlib.error as error:
                    raise MalformedReplyError(f"the reply cannot be unpacked: {error}") from error
                rest = member.unconsumed_tail or member.unused_data
            pending = rest
            traffic.received += len(piece)
            if traffic.received > LARGEST_STREAM:
                raise ReplyTooLargeError(f"the reply has more than {LARGEST_STREAM} bytes")
            yield piece
            if pending:
                await asyncio.sleep(0)  # others go on, as a small packet may unpack to many pieces


async def _read_error_text(body: AsyncIterator[bytes]) -> bytes:
    """Return the part of an error's body that comes within the limits; never raises for it."""
    read = bytearray()
    with suppress(TimeoutError, MalformedReplyError, httpx.TransportError):
        async with asyncio.timeout(ERROR_S):
            async for piece in body:
                read += piece
                if len(read) >= LARGEST_ERROR:
                    break
    return bytes(read[:LARGEST_ERROR])


class _Leaving(httpx.AsyncByteStream):
    """The body of a request, which a transport reads when its connection is open."""

    def __init__(self, content: bytes, traffic: Traffic) -> None:
        self._content = content
        self._traffic = traffic

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self._traffic.written = True
        yield self._content


class _Body(httpx.AsyncByteStream):
    """The body of a response; closing it closes the response."""

    def __init__(self, pieces: AsyncIterator[bytes], close: Callable[[], Awaitable[None]]) -> None:
        self._pieces = pieces
        self._close = close

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces

    async def aclose(self) -> None:
        await self._close()
