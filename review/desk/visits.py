"""Visits of reviewers: open sessions, sessions put off, and saves that the key `u` takes back.

Visits are kept in memory only, until the server ends. Reviewers are known by their pseudonyms, and
people without a pseudonym count as one reviewer.
"""

import copy
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock

from records.shapes.base import EventId
from review.index.indexed_session import make_alias
from review.label_service import SavedLabels

HELD_S = 600.0
"""Seconds for which a session that a reviewer has open is left out of the queues of others."""
_MOST_HELD = 2
"""The most sessions that a reviewer holds: the open session and the prefetched session."""
_MOST_SAVES = 200
"""The most saves of a reviewer that can be taken back."""
_PAUSE_S = 300.0
"""Seconds without a judgement, after which the measuring of a pace begins again."""
_PACE_OF = 30
"""The number of the latest judgements by which a pace is measured."""
_LEAST = 3
"""The fewest judgements by which a pace is measured."""


@dataclass(frozen=True, slots=True)
class SavedChange:
    """A save of a session's labels that can be taken back."""

    key: str
    """The name of the save in the form that takes it back."""
    session_id: str
    version: str
    """The version of the session after the save."""
    events: Sequence[EventId]
    """The events that were written."""
    blind: bool
    """True if the labels were given blind."""
    judged_at: float | None
    """When the session got a status, by the clock of the visits; None for other labels."""
    led_to: str | None = None
    """The session that was offered after the save; None if there was none."""


class Visits:
    """Visits of the reviewers of a server, for one of them; safe for several threads."""

    def __init__(
        self, reviewer: str | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin without visits.

        Args:
            reviewer: the pseudonym of the reviewer whose visits these are.
            clock: returns seconds that never decrease.
        """
        self.reviewer = reviewer
        self._clock = clock
        self._lock = Lock()
        self._held = defaultdict[str | None, dict[str, float]](dict)
        self._later = defaultdict[str | None, dict[str, None]](dict)
        self._saves = defaultdict[str | None, deque[SavedChange]](
            partial(deque[SavedChange], maxlen=_MOST_SAVES)
        )

    def copy_for_reviewer(self, reviewer: str | None) -> "Visits":
        """Return the same visits for another reviewer."""
        visits = copy.copy(self)
        visits.reviewer = reviewer
        return visits

    def hold(self, session_id: str) -> None:
        """Keep a session out of the queues of others for `HELD_S` seconds."""
        with self._lock:
            deadlines = self._held[self.reviewer]
            deadlines.pop(session_id, None)
            deadlines[session_id] = self._clock() + HELD_S
            for oldest in list(deadlines)[:-_MOST_HELD]:
                del deadlines[oldest]

    def release(self, session_id: str) -> None:
        """Return a session to the queues of others."""
        with self._lock:
            self._held[self.reviewer].pop(session_id, None)

    def find_other_holders(self) -> Mapping[str, str | None]:
        """Return the sessions that others have open, each with one of their pseudonyms."""
        with self._lock:
            now = self._clock()
            return {
                session_id: other
                for other, deadlines in self._held.items()
                if other != self.reviewer
                for session_id, until in deadlines.items()
                if until > now
            }

    def put_off(self, session_id: str) -> None:
        """Move a session to the end of the reviewer's queue."""
        with self._lock:
            later = self._later[self.reviewer]
            later.pop(session_id, None)
            later[session_id] = None

    def resume(self, session_id: str) -> None:
        """Move a session that was put off back to its normal position in the queue."""
        with self._lock:
            self._later[self.reviewer].pop(session_id, None)

    def lead_on(self, done: str, session_id: str) -> None:
        """Record the session that is offered after the latest save of another session.

        Args:
            done: the alias of the saved session. If there is no save of it, nothing is recorded:
                a prefetched page calls this before the save, or after the save was taken back.
            session_id: the offered session.
        """
        with self._lock:
            saves = self._saves[self.reviewer]
            for index, save in reversed(list(enumerate(saves))):
                if make_alias(save.session_id) == done:
                    saves[index] = replace(save, led_to=session_id)
                    return

    def list_put_off(self) -> Sequence[str]:
        """Return the sessions that the reviewer put off, in the order of putting off."""
        with self._lock:
            return list(self._later[self.reviewer])

    def remember(self, saved: SavedLabels, *, blind: bool) -> SavedChange:
        """Record a save, so that it can be taken back, and return it."""
        change = SavedChange(
            secrets.token_urlsafe(12),
            saved.visible.id,
            saved.visible.version,
            saved.events,
            blind,
            self._clock() if saved.is_judgement else None,
        )
        with self._lock:
            self._saves[self.reviewer].append(change)
        return change

    def find_last_save(self) -> SavedChange | None:
        """Return the reviewer's latest save that was not taken back; None if there is none."""
        with self._lock:
            saves = self._saves[self.reviewer]
            return saves[-1] if saves else None

    def compute_pace(self) -> float | None:
        """Return the reviewer's judgements in an hour; None if there are few, or after a pause.

        It is measured by the latest judgements without a pause between them. Judgements that were
        taken back do not count.
        """
        with self._lock:
            saves = self._saves[self.reviewer]
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

    def take_save(self, key: str) -> SavedChange | None:
        """Remove the save with this key and return it; None if there is none any more."""
        with self._lock:
            saves = self._saves[self.reviewer]
            change = next((save for save in saves if save.key == key), None)
            if change is not None:
                saves.remove(change)
            return change
