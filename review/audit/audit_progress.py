"""Progress of audits: attempts yet to be judged, by whom, and those where judges differ.

`review.audit.gate` decides how a reviewer may see and change a session.

Two people differ by their pseudonyms; people without a pseudonym count as one reviewer. `tasks`
and `ids_for` read the logs of all sessions that were drawn; an audit is read when it changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from records.errors import InvalidRecordError
from records.reader import read_audit, read_labels
from records.sessions.audit import (
    Audit,
    AuditItem,
    AuditState,
    Judgements,
    judged_status,
    judgements,
)
from records.sessions.labels import LabelEvent
from records.sessions.session import EvalStatus, Session, SessionTotals
from records.shapes.attempt import Tokens
from review.selection import SessionSelection
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
        """Its name while it is judged: the name gives no run away."""
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
        """True if somebody is yet to judge it."""
        return self.state is AuditState.OPEN

    @property
    def sides(self) -> Sequence[LabelEvent]:
        """The blind judgements, where they differ; none where they agree."""
        blind = self.judgements.blind
        return blind if len({judged_status(event) for event in blind}) > 1 else ()

    def is_blind_for(self, reviewer: str | None) -> bool:
        """Return whether this reviewer may still have to judge it, and so sees no verdict.

        False for a reviewer who judged it, and for everybody once it is settled or disputed.
        """
        judged = {event.reviewer for event in self.judgements.blind}
        return self.is_open and reviewer not in judged


@dataclass(frozen=True, slots=True)
class AuditedIds:
    """Sessions that audits drew, by their ids, for one reviewer."""

    waiting: Sequence[str]
    """Sessions that the reviewer is to judge blind, in the order drawn."""
    damaged: Sequence[str]
    """Sessions whose label log cannot be read: nobody knows that they were judged."""
    disputed: Sequence[str]
    """Sessions about which judges differ, in the order drawn."""
    judged: int
    """How many the reviewer has judged blind."""

    @property
    def hidden(self) -> frozenset[str]:
        """The sessions that stand in no list and no export of the reviewer."""
        return frozenset((*self.waiting, *self.damaged))

    def left_out_of(self, chosen: SessionSelection) -> SessionSelection:
        """Return the selection without hidden sessions, and by model without disputed sessions.

        A selection discloses the verdict, the model or the day by which a session fits it. In the
        order of a list, a session stands among others of its run.
        """
        disputed = self.disputed if chosen.model is not None else ()
        return replace(chosen, without=self.hidden.union(disputed))


@dataclass(frozen=True, slots=True)
class _KnownAudit:
    """An audit as it was read last."""

    stamp: tuple[int, int, int]
    audit: Audit
    numbers: Mapping[str, int]
    """The number of each session that was drawn."""


def _known_audit(path: Path, stamp: tuple[int, int, int]) -> _KnownAudit:
    audit = read_audit(path)
    return _KnownAudit(stamp, audit, {item.session: n for n, item in enumerate(audit.items, 1)})


def _stamp(path: Path) -> tuple[int, int, int]:
    """Return numbers that change with the file; zeros where it went just now."""
    try:
        state = path.lstat()
    except FileNotFoundError:
        return 0, 0, 0
    return state.st_size, state.st_mtime_ns, state.st_ino


class AuditTasks:
    """The attempts that audits of a data folder drew, of published and of development runs."""

    def __init__(self, store: SessionStore) -> None:
        self._folder = store.folder
        self._known: dict[Path, _KnownAudit] = {}

    def audits(self) -> list[Audit]:
        """Return the audits, the newest first.

        Raises:
            InvalidRecordError: one of them cannot be read.
        """
        return [known_audit.audit for known_audit in self._audits()]

    def _audits(self) -> list["_KnownAudit"]:
        """Return the audits, the newest first; one whose file is as it was is not read again."""
        folders = (self._folder, self._folder.local)
        by_path: dict[Path, _KnownAudit] = {}
        for path in (path for folder in folders for path in folder.audit_files()):
            stamp = _stamp(path)
            last = self._known.get(path)
            by_path[path] = last if last and last.stamp == stamp else _known_audit(path, stamp)
        self._known = by_path
        return sorted(
            by_path.values(),
            key=lambda known_audit: (known_audit.audit.drawn_at, known_audit.audit.audit_id),
            reverse=True,
        )

    def tasks(self) -> Iterator[AuditTask]:
        """Yield every attempt that was drawn, the newest audit first, in the order drawn.

        Raises:
            InvalidRecordError: an audit or a label log cannot be read.
        """
        for audit in self.audits():
            for number, item in enumerate(audit.items, 1):
                yield self._task(audit, number, item)

    def ids_for(self, reviewer: str | None) -> AuditedIds:
        """Return the sessions that were drawn, as they are for a reviewer.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        waiting: dict[str, None] = {}
        damaged: dict[str, None] = {}
        disputed: dict[str, None] = {}
        judged: set[str] = set()
        for audit in self.audits():
            for number, item in enumerate(audit.items, 1):
                try:
                    task = self._task(audit, number, item)
                except InvalidRecordError:
                    damaged[item.session] = None
                    continue
                if task.is_blind_for(reviewer):
                    waiting[item.session] = None
                if task.state is AuditState.DISPUTED:
                    disputed[item.session] = None
                if any(event.reviewer == reviewer for event in task.judgements.blind):
                    judged.add(item.session)
        return AuditedIds([*waiting], [*damaged], [*disputed], len(judged))

    def tasks_of(self, session_id: str, events: Sequence[LabelEvent]) -> list[AuditTask]:
        """Return the attempts that a session is in audits, the newest audit first.

        Args:
            session_id: the session.
            events: of its label log.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        tasks: list[AuditTask] = []
        for known_audit in self._audits():
            number = known_audit.numbers.get(session_id)
            if number is not None:
                item = known_audit.audit.items[number - 1]
                drawn = judgements(known_audit.audit, item, events)
                tasks.append(AuditTask(known_audit.audit, number, item, drawn))
        return tasks

    def named(self, name: str) -> AuditTask | None:
        """Return the task of this `AuditTask.name`; null where there is none."""
        identity, _, number = name.rpartition("/")
        for audit in self.audits():
            if audit.audit_id == identity and number.isascii() and number.isdigit():
                item_number = int(number)
                if 1 <= item_number <= len(audit.items):
                    return self._task(audit, item_number, audit.items[item_number - 1])
        return None

    def _task(self, audit: Audit, number: int, item: AuditItem) -> AuditTask:
        events = read_labels(self._folder.label_file(item.session))
        return AuditTask(audit, number, item, judgements(audit, item, events))


def unidentified_view(session: Session) -> Session:
    """Return a session without model, project, times, tokens and cost; its labels stay.

    The id and the source stay, which name an attempt's run: do not show them.
    """
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


def blind_view(session: Session) -> Session:
    """Return the part of a session that its blind reviewer may see.

    Messages, title, tools and the expected output stay; model, run, cost, tokens, times and all
    labels are as if nobody had recorded them. The id stays: do not show it.
    """
    return unidentified_view(session).model_copy(
        update={
            "eval_ready": False,
            "eval_status": EvalStatus.NEEDS_REVIEW,
            "eval_notes": "",
            "eval_tags": (),
            "reviewed_at": None,
        }
    )
