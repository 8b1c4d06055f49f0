"""The operations of `/api/sessions`: showing sessions to a reviewer, and labelling them.

What a reviewer may see and change is decided by `review.label_service`, as at the desk and for
commands. Texts are redacted, as in exports over HTTP.

curl -H "Authorization: Bearer osk_..." -H "Content-Type: application/json" \
  -d '{"reviewer": "p1", "evalStatus": "golden"}' \
  http://127.0.0.1:8000/api/sessions/4p2bzjf5m6ur/labels
"""

from bisect import bisect_right
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from fastapi import FastAPI, Path, Query
from pydantic import Field, JsonValue

from leaderboard.api.guarded_routes import Key, guard
from leaderboard.api.keys import ApiKey
from leaderboard.api.request_checks import SMALL_BODY
from leaderboard.api.run_shapes import DIGITS, ApiError
from records.errors import MissingRecordError
from records.sessions.session import EvalStatus, SessionMessage
from records.shapes.base import (
    Count,
    Moment,
    Name,
    OutsideText,
    Positive,
    Pseudonym,
    Record,
    SessionId,
)
from review.desk.guard import LARGEST_FORM
from review.errors import ChangedMeanwhileError, GateError, NoChangeLeftError, NoSuchTurnError
from review.index.session_index import SessionIndex
from review.label_service import LabelService, SavedLabels, VisibleSession, hide_disputed_rows
from review.redaction import clean_texts, redact_prompt, redact_text
from review.selection import SessionSelection
from review.store import SessionStore

if TYPE_CHECKING:
    from records.sessions.labels import LabelName

_MOST_TAGS = 100


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
    limit: Annotated[int, Field(ge=1, le=1000), DIGITS] = 100
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

    turn: Positive
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


_SESSION = "/api/sessions/{session_id}"
_SessionId = Annotated[SessionId, Path(description="The session.")]
_Turn = Annotated[
    str, Path(pattern=r"^[1-9][0-9]{0,6}$", description="The number of the turn, from 1.")
]


def add_label_operations(api: FastAPI, store: SessionStore) -> None:
    """Add the operations that show and label the sessions of a store."""
    index = SessionIndex(store)
    reading = guard("sessions:write")
    labelling = guard("sessions:write", body=LARGEST_FORM, refusals=(409,))

    def serve_reviewer(query: ReviewerQuery, key: ApiKey) -> LabelService:
        return LabelService(store, "api", query.reviewer or key.name)

    @api.get("/api/sessions", openapi_extra=reading)
    def list_sessions(key: Key, query: Annotated[SessionsQuery, Query()]) -> SessionPage:
        """List sessions by their ids, with their labels."""
        audited = serve_reviewer(query, key).group_ids()
        selection = audited.restrict_selection(
            SessionSelection(
                statuses=frozenset({query.status} if query.status else ()),
                tags=frozenset({query.tag} if query.tag is not None else ()),
                model=query.model,
                ready=None if query.ready is None else query.ready == "yes",
                text=query.search or None,
            )
        )
        ids = index.list_ids(selection)
        start = 0 if query.after is None else bisect_right(ids, query.after)
        page_ids = ids[start : start + query.limit]
        rows = index.list_rows(SessionSelection(ids=frozenset(page_ids)))[0] if page_ids else ()
        more = len(ids) > start + len(page_ids)
        return SessionPage(
            sessions=tuple(
                ListedSession(
                    id=row.id,
                    title=redact_text(row.title),
                    source=row.source,
                    model=row.model,
                    created_at=row.created,
                    evalReady=row.ready,
                    evalStatus=row.status,
                    evalTags=tuple(map(redact_text, row.tags)),
                    reviewedAt=row.reviewed,
                )
                for row in hide_disputed_rows(rows, audited)
            ),
            after=page_ids[-1] if more else None,
            unreadable=tuple(index.list_unreadable()),
        )

    @api.get(_SESSION, openapi_extra=reading)
    def get_session(
        key: Key, session_id: _SessionId, query: Annotated[ReviewerQuery, Query()]
    ) -> ShownSession:
        """A session with its transcript, as the reviewer may see it."""
        with _name_parameters():
            visible = serve_reviewer(query, key).show(session_id)
        copy = clean_texts(visible.session, redact_text, redact_prompt)
        status = None if visible.is_blind else copy.eval_status
        shown = _build_shown_labels(visible, status).model_dump()
        shown["expectedOutput"] = copy.expected_output
        return ShownSession(
            **shown,
            title=copy.title,
            model=copy.model,
            messages=copy.messages,
            judgements=tuple(
                ShownJudgement(
                    reviewer=event.reviewer,
                    evalStatus=str(event.after),
                    reason=redact_text(event.reason),
                )
                for event in visible.judgements
                if visible.is_disputed
            ),
        )

    def give_labels(
        key: Key,
        session_id: str,
        change: TurnChange,
        **of_kind: Any,  # noqa: ANN401 - the turn, or changed tags
    ) -> ChangedLabels:
        names = {"evalStatus", "evalReady", "evalNotes", "evalTags", "expectedOutput"}
        dumped = change.model_dump(mode="json", include=names, exclude_none=True)
        given = cast("dict[LabelName, JsonValue]", dumped)
        if "expectedOutput" in given:
            # An empty expected output removes it.
            given["expectedOutput"] = given["expectedOutput"] or None
        with _name_parameters():
            saved = serve_reviewer(change, key).label(
                session_id,
                given,
                reason=change.reason,
                version=change.version,
                **of_kind,
            )
        return _build_changed_labels(saved)

    @api.post(f"{_SESSION}/labels", openapi_extra=labelling)
    def label_session(key: Key, session_id: _SessionId, change: SessionChange) -> ChangedLabels:
        """Label a session: status, mark, notes, tags, expected output."""
        tags = {"add_tags": change.addTags, "remove_tags": change.removeTags}
        return give_labels(key, session_id, change, **tags)

    @api.post(f"{_SESSION}/turns/{{turn}}/labels", openapi_extra=labelling)
    def label_turn(
        key: Key, session_id: _SessionId, turn: _Turn, change: TurnChange
    ) -> ChangedLabels:
        """Label one turn: status, notes, expected output."""
        return give_labels(key, session_id, change, turn=int(turn))

    @api.post(
        f"{_SESSION}/undo",
        openapi_extra=guard("sessions:write", body=SMALL_BODY, refusals=(409,)),
    )
    def undo_label(key: Key, session_id: _SessionId, change: UndoneChange) -> ChangedLabels:
        """Take back the reviewer's latest change of labels."""
        with _name_parameters():
            return _build_changed_labels(
                serve_reviewer(change, key).undo(
                    session_id,
                    reason=change.reason,
                    of=change.of,
                    version=change.version,
                )
            )


@contextmanager
def _name_parameters() -> Generator[None]:
    """Turn a refusal of the label service into the API's error that names the parameter.

    Raises:
        ApiError: 404, there is no such session, or no such turn with an answer.
        ApiError: 409, the session has another version, or the reviewer has no change left.
        ApiError: 403, the reviewer may not do this now.
    """
    try:
        yield
    except MissingRecordError as error:
        raise ApiError(404, "there is no such session", "session_id") from error
    except NoSuchTurnError as error:
        raise ApiError(404, "there is no such turn, or nobody answered it", "turn") from error
    except NoChangeLeftError as error:
        raise ApiError(409, str(error), "of") from error
    except ChangedMeanwhileError as error:
        raise ApiError(409, str(error), "version") from error
    except GateError as error:
        raise ApiError(403, str(error), "reviewer") from error


def _build_changed_labels(saved: SavedLabels) -> ChangedLabels:
    labels = _build_shown_labels(saved.visible, saved.status)
    return ChangedLabels(**labels.model_dump(), changed=len(saved.events))


def _build_shown_labels(visible: VisibleSession, status: EvalStatus | None) -> ShownLabels:
    """Return the labels without secrets; null for those that are hidden."""
    labels = visible.session.model_copy(update={"messages": ()})
    copy = clean_texts(labels, redact_text, redact_prompt)
    known = not visible.is_blind
    turns: list[LabeledTurn] = []
    # Only the labels that a turn can have; a log of another program may give it more.
    for number, given in sorted(visible.turns.items()):
        turn_status, notes = given.get("evalStatus"), given.get("evalNotes")
        expected = given.get("expectedOutput")
        turns.append(
            LabeledTurn(
                turn=number,
                evalStatus=None if turn_status is None else EvalStatus(str(turn_status)),
                evalNotes=None if notes is None else redact_text(str(notes)),
                expectedOutput=None if expected is None else redact_text(str(expected)),
            )
        )
    return ShownLabels(
        session=visible.id,
        version=visible.version,
        blind=visible.is_blind,
        disputed=visible.is_disputed,
        stale=visible.is_stale if known else None,
        evalReady=copy.eval_ready if known else None,
        evalStatus=status,
        evalNotes=copy.eval_notes if known else None,
        evalTags=copy.eval_tags if known else None,
        expectedOutput=copy.expected_output if known else None,
        reviewedAt=copy.reviewed_at,
        turns=tuple(turns),
    )
