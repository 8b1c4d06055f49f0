"""Reading of a request's body with limits of size and time, for forms and for the API."""

import asyncio
from typing import Final

from starlette.requests import Request

_MOST_DISCARDED: Final = 256 * 1024 * 1024
"""Bytes of a too large body that are read and dropped before the connection is closed."""


async def read_limited_body(
    request: Request, largest: int, longest_s: float, *, is_too_large: bool = False
) -> bytes | None:
    """Return the body of a request; None if it is too large.

    The rest of a too large body is read and dropped, because a client that is still sending when
    the connection closes would not see the answer.

    Args:
        request: the request.
        largest: the most bytes.
        longest_s: the most seconds in which the body must arrive.
        is_too_large: whether the body is known to be too large before it is read.

    Raises:
        TimeoutError: the body did not arrive in time.
        ClientDisconnect: the client left before the body was whole.
    """
    body = bytearray()
    size = 0
    async with asyncio.timeout(longest_s):
        async for piece in request.stream():
            size += len(piece)
            is_too_large = is_too_large or size > largest
            if is_too_large:
                body.clear()
            else:
                body += piece
            if size > _MOST_DISCARDED:
                break
    return None if is_too_large else bytes(body)
