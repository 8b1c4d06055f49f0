"""The errors of the API: every refusal with its HTTP status."""

from collections.abc import Mapping
from typing import ClassVar, Final


class ApiError(Exception):
    """A request that is not answered as asked; nothing was written."""

    status: ClassVar[int] = 400

    def __init__(
        self,
        reason: str,
        parameter: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Keep the reason, and the wrong parameter, header or field where there is one."""
        super().__init__(reason)
        self.reason: Final = reason
        self.parameter: Final = parameter
        self.headers: Final = dict(headers or {})


class BadParameterError(ApiError):
    """A parameter or a field of the body is unknown, repeated, missing or wrong."""


class NoKeyError(ApiError):
    """No key was sent, or none that holds."""

    status = 401


class ForbiddenError(ApiError):
    """The key may not do this, or the request comes from a page of another site."""

    status = 403


class NotThereError(ApiError):
    """There is no such thing."""

    status = 404


class WrongMethodError(ApiError):
    """The address does not answer this method."""

    status = 405


class SlowBodyError(ApiError):
    """The body did not come in time."""

    status = 408


class ContradictionError(ApiError):
    """The request contradicts records of the server."""

    status = 409


class LargeBodyError(ApiError):
    """The body is larger than is taken."""

    status = 413


class WrongTypeError(ApiError):
    """The body is not JSON by its headers."""

    status = 415


class TooManyError(ApiError):
    """Too many requests came in a short time."""

    status = 429


class DamagedError(ApiError):
    """A file that the server needs for its answer cannot be read; its owner must mend it."""

    status = 500
