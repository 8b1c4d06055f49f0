"""Checks of forms before anything is written: the sending site, and a token.

A page of another site can make a browser send a form to this machine. Most browsers send the origin
of a request (Sec-Fetch-Site, Origin). The token is for other browsers. No other site can read an
answer that has the token.
"""

import asyncio
import hmac
import os
import re
import secrets
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from starlette.datastructures import ImmutableMultiDict, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from records.files.plain_files import lock_file

_MOST_DISCARDED = 256 * 1024 * 1024
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


def find_foreign_header(request: Request) -> str | None:
    """Return the header by which a page of another site sent a request; None if none did."""
    headers = request.headers
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return "Sec-Fetch-Site"
    origin = headers.get("origin")
    is_foreign = origin is not None and origin.partition("://")[2] != headers.get("host")
    return "Origin" if is_foreign else None


class FixedHeaders:
    """A middleware that adds headers, and forbids browsers to cache by default."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        """Add ``headers`` to the responses of ``app``."""
        self._app = app
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(self._headers)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, with_headers)


_TOKEN = re.compile("[0-9a-f]{40}")
LARGEST_FORM = 4 * 1024 * 1024
"""The most bytes of a form, which are enough for a text as expected output."""
FORM_S = 60.0
"""Seconds in which a form must arrive, as for a request to the API."""
_MOST_FIELDS = 5_000
_FORM = "application/x-www-form-urlencoded"
_Choice = TypeVar("_Choice", bound=str)


class FormFields(ImmutableMultiDict[str, str]):
    """The fields of a form that passed the guard."""

    def read_value(self, name: str) -> str:
        """Return the value of a field; empty if it was not sent.

        Raises:
            HTTPException: 400, the field was sent several times.
        """
        values = self.getlist(name)
        if len(values) > 1:
            raise HTTPException(400, f"{name}: stands more than once")
        return values[0] if values else ""

    def read_choice(self, name: str, choices: Sequence[_Choice]) -> _Choice | None:
        """Return the value of a field that has these choices; None if it is missing or empty.

        Raises:
            HTTPException: 400, the value is not one of the choices.
        """
        value = self.read_value(name)
        chosen = next((choice for choice in choices if choice == value), None)
        if value and chosen is None:
            raise HTTPException(400, f"{name}: must be one of {', '.join(choices)}")
        return chosen


class FormToken:
    """The token of a data folder's forms, which stays after a restart, so that open pages work."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._value: str | None = None

    @property
    def value(self) -> str:
        """The token. If there is none, it is made, in a file that only its owner can read.

        By a lock, threads and processes that start together get the same token. After a crash, an
        incomplete file counts as empty.
        """
        if self._value is not None:
            return self._value
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with lock_file(self._path) as file:
            token = file.read(41).decode("ascii", "replace")
            if not _TOKEN.fullmatch(token):
                token = secrets.token_hex(20)
                os.fchmod(file.fileno(), 0o600)
                file.seek(0)
                file.truncate()
                file.write(token.encode())
        self._value = token
        return token

    def fits(self, token: str) -> bool:
        """Return whether ``token`` is this token."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.value.encode())


def normalize_line_ends(text: str) -> str:
    """Return a text with line feeds as ends of lines."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


async def read_form(request: Request, token: FormToken) -> FormFields:
    """Return the fields of a form that came from the desk's own pages.

    The header If-Match is taken as the field ``version``.

    Raises:
        HTTPException: 403, 400, 408, 413 or 415; nothing of the form may be used.
    """
    if name := find_foreign_header(request):
        raise HTTPException(403, f"the form was sent from another site, by its {name}")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _FORM:
        raise HTTPException(415, f"a form must be sent as {_FORM}")
    try:
        body = await read_limited_body(request, LARGEST_FORM, FORM_S)
    except TimeoutError as error:
        raise HTTPException(408, f"the form did not come in {FORM_S:g} s") from error
    except ClientDisconnect as error:
        raise HTTPException(408, "the sender left before the form was whole") from error
    if body is None:
        raise HTTPException(413, f"a form may have {LARGEST_FORM:,} bytes at most")
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError as error:
        raise HTTPException(400, f"the form cannot be read: {error}") from error
    version = request.headers.get("if-match")
    if version is not None and "version" not in dict(pairs):
        pairs.append(("version", version.strip('"')))
    # Browsers send their own ends of lines; texts of sessions have line feeds.
    form = FormFields((name, normalize_line_ends(value)) for name, value in pairs)
    if not token.fits(form.read_value("token")):
        raise HTTPException(403, "the form has no token of this desk: reload the page it is from")
    return form
