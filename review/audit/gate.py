"""The gate: a reviewer's rights to see, to change and to take back, by the id of a session.

Desk, command line and API ask it, however a session is named there:

- An attempt that this reviewer is to judge for an audit is shown without model, run, verdict and
  labels. It takes a status, which is kept as a blind event, before any other label.
- Where blind judgements differ, another person decides. Until then model, run, cost, tokens and
  times are hidden from everybody, and reviewers who judged may not give a status.
- A change of another reviewer is taken back with a reason only.

Two people are told apart by their pseudonyms; people without one count as one reviewer.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from pydantic import JsonValue

from records.audit import AuditState
from records.base import EventId
from records.labels import PEOPLE, LabelEvent, LabelName, Way, differing, last_own, last_to_undo
from records.reader import read_labels
from records.session import Session
from review.audit.progress import AuditTask, AuditTasks, blind_view, unidentified_view
from review.errors import GateError
from review.store import LabeledSession, LabelsOf, SessionStore


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of a reviewer with a session."""

    reviewer: str | None
    tasks: Sequence[AuditTask]
    """The attempts of audits that the session is, the newest audit first."""
    between: Sequence[LabelEvent]
    """Blind judgements that differ, outside of audits, while nobody decided."""

    @property
    def task(self) -> AuditTask | None:
        """The attempt of an audit that is worked on; null where no audit drew the session."""
        waiting = (task for task in self.tasks if task.is_blind_for(self.reviewer))
        disputed = (task for task in self.tasks if task.state is AuditState.DISPUTED)
        return next(waiting, None) or next(disputed, None) or next(iter(self.tasks), None)

    @property
    def is_blind(self) -> bool:
        """True if the reviewer is to judge it, or may yet be asked to, and must see nothing."""
        return self.task is not None and self.task.is_blind_for(self.reviewer)

    @property
    def is_disputed(self) -> bool:
        """True if blind judgements differ, and nobody decided."""
        return bool(self.between) or any(task.state is AuditState.DISPUTED for task in self.tasks)

    @property
    def is_party(self) -> bool:
        """True if the reviewer's judgement is a side of a dispute, also of a decided dispute."""
        sides = [*self.between, *(event for task in self.tasks for event in task.sides)]
        return any(event.reviewer == self.reviewer for event in sides)

    def view(self, session: Session) -> Session:
        """Return the session as the reviewer may see it."""
        if self.is_blind:
            return blind_view(session)
        return unidentified_view(session) if self.is_disputed else session

    def check_change(
        self, labels: Mapping[LabelName, JsonValue] | None, turn: int | None = None
    ) -> None:
        """Refuse labels, or an undo where these are null, before anything is written.

        Raises:
            GateError: the reviewer may not give these labels, or take anything back.
        """
        if labels is not None:
            self.check_labels(labels, turn)
        elif self.is_blind:
            raise GateError(f"{self.blind_name} is to be judged blind: nothing is taken back")

    def check_labels(self, labels: Mapping[LabelName, JsonValue], turn: int | None = None) -> None:
        """Refuse labels that the reviewer may not give.

        Raises:
            GateError: the reviewer is to judge it blind, or is a side of its dispute.
        """
        judged = "evalStatus" in labels and turn is None
        if self.is_blind and not judged:
            raise GateError(
                f"{self.blind_name} is to be judged blind: a status comes first, under the "
                "pseudonym of its reviewer"
            )
        if self.is_party and judged:
            raise GateError("it is disputed: reviewers who judged it do not decide between them")

    @property
    def blind_name(self) -> str:
        """The attempt's name in its audit, such as `9fdfa625ac2f-1/7`: it gives no run away."""
        return "the session" if self.task is None else self.task.name

    def is_own(self, event: LabelEvent) -> bool:
        """Return whether the reviewer made a change, and may take it back without a reason."""
        return event.reviewer == self.reviewer and event.via in PEOPLE

    def undoable(self, events: Sequence[LabelEvent]) -> LabelEvent | None:
        """Return the event that an undo takes back; null where there is none, or none is seen."""
        return None if self.is_blind else last_own(events, self.reviewer) or last_to_undo(events)


class ReviewGate:
    """The way to sessions and their labels for everybody who judges."""

    def __init__(self, store: SessionStore, tasks: AuditTasks | None = None) -> None:
        self._store = store
        self._tasks = tasks or AuditTasks(store)

    def rights(self, shown: LabeledSession, reviewer: str | None) -> Rights:
        """Return the rights of a reviewer with a session as it was read.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        return self._rights(shown.session.id, shown.events, reviewer)

    def _rights(
        self, session_id: str, events: Sequence[LabelEvent], reviewer: str | None
    ) -> Rights:
        tasks = self._tasks.tasks_of(session_id, events)
        between = differing(events)
        blind = between if all(event.blind for event in between) else []
        return Rights(reviewer, tasks, blind)

    def read(self, session_id: str, reviewer: str | None) -> tuple[LabeledSession, Rights]:
        """Return a whole session, and the rights of a reviewer with it: see `Rights.view`.

        Raises:
            RecordsError: there is none of this id, or it cannot be read.
        """
        shown = self._store.read(session_id)
        return shown, self.rights(shown, reviewer)

    def label(  # noqa: PLR0913 - what an event is made of
        self,
        session_id: str,
        labels: Mapping[LabelName, JsonValue] | LabelsOf,
        *,
        via: Way,
        reviewer: str | None,
        reason: str = "",
        blind: bool = False,
        turn: int | None = None,
        version: str | None = None,
    ) -> LabeledSession:
        """Set labels as `SessionStore.label` does, blind where the reviewer must see nothing.

        The event names the item of the audit.

        Raises:
            GateError: the reviewer may not give these labels.
            ChangedMeanwhileError: somebody changed the session meanwhile.
            RecordsError: there is none of this id, or it cannot be read.
            ValueError: a label cannot have this value.
        """

        def label(rights: Rights) -> LabeledSession:
            def checked(session: Session) -> Mapping[LabelName, JsonValue]:
                changes = labels(session) if callable(labels) else labels
                rights.check_labels(changes, turn)
                return changes

            return self._store.label(
                session_id,
                checked,
                via=via,
                reviewer=reviewer,
                reason=reason,
                blind=blind or rights.is_blind,
                audit=None if rights.task is None else rights.task.name,
                turn=turn,
                version=version,
                check=partial(self._check_unchanged, rights),
            )

        return self._with_rights(session_id, reviewer, label)

    def undo(  # noqa: PLR0913 - what an event is made of
        self,
        session_id: str,
        *,
        via: Way,
        reviewer: str | None,
        reason: str = "",
        event_id: EventId | None = None,
        version: str | None = None,
    ) -> LabeledSession:
        """Take a change back as `SessionStore.undo` does.

        Raises:
            GateError: the reviewer is to judge the session blind.
            OthersLabelError: the change is another reviewer's, and there is no ``reason``.
            ChangedMeanwhileError: somebody changed the session meanwhile.
            RecordsError: there is none of this id, or it cannot be read.
        """

        def undo(rights: Rights) -> LabeledSession:
            rights.check_change(None)
            return self._store.undo(
                session_id,
                via=via,
                reviewer=reviewer,
                reason=reason,
                event_id=event_id,
                version=version,
                check=partial(self._check_unchanged, rights),
            )

        return self._with_rights(session_id, reviewer, undo)

    def _with_rights(
        self,
        session_id: str,
        reviewer: str | None,
        write: Callable[[Rights], LabeledSession],
    ) -> LabeledSession:
        """Write with the rights that hold under the lock, which may be others than before it."""
        while True:
            with suppress(_RightsChangedError):
                # The log alone: the transcript may be long, and is read under the lock.
                events = read_labels(self._store.folder.label_file(session_id))
                return write(self._rights(session_id, events, reviewer))

    def _check_unchanged(self, rights: Rights, now: LabeledSession) -> None:
        if self.rights(now, rights.reviewer) != rights:
            raise _RightsChangedError


class _RightsChangedError(Exception):
    """The rights of a reviewer changed after they were asked for, before the lock was held."""
