"""Facts about one request that are shared between the asking code and the HTTP transport."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Incoming:
    """A reply that is read here, and not by litellm."""

    path: str
    """Path of the request, which decides the protocol."""
    content_type: str
    """Media type; empty where the reply has none."""
    cost: str | None
    """Header of a gateway with the cost in dollars."""
    body: AsyncIterator[bytes]
    """The pieces of the body, unpacked."""
    close: Callable[[], Awaitable[None]]
    """Closes the response."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request as it would leave: its host and its body."""

    host: str
    body: bytes


class DryRequestEnd(BaseException):
    """The end of a dry request, which no ``except Exception`` of a library may stop."""

    def __init__(self, outgoing: Outgoing) -> None:
        """Hold the request that would have left."""
        super().__init__()
        self.outgoing = outgoing


@dataclass(slots=True)
class Traffic:
    """Facts of one request on the wire; they stay where the reply never comes."""

    dry: bool = False
    """True for a request that ends with DryRequestEnd in place of leaving."""
    unstreamed: bool = False
    """True to ask for the reply in one piece, which some servers answer with a plain error."""
    written: bool = False
    """True after the first byte of the request's body was given to a connection that stands."""
    status: int | None = None
    """The HTTP status that came."""
    reused: bool = False
    """True where the request went out on a connection that an earlier request had used."""
    path: str = ""
    """The path of the request."""
    incoming: Incoming | None = None
    """The reply, where its protocol is read here."""
    received: int = 0
    """Bytes of the body so far, unpacked."""

    @property
    def opened(self) -> bool:
        """True where the provider began to answer, and not by an error or a redirect."""
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 - HTTP's


TRAFFIC: Final[ContextVar[Traffic | None]] = ContextVar("TRAFFIC", default=None)
"""Traffic of the request that the current task makes."""
