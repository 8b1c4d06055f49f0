"""Progress of audits: attempts yet to be judged, by whom, and those where judges differ.

`review.audit.gate` says what a reviewer may see and do of a session; `AuditTasks(store).tasks()`
yields the attempts in the order that was drawn.

Two people are told apart by their pseudonyms: whoever has none counts as one and the same. Every
call of `tasks` reads the logs of the sessions that were drawn; an audit is read when it changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from records.audit import Audit, AuditItem, AuditState, Judgements, judged_status, judgements
from records.errors import InvalidRecordError
from records.labels import LabelEvent
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

    @property
    def sides(self) -> Sequence[LabelEvent]:
        """The blind judgements, where they differ; none where they agree."""
        blind = self.judgements.blind
        return blind if len({judged_status(one) for one in blind}) > 1 else ()

    def is_blind_for(self, reviewer: str | None) -> bool:
        """Say whether this reviewer is to judge it, or may yet be asked to, and must see nothing.

        Whoever has judged it may see everything, and so may anybody once it is settled or disputed.
        """
        judged = {one.reviewer for one in self.judgements.blind}
        return self.is_open and reviewer not in judged


@dataclass(frozen=True, slots=True)
class _KnownAudit:
    """An audit as it was read last."""

    stamp: tuple[int, int, int]
    audit: Audit
    numbers: Mapping[str, int]
    """The number of each session that was drawn."""


def _known_audit(path: Path, stamp: tuple[int, int, int]) -> _KnownAudit:
    audit = read_audit(path)
    return _KnownAudit(stamp, audit, {one.session: n for n, one in enumerate(audit.items, 1)})


def _stamp(path: Path) -> tuple[int, int, int]:
    """Return numbers that change with the file; zeros where it went just now."""
    try:
        state = path.lstat()
    except FileNotFoundError:
        return 0, 0, 0
    return state.st_size, state.st_mtime_ns, state.st_ino


class AuditTasks:
    """The attempts that audits of a data folder drew, published and development ones."""

    def __init__(self, store: SessionStore) -> None:
        self._folder = store.folder
        self._known: dict[Path, _KnownAudit] = {}

    def audits(self) -> list[Audit]:
        """Return the audits, the newest first.

        Raises:
            InvalidRecordError: one of them cannot be read.
        """
        return [known.audit for known in self._audits()]

    def _audits(self) -> list["_KnownAudit"]:
        """Return the audits, the newest first; one whose file is as it was is not read again."""
        folders = (self._folder, self._folder.local)
        known: dict[Path, _KnownAudit] = {}
        for path in (path for folder in folders for path in folder.audit_files()):
            stamp = _stamp(path)
            last = self._known.get(path)
            known[path] = last if last and last.stamp == stamp else _known_audit(path, stamp)
        self._known = known
        return sorted(
            known.values(), key=lambda one: (one.audit.drawn_at, one.audit.audit_id), reverse=True
        )

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

    def disputed(self) -> list[str]:
        """Return the ids of the sessions that judges differ about, in the order drawn.

        Raises:
            InvalidRecordError: an audit or a label log cannot be read.
        """
        disputed = (one.session_id for one in self.tasks() if one.state is AuditState.DISPUTED)
        return list(dict.fromkeys(disputed))

    def of(self, session_id: str) -> AuditTask | None:
        """Return what a session is in the newest audit that drew it; null where none did."""
        events = read_labels(self._folder.label_file(session_id))
        return next(iter(self.tasks_of(session_id, events)), None)

    def tasks_of(self, session_id: str, events: Sequence[LabelEvent]) -> list[AuditTask]:
        """Return what a session is in the audits that drew it, the newest audit first.

        Args:
            session_id: the session.
            events: of its label log.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        tasks: list[AuditTask] = []
        for known in self._audits():
            number = known.numbers.get(session_id)
            if number is not None:
                item = known.audit.items[number - 1]
                drawn = judgements(known.audit, item, events)
                tasks.append(AuditTask(known.audit, number, item, drawn))
        return tasks

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


def unidentified_view(session: Session) -> Session:
    """Return a session without model, project, times, tokens and cost; its labels stay.

    The id and the source stay, which name an attempt's run: do not show them.
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
        }
    )


def blind_view(session: Session) -> Session:
    """Return what of a session may be seen by whoever judges it blind.

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
