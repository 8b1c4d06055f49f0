"""The base class of the events of logs that people write: labels, and judgements of pairs.

Two branches append to the same log, clocks differ, and a newer program writes unknown fields. So
an event has an identity, names the events that it follows, and keeps unknown fields.
"""

from pydantic import ConfigDict, Field

from records.shapes.base import EventId, Moment, Parameter, Record


class LogEvent(Record):
    """A line of a log. Fields that newer programs add are kept."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Parameter] = Field(  # pyright: ignore[reportIncompatibleVariableOverride] - pydantic types unknown fields so
        init=False
    )

    id: EventId
    """Its identity."""
    at: Moment
    """When. Later than each event that its writer saw, also where a clock is behind."""
    replaces: EventId | None = None
    """The latest event about the same thing that its writer saw; null where there was none."""
    undoes: EventId | None = None
    """The event that is taken back; null where none is."""

    @property
    def links(self) -> list[tuple[str, EventId]]:
        """The events that this one names, each behind the field that names it."""
        named = (("replaces", self.replaces), ("undoes", self.undoes))
        return [(field, identity) for field, identity in named if identity is not None]
