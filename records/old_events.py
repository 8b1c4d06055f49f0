"""Events that older programs wrote: without identity, and naming what they take back by its place.

After a merge of two branches a place in the log may be that of another line. So the line at that
place counts only where it is the one that the undo reverses; else the latest such line before it.
"""

from collections.abc import Sequence
from typing import TypeVar

from records.base import EventId
from records.event_ids import line_event_id
from records.log_event import LogEvent

_Event = TypeVar("_Event", bound=LogEvent)


def lifted(events: Sequence[_Event], lines: Sequence[bytes]) -> list[_Event]:
    """Return the events of a log with the identities that their lines have, or are made of them.

    Args:
        events: those of the log's lines, in the order of lines, which stays.
        lines: the lines, as many.
    """
    known = [
        event
        if "id" in event.model_fields_set
        else event.model_copy(update={"id": line_event_id(event.at, line)})
        for event, line in zip(events, lines, strict=True)
    ]
    if not any(isinstance(event.undoes, int) for event in known):
        return known
    gone: set[EventId | int | None] = {event.undoes for event in known}
    named: list[_Event] = []
    for place, event in enumerate(known):
        if isinstance(event.undoes, int):
            reversed_id = _reversed(event, known, place, gone)
            gone.add(reversed_id)
            named.append(event.model_copy(update={"undoes": reversed_id or event.undoes}))
        else:
            named.append(event)
    return named


def _reversed(
    undo: _Event, events: Sequence[_Event], place: int, gone: set[EventId | int | None]
) -> EventId | None:
    """Return the event that ``undo``, at this place, takes back; null where none fits."""
    stated = events[undo.undoes : place][:1] if isinstance(undo.undoes, int) else ()
    for event in (*stated, *reversed(events[:place])):
        if event.undoes is None and event.id not in gone and event.change == undo.reversed_change:
            return event.id
    return None
