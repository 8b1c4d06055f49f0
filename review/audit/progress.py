"""Progress of audits: attempts yet to be judged, by whom, and those where judges differ.

For whatever shows sessions to people (a page, a terminal):

- `AuditTasks(store).of(session_id)` says whether a session is part of an audit, and how far it is.
- Where `task.is_blind_for(reviewer)`, show only `blind_view(session)`, under `task.name` and not
  the session's id, which begins with the run's; keep labels, events and search results of it out of
  sight; and save the judgement with `store.label(..., blind=True, reviewer=...)`, which makes an
  event also where the status stays what it was.
- `AuditTasks(store).tasks()` yields them in the order that was drawn. Of one that is disputed, show
  `task.judgements.blind`, each with its reason, and save the decision with
  `store.label(..., blind=False, reason=...)`.

Two people are told apart by their pseudonyms: whoever has none counts as one and the same. Nothing
is kept here: every call of `tasks` reads the audits and the logs of the sessions that they drew.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from records.audit import Audit, AuditItem, AuditState, Judgements, judgements
from records.errors import InvalidRecordError
from records.reader import read_audit, read_labels
from records.run import Tokens
from records.session import EvalStatus, Session, SessionTotals
from review.store import SessionStore

_NOT_SHOWN = SessionTotals(
    tokens=Tokens(input=None, cached_input=None, output=None, reasoning=None),
    cost_usd=None,
    duration_s=None,
)


@dataclass(frozen=True, slots=True)
class AuditTask:
    """One attempt that an audit drew."""

    audit: Audit
    number: int
    """Its place in the audit, from 1."""
    item: AuditItem
    judgements: Judgements

    @property
    def name(self) -> str:
        """What it is called while it is judged: it says nothing about the run."""
        return f"{self.audit.audit_id}/{self.number}"

    @property
    def session_id(self) -> str:
        """The session that it is."""
        return self.item.session

    @property
    def state(self) -> AuditState:
        """How far it is."""
        return self.judgements.state

    @property
    def is_open(self) -> bool:
        """Whether somebody is yet to judge it."""
        return self.state is AuditState.OPEN

    def is_blind_for(self, reviewer: str | None) -> bool:
        """Say whether this reviewer is to judge it, or may yet be asked to, and must see nothing.

        Whoever has judged it may see everything, and so may anybody once it is settled or disputed.
        """
        judged = {one.reviewer for one in self.judgements.blind}
        return self.is_open and reviewer not in judged


class AuditTasks:
    """The attempts that audits of a data folder drew, published and development ones."""

    def __init__(self, store: SessionStore) -> None:
        self._folder = store.folder

    def audits(self) -> list[Audit]:
        """Return the audits, the newest first.

        Raises:
            InvalidRecordError: one of them cannot be read.
        """
        folders = (self._folder, self._folder.local)
        found = [read_audit(path) for folder in folders for path in folder.audit_files()]
        return sorted(found, key=lambda one: (one.drawn_at, one.audit_id), reverse=True)

    def tasks(self) -> Iterator[AuditTask]:
        """Yield every attempt that was drawn, the newest audit first, in the order drawn.

        Raises:
            InvalidRecordError: an audit or a label log cannot be read.
        """
        for audit in self.audits():
            for number, item in enumerate(audit.items, 1):
                yield self._task(audit, number, item)

    def waiting(self, reviewer: str | None) -> list[str]:
        """Return the ids of the sessions that this reviewer is to judge blind, in the order drawn.

        They stand in no list and no export until then: whatever selects them tells their verdict,
        their model or what others said of them.

        One whose label log cannot be read waits as well: nobody knows that it was judged.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        blind = dict.fromkeys(
            item.session
            for audit in self.audits()
            for number, item in enumerate(audit.items, 1)
            if self._is_blind(audit, number, item, reviewer)
        )
        return list(blind)

    def _is_blind(self, audit: Audit, number: int, item: AuditItem, reviewer: str | None) -> bool:
        try:
            return self._task(audit, number, item).is_blind_for(reviewer)
        except InvalidRecordError:
            return True

    def of(self, session_id: str) -> AuditTask | None:
        """Return what a session is in the newest audit that drew it; null where none did."""
        for audit in self.audits():
            for number, item in enumerate(audit.items, 1):
                if item.session == session_id:
                    return self._task(audit, number, item)
        return None

    def named(self, name: str) -> AuditTask | None:
        """Return the task of this `AuditTask.name`; null where there is none."""
        identity, _, number = name.rpartition("/")
        for audit in self.audits():
            if audit.audit_id == identity and number.isascii() and number.isdigit():
                place = int(number)
                if 1 <= place <= len(audit.items):
                    return self._task(audit, place, audit.items[place - 1])
        return None

    def _task(self, audit: Audit, number: int, item: AuditItem) -> AuditTask:
        events = read_labels(self._folder.label_file(item.session))
        return AuditTask(audit, number, item, judgements(audit, item, events))


def blind_view(session: Session) -> Session:
    """Return what of a session may be seen by whoever judges it blind.

    Messages, title, tools and the expected output stay; model, run, cost, tokens, times and all
    labels are as if nobody had recorded them. The id stays: do not show it.
    """
    messages = tuple(
        one.model_copy(
            update={"model": None, "tokens": None, "cost_usd": None, "duration_s": None, "at": None}
        )
        for one in session.messages
    )
    return session.model_copy(
        update={
            "messages": messages,
            "model": None,
            "project": None,
            "created_at": None,
            "updated_at": None,
            "totals": _NOT_SHOWN,
            "eval_ready": False,
            "eval_status": EvalStatus.NEEDS_REVIEW,
            "eval_notes": "",
            "eval_tags": (),
            "reviewed_at": None,
        }
    )
