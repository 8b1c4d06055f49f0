"""Facts about one request that the HTTP transport and the code that asks share."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Incoming:
    """A reply that this program reads, and not litellm."""

    path: str
    """The path of the request, which decides the protocol."""
    headers: Mapping[str, str]
    """The headers that this program knows, by their names in lower case."""
    body: AsyncIterator[bytes]
    """The pieces of the body, unpacked."""
    close: Callable[[], Awaitable[None]]
    """Closes the response."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The host and the body of a request."""

    host: str
    body: bytes


class DryRequestEnd(BaseException):
    """Raised to end a dry request; a BaseException, so that no library catches it."""

    def __init__(self, outgoing: Outgoing) -> None:
        """Store the request, which is not sent."""
        super().__init__()
        self.outgoing = outgoing


@dataclass(slots=True)
class Traffic:
    """Facts about one request. They are kept even if its reply never comes."""

    dry: bool = False
    """True if the request must not be sent, but end with `DryRequestEnd`."""
    unstreamed: bool = False
    """True if the reply is requested in one piece. Then some servers report an error that they do
    not report in a stream."""
    written: bool = False
    """True after the first byte of the request's body was written to an open connection."""
    status: int | None = None
    """The HTTP status of the response; None before it comes."""
    refused: bool = False
    """True if an error or a page came in place of the whole reply, so that no model was asked."""
    reused: bool = False
    """True if the request was sent on a connection that an earlier request had used."""
    path: str = ""
    """The path of the request."""
    origin: str = ""
    """Scheme, host and port of the request; empty before it is made."""
    incoming: Incoming | None = None
    """The reply, if this program has a reader for its protocol."""
    received: int = 0
    """The number of bytes of the body so far, unpacked."""

    @property
    def opened(self) -> bool:
        """True if the provider began to answer, without an error or a redirect."""
        status = None if self.refused else self.status
        return status is not None and 200 <= status < 300  # noqa: PLR2004 - HTTP's


TRAFFIC: Final[ContextVar[Traffic | None]] = ContextVar("TRAFFIC", default=None)
"""The traffic of the request that the current task makes."""
