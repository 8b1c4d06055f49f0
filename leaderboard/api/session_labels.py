"""The operations of `/api/sessions`: showing sessions to a reviewer, and labelling them.

All labels pass the same gate as those of desk and command line (`review.audit.gate`). Texts are
redacted, as in exports over HTTP.

curl -H "Authorization: Bearer osk_..." -H "Content-Type: application/json" \
  -d '{"reviewer": "p1", "evalStatus": "golden"}' \
  http://127.0.0.1:8000/api/sessions/4p2bzjf5m6ur/labels
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any, cast

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
from records.sessions.labels import LabelName, find_last_own_event
from records.sessions.session import EvalStatus, Session
from review.audit.gate import Rights, guard
from review.errors import ChangedMeanwhileError, GateError
from review.index.indexed_session import IndexedSession
from review.index.session_index import SessionIndex
from review.labeled_session import LabeledSession
from review.redacted_copies import make_redacted_copy
from review.redaction import redact_text
from review.selection import SessionSelection
from review.store import SessionStore
from review.turns import list_turns


class SessionLabels:
    """The showing and labelling of the sessions of a store."""

    def __init__(self, store: SessionStore) -> None:
        """Store ``store``; nothing is read yet."""
        self._store = store
        self._gate = guard(store)
        self._index = SessionIndex(store)

    def list_sessions(self, query: SessionsQuery, key_name: str) -> SessionPage:
        """Return a page of the sessions that a query selects."""
        audited = self._gate.tasks.group_ids(query.reviewer or key_name)
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
            sessions=tuple(_list_row(row, is_disputed=row.id in audited.disputed) for row in rows),
            after=page_ids[-1] if more else None,
            unreadable=tuple(self._index.list_unreadable()),
        )

    def show_session(self, session_id: str, query: ReviewerQuery, key_name: str) -> ShownSession:
        """Return a session with its transcript, as the reviewer may see it.

        Raises:
            NotThereError: there is no session with this id.
        """
        labeled, rights = self._read_session(session_id, query.reviewer or key_name)
        session = make_redacted_copy(rights.view(labeled.session), [], labeled.transcript).session
        labels: dict[str, Any] = _build_shown_labels(labeled, session, rights).model_dump()
        labels["expectedOutput"] = session.expected_output
        return ShownSession(
            **labels,
            title=session.title,
            model=session.model,
            messages=session.messages,
            judgements=tuple(
                ShownJudgement(
                    reviewer=event.reviewer,
                    evalStatus=str(event.after),
                    reason=redact_text(event.reason),
                )
                for event in rights.list_judgements(labeled.events)
                if rights.is_disputed and not rights.is_blind
            ),
        )

    def label_session(self, session_id: str, change: SessionChange, key_name: str) -> ChangedLabels:
        """Set labels of a session; return its labels.

        Raises:
            NotThereError: there is no session with this id.
            ForbiddenError: the reviewer may not set these labels now.
            ContradictionError: the session does not have the version that the request names.
        """

        def build_labels(session: Session) -> dict[LabelName, JsonValue]:
            return _build_session_labels(session, change)

        return self._write_labels(
            lambda reviewer: self._store.label(
                session_id,
                build_labels,
                via="api",
                reviewer=reviewer,
                reason=change.reason,
                version=change.version,
            ),
            change.reviewer or key_name,
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
        labeled, _ = self._read_session(session_id, change.reviewer or key_name)
        if not any(
            turn.number == number and turn.is_answered for turn in list_turns(labeled.session)
        ):
            raise NotThereError("there is no such turn, or nobody answered it", "turn")
        return self._write_labels(
            lambda reviewer: self._store.label(
                session_id,
                _build_turn_labels(change),
                via="api",
                reviewer=reviewer,
                reason=change.reason,
                turn=number,
                version=change.version,
            ),
            change.reviewer or key_name,
        )

    def undo_change(self, session_id: str, change: UndoneChange, key_name: str) -> ChangedLabels:
        """Take a change of labels back; return the labels of the session.

        Raises:
            NotThereError: there is no such session.
            ForbiddenError: the reviewer may not take the change back now, or only with a reason.
            ContradictionError: the session does not have the version that the request names, or
                the reviewer whom it names has no change left.
        """
        event_id = None
        if change.of is not None:
            labeled, _ = self._read_session(session_id, change.reviewer or key_name)
            event = find_last_own_event(labeled.events, change.of)
            if event is None:
                raise ContradictionError(f"no change of {change.of} is left", "of")
            event_id = event.id
        return self._write_labels(
            lambda reviewer: self._store.undo(
                session_id,
                via="api",
                reviewer=reviewer,
                reason=change.reason,
                event_id=event_id,
                version=change.version,
            ),
            change.reviewer or key_name,
        )

    def _read_session(self, session_id: str, reviewer: str) -> tuple[LabeledSession, Rights]:
        try:
            return self._gate.read(session_id, reviewer)
        except MissingRecordError as error:
            raise NotThereError("there is no such session", "session_id") from error

    def _write_labels(self, write: Callable[[str], LabeledSession], reviewer: str) -> ChangedLabels:
        """Call ``write``, which changes labels; return the labels that the reviewer may see."""
        try:
            after = write(reviewer)
        except MissingRecordError as error:
            raise NotThereError("there is no such session", "session_id") from error
        except ChangedMeanwhileError as error:
            raise ContradictionError(str(error), "version") from error
        except GateError as error:
            raise ForbiddenError(str(error), "reviewer") from error
        rights = self._gate.get_rights(after, reviewer)
        blind = [event for event in after.written if event.blind and event.undoes is None]
        judgements = [event for event in blind if event.field == "evalStatus"]
        labels = make_redacted_copy(
            after.session.model_copy(update={"messages": ()}), [], "0" * 64
        ).session
        if blind or rights.is_blind:  # other labels could influence later judgements of the eval
            status = EvalStatus(str(judgements[-1].after)) if judgements else None
            visible_labels = _build_hidden_labels(after, status)
        else:
            visible_labels = _build_shown_labels(after, labels, rights)
        return ChangedLabels(**visible_labels.model_dump(), changed=len(after.written))


def _list_row(row: IndexedSession, *, is_disputed: bool) -> ListedSession:
    """Return a row of a list; while a session is disputed, without model and time."""
    return ListedSession(
        id=row.id,
        title=redact_text(row.title),
        source=row.source,
        model=None if is_disputed else row.model,
        created_at=None if is_disputed else row.created,
        evalReady=row.ready,
        evalStatus=row.status,
        evalTags=tuple(map(redact_text, row.tags)),
        reviewedAt=row.reviewed,
    )


def _build_shown_labels(labeled: LabeledSession, copy: Session, rights: Rights) -> ShownLabels:
    """Return the labels that the reviewer may see; ``copy`` is the redacted session."""
    if rights.is_blind:
        return _build_hidden_labels(labeled, None)
    return ShownLabels(
        session=copy.id,
        version=labeled.version,
        blind=False,
        disputed=rights.is_disputed,
        stale=labeled.is_stale,
        evalReady=copy.eval_ready,
        evalStatus=copy.eval_status,
        evalNotes=copy.eval_notes,
        evalTags=copy.eval_tags,
        expectedOutput=copy.expected_output,
        reviewedAt=copy.reviewed_at,
        turns=tuple(
            _build_labeled_turn(number, cast("Mapping[str, JsonValue]", labels))
            for number, labels in sorted(labeled.turns.items())
        ),
    )


def _build_hidden_labels(labeled: LabeledSession, status: EvalStatus | None) -> ShownLabels:
    """Return the labels of a session that is judged blind, with only the status just given."""
    return ShownLabels(
        session=labeled.session.id,
        version=labeled.version,
        blind=True,
        disputed=False,
        stale=None,
        evalReady=None,
        evalStatus=status,
        evalNotes=None,
        evalTags=None,
        expectedOutput=None,
        reviewedAt=None,
        turns=(),
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


def _build_turn_labels(change: TurnChange) -> dict[LabelName, JsonValue]:
    """Return the labels that a change sets, except tags and the eval-ready mark."""
    labels: dict[LabelName, JsonValue] = {}
    if change.evalStatus is not None:
        labels["evalStatus"] = change.evalStatus.value
    if change.evalNotes is not None:
        labels["evalNotes"] = change.evalNotes
    if change.expectedOutput is not None:
        labels["expectedOutput"] = change.expectedOutput or None
    return labels


def _build_session_labels(session: Session, change: SessionChange) -> dict[LabelName, JsonValue]:
    """Return the labels that a change of a session sets, with the tags that result."""
    labels = _build_turn_labels(change)
    if change.evalReady is not None:
        labels["evalReady"] = change.evalReady
    if change.evalTags is not None or change.addTags or change.removeTags:
        present = session.eval_tags if change.evalTags is None else change.evalTags
        tags = dict.fromkeys((*present, *change.addTags))
        labels["evalTags"] = [tag for tag in tags if tag not in change.removeTags]
    return labels
