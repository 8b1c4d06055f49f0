"""The gate: the rights of a reviewer to see a session, to change it and to take changes back.

Desk, command line and API use it in the same way:

- An attempt that the reviewer is to judge for an audit is shown without model, run, verdict and
  labels. Its first label must be a status, which is recorded as blind.
- If blind judgements differ, another person decides. Until then, model, run, cost, tokens and times
  are hidden from everybody, and reviewers who judged may not give a status.
- A reviewer must give a reason to take back a change of another reviewer.

Reviewers are known by their pseudonyms. People without a pseudonym count as one reviewer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from records.sessions.audit import AuditState
from records.sessions.labels import LabelEvent, LabelName, find_differing_judgements
from records.sessions.session import Session
from review.audit.audit_progress import AuditTask, AuditTasks, hide_identity, make_blind_view
from review.errors import GateError
from review.labeled_session import LabeledSession
from review.store import SessionStore


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of a reviewer on a session."""

    reviewer: str | None
    tasks: Sequence[AuditTask]
    """The tasks of the session in audits, the newest audit first."""
    between: Sequence[LabelEvent]
    """Blind judgements outside of audits that differ, if nobody has decided yet."""

    @property
    def task(self) -> AuditTask | None:
        """The task that matters now: for this reviewer, else in dispute, else the newest.

        None if no audit drew the session.
        """
        waiting = (task for task in self.tasks if task.is_blind_for(self.reviewer))
        disputed = (task for task in self.tasks if task.state is AuditState.DISPUTED)
        return next(waiting, None) or next(disputed, None) or next(iter(self.tasks), None)

    @property
    def is_blind(self) -> bool:
        """True if the reviewer may still judge the session blind, and so sees no verdict."""
        return self.task is not None and self.task.is_blind_for(self.reviewer)

    @property
    def is_disputed(self) -> bool:
        """True if blind judgements differ and nobody has decided."""
        return bool(self.between) or any(task.state is AuditState.DISPUTED for task in self.tasks)

    @property
    def is_party(self) -> bool:
        """True if the reviewer gave one of the judgements in a dispute, decided or not."""
        sides = [*self.between, *(event for task in self.tasks for event in task.sides)]
        return any(event.reviewer == self.reviewer for event in sides)

    def list_judgements(self, events: Sequence[LabelEvent]) -> Sequence[LabelEvent]:
        """Return the judgements in a label log that differ, else the blind ones of the task."""
        differing = find_differing_judgements(events)
        return differing or (self.task.judgements.blind if self.task else [])

    def view(self, session: Session) -> Session:
        """Return the parts of ``session`` that the reviewer may see."""
        if self.is_blind:
            return make_blind_view(session)
        return hide_identity(session) if self.is_disputed else session

    def check_change(
        self, labels: Mapping[LabelName, JsonValue] | None, turn: int | None = None
    ) -> None:
        """Refuse labels that the reviewer may not give, or an undo if ``labels`` is None.

        Raises:
            GateError: the reviewer is to judge the session blind, or gave one of the judgements in
                its dispute.
        """
        judged = labels is not None and "evalStatus" in labels and turn is None
        if self.is_blind and labels is None:
            raise GateError(f"{self.blind_name} is to be judged blind: nothing is taken back")
        if self.is_blind and not judged:
            raise GateError(
                f"{self.blind_name} is to be judged blind: a status comes first, under the "
                "pseudonym of its reviewer"
            )
        if self.is_party and judged:
            raise GateError("it is disputed: reviewers who judged it do not decide between them")

    @property
    def blind_name(self) -> str:
        """The attempt's name in its audit, such as `9fdfa625ac2f-1/7`, without its run."""
        return "the session" if self.task is None else self.task.name


class ReviewGate:
    """The rights of all reviewers, and the check of changes for a store (`LabelGuard`)."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self.tasks = AuditTasks(store)

    def get_rights(self, labeled: LabeledSession, reviewer: str | None) -> Rights:
        """Return the rights of a reviewer on a session that was read from the store.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        tasks = self.tasks.list_session_tasks(labeled.session.id, labeled.events)
        between = find_differing_judgements(labeled.events)
        blind = between if all(event.blind for event in between) else []
        return Rights(reviewer, tasks, blind)

    def read(
        self, session_id: str, reviewer: str | None, *, whole: bool = True
    ) -> tuple[LabeledSession, Rights]:
        """Return a whole session, and the rights of a reviewer, which limit what may be shown.

        Args:
            session_id: the session.
            reviewer: a pseudonym.
            whole: whether a large session has its messages.

        Raises:
            RecordsError: there is no session with this id, or it cannot be read.
        """
        session = self._store.read(session_id) if whole else self._store.read_head(session_id)
        return session, self.get_rights(session, reviewer)

    def admit(
        self,
        labeled: LabeledSession,
        reviewer: str | None,
        labels: Mapping[LabelName, JsonValue] | None,
        turn: int | None,
    ) -> tuple[bool, str | None]:
        """Return whether labels are given blind, and the item of the audit that they judge.

        Raises:
            GateError: the reviewer may not give them now; or may not take a label back, if
                ``labels`` is None.
            InvalidRecordError: an audit cannot be read.
        """
        rights = self.get_rights(labeled, reviewer)
        rights.check_change(labels, turn)
        return rights.is_blind, None if rights.task is None else rights.task.name


def guard(store: SessionStore) -> ReviewGate:
    """Make a gate check all labels that people write through ``store``; return the gate."""
    gate = ReviewGate(store)
    store.guard = gate.admit
    return gate
