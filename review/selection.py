"""Selection of sessions for lists, labels of many sessions, exports and previews."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Literal

from records.sessions.session import EvalStatus, Session
from review.labeled_session import LabeledSession

ListOrder = Literal["newest", "oldest", "title", "judged"]
"""The order of sessions in lists; with `judged`, the latest judgement comes first."""
LIST_ORDERS: Final[tuple[ListOrder, ...]] = ("newest", "oldest", "title", "judged")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSelection:
    """Conditions for sessions; a session must meet all, and an empty field is no condition."""

    ids: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    """Ids of sessions that are left out, whatever the other fields are."""
    statuses: frozenset[EvalStatus] = frozenset()
    tags: frozenset[str] = frozenset()
    """Tags, all of which a session must have."""
    model: str | None = None
    source: str | None = None
    """``attempt``, or the importer of a file."""
    since: date | None = None
    """The first day on which a session may have begun; sessions without a date are left out."""
    until: date | None = None
    """The last such day; sessions without a date are left out."""
    ready: bool | None = None
    """Whether the mark eval-ready is set; None for both."""
    text: str | None = None
    """A text in the title or in a message; capital and small letters are equal."""
    judged_by: str | None = None
    """A reviewer who judged the session, and whose judgement was not taken back."""
    order: ListOrder = "newest"
    """The order of lists, which is not a condition."""
    limit: int | None = None
    """The most sessions; None for no limit."""

    @property
    def selects_some(self) -> bool:
        """True if a field other than ``order`` is set, so that sessions may be left out."""
        return replace(self, order="newest") != SessionSelection()

    def filter_sessions(self, sessions: Iterable[LabeledSession]) -> Iterator[Session]:
        """Yield the selected sessions of ``sessions``, in their order."""
        remaining = self.limit
        for labeled in sessions:
            if remaining is not None and remaining <= 0:
                return
            if self.selects(labeled):
                remaining = None if remaining is None else remaining - 1
                yield labeled.session

    def selects(self, labeled: LabeledSession) -> bool:
        """Return whether a session meets all conditions; the limit has no effect."""
        return self.takes(labeled.session) and self.judged_by in {None, *labeled.judges}

    def takes(self, session: Session) -> bool:
        """Return whether a session meets all conditions but ``judged_by``, which needs its log."""
        return (
            (not self.ids or session.id in self.ids)
            and session.id not in self.without
            and (not self.statuses or session.eval_status in self.statuses)
            and self.tags <= set(session.eval_tags)
            and self.model in {None, session.model}
            and self.source in {None, get_source_name(session)}
            and self.ready in {None, session.eval_ready}
            and self._is_within_days(session)
            and (self.text is None or _holds(session, self.text.casefold()))
        )

    def _is_within_days(self, session: Session) -> bool:
        if self.since is None and self.until is None:
            return True
        if session.created_at is None:
            return False
        day = session.created_at.date()
        return (self.since is None or self.since <= day) and (
            self.until is None or day <= self.until
        )


def get_source_name(session: Session) -> str:
    """Return ``attempt``, or the importer that read the session."""
    return "attempt" if session.source.kind == "attempt" else session.source.importer


def _holds(session: Session, text: str) -> bool:
    return text in session.title.casefold() or any(
        text in message.text.casefold() for message in session.messages
    )
