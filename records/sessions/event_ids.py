"""Ids of events of a log: UUIDs of version 7 (RFC 9562), which sort by time.

Python has ``uuid.uuid7`` from 3.14 on, but it takes no time from the caller.
"""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from records.shapes.base import EventId

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_VERSION: Final = 7
_RANDOM_BITS: Final = 62
_MILLISECOND: Final = 1000


def make_event_id(at: datetime) -> EventId:
    """Return a new id for an event at the time ``at``; a time before 1970 counts as 1970.

    The 12 bits after the milliseconds have the microseconds, so that ids sort in the order in which
    a writer made its events.
    """
    microseconds = max(0, (at - _EPOCH) // timedelta(microseconds=1))
    milliseconds, fraction = divmod(microseconds, _MILLISECOND)
    number = milliseconds << 80 | _VERSION << 76 | fraction << 64 | 0b10 << 62
    return str(UUID(int=number | secrets.randbits(_RANDOM_BITS)))
