"""The gate: a reviewer's rights to see, to change and to take back, by the id of a session.

Desk, command line and API ask it, however a session is named there:

- An attempt that this reviewer is to judge for an audit is shown without model, run, verdict and
  labels. It takes a status, which is kept as a blind event, before any other label.
- Where blind judgements differ, another person decides. Until then model, run, cost, tokens and
  times are hidden from everybody, and reviewers who judged may not give a status.
- A change of another reviewer is taken back with a reason only.

Two people are told apart by their pseudonyms; people without one count as one reviewer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from records.sessions.audit import AuditState
from records.sessions.labels import LabelEvent, LabelName, differing
from records.sessions.session import Session
from review.audit.audit_progress import AuditTask, AuditTasks, blind_view, unidentified_view
from review.errors import GateError
from review.labeled_session import LabeledSession
from review.store import SessionStore


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
        """Refuse labels that the reviewer may not give, or an undo, where these are null.

        Raises:
            GateError: the reviewer is to judge it blind, or is a side of its dispute.
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
        """The attempt's name in its audit, such as `9fdfa625ac2f-1/7`: it gives no run away."""
        return "the session" if self.task is None else self.task.name


class ReviewGate:
    """The rights of all reviewers, and the guard of the labels that a store writes."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self.tasks = AuditTasks(store)

    def rights(self, shown: LabeledSession, reviewer: str | None) -> Rights:
        """Return the rights of a reviewer with a session as it was read.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        tasks = self.tasks.tasks_of(shown.session.id, shown.events)
        between = differing(shown.events)
        blind = between if all(event.blind for event in between) else []
        return Rights(reviewer, tasks, blind)

    def read(
        self, session_id: str, reviewer: str | None, *, whole: bool = True
    ) -> tuple[LabeledSession, Rights]:
        """Return a session, and the rights of a reviewer with it: see `Rights.view`.

        Args:
            session_id: the session.
            reviewer: a pseudonym.
            whole: whether a large session has its messages.

        Raises:
            RecordsError: there is none of this id, or it cannot be read.
        """
        session = self._store.read(session_id) if whole else self._store.read_head(session_id)
        return session, self.rights(session, reviewer)

    def admit(
        self,
        shown: LabeledSession,
        reviewer: str | None,
        labels: Mapping[LabelName, JsonValue],
        turn: int | None,
        *,
        blind: bool,
    ) -> tuple[bool, str | None]:
        """Return whether labels are given blind, and the item of the audit that they judge.

        Raises:
            GateError: the reviewer may not give them now.
            InvalidRecordError: an audit cannot be read.
        """
        rights = self.rights(shown, reviewer)
        rights.check_change(labels, turn)
        return blind or rights.is_blind, None if rights.task is None else rights.task.name

    def admit_undo(self, shown: LabeledSession, reviewer: str | None) -> None:
        """Refuse an undo that the reviewer may not make now.

        Raises:
            GateError: the reviewer is to judge the session blind.
            InvalidRecordError: an audit cannot be read.
        """
        self.rights(shown, reviewer).check_change(None)


def guard(store: SessionStore) -> ReviewGate:
    """Let each label that people write through ``store`` pass the gate, and return the gate."""
    gate = ReviewGate(store)
    store.guard = gate
    return gate
