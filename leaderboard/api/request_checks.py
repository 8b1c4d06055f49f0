"""The checks of requests before they are answered: key, limits, parameters, body."""

import asyncio
import ctypes
import json
import re
import sys
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from threading import Lock
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect, Request

from leaderboard.api.keys import ApiKey, KeyStore, Scope
from leaderboard.api.run_shapes import ApiError
from records.files.json_limits import find_excess
from records.files.problems import describe_first_problem, list_error_details
from records.reader import find_duplicate_keys
from review.desk.guard import FORM_S, read_limited_body

LARGE = 1024 * 1024
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
            ApiError: 503, other bodies kept the space for too long.
        """
        size = min(size, self._size)
        try:
            async with asyncio.timeout(self._wait_s), self._given_back:
                await self._given_back.wait_for(lambda: self._free >= size)
                self._free -= size
        except TimeoutError as error:
            after = {"Retry-After": str(int(self._wait_s) + 1)}
            reason = "the bodies of other requests take all space; try again later"
            raise ApiError(503, reason, None, after) from error
        try:
            yield
        finally:
            self._free += size
            async with self._given_back:
                self._given_back.notify_all()


def release_memory() -> None:
    """Give free memory back to the operating system, which glibc keeps for each thread."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


_BEARER = re.compile(rb"[Bb]earer +(osk_[0-9a-f]{40})")
_WHOLE_OR_ZERO = re.compile(r"[0-9]{1,15}")
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="leaderboard"'}
MEBIBYTE = 1024 * 1024
LARGEST_ATTEMPT = 16 * MEBIBYTE
"""The most bytes of an attempt: the longest reply, twice, with some more for prompt and logs."""
SMALL_BODY = 256 * 1024
"""The most bytes of a body that has no text of a person or a model."""
_MOST_COUNTED = 10_000
_MOST_VALUES = 30_000
"""The most names and values of a body; a plan of a thousand evals has fewer."""


class ApiLimits(NamedTuple):
    """The limits of requests."""

    requests_per_s: float = 50.0
    """The most requests per second with a key, on average."""
    burst: int = 500
    """The most requests with a key at once."""
    refused_per_s: float = 1.0
    """The most requests per second without a valid key from an address, on average."""
    refused_burst: int = 60
    """The most requests without a valid key from an address at once."""
    bodies: int = 16 * MEBIBYTE
    """The most bytes of all bodies that are read or answered at the same time."""
    space_s: float = 20.0
    """The most seconds that a request waits for space for its body."""
    body_s: float = FORM_S
    """The most seconds in which a body must come."""


class RateLimiter:
    """A limiter of request rates with a token bucket for each key or address."""

    def __init__(self, per_s: float, burst: int) -> None:
        """Permit ``burst`` requests at once, and ``per_s`` requests per second on average."""
        self._per_s = per_s
        self._burst = burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._turn = Lock()

    def wait_s(self, whose: str) -> float:
        """Count a request; return 0 if it is permitted, else the seconds until the next one is."""
        with self._turn:
            now = time.monotonic()
            tokens, counted_at = self._left.pop(whose, (float(self._burst), now))
            tokens = min(float(self._burst), tokens + (now - counted_at) * self._per_s)
            allowed = tokens >= 1
            self._left[whose] = (tokens - 1 if allowed else tokens, now)
            if len(self._left) > _MOST_COUNTED:
                self._left.popitem(last=False)
            return 0.0 if allowed else (1 - tokens) / self._per_s


class Gate:
    """The check of a request's key, of request rates and of bodies."""

    def __init__(self, keys: KeyStore, limits: ApiLimits) -> None:
        """Store the keys and the limits."""
        self._keys = keys
        self._limits = limits
        self._space = BodySpace(limits.bodies, limits.space_s)
        self._accepted = RateLimiter(limits.requests_per_s, limits.burst)
        self._refused = RateLimiter(limits.refused_per_s, limits.refused_burst)

    def authorize_request(self, request: Request, scopes: Sequence[Scope]) -> ApiKey:
        """Return the key of a request, which must have one of ``scopes``.

        Raises:
            ApiError: 401, the request has no valid key.
            ApiError: 403, the key has none of the scopes.
            ApiError: 429, there are too many requests with the key, or from the address.
        """
        # Headers are compared as bytes, because they may have bytes that are not text.
        headers = [value for name, value in request.scope["headers"] if name == b"authorization"]
        match = _BEARER.fullmatch(headers[0]) if len(headers) == 1 else None
        key = self._keys.find_valid_key(match[1].decode()) if match else None
        if key is None:
            address = request.client.host if request.client else ""
            _check_rate(self._refused, address)
            reason = "a valid key is needed; the operator of this server makes one: "
            raise ApiError(
                401, f"{reason}leaderboard keys create NAME", "Authorization", _CHALLENGE
            )
        _check_rate(self._accepted, key.digest)
        if not set(scopes) & set(key.scopes):
            scopes_of_key = ", ".join(key.scopes)
            raise ApiError(
                403,
                f"the key {key.name} may {scopes_of_key}; this needs {' or '.join(scopes)}",
                "Authorization",
            )
        return key

    @asynccontextmanager
    async def hold_body(self, request: Request, largest: int) -> AsyncGenerator[bytes]:
        """Yield the body of a request, which must be JSON by its headers.

        ``largest`` is the most bytes of the body. Its space is free again at the end.

        Raises:
            ApiError: 415, the body is not JSON by its headers, or is compressed.
            ApiError: 413, the body is larger than the limit.
            ApiError: 408, the body did not come in time.
            ApiError: 503, there is no space for the body now.
        """
        kind, _, parameters = request.headers.get("content-type", "").partition(";")
        charset = parameters.strip().lower().replace('"', "")
        if kind.strip().lower() != "application/json" or charset not in {"", "charset=utf-8"}:
            raise ApiError(415, "send application/json", "Content-Type")
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise ApiError(415, "send the body uncompressed", "Content-Encoding")
        announced = request.headers.get("content-length")
        too_large = announced is not None and (
            _WHOLE_OR_ZERO.fullmatch(announced) is None or int(announced) > largest
        )
        size = 0 if too_large else largest if announced is None else int(announced)
        longest_s = self._limits.body_s
        async with self._space.take(size):
            try:
                body = await read_limited_body(request, largest, longest_s, is_too_large=too_large)
            except TimeoutError as error:
                raise ApiError(408, f"the body did not come in {longest_s:g} s") from error
            except ClientDisconnect as error:
                reason = "the client went away before its body was whole"
                raise ApiError(408, reason) from error
            if body is None:
                raise ApiError(
                    413, f"the body is larger than the {largest} bytes of this operation"
                )
            yield body


def parse_body(body: bytes, shape: TypeAdapter[Any]) -> Any:  # noqa: ANN401 - of the adapter's type
    """Return the content of a body.

    Raises:
        ApiError: 400, the body does not have this shape, has too many values, or an object
            in it has a name twice.
    """
    if reason := find_excess(body, _MOST_VALUES):
        raise ApiError(400, f"body: {reason}", "body")
    try:
        value = _validate_body(body, shape)
        repeated = find_duplicate_keys(body)
    except ValidationError as error:
        problem = list_error_details(error)[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise ApiError(400, describe_first_problem(error), field or "body") from error
    except (ValueError, RecursionError) as error:
        raise ApiError(400, f"body: cannot be read: {error}", "body") from error
    if repeated:
        raise ApiError(400, f"{repeated[0]}: is twice in an object", repeated[0])
    return value


def _validate_body(body: bytes, shape: TypeAdapter[Any]) -> Any:  # noqa: ANN401 - as `parse_body`
    """Return the validated body. Validation is strict, but 2.0 is an integer, as in JSON Schema."""
    try:
        return shape.validate_json(body, strict=True)
    except ValidationError as error:
        if all(problem["type"] != "int_type" for problem in list_error_details(error)):
            raise
    return shape.validate_json(json.dumps(json.loads(body, parse_float=_parse_float)), strict=True)


def _parse_float(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _check_rate(limiter: RateLimiter, whose: str) -> None:
    if wait := limiter.wait_s(whose):
        after = {"Retry-After": str(int(wait) + 1)}
        raise ApiError(429, "too many requests in a short time", None, after)
