"""Selection of sessions for lists, labels of many sessions, exports and previews."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from records.sessions.session import EvalStatus, Session
from records.shapes.base import Pseudonym, SessionId
from review.labeled_session import LabeledSession

ListOrder = Literal["newest", "oldest", "title", "judged"]
"""The order of sessions in lists; with `judged`, the latest judgement comes first."""
LONGEST_TEXT = 200
"""Characters of a search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSelection:
    """Conditions for sessions; a session must meet all, and an empty field is no condition.

    The limits of values are those of addresses, and are not checked elsewhere.
    """

    statuses: frozenset[EvalStatus] = frozenset()
    tags: frozenset[str] = frozenset()
    """Tags, all of which a session must have."""
    ids: frozenset[SessionId] = frozenset()
    without: frozenset[SessionId] = frozenset()
    """Ids of sessions that are left out, whatever the other fields are."""
    model: str | None = None
    source: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")] | None = None
    """``attempt``, or the importer of a file."""
    since: date | None = None
    """The first day on which a session may have begun; sessions without a date are left out."""
    until: date | None = None
    """The last such day; sessions without a date are left out."""
    ready: bool | None = None
    """Whether the mark eval-ready is set; None for both."""
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] | None = None
    """A text in the title or in a message; capital and small letters are equal."""
    judged_by: Pseudonym | None = None
    """A reviewer who judged the session, and whose judgement was not taken back."""
    run_shown: bool = False
    """Whether sessions are left out whose model and run are hidden, as blind judgements differ."""
    order: ListOrder = "newest"
    """The order of lists, which is not a condition."""
    limit: int | None = None
    """The most sessions; None for no limit."""

    @property
    def selects_some(self) -> bool:
        """True if a field other than ``order`` is set, so that sessions may be left out."""
        return replace(self, order="newest") != SessionSelection()

    def selects(self, labeled: LabeledSession) -> bool:
        """Return whether a session meets all conditions; the limit has no effect."""
        return (
            self.takes(labeled.session)
            and self.judged_by in {None, *labeled.judges}
            and not (self.run_shown and labeled.blind_dispute)
        )

    def takes(self, session: Session) -> bool:
        """Return whether a session meets all conditions that need no label log."""
        day = session.created_at and session.created_at.date()
        is_in_time = (self.since is None or (day is not None and self.since <= day)) and (
            self.until is None or (day is not None and day <= self.until)
        )
        text = "" if self.text is None else self.text.casefold()
        texts = (session.title, *(message.text for message in session.messages))
        return (
            (not self.ids or session.id in self.ids)
            and session.id not in self.without
            and (not self.statuses or session.eval_status in self.statuses)
            and self.tags <= set(session.eval_tags)
            and self.model in {None, session.model}
            and self.source in {None, get_source_name(session)}
            and self.ready in {None, session.eval_ready}
            and is_in_time
            and (not text or any(text in each.casefold() for each in texts))
        )


def get_source_name(session: Session) -> str:
    """Return ``attempt``, or the importer that read the session."""
    return "attempt" if session.source.kind == "attempt" else session.source.importer
