"""Checks of a log of events: links lead to events of the log, and ids are unique."""

from collections.abc import Iterator, Sequence

from records.sessions.labels import LabelEvent
from records.sessions.log_event import LogEvent


def find_broken_links(events: Sequence[LogEvent]) -> Iterator[tuple[str, str]]:
    """Yield place and reason for each link without an event, and for each id of two events.

    Args:
        events: an event for each line of a log, in the order of the lines.
    """
    by_id: dict[str, LogEvent] = {}
    for number, event in enumerate(events, 1):
        if by_id.setdefault(event.id, event) != event:
            yield f"line {number}.id", f"another event has the id {event.id}, too"
    for number, event in enumerate(events, 1):
        for field, identity in event.links:
            if identity not in by_id:
                yield f"line {number}.{field}", f"there is no event {identity} in this log"


def find_unknown_words(events: Sequence[LabelEvent]) -> Iterator[tuple[str, str]]:
    """Yield place and reason for each label and each way of labelling that are unknown here."""
    for number, event in enumerate(events, 1):
        if not event.is_known:
            reason = f"{event.field} is no label that this program knows: it changes nothing"
            yield f"line {number}.field", reason
        if not event.has_known_way:
            reason = f"{event.via} is no way that this program knows: it counts as no person's"
            yield f"line {number}.via", reason
