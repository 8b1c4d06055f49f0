"""Base class of the events in logs: labels, and judgements of pairs.

Two branches may append to the same log, clocks differ, and newer programs write unknown fields. So
an event has an id, names the events that it follows, and keeps unknown fields.
"""

from pydantic import ConfigDict, Field

from records.shapes.base import EventId, Moment, Parameter, Record


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
