"""Events of logs, labels and judgements of pairs: their base class, their ids and their order.

Two branches may append to the same log, clocks differ, and newer programs write unknown fields. So
an event has an id, names the events that it follows, and keeps unknown fields. Ids are UUIDs of
version 7 (RFC 9562), which sort by time: Python has ``uuid.uuid7`` from 3.14 on, but it takes no
time from the caller.

The order of events does not depend on the order of lines. If two branches append to a log, git
merges their lines in an order that depends on the direction of the merge. So an event is put after
the events that it names. Other events are sorted by time, then by id.
"""

import heapq
import json
import secrets
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from pydantic import ConfigDict, Field, ValidationError

from records.errors import InvalidRecordError, MissingRecordError
from records.files.json_limits import find_large_object
from records.files.problems import describe_first_problem
from records.reader import read_bytes
from records.shapes.base import EventId, Moment, Parameter, Record

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_VERSION = 7
_RANDOM_BITS = 62
_MILLISECOND = 1000


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


_LAST_MOMENT = datetime.max.replace(tzinfo=UTC)


AnyEvent = TypeVar("AnyEvent", bound=LogEvent)


def read_log(model: type[AnyEvent], path: Path) -> list[AnyEvent]:
    """Return the events of the log at ``path``, in their order; none if there is no log.

    Raises:
        InvalidRecordError: the log cannot be read, or a line is not an event.
    """
    try:
        return order_events(read_event_lines(model, path))
    except MissingRecordError:
        return []


def read_event_lines(model: type[AnyEvent], path: Path) -> list[AnyEvent]:
    """Return an event for each complete line of the log at ``path``, in the order of the lines.

    An incomplete last line is left out, because its writer was killed before it acknowledged the
    event.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: the log cannot be read, or a line is not an event.
    """
    data = read_bytes(path)
    if reason := find_large_object(data):
        raise InvalidRecordError(path, "", reason)
    events: list[AnyEvent] = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        try:
            events.append(model.model_validate_json(line))
        except ValidationError as error:
            raise InvalidRecordError(
                path, f"line {number}", describe_first_problem(error)
            ) from error
    return events


def encode_events(events: Iterable[LogEvent]) -> bytes:
    """Return events as the lines of a log."""
    lines = (json.dumps(event.model_dump(mode="json"), ensure_ascii=False) for event in events)
    return "".join(f"{line}\n" for line in lines).encode()


def order_events(events: Iterable[AnyEvent]) -> list[AnyEvent]:
    """Return each event once, in their order.

    If different events have the same id, only the event whose JSON sorts first is returned.
    """
    by_id: dict[EventId, AnyEvent] = {}
    for event in events:
        other = by_id.get(event.id)
        if other is None or (other != event and event.model_dump_json() < other.model_dump_json()):
            by_id[event.id] = event
    by_time = sorted(by_id.values(), key=_get_sort_key)
    numbers = {event.id: number for number, event in enumerate(by_time)}
    names_only_earlier = all(
        numbers.get(identity, -1) < number
        for number, event in enumerate(by_time)
        for _, identity in event.links
    )
    return by_time if names_only_earlier else _order_by_links(by_time)


def select_standing(events: Sequence[AnyEvent]) -> list[AnyEvent]:
    """Return the ``events`` that count: neither taken back, nor the taking back of another."""
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


def _order_by_links(by_time: Sequence[AnyEvent]) -> list[AnyEvent]:
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
    placed: dict[EventId, AnyEvent] = {}
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
