"""Identities of the events of a log: UUIDs that sort by time, as RFC 9562 describes them.

Python has ``uuid.uuid7`` from 3.14 on, but not for a time that the caller gives.
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


def new_event_id(at: datetime) -> EventId:
    """Return a new identity (version 7) for an event of this time, which is 1970 or later.

    The 12 bits behind the milliseconds hold the microseconds: events of one writer sort as written.
    """
    microseconds = max(0, (at - _EPOCH) // timedelta(microseconds=1))
    milliseconds, fraction = divmod(microseconds, _MILLISECOND)
    number = milliseconds << 80 | _VERSION << 76 | fraction << 64 | 0b10 << 62
    return str(UUID(int=number | secrets.randbits(_RANDOM_BITS)))
