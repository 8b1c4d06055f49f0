"""Identities of the events of a log: UUIDs that sort by time, as RFC 9562 describes them.

Python has ``uuid.uuid7`` from 3.14 on, but not for a time that the caller gives. An event that an
older program wrote has no identity: it gets one that is made of its line, the same in every
checkout, so that branches with the same line have the same event.
"""

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from records.shapes.base import EventId

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NEW: Final = 7
_MADE_OF_A_LINE: Final = 8
_RANDOM_BITS: Final = 62
_MILLISECOND: Final = 1000
_VERSION_PLACE: Final = 14


def new_event_id(at: datetime) -> EventId:
    """Return a new identity (version 7) for an event of this time, which is 1970 or later.

    The 12 bits behind the milliseconds hold the microseconds: events of one writer sort as written.
    """
    return _event_id(at, _NEW, secrets.randbits(_RANDOM_BITS))


def line_event_id(at: datetime, line: bytes) -> EventId:
    """Return the identity (version 8) of an event whose line in a log has none."""
    digest = int.from_bytes(hashlib.sha256(line).digest()[:8], "big")
    return _event_id(at, _MADE_OF_A_LINE, digest)


def is_of_old_line(identity: EventId) -> bool:
    """Return whether an event was first written without an identity."""
    return identity[_VERSION_PLACE] == str(_MADE_OF_A_LINE)


def _event_id(at: datetime, version: int, random_bits: int) -> EventId:
    microseconds = max(0, (at - _EPOCH) // timedelta(microseconds=1))
    milliseconds, fraction = divmod(microseconds, _MILLISECOND)
    number = milliseconds << 80 | version << 76 | fraction << 64 | 0b10 << 62
    return str(UUID(int=number | random_bits & (1 << _RANDOM_BITS) - 1))
