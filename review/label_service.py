"""The only way by which people see sessions and label them: at the desk, by command and by API.

A front end gets a `VisibleSession`, which has nothing that its reviewer may not see:

- An attempt that the reviewer is to judge for an audit is shown without model, run, verdict and
  labels. Its first label must be a status, which is recorded as blind.
- If blind judgements differ, another person decides. Until then, model, run, cost, tokens and times
  are hidden from everybody, and reviewers who judged may not give a status.
- A reviewer must give a reason to take back a change of another reviewer.

Reviewers are known by their pseudonyms. People without a pseudonym count as one reviewer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pydantic import JsonValue

from records.sessions.audit import AuditState
from records.sessions.labels import LabelEvent, LabelName, Way, find_last_own_event
from records.sessions.session import EvalStatus, FromFile, Session, SessionTotals
from records.shapes.attempt import NO_TOKENS
from records.shapes.base import EventId
from review.audits import AuditedIds, AuditTask, AuditTasks
from review.errors import GateError, NoChangeLeftError, NoSuchTurnError
from review.index.indexed_session import IndexedSession, make_alias
from review.labeled_session import LabeledSession, build_label_events, build_undo_events
from review.store import SessionStore
from review.turns import list_turns

_NOT_SHOWN = SessionTotals(tokens=NO_TOKENS, cost_usd=None, duration_s=None)
_NO_SOURCE = FromFile(kind="file", importer="hidden", name="hidden", digest="0" * 64)
"""The source in the view of a blind reviewer, because the source of an attempt names its run."""


class VisibleSession(NamedTuple):
    """All of a session that a reviewer may see now."""

    id: str
    """The id, by which a front end asks again; while `is_blind`, it must not be shown."""
    name: str
    """The name to show: the id, or the name in an audit while the run must not be known."""
    session: Session
    """The record with its labels, without what is hidden."""
    version: str
    """A digest of transcript and labels, which shows any change."""
    transcript: str
    """The digest of the transcript."""
    is_blind: bool
    """True if model, run, verdict and the labels of others are hidden."""
    must_be_blind: bool
    """True if the reviewer did not choose this, but is to judge the session for an audit."""
    is_disputed: bool
    """True if blind judgements differ and nobody has decided, so that model and run are hidden."""
    is_party: bool
    """True if the reviewer gave one of the judgements in a dispute, decided or not."""
    is_undecided: bool
    """True if judgements differ, blind or not, and nobody has decided."""
    is_stale: bool
    """True if the transcript changed since the latest status; not known while `is_blind`."""
    reference: str | None
    """The reference answer of an attempt: its expected output before people's labels."""
    turns: Mapping[int, Mapping[LabelName, JsonValue]]
    """The labels of single turns, by the number of the turn from 1."""
    events: Sequence[LabelEvent]
    """The label log."""
    judgements: Sequence[LabelEvent]
    """The judgements that differ, or else the blind judgements of the audit."""
    judges: Sequence[str]
    """The pseudonyms of reviewers who judged, latest first."""


class SavedLabels(NamedTuple):
    """A change of labels, with what its reviewer may see of the session after it."""

    visible: VisibleSession
    status: EvalStatus | None
    """The status; of a session that is judged blind, the one just given, if any."""
    events: Sequence[EventId]
    """The events that were written."""
    is_judgement: bool
    """True if one of them gave the session a status."""
    is_open: bool
    """True if the session is still to be judged, or reviewers differ on it."""


class _Rights(NamedTuple):
    """The rights of a reviewer on a session."""

    reviewer: str | None
    tasks: Sequence[AuditTask]
    """The tasks of the session in audits, the newest audit first."""
    blind_dispute: Sequence[LabelEvent]
    """The judgements that differ, if all were given blind and nobody has decided yet."""

    @property
    def task(self) -> AuditTask | None:
        """The task that matters now: for this reviewer, else in dispute, else the newest.

        None if no audit drew the session.
        """
        waiting = (task for task in self.tasks if task.is_blind_for(self.reviewer))
        disputed = (task for task in self.tasks if task.state is AuditState.DISPUTED)
        return next(waiting, None) or next(disputed, None) or next(iter(self.tasks), None)

    @property
    def blind_name(self) -> str:
        """The attempt's name in its audit, such as `9fdfa625ac2f-1/7`, without its run."""
        return "the session" if self.task is None else self.task.name

    @property
    def is_blind(self) -> bool:
        """True if the reviewer may still judge the session blind, and so sees no verdict."""
        return self.task is not None and self.task.is_blind_for(self.reviewer)

    @property
    def is_disputed(self) -> bool:
        """True if blind judgements differ and nobody has decided."""
        in_audit = any(task.state is AuditState.DISPUTED for task in self.tasks)
        return in_audit or bool(self.blind_dispute)

    @property
    def is_party(self) -> bool:
        """True if the reviewer gave one of the judgements in a dispute, decided or not."""
        sides = [*self.blind_dispute, *(event for task in self.tasks for event in task.sides)]
        return any(event.reviewer == self.reviewer for event in sides)


class LabelService:
    """The showing and labelling of the sessions of a store, by one person."""

    def __init__(self, store: SessionStore, via: Way, reviewer: str | None) -> None:
        """Take the store, and by whom and how labels are given.

        Args:
            store: the sessions.
            via: the way by which people give labels here.
            reviewer: the pseudonym of the reviewer.
        """
        self._store = store
        self._via: Way = via
        self._reviewer = reviewer
        self._tasks = AuditTasks(store)

    def group_ids(self) -> AuditedIds:
        """Return the sessions of audits, by their state for the reviewer; this reads their logs.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        return self._tasks.group_ids(self._reviewer)

    def show(self, session_id: str, *, blind: bool = False, whole: bool = True) -> VisibleSession:
        """Return what the reviewer may see of a session.

        Args:
            session_id: the session.
            blind: whether the reviewer wants to judge blind.
            whole: whether a large session has its messages.

        Raises:
            RecordsError: there is no session with this id, or it cannot be read.
        """
        labeled = self._store.read(session_id, whole=whole)
        rights = self._find_rights(labeled)
        return _make_visible(labeled, rights, blind=blind or rights.is_blind)

    def check(
        self,
        session_id: str,
        labels: Mapping[LabelName, JsonValue] | None,
        *,
        turn: int | None = None,
        of: str | None = None,
    ) -> str:
        """Check a change as `label` or, if ``labels`` is None, `undo` does; return the version.

        Raises:
            RecordsError: there is no session with this id, or it cannot be read.
            GateError: the reviewer may not make the change.
            NoSuchTurnError: there is no such turn, or it has no answer.
            NoChangeLeftError: no change of the reviewer ``of`` is left.
        """
        labeled = self._store.read(session_id, whole=turn is not None)
        self._check_change(labeled, labels, turn)
        if of is not None:
            _find_event_of(labeled, of)
        return labeled.version

    def label(  # noqa: PLR0913 - the parts of a change
        self,
        session_id: str,
        labels: Mapping[LabelName, JsonValue],
        *,
        add_tags: Sequence[str] = (),
        remove_tags: Sequence[str] = (),
        reason: str = "",
        turn: int | None = None,
        version: str | None = None,
        blind: bool = False,
    ) -> SavedLabels:
        """Set labels of a session, or of its turn with the number ``turn``.

        `build_label_events` decides which labels make events. ``add_tags`` and ``remove_tags``
        change the tags that the session has when it is written. ``blind`` says that the reviewer
        chose not to see verdict, model and other labels.

        Raises:
            RecordsError: there is no session with this id, or it cannot be read.
            GateError: the reviewer may not set these labels now.
            NoSuchTurnError: there is no such turn, or it has no answer.
            ChangedMeanwhileError: the session has another version than ``version``.
        """

        def build_events(before: LabeledSession) -> Sequence[LabelEvent]:
            new_labels = dict(labels)
            if add_tags or remove_tags:
                tags = labels.get("evalTags", before.session.eval_tags)
                present = tags if isinstance(tags, list | tuple) else ()
                together = dict.fromkeys((*map(str, present), *add_tags))
                new_labels["evalTags"] = [tag for tag in together if tag not in remove_tags]
            rights = self._check_change(before, new_labels, turn)
            return build_label_events(
                before,
                new_labels,
                via=self._via,
                reviewer=self._reviewer,
                reason=reason,
                blind=blind or rights.is_blind,
                audit=None if rights.task is None else rights.task.name,
                turn=turn,
            )

        after = self._store.change_labels(
            session_id, build_events, version=version, whole=turn is not None
        )
        return self._make_saved(after)

    def undo(
        self,
        session_id: str,
        *,
        reason: str = "",
        of: str | None = None,
        event_id: EventId | None = None,
        version: str | None = None,
    ) -> SavedLabels:
        """Take a change back: that event, the latest of ``of``, or as `build_undo_events` does.

        Raises:
            RecordsError: there is no session with this id, or it cannot be read.
            GateError: the reviewer may not take the change back now, or only with a reason.
            NoChangeLeftError: no change of the reviewer ``of`` is left.
            ChangedMeanwhileError: the session has another version than ``version``, or the event
                was taken back already.
        """

        def build_events(before: LabeledSession) -> Sequence[LabelEvent]:
            self._check_change(before, None)
            back = event_id if of is None else _find_event_of(before, of).id
            return build_undo_events(
                before, via=self._via, reviewer=self._reviewer, reason=reason, event_id=back
            )

        after = self._store.change_labels(session_id, build_events, version=version)
        return self._make_saved(after)

    def _check_change(
        self,
        labeled: LabeledSession,
        labels: Mapping[LabelName, JsonValue] | None,
        turn: int | None = None,
    ) -> _Rights:
        """Return the rights of the reviewer who gives labels, or takes one back if they are None.

        Raises:
            GateError: the reviewer is to judge the session blind, or gave one of the judgements in
                its dispute.
            NoSuchTurnError: there is no such turn, or it has no answer.
        """
        rights = self._find_rights(labeled)
        judges = labels is not None and "evalStatus" in labels and turn is None
        if rights.is_blind and labels is None:
            raise GateError(f"{rights.blind_name} is to be judged blind: nothing is taken back")
        if rights.is_blind and not judges:
            raise GateError(
                f"{rights.blind_name} is to be judged blind: a status comes first, under the "
                "pseudonym of its reviewer"
            )
        if rights.is_party and judges:
            raise GateError("it is disputed: reviewers who judged it do not decide between them")
        turns = [] if turn is None else list_turns(labeled.session)
        if turn is not None and not any(t.number == turn and t.is_answered for t in turns):
            raise NoSuchTurnError(labeled.session.id, turn, len(turns))
        return rights

    def _find_rights(self, labeled: LabeledSession) -> _Rights:
        tasks = self._tasks.list_session_tasks(labeled.session.id, labeled.events)
        return _Rights(self._reviewer, tasks, labeled.blind_dispute)

    def _make_saved(self, after: LabeledSession) -> SavedLabels:
        """Return a change that was written.

        After a blind judgement the labels stay hidden, because they could influence the reviewer's
        later judgements of the same eval.
        """
        rights = self._find_rights(after)
        judged = [e for e in after.written if e.field == "evalStatus" and e.turn is None]
        given = [event for event in judged if event.undoes is None]
        blind = rights.is_blind or any(event.blind for event in given)
        own_status = EvalStatus(str(given[-1].after)) if given else None
        return SavedLabels(
            visible=_make_visible(after, rights, blind=blind),
            status=own_status if blind else after.session.eval_status,
            events=[event.id for event in after.written],
            is_judgement=bool(judged),
            is_open=after.is_unjudged or bool(after.differing),
        )


def _make_visible(labeled: LabeledSession, rights: _Rights, *, blind: bool) -> VisibleSession:
    session = labeled.session
    # The expected output that came with the record, before people's labels.
    changes = (e for e in labeled.events if e.field == "expectedOutput" and e.turn is None)
    first = next(changes, None)
    original = session.expected_output if first is None else first.before
    reference = original if isinstance(original, str) else None
    if blind:
        shown = _hide_identity(session).model_copy(
            update={
                "id": make_alias(session.id),
                "source": _NO_SOURCE,
                "former_ids": (),
                "eval_ready": False,
                "eval_status": EvalStatus.NEEDS_REVIEW,
                "eval_notes": "",
                "eval_tags": (),
                "expected_output": reference,
                "reviewed_at": None,
            }
        )
    else:
        shown = _hide_identity(session) if rights.is_disputed else session
    is_disputed = rights.is_disputed and not rights.is_blind
    has_hidden_run = rights.task is not None and (blind or is_disputed)
    audited: Sequence[LabelEvent] = () if rights.task is None else rights.task.judgements.blind
    return VisibleSession(
        id=session.id,
        name=rights.blind_name if has_hidden_run else session.id,
        session=shown,
        version=labeled.version,
        transcript=labeled.transcript,
        is_blind=blind,
        must_be_blind=rights.is_blind,
        is_disputed=is_disputed,
        is_party=rights.is_party,
        is_undecided=not blind and (is_disputed or bool(labeled.differing)),
        is_stale=not blind and labeled.is_stale,
        reference=reference if session.source.kind == "attempt" else None,
        turns={} if blind else labeled.turns,
        events=() if blind else labeled.events,
        judgements=() if blind else (labeled.differing or audited),
        judges=() if blind else labeled.judges,
    )


def _hide_identity(session: Session) -> Session:
    """Return a session without model, project, times, tokens and cost, but with its labels."""
    messages = tuple(
        message.model_copy(
            update={"model": None, "tokens": None, "cost_usd": None, "duration_s": None, "at": None}
        )
        for message in session.messages
    )
    return session.model_copy(
        update={
            "messages": messages,
            "model": None,
            "project": None,
            "created_at": None,
            "updated_at": None,
            "totals": _NOT_SHOWN,
        }
    )


def hide_disputed_rows(
    rows: Iterable[IndexedSession], audited: AuditedIds
) -> Sequence[IndexedSession]:
    """Return rows of a list, without model and time while blind judgements differ."""
    disputed = frozenset(audited.disputed)
    return [
        replace(row, model=None, created=None) if row.run_hidden or row.id in disputed else row
        for row in rows
    ]


def _find_event_of(labeled: LabeledSession, reviewer: str) -> LabelEvent:
    event = find_last_own_event(labeled.events, reviewer)
    if event is None:
        raise NoChangeLeftError(f"no change of {reviewer} is left")
    return event
