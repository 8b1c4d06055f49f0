"""The space that the bodies of all requests together may take, and memory given back after them."""

import asyncio
import ctypes
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, Final

from leaderboard.api.errors import BusyError

LARGE: Final = 1024 * 1024
"""Bytes of a body; after larger bodies memory is given back to the operating system."""


class BodySpace:
    """The space for bodies that are read or answered at the same time.

    A body takes up to twenty times its bytes while it is parsed, so a few large ones would take all
    memory.
    """

    def __init__(self, size: int, wait_s: float) -> None:
        """Start with ``size`` free bytes; a request waits ``wait_s`` seconds for its part."""
        self._size = size
        self._free = size
        self._wait_s = wait_s
        self._given_back = asyncio.Condition()

    @asynccontextmanager
    async def take(self, size: int) -> AsyncGenerator[None]:
        """Take ``size`` bytes, or all if there are fewer, until the body has been answered.

        Raises:
            BusyError: other bodies kept the space for too long.
        """
        size = min(size, self._size)
        try:
            async with asyncio.timeout(self._wait_s), self._given_back:
                await self._given_back.wait_for(lambda: self._free >= size)
                self._free -= size
        except TimeoutError as error:
            after = {"Retry-After": str(int(self._wait_s) + 1)}
            reason = "the bodies of other requests take all space; try again later"
            raise BusyError(reason, None, after) from error
        try:
            yield
        finally:
            self._free += size
            async with self._given_back:
                self._given_back.notify_all()


def release_memory() -> None:
    """Give free memory back to the operating system, which glibc keeps for each thread."""
    trim = _find_trim()
    if trim is not None:
        trim(0)


@cache
def _find_trim() -> Any:  # noqa: ANN401 - a function of C
    """Return glibc's ``malloc_trim``; None on other systems."""
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
