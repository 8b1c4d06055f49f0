"""Order of the events of a log, which does not depend on the order of lines.

If two branches append to a log, git merges their lines in an order that depends on the direction of
the merge. So an event is put after the events that it names. Other events are sorted by time, then
by id.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

from records.sessions.log_event import LogEvent
from records.shapes.base import EventId

_LAST_MOMENT: Final = datetime.max.replace(tzinfo=UTC)


_Event = TypeVar("_Event", bound=LogEvent)


def order_events(events: Iterable[_Event]) -> list[_Event]:
    """Return each event once, in their order.

    If different events have the same id, only the event whose JSON sorts first is returned.
    """
    by_id: dict[EventId, _Event] = {}
    for event in events:
        other = by_id.get(event.id)
        if other is None or (other != event and event.model_dump_json() < other.model_dump_json()):
            by_id[event.id] = event
    by_time = sorted(by_id.values(), key=_get_sort_key)
    return by_time if _names_only_earlier(by_time) else _order_by_links(by_time)


def select_standing(events: Sequence[_Event]) -> list[_Event]:
    """Return ``events`` without those that were taken back and those that took them back."""
    gone = {event.undoes for event in events}
    return [event for event in events if event.undoes is None and event.id not in gone]


def choose_event_time(events: Iterable[LogEvent]) -> datetime:
    """Return the time of a new event: now, or just after the newest of ``events`` if that is later.

    Clocks of other machines may be ahead, and this machine's clock may have been set back.
    """
    newest = max((event.at for event in events), default=None)
    now = datetime.now(UTC)
    if newest is None or newest < now:
        return now
    return min(newest, _LAST_MOMENT - timedelta(microseconds=1)) + timedelta(microseconds=1)


def _get_sort_key(event: LogEvent) -> tuple[datetime, EventId]:
    return event.at, event.id


def _names_only_earlier(events: Sequence[LogEvent]) -> bool:
    numbers = {event.id: number for number, event in enumerate(events)}
    return all(
        numbers.get(identity, -1) < number
        for number, event in enumerate(events)
        for _, identity in event.links
    )


def _order_by_links(by_time: Sequence[_Event]) -> list[_Event]:
    """Return each event after the events that it names; a circle begins with its earliest event."""
    by_id = {event.id: event for event in by_time}
    missing = {
        event.id: {identity for _, identity in event.links if identity in by_id}
        for event in by_time
    }
    followers: dict[EventId, list[EventId]] = defaultdict(list)
    for identity, earlier in missing.items():
        for other in earlier:
            followers[other].append(identity)
    ready = [_get_sort_key(event) for event in by_time if not missing[event.id]]
    heapq.heapify(ready)
    waiting = iter(by_time)
    placed: dict[EventId, _Event] = {}
    while len(placed) < len(by_id):
        if ready:
            _, identity = heapq.heappop(ready)
        else:
            identity = next(event.id for event in waiting if event.id not in placed)
        if identity in placed:
            continue
        placed[identity] = by_id[identity]
        for follower in followers[identity]:
            missing[follower].discard(identity)
            if not missing[follower] and follower not in placed:
                heapq.heappush(ready, _get_sort_key(by_id[follower]))
    return list(placed.values())
