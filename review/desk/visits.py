"""Visits of reviewers: sessions that each has open or put off, and the saves that `u` takes back.

All of it is kept in memory and ends with the server. Reviewers differ by their pseudonyms; all
without a pseudonym are the same reviewer.
"""

import secrets
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final

from records.shapes.base import EventId
from review.index.indexed_session import alias_of
from review.labeled_session import LabeledSession

HELD_S: Final = 600.0
"""Seconds for which the queues of others leave out a session that a reviewer has open."""
_MOST_HELD: Final = 2
"""The number of sessions that a reviewer holds: the open and the prefetched session."""
_MOST_SAVES: Final = 200
"""Saves of one reviewer that can be taken back one after the other."""
_PAUSE_S: Final = 300.0
"""Seconds without a judgement after which a pace is measured anew."""
_PACE_OF: Final = 30
"""The latest judgements by which a pace is measured."""
_LEAST: Final = 3
"""Judgements from which on there is a pace."""


@dataclass(frozen=True, slots=True)
class SavedChange:
    """A save of one session, as it can be taken back."""

    key: str
    """Names it in the form that takes it back."""
    session_id: str
    version: str
    """The version that it left."""
    events: Sequence[EventId]
    """The events that it wrote."""
    blind: bool
    """True if it was given blind."""
    judged_at: float | None
    """When it gave the session a status, by the clock of the visits; null for other labels."""
    led_to: str | None = None
    """The session that was offered after it; null where none was."""


class Visits:
    """Visits of all reviewers of one server; safe to use from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin without any.

        Args:
            clock: returns seconds that only grow.
        """
        self._clock = clock
        self._lock = Lock()
        self._held: dict[str | None, dict[str, float]] = {}
        self._later: dict[str | None, dict[str, None]] = {}
        self._saves: dict[str | None, deque[SavedChange]] = {}

    def hold(self, reviewer: str | None, session_id: str) -> None:
        """Keep a session out of the queues of others for `HELD_S` seconds from now on."""
        with self._lock:
            deadlines = self._held.setdefault(reviewer, {})
            deadlines.pop(session_id, None)
            deadlines[session_id] = self._clock() + HELD_S
            for oldest in list(deadlines)[:-_MOST_HELD]:
                del deadlines[oldest]

    def release(self, reviewer: str | None, session_id: str) -> None:
        """Give a session back to the queues of others."""
        with self._lock:
            self._held.get(reviewer, {}).pop(session_id, None)

    def held_by_others(self, reviewer: str | None) -> Mapping[str, str | None]:
        """Return the sessions that others have open, each with the pseudonym of one of them."""
        with self._lock:
            now = self._clock()
            return {
                session_id: other
                for other, deadlines in self._held.items()
                if other != reviewer
                for session_id, until in deadlines.items()
                if until > now
            }

    def put_off(self, reviewer: str | None, session_id: str) -> None:
        """Put a session behind all others of the reviewer's queue."""
        with self._lock:
            later = self._later.setdefault(reviewer, {})
            later.pop(session_id, None)
            later[session_id] = None

    def resume(self, reviewer: str | None, session_id: str) -> None:
        """Give a session that was put off its place in the queue back."""
        with self._lock:
            self._later.get(reviewer, {}).pop(session_id, None)

    def lead_on(self, reviewer: str | None, done: str, session_id: str) -> None:
        """Keep the session that is offered after the latest save of another.

        Args:
            reviewer: the pseudonym.
            done: the alias of the saved session. Nothing is kept where no save of it stands: a
                page that is fetched ahead asks before the save, or after it was taken back.
            session_id: the offered session.
        """
        with self._lock:
            saves = self._saves.get(reviewer, deque[SavedChange]())
            for index, save in reversed(list(enumerate(saves))):
                if alias_of(save.session_id) == done:
                    saves[index] = replace(save, led_to=session_id)
                    return

    def later(self, reviewer: str | None) -> Sequence[str]:
        """Return the sessions that the reviewer put off, in that order."""
        with self._lock:
            return list(self._later.get(reviewer, ()))

    def remember(self, reviewer: str | None, after: LabeledSession, *, blind: bool) -> SavedChange:
        """Keep a save, so that it can be taken back; return it."""
        events = [event.id for event in after.written]
        judges = any(event.field == "evalStatus" and event.turn is None for event in after.written)
        change = SavedChange(
            secrets.token_urlsafe(12),
            after.session.id,
            after.version,
            events,
            blind,
            self._clock() if judges else None,
        )
        with self._lock:
            saves = self._saves.setdefault(reviewer, deque(maxlen=_MOST_SAVES))
            saves.append(change)
        return change

    def last_save(self, reviewer: str | None) -> SavedChange | None:
        """Return the reviewer's latest save that was not taken back; null where none is left."""
        with self._lock:
            saves = self._saves.get(reviewer)
            return saves[-1] if saves else None

    def pace(self, reviewer: str | None) -> float | None:
        """Return the reviewer's judgements an hour; null for few, or after a pause.

        It is measured over the latest judgements between which there was no pause, without
        judgements that were taken back.
        """
        with self._lock:
            saves = self._saves.get(reviewer, ())
            times = [save.judged_at for save in saves if save.judged_at is not None]
            recent = [self._clock()]
        for judged_at in reversed(times[-_PACE_OF:]):
            if recent[-1] - judged_at > _PAUSE_S:
                break
            recent.append(judged_at)
        judged = recent[1:]
        if len(judged) < _LEAST or judged[0] == judged[-1]:
            return None
        return (len(judged) - 1) / (judged[0] - judged[-1]) * 3600

    def take_save(self, reviewer: str | None, key: str) -> SavedChange | None:
        """Forget the save of this key and return it; null where it is not there any more."""
        with self._lock:
            saves = self._saves.get(reviewer, deque[SavedChange]())
            change = next((save for save in saves if save.key == key), None)
            if change is not None:
                saves.remove(change)
            return change
