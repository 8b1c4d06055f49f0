"""The errors of the API: each refusal of a request, with its HTTP status."""

from collections.abc import Mapping
from typing import ClassVar, Final


class ApiError(Exception):
    """Base class: a request was refused, and nothing was written."""

    status: ClassVar[int] = 400

    def __init__(
        self,
        reason: str,
        parameter: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Store the reason, the wrong parameter, header or field if any, and extra headers."""
        super().__init__(reason)
        self.reason: Final = reason
        self.parameter: Final = parameter
        self.headers: Final = dict(headers or {})


class BadParameterError(ApiError):
    """A parameter or a field of the body is unknown, repeated, missing or wrong."""


class NoKeyError(ApiError):
    """The request has no key, or its key is unknown, expired or revoked."""

    status = 401


class ForbiddenError(ApiError):
    """The key does not permit the request, or a page of another site sent it."""

    status = 403


class NotThereError(ApiError):
    """There is nothing at the address, or no such record."""

    status = 404


class WrongMethodError(ApiError):
    """The address does not answer requests of this method."""

    status = 405


class SlowBodyError(ApiError):
    """The body of the request did not come in time."""

    status = 408


class ContradictionError(ApiError):
    """The request contradicts records of the server."""

    status = 409


class LargeBodyError(ApiError):
    """The body of the request is larger than the limit."""

    status = 413


class WrongTypeError(ApiError):
    """The body of the request is not JSON, by its headers."""

    status = 415


class TooManyError(ApiError):
    """Too many requests came in a short time."""

    status = 429


class BusyError(ApiError):
    """The server has no space for the body now; the same request may succeed later."""

    status = 503


class DamagedError(ApiError):
    """A file that the answer needs cannot be read; the owner of the server must repair it."""

    status = 500
