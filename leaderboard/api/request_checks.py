"""The checks that every request passes before it is answered: key, limits, parameters, body."""

import asyncio
import json
import re
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit

from pydantic import TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect, Request

from leaderboard.api.errors import (
    BadParameterError,
    ForbiddenError,
    LargeBodyError,
    NoKeyError,
    SlowBodyError,
    TooManyError,
    WrongTypeError,
)
from leaderboard.api.keys import ApiKey, KeyStore, Scope
from records.files.json_limits import find_excess
from records.files.problems import first_problem, problems_of
from records.reader import duplicate_keys
from records.shapes.base import Record

_BEARER: Final = re.compile(rb"[Bb]earer +(osk_[0-9a-f]{40})")
_WHOLE: Final = re.compile(r"[1-9][0-9]{0,8}")
_WHOLE_OR_ZERO: Final = re.compile(r"[0-9]{1,15}")
_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="leaderboard"'}
_MEBIBYTE: Final = 1024 * 1024
_MOST_DISCARDED: Final = 256 * _MEBIBYTE
_MOST_COUNTED: Final = 10_000
_MOST_VALUES: Final = 30_000
"""Names and values of a body: a thousand evals and a hundred verdicts of one attempt have fewer."""
_OWN_SITE: Final = frozenset({"same-origin", "none"})


@dataclass(frozen=True, slots=True)
class ApiLimits:
    """How much is taken from whom."""

    requests_per_s: float = 50.0
    """Requests of one key, in the long run."""
    burst: int = 500
    """Requests of one key at once."""
    refused_per_s: float = 1.0
    """Requests without a key that holds, of one address, in the long run."""
    refused_burst: int = 60
    """The same, at once."""
    largest_body: int = 32 * _MEBIBYTE
    """Bytes of a body."""
    body_s: float = 60.0
    """Seconds in which a body must come."""


class RateLimiter:
    """Token buckets, one for each key and each address that was refused."""

    def __init__(self, per_s: float, burst: int) -> None:
        """Let ``burst`` requests pass at once and ``per_s`` each second after that."""
        self._per_s = per_s
        self._burst = burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._turn = Lock()

    def wait_s(self, whose: str) -> float:
        """Count a request; return 0 where it may pass, else after how many seconds one may."""
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
    """Lets requests in by key, and no more of them than is allowed."""

    def __init__(self, keys: KeyStore, limits: ApiLimits) -> None:
        """Look keys up in ``keys``."""
        self._keys = keys
        self._limits = limits
        self._accepted = RateLimiter(limits.requests_per_s, limits.burst)
        self._refused = RateLimiter(limits.refused_per_s, limits.refused_burst)

    def key(self, request: Request, scopes: Sequence[Scope]) -> ApiKey:
        """Return the key that a request carries; it may do one of ``scopes``.

        Raises:
            NoKeyError: it carries none that holds.
            ForbiddenError: the key may do none of this.
            TooManyError: its key, or its address, asks too often.
        """
        # Headers are compared as bytes: a header may hold bytes that are no text.
        headers = [value for name, value in request.scope["headers"] if name == b"authorization"]
        match = _BEARER.fullmatch(headers[0]) if len(headers) == 1 else None
        key = self._keys.accepted(match[1].decode()) if match else None
        if key is None:
            address = request.client.host if request.client else ""
            _check_rate(self._refused, address)
            reason = "a key that holds is needed; whoever runs this server makes one: "
            raise NoKeyError(f"{reason}leaderboard keys create NAME", "Authorization", _CHALLENGE)
        _check_rate(self._accepted, key.digest)
        if not set(scopes) & set(key.scopes):
            scopes_of_key = ", ".join(key.scopes)
            raise ForbiddenError(
                f"the key {key.name} may {scopes_of_key}; this needs {' or '.join(scopes)}",
                "Authorization",
            )
        return key

    async def body(self, request: Request) -> bytes:
        """Return the JSON text that a request carries.

        Raises:
            WrongTypeError: it is not JSON by its headers, or compressed.
            LargeBodyError: it is larger than is taken.
            SlowBodyError: it did not come in time.
        """
        _check_type(request)
        announced = request.headers.get("content-length", "0")
        largest = self._limits.largest_body
        too_large = _WHOLE_OR_ZERO.fullmatch(announced) is None or int(announced) > largest
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._limits.body_s):
                async for part in request.stream():
                    size += len(part)
                    too_large = too_large or size > largest
                    if size > _MOST_DISCARDED:
                        break
                    # What is too large is read to its end and dropped: a client that is still
                    # sending when the connection closes would not see the answer.
                    if too_large:
                        parts.clear()
                    else:
                        parts.append(part)
        except TimeoutError as error:
            raise SlowBodyError(f"the body did not come in {self._limits.body_s:g} s") from error
        except ClientDisconnect as error:
            raise SlowBodyError("the client went away before its body was whole") from error
        if too_large:
            raise LargeBodyError(f"the body is larger than {largest} bytes")
        return b"".join(parts)


def check_site(request: Request) -> None:
    """Refuse what a page of another site sends.

    Raises:
        ForbiddenError: the browser says that it does.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in _OWN_SITE:
        raise ForbiddenError("pages of other sites may not write here", "Sec-Fetch-Site")
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise ForbiddenError("pages of other sites may not write here", "Origin")


def query_of(request: Request, shape: type[Record]) -> Record:
    """Return the parameters of a query.

    Raises:
        BadParameterError: a parameter is unknown, repeated or wrong.
    """
    parameters = request.query_params
    declared_fields = shape.model_fields
    fields: dict[str, Any] = {}
    for name, value in parameters.multi_items():
        if name not in declared_fields:
            names = ", ".join(declared_fields) or "none is taken"
            raise BadParameterError(f"{name}: is no parameter; these are: {names}", name)
        if name in of_type(shape, "array"):
            fields[name] = (*fields.get(name, ()), *value.split(","))
            continue
        if name in fields:
            raise BadParameterError(f"{name}: stands more than once", name)
        fields[name] = _whole(name, value) if name in of_type(shape, "integer") else value
    try:
        return shape.model_validate(fields)
    except ValidationError as error:
        problem = problems_of(error)[0]
        name = str(problem["loc"][0]) if problem["loc"] else ""
        raise BadParameterError(first_problem(error), name) from error


@lru_cache(maxsize=64)
def of_type(shape: type[Record], kind: Literal["array", "integer"]) -> frozenset[str]:
    """Return the parameters of ``shape`` that are of a type of JSON, or null."""
    fields = shape.model_json_schema()["properties"].items()
    return frozenset(
        name
        for name, field in fields
        if kind
        in {field.get("type"), *(alternative.get("type") for alternative in field.get("anyOf", ()))}
    )


def parse_body(body: bytes, shape: TypeAdapter[Any]) -> Any:  # noqa: ANN401 - of the adapter's type
    """Return what a body holds.

    Raises:
        BadParameterError: it is not of this shape, holds more than is taken, or a name stands twice
            in one object.
    """
    if reason := find_excess(body, _MOST_VALUES):
        raise BadParameterError(f"body: {reason}", "body")
    try:
        value = _validated(body, shape)
        repeated = duplicate_keys(body)
    except ValidationError as error:
        problem = problems_of(error)[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise BadParameterError(first_problem(error), field or "body") from error
    except (ValueError, RecursionError) as error:
        raise BadParameterError(f"body: cannot be read: {error}", "body") from error
    if repeated:
        raise BadParameterError(f"{repeated[0]}: stands twice in one object", repeated[0])
    return value


def _validated(body: bytes, shape: TypeAdapter[Any]) -> Any:  # noqa: ANN401 - as `parsed`
    """Validate strictly, but take 2.0 for a whole number, as JSON Schema does."""
    try:
        return shape.validate_json(body, strict=True)
    except ValidationError as error:
        if all(problem["type"] != "int_type" for problem in problems_of(error)):
            raise
    return shape.validate_json(json.dumps(_with_whole_numbers(json.loads(body))), strict=True)


def _with_whole_numbers(value: object) -> object:
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {name: _with_whole_numbers(element) for name, element in fields.items()}
    if isinstance(value, list):
        return [_with_whole_numbers(element) for element in cast("list[object]", value)]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def match_path(patterns: Mapping[str, str], given: Mapping[str, str]) -> str | None:
    """Return the part of an address that is not of its form; None where all are."""
    for name, value in given.items():
        if re.fullmatch(patterns[name], value) is None:
            return name
    return None


def _check_type(request: Request) -> None:
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if kind.strip().lower() != "application/json" or charset not in {"", "charset=utf-8"}:
        raise WrongTypeError("send application/json", "Content-Type")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise WrongTypeError("send the body uncompressed", "Content-Encoding")


def _check_rate(limiter: RateLimiter, whose: str) -> None:
    if wait := limiter.wait_s(whose):
        after = {"Retry-After": str(int(wait) + 1)}
        raise TooManyError("too many requests in a short time", None, after)


def _whole(name: str, value: str) -> int:
    if _WHOLE.fullmatch(value) is None:
        raise BadParameterError(f"{name}: must be a whole number from 1 on", name)
    return int(value)
