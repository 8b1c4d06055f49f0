"""Facts about one request that are shared between the asking code and the HTTP transport."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(slots=True)
class Traffic:
    """What is known of one request on the wire; kept where the reply never comes."""

    unstreamed: bool = False
    """Whether to ask for the reply in one piece, which some servers answer with a plain error."""
    status: int | None = None
    """The HTTP status that came."""
    finish_reason: str | None = None
    """Why the reply ended, where litellm does not pass on whether it did."""
    received: int = 0
    """Bytes of the body so far, unpacked."""

    @property
    def opened(self) -> bool:
        """Whether the provider began to answer, and not by an error or a redirect."""
        return self.status is not None and 200 <= self.status < 300  # noqa: PLR2004 - HTTP's


TRAFFIC: Final[ContextVar[Traffic | None]] = ContextVar("TRAFFIC", default=None)
"""Of the request that the current task makes."""
