"""Events of older programs, without identity, and undos that name an event by its place.

After a merge of two branches another line may have that place. So the line counts only if it has
the change that the undo reverses; else the latest line before it that has.
"""

from collections.abc import Sequence
from typing import TypeVar

from records.sessions.event_ids import line_event_id
from records.sessions.log_event import LogEvent
from records.shapes.base import EventId

_Event = TypeVar("_Event", bound=LogEvent)


def identify_events(events: Sequence[_Event], lines: Sequence[bytes]) -> list[_Event]:
    """Return the events of a log with the identities that their lines have, or are made of them.

    Args:
        events: an event for each line of the log, in the order of lines, which stays.
        lines: the lines.
    """
    identified = [
        event
        if "id" in event.model_fields_set
        else event.model_copy(update={"id": line_event_id(event.at, line)})
        for event, line in zip(events, lines, strict=True)
    ]
    if not any(isinstance(event.undoes, int) for event in identified):
        return identified
    gone: set[EventId | int | None] = {event.undoes for event in identified}
    linked: list[_Event] = []
    for number, event in enumerate(identified):
        if isinstance(event.undoes, int):
            reversed_id = _reversed(event, identified, number, gone)
            gone.add(reversed_id)
            linked.append(event.model_copy(update={"undoes": reversed_id or event.undoes}))
        else:
            linked.append(event)
    return linked


def _reversed(
    undo: _Event, events: Sequence[_Event], place: int, gone: set[EventId | int | None]
) -> EventId | None:
    """Return the event that ``undo``, at this place, takes back; null where none fits."""
    stated = events[undo.undoes : place][:1] if isinstance(undo.undoes, int) else ()
    for event in (*stated, *reversed(events[:place])):
        if event.undoes is None and event.id not in gone and event.change == undo.reversed_change:
            return event.id
    return None
