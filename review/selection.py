"""The selection of sessions, the same for lists, bulk labels, exports and previews."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Literal

from records.sessions.session import EvalStatus, Session
from review.labeled_session import LabeledSession

ListOrder = Literal["newest", "oldest", "title", "judged"]
"""In which order lists show sessions; judged: those judged last come first."""
LIST_ORDERS: Final[tuple[ListOrder, ...]] = ("newest", "oldest", "title", "judged")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSelection:
    """Conditions by which sessions are selected; an empty field selects all."""

    ids: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    """Ids of sessions that are left out, with any other fields."""
    statuses: frozenset[EvalStatus] = frozenset()
    tags: frozenset[str] = frozenset()
    """All of these."""
    model: str | None = None
    source: str | None = None
    """``attempt``, or the importer of a file."""
    since: date | None = None
    """Begun on this day or later; sessions without a date are left out."""
    until: date | None = None
    ready: bool | None = None
    """The mark eval-ready, set or not; null for both."""
    text: str | None = None
    """Stands in the title or in a message; capital and small letters are the same."""
    judged_by: str | None = None
    """A judgement of this reviewer stands; without a log, this is not known of a session."""
    order: ListOrder = "newest"
    """The order of lists; it selects nothing."""
    limit: int | None = None

    @property
    def selects_some(self) -> bool:
        """True if there may be sessions that it does not select."""
        return replace(self, order="newest") != SessionSelection()

    def of(self, sessions: Iterable[LabeledSession]) -> Iterator[Session]:
        """Yield the selected sessions of ``sessions``, in their order."""
        remaining = self.limit
        for labeled in sessions:
            if remaining is not None and remaining <= 0:
                return
            if self.selects(labeled):
                remaining = None if remaining is None else remaining - 1
                yield labeled.session

    def selects(self, one: LabeledSession) -> bool:
        """Return whether a session with its log is selected, the limit apart."""
        return self.takes(one.session) and self.judged_by in {None, *one.judges}

    def takes(self, session: Session) -> bool:
        """Return whether a session without its log is selected, the limit and judges apart."""
        return (
            (not self.ids or session.id in self.ids)
            and session.id not in self.without
            and (not self.statuses or session.eval_status in self.statuses)
            and self.tags <= set(session.eval_tags)
            and self.model in {None, session.model}
            and self.source in {None, source_name(session)}
            and self.ready in {None, session.eval_ready}
            and self._on_a_day(session)
            and (self.text is None or _holds(session, self.text.casefold()))
        )

    def _on_a_day(self, session: Session) -> bool:
        if self.since is None and self.until is None:
            return True
        if session.created_at is None:
            return False
        day = session.created_at.date()
        return (self.since is None or self.since <= day) and (
            self.until is None or day <= self.until
        )


def source_name(session: Session) -> str:
    """Return ``attempt``, or the importer that read the session."""
    return "attempt" if session.source.kind == "attempt" else session.source.importer


def _holds(session: Session, text: str) -> bool:
    return text in session.title.casefold() or any(
        text in message.text.casefold() for message in session.messages
    )
