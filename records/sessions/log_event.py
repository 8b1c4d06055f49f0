"""Base class of the events in logs, labels and judgements of pairs, and ids of events.

Two branches may append to the same log, clocks differ, and newer programs write unknown fields. So
an event has an id, names the events that it follows, and keeps unknown fields. Ids are UUIDs of
version 7 (RFC 9562), which sort by time: Python has ``uuid.uuid7`` from 3.14 on, but it takes no
time from the caller.
"""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from pydantic import ConfigDict, Field

from records.shapes.base import EventId, Moment, Parameter, Record

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_VERSION: Final = 7
_RANDOM_BITS: Final = 62
_MILLISECOND: Final = 1000


class LogEvent(Record):
    """A line of a log. Fields of newer programs are kept."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Parameter] = Field(  # pyright: ignore[reportIncompatibleVariableOverride] - pydantic types unknown fields so
        init=False
    )

    id: EventId
    """Id of the event."""
    at: Moment
    """When the event was made. It is later than all events that its writer saw, even if a clock is
    slow."""
    replaces: EventId | None = None
    """The latest event about the same label or pair that its writer saw; null if there was none."""
    undoes: EventId | None = None
    """The event that this event takes back; null if it takes none back."""

    @property
    def links(self) -> list[tuple[str, EventId]]:
        """The ids of the events that this event names, each after the field that names it."""
        named = (("replaces", self.replaces), ("undoes", self.undoes))
        return [(field, identity) for field, identity in named if identity is not None]


def make_event_id(at: datetime) -> EventId:
    """Return a new id for an event at the time ``at``; a time before 1970 counts as 1970.

    The 12 bits after the milliseconds have the microseconds, so that ids sort in the order in which
    a writer made its events.
    """
    microseconds = max(0, (at - _EPOCH) // timedelta(microseconds=1))
    milliseconds, fraction = divmod(microseconds, _MILLISECOND)
    number = milliseconds << 80 | _VERSION << 76 | fraction << 64 | 0b10 << 62
    return str(UUID(int=number | secrets.randbits(_RANDOM_BITS)))
