"""Shapes of sessions and labels in requests and answers of the API."""

from typing import Annotated, Literal

from pydantic import Field

from records.files.name_patterns import PSEUDONYM
from records.sessions.session import EvalStatus, SessionMessage
from records.shapes.base import Count, Moment, Name, OutsideText, Record, SessionId

Pseudonym = Annotated[str, Field(pattern=PSEUDONYM)]
"""The name under which a reviewer labels."""

_MOST_TAGS = 100
_PAGE = 100


class ReviewerQuery(Record):
    """The reviewer for whom a session is shown."""

    reviewer: Pseudonym | None = None
    """The pseudonym of the reviewer; without it, the name of the key."""


class SessionsQuery(ReviewerQuery):
    """Which sessions; no list has sessions that are yet to be judged blind for an audit."""

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
    """At most so many."""
    after: SessionId | None = None
    """Only those after this session in the list: the `after` of the page before."""


class ListedSession(Record):
    """A row of a list."""

    id: SessionId
    """Its identity."""
    title: OutsideText
    """The first request, or the eval of the attempt; without secrets."""
    source: str
    """`attempt`, or the importer that read it."""
    model: OutsideText | None
    """The model that answered; null where it was not recorded, or while reviewers differ."""
    created_at: OutsideText | None
    """When the conversation began; null where it was not recorded, or while reviewers differ."""
    evalReady: bool  # noqa: N815 - the name of the label in every export
    """Eval-ready: exports take it."""
    evalStatus: EvalStatus  # noqa: N815 - the name of the label
    """The status."""
    evalTags: tuple[OutsideText, ...]  # noqa: N815 - the name of the label
    """The tags."""
    reviewedAt: OutsideText | None  # noqa: N815 - the name of the label
    """When a person last judged it; null where nobody did."""


class SessionPage(Record):
    """A page of a list of sessions, sorted by id."""

    sessions: tuple[ListedSession, ...]
    """The sessions."""
    after: SessionId | None
    """The `after` of the next page; null at the end."""
    unreadable: tuple[str, ...]
    """Ids of all sessions that cannot be read, for their files are damaged."""


class LabeledTurn(Record):
    """The labels of a single turn."""

    turn: Annotated[int, Field(ge=1)]
    """The number of the turn, from 1."""
    evalStatus: EvalStatus | None  # noqa: N815 - the name of the label
    """The status; null where the turn has none of its own."""
    evalNotes: OutsideText | None  # noqa: N815 - the name of the label
    """Why, in words; null where the turn has none of its own."""
    expectedOutput: OutsideText | None  # noqa: N815 - the name of the label
    """The right answer to this turn; null where the turn has none of its own."""


class ShownLabels(Record):
    """The labels of a session, without secrets, as its reviewer may see them."""

    session: SessionId
    """The session."""
    version: str
    """The version of transcript and labels: a change that names it is refused after any other."""
    blind: bool
    """Whether the reviewer judges it blind: every label of others is null."""
    disputed: bool
    """Whether reviewers judged it differently, and nobody decided."""
    stale: bool | None
    """Whether the transcript changed since the status was judged."""
    evalReady: bool | None  # noqa: N815 - the name of the label
    """Eval-ready: exports take it."""
    evalStatus: EvalStatus | None  # noqa: N815 - the name of the label
    """The status; of a session that is judged blind, the status given just now."""
    evalNotes: OutsideText | None  # noqa: N815 - the name of the label
    """Why, in words."""
    evalTags: tuple[OutsideText, ...] | None  # noqa: N815 - the name of the label
    """Free words to select by."""
    expectedOutput: OutsideText | None  # noqa: N815 - the name of the label
    """The right answer of the judged turn; null where nobody gave it."""
    reviewedAt: Moment | None  # noqa: N815 - the name of the label
    """When a person last judged it; null where nobody did."""
    turns: tuple[LabeledTurn, ...]
    """Turns that have labels of their own."""


class ChangedLabels(ShownLabels):
    """The labels of a session after a change."""

    changed: Count
    """How many labels the change gave or took back; 0 where they were so already."""


class ShownJudgement(Record):
    """A judgement from which another differs."""

    reviewer: str | None
    """Whose it is; null for a person without a pseudonym."""
    evalStatus: OutsideText  # noqa: N815 - the name of the label
    """The status."""
    reason: OutsideText
    """Why, in words."""


class ShownSession(ShownLabels):
    """A session with its transcript, without secrets, as its reviewer may see it."""

    title: OutsideText
    """The first request, or the eval of the attempt."""
    model: OutsideText | None
    """The model that answered; null where it was not recorded, or is hidden from the reviewer."""
    messages: tuple[SessionMessage, ...]
    """The transcript. A turn begins at each message of the user."""
    judgements: tuple[ShownJudgement, ...]
    """The judgements that differ, while nobody decided."""


class _Change(ReviewerQuery):
    reason: OutsideText = ""
    """Why, in words; it is kept with the change."""
    version: str | None = None
    """The version that the reviewer saw; null where any other change does not matter."""


class TurnChange(_Change):
    """Labels of a turn to set; a label that is null or missing stays as it is."""

    evalStatus: EvalStatus | None = None  # noqa: N815 - the name of the label
    """The status."""
    evalNotes: OutsideText | None = None  # noqa: N815 - the name of the label
    """Why, in words."""
    expectedOutput: OutsideText | None = None  # noqa: N815 - the name of the label
    """The right answer; an empty text takes it away."""


class SessionChange(TurnChange):
    """Labels of a session to set; a label that is null or missing stays as it is."""

    evalReady: bool | None = None  # noqa: N815 - the name of the label
    """Eval-ready: exports take it."""
    evalTags: Annotated[tuple[Name, ...], Field(max_length=_MOST_TAGS)] | None = None  # noqa: N815
    """All tags, in place of the present tags."""
    addTags: Annotated[tuple[Name, ...], Field(max_length=_MOST_TAGS)] = ()  # noqa: N815
    """Tags to add."""
    removeTags: Annotated[tuple[Name, ...], Field(max_length=_MOST_TAGS)] = ()  # noqa: N815
    """Tags to take away."""


class UndoneChange(_Change):
    """A change of labels to take back: the reviewer's latest."""

    of: Pseudonym | None = None
    """The latest change of this reviewer, in place of the own latest; it needs a reason."""
