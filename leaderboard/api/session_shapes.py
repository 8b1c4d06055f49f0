"""The shapes of sessions and labels in requests and answers of the API."""

from typing import Annotated, Literal

from pydantic import Field

from records.files.name_patterns import PSEUDONYM
from records.sessions.session import EvalStatus, SessionMessage
from records.shapes.base import Count, Moment, Name, OutsideText, Record, SessionId

Pseudonym = Annotated[str, Field(pattern=PSEUDONYM)]
"""The pseudonym of a reviewer."""

_MOST_TAGS = 100
_PAGE = 100


class ReviewerQuery(Record):
    """The reviewer for whom a session is shown."""

    reviewer: Pseudonym | None = None
    """The pseudonym of the reviewer; without it, the name of the key."""


class SessionsQuery(ReviewerQuery):
    """A selection of sessions, without those that must still be judged blind in an audit."""

    status: EvalStatus | None = None
    """Only sessions of this status."""
    tag: str | None = None
    """Only sessions with this tag."""
    model: str | None = None
    """Only sessions of this model."""
    ready: Literal["yes", "no"] | None = None
    """`yes` for eval-ready sessions only, `no` for the others."""
    search: Annotated[str, Field(max_length=200)] | None = None
    """Only sessions with this text in the title or in a message."""
    limit: Annotated[int, Field(ge=1, le=1000)] = _PAGE
    """The most sessions of a page."""
    after: SessionId | None = None
    """Only sessions after this session in the list; the value is the `after` of the page before."""


class ListedSession(Record):
    """A session in a list."""

    id: SessionId
    """The id of the session."""
    title: OutsideText
    """The first request, or the eval of the attempt; without secrets."""
    source: str
    """`attempt`, or the name of the importer that read the session."""
    model: OutsideText | None
    """The model that answered; null if it is not recorded, or while reviewers disagree."""
    created_at: OutsideText | None
    """The start of the conversation; null if it is not recorded, or while reviewers disagree."""
    evalReady: bool  # noqa: N815 - the name of the label in every export
    """True if the session is eval-ready, so that exports have it."""
    evalStatus: EvalStatus  # noqa: N815 - the name of the label
    """The status."""
    evalTags: tuple[OutsideText, ...]  # noqa: N815 - the name of the label
    """The tags."""
    reviewedAt: OutsideText | None  # noqa: N815 - the name of the label
    """The time of the last judgement by a person; null if there is none."""


class SessionPage(Record):
    """A page of a list of sessions, sorted by id."""

    sessions: tuple[ListedSession, ...]
    """The sessions."""
    after: SessionId | None
    """The `after` of the next page; null at the end."""
    unreadable: tuple[str, ...]
    """The ids of all sessions that cannot be read, because their files are damaged."""


class LabeledTurn(Record):
    """The labels of a single turn."""

    turn: Annotated[int, Field(ge=1)]
    """The number of the turn, from 1."""
    evalStatus: EvalStatus | None  # noqa: N815 - the name of the label
    """The status; null if the turn has none of its own."""
    evalNotes: OutsideText | None  # noqa: N815 - the name of the label
    """The reason for the status, in words; null if the turn has none of its own."""
    expectedOutput: OutsideText | None  # noqa: N815 - the name of the label
    """The right answer to this turn; null if the turn has none of its own."""


class ShownLabels(Record):
    """The labels of a session, without secrets, as its reviewer may see them."""

    session: SessionId
    """The id of the session."""
    version: str
    """The version of transcript and labels. A change that names it is refused if there was another
    change since."""
    blind: bool
    """True if the reviewer judges the session blind; then all labels of others are null."""
    disputed: bool
    """True if reviewers judged the session differently, and this is not decided."""
    stale: bool | None
    """True if the transcript has changed since the judgement of the status."""
    evalReady: bool | None  # noqa: N815 - the name of the label
    """True if the session is eval-ready, so that exports have it."""
    evalStatus: EvalStatus | None  # noqa: N815 - the name of the label
    """The status; for a session that is judged blind, the status just given."""
    evalNotes: OutsideText | None  # noqa: N815 - the name of the label
    """The reason for the status, in words."""
    evalTags: tuple[OutsideText, ...] | None  # noqa: N815 - the name of the label
    """The tags: free words by which sessions can be selected."""
    expectedOutput: OutsideText | None  # noqa: N815 - the name of the label
    """The right answer to the judged turn; null if there is none."""
    reviewedAt: Moment | None  # noqa: N815 - the name of the label
    """The time of the last judgement by a person; null if there is none."""
    turns: tuple[LabeledTurn, ...]
    """The turns that have labels of their own."""


class ChangedLabels(ShownLabels):
    """The labels of a session after a change."""

    changed: Count
    """The number of labels that the change has set or removed; 0 if it changed nothing."""


class ShownJudgement(Record):
    """One of several judgements that disagree."""

    reviewer: str | None
    """The pseudonym of the reviewer; null for a person without one."""
    evalStatus: OutsideText  # noqa: N815 - the name of the label
    """The status."""
    reason: OutsideText
    """The reason, in words."""


class ShownSession(ShownLabels):
    """A session with its transcript, without secrets, as its reviewer may see it."""

    title: OutsideText
    """The first request, or the eval of the attempt."""
    model: OutsideText | None
    """The model that answered; null if it is not recorded, or hidden from the reviewer."""
    messages: tuple[SessionMessage, ...]
    """The transcript. A turn begins at each message of the user."""
    judgements: tuple[ShownJudgement, ...]
    """The judgements that disagree, until a person decides."""


class _Change(ReviewerQuery):
    reason: OutsideText = ""
    """The reason, in words, which is stored with the change."""
    version: str | None = None
    """The version that the reviewer saw; null to permit other changes since."""


class TurnChange(_Change):
    """The labels of a turn to set; a label that is null or missing stays unchanged."""

    evalStatus: EvalStatus | None = None  # noqa: N815 - the name of the label
    """The status."""
    evalNotes: OutsideText | None = None  # noqa: N815 - the name of the label
    """The reason for the status, in words."""
    expectedOutput: OutsideText | None = None  # noqa: N815 - the name of the label
    """The right answer; an empty text removes it."""


class SessionChange(TurnChange):
    """The labels of a session to set; a label that is null or missing stays unchanged."""

    evalReady: bool | None = None  # noqa: N815 - the name of the label
    """True to make the session eval-ready, so that exports have it."""
    evalTags: Annotated[tuple[Name, ...], Field(max_length=_MOST_TAGS)] | None = None  # noqa: N815
    """All tags, which replace the present tags."""
    addTags: Annotated[tuple[Name, ...], Field(max_length=_MOST_TAGS)] = ()  # noqa: N815
    """Tags to add."""
    removeTags: Annotated[tuple[Name, ...], Field(max_length=_MOST_TAGS)] = ()  # noqa: N815
    """Tags to remove."""


class UndoneChange(_Change):
    """The taking back of a change of labels: the reviewer's latest, or that of another."""

    of: Pseudonym | None = None
    """The reviewer whose latest change is taken back, which needs a reason; null for the own."""
