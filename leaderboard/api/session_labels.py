"""The operations of `/api/sessions`: showing sessions to a reviewer, and labelling them.

What a reviewer may see and change is decided by `review.label_service`, as at the desk and for
commands. Texts are redacted, as in exports over HTTP.

curl -H "Authorization: Bearer osk_..." -H "Content-Type: application/json" \
  -d '{"reviewer": "p1", "evalStatus": "golden"}' \
  http://127.0.0.1:8000/api/sessions/4p2bzjf5m6ur/labels
"""

from bisect import bisect_right
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import cast

from pydantic import JsonValue

from leaderboard.api.errors import ContradictionError, ForbiddenError, NotThereError
from leaderboard.api.session_shapes import (
    ChangedLabels,
    LabeledTurn,
    ListedSession,
    ReviewerQuery,
    SessionChange,
    SessionPage,
    SessionsQuery,
    ShownJudgement,
    ShownLabels,
    ShownSession,
    TurnChange,
    UndoneChange,
)
from records.errors import MissingRecordError
from records.sessions.labels import LabelName
from records.sessions.session import EvalStatus
from review.errors import ChangedMeanwhileError, GateError, NoChangeLeftError, NoSuchTurnError
from review.index.indexed_session import IndexedSession
from review.index.session_index import SessionIndex
from review.label_service import LabelService, SavedLabels, VisibleSession, hide_disputed_rows
from review.redacted_copies import make_redacted_copy
from review.redaction import redact_text
from review.selection import SessionSelection
from review.store import SessionStore


class SessionLabels:
    """The showing and labelling of the sessions of a store."""

    def __init__(self, store: SessionStore) -> None:
        """Store ``store``; nothing is read yet."""
        self._labels = LabelService(store, "api")
        self._index = SessionIndex(store)

    def list_sessions(self, query: SessionsQuery, key_name: str) -> SessionPage:
        """Return a page of the sessions that a query selects."""
        audited = self._labels.group_ids(query.reviewer or key_name)
        selection = audited.restrict_selection(
            SessionSelection(
                statuses=frozenset({query.status} if query.status else ()),
                tags=frozenset({query.tag} if query.tag is not None else ()),
                model=query.model,
                ready=None if query.ready is None else query.ready == "yes",
                text=query.search or None,
            )
        )
        ids = self._index.list_ids(selection)
        start = 0 if query.after is None else bisect_right(ids, query.after)
        page_ids = ids[start : start + query.limit]
        rows = (
            self._index.list_rows(SessionSelection(ids=frozenset(page_ids)))[0] if page_ids else ()
        )
        more = len(ids) > start + len(page_ids)
        return SessionPage(
            sessions=tuple(map(_build_listed_session, hide_disputed_rows(rows, audited))),
            after=page_ids[-1] if more else None,
            unreadable=tuple(self._index.list_unreadable()),
        )

    def show_session(self, session_id: str, query: ReviewerQuery, key_name: str) -> ShownSession:
        """Return a session with its transcript, as the reviewer may see it.

        Raises:
            NotThereError: there is no session with this id.
        """
        with _name_parameters():
            visible = self._labels.show(session_id, query.reviewer or key_name)
        copy = make_redacted_copy(visible.session, [], visible.transcript).session
        status = None if visible.is_blind else copy.eval_status
        labels = _build_shown_labels(visible, status).model_dump()
        labels["expectedOutput"] = copy.expected_output
        return ShownSession(
            **labels,
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

    def label_session(self, session_id: str, change: SessionChange, key_name: str) -> ChangedLabels:
        """Set labels of a session; return its labels.

        Raises:
            NotThereError: there is no session with this id.
            ForbiddenError: the reviewer may not set these labels now.
            ContradictionError: the session does not have the version that the request names.
        """
        labels = _build_labels(change)
        if change.evalReady is not None:
            labels["evalReady"] = change.evalReady
        if change.evalTags is not None:
            labels["evalTags"] = [*change.evalTags]
        with _name_parameters():
            return _build_changed_labels(
                self._labels.label(
                    session_id,
                    labels,
                    change.reviewer or key_name,
                    add_tags=change.addTags,
                    remove_tags=change.removeTags,
                    reason=change.reason,
                    version=change.version,
                )
            )

    def label_turn(
        self, session_id: str, number: int, change: TurnChange, key_name: str
    ) -> ChangedLabels:
        """Set labels of a turn; return the labels of the session.

        Raises:
            NotThereError: there is no such session, or it has no such turn with an answer.
            ForbiddenError: the reviewer may not set these labels now.
            ContradictionError: the session does not have the version that the request names.
        """
        with _name_parameters():
            return _build_changed_labels(
                self._labels.label(
                    session_id,
                    _build_labels(change),
                    change.reviewer or key_name,
                    reason=change.reason,
                    turn=number,
                    version=change.version,
                )
            )

    def undo_change(self, session_id: str, change: UndoneChange, key_name: str) -> ChangedLabels:
        """Take a change of labels back; return the labels of the session.

        Raises:
            NotThereError: there is no such session.
            ForbiddenError: the reviewer may not take the change back now, or only with a reason.
            ContradictionError: the session does not have the version that the request names, or
                the reviewer whom it names has no change left.
        """
        with _name_parameters():
            return _build_changed_labels(
                self._labels.undo(
                    session_id,
                    change.reviewer or key_name,
                    reason=change.reason,
                    of=change.of,
                    version=change.version,
                )
            )


@contextmanager
def _name_parameters() -> Generator[None]:
    """Turn a refusal of the label service into the API's error that names the parameter.

    Raises:
        NotThereError: there is no such session, or no such turn with an answer.
        ContradictionError: the session has another version, or the reviewer has no change left.
        ForbiddenError: the reviewer may not do this now.
    """
    try:
        yield
    except MissingRecordError as error:
        raise NotThereError("there is no such session", "session_id") from error
    except NoSuchTurnError as error:
        raise NotThereError("there is no such turn, or nobody answered it", "turn") from error
    except NoChangeLeftError as error:
        raise ContradictionError(str(error), "of") from error
    except ChangedMeanwhileError as error:
        raise ContradictionError(str(error), "version") from error
    except GateError as error:
        raise ForbiddenError(str(error), "reviewer") from error


def _build_listed_session(row: IndexedSession) -> ListedSession:
    return ListedSession(
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


def _build_changed_labels(saved: SavedLabels) -> ChangedLabels:
    labels = _build_shown_labels(saved.visible, saved.status)
    return ChangedLabels(**labels.model_dump(), changed=len(saved.events))


def _build_shown_labels(visible: VisibleSession, status: EvalStatus | None) -> ShownLabels:
    """Return the labels without secrets; null for those that are hidden."""
    labels = visible.session.model_copy(update={"messages": ()})
    copy = make_redacted_copy(labels, [], "0" * 64).session
    known = not visible.is_blind
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
        turns=tuple(
            _build_labeled_turn(number, cast("Mapping[str, JsonValue]", labels))
            for number, labels in sorted(visible.turns.items())
        ),
    )


def _build_labeled_turn(number: int, labels: Mapping[str, JsonValue]) -> LabeledTurn:
    status, notes = labels.get("evalStatus"), labels.get("evalNotes")
    expected = labels.get("expectedOutput")
    return LabeledTurn(
        turn=number,
        evalStatus=None if status is None else EvalStatus(str(status)),
        evalNotes=None if notes is None else redact_text(str(notes)),
        expectedOutput=None if expected is None else redact_text(str(expected)),
    )


def _build_labels(change: TurnChange) -> dict[LabelName, JsonValue]:
    """Return the labels that a change sets, except tags and the eval-ready mark."""
    labels: dict[LabelName, JsonValue] = {}
    if change.evalStatus is not None:
        labels["evalStatus"] = change.evalStatus.value
    if change.evalNotes is not None:
        labels["evalNotes"] = change.evalNotes
    if change.expectedOutput is not None:
        labels["expectedOutput"] = change.expectedOutput or None
    return labels
