"""Progress of audits: attempts that are still to be judged, and attempts on which judges differ.

`review.label_service` decides how a reviewer may see and change a session.

Reviewers are known by their pseudonyms, and people without a pseudonym count as one reviewer.
`tasks` and `group_ids` read the logs of all drawn sessions. An audit is read again only if it
changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from records.errors import InvalidRecordError
from records.reader import read_record
from records.sessions.audit import (
    Audit,
    AuditItem,
    AuditState,
    Judgements,
    find_judgements,
    parse_status,
)
from records.sessions.events import read_log
from records.sessions.labels import LabelEvent
from review.selection import SessionSelection
from review.store import SessionStore, read_stamp


@dataclass(frozen=True, slots=True)
class AuditTask:
    """An attempt that an audit drew, with its judgements."""

    audit: Audit
    number: int
    """Number of the attempt in the audit, from 1."""
    item: AuditItem
    judgements: Judgements

    @property
    def name(self) -> str:
        """The name of the attempt while it is judged, which does not disclose its run."""
        return f"{self.audit.audit_id}/{self.number}"

    @property
    def state(self) -> AuditState:
        """The state of the judgements."""
        return self.judgements.state

    @property
    def is_open(self) -> bool:
        """True if a judgement is still missing."""
        return self.state is AuditState.OPEN

    @property
    def sides(self) -> Sequence[LabelEvent]:
        """The blind judgements if they differ, else none."""
        blind = self.judgements.blind
        return blind if len({parse_status(event) for event in blind}) > 1 else ()

    def is_blind_for(self, reviewer: str | None) -> bool:
        """Return whether this reviewer may still judge the attempt, and so must see no verdict.

        False for a reviewer who has judged it, and for everybody if it is settled or disputed.
        """
        judged = {event.reviewer for event in self.judgements.blind}
        return self.is_open and reviewer not in judged


@dataclass(frozen=True, slots=True)
class AuditedIds:
    """Ids of the sessions that audits drew, for one reviewer."""

    waiting: Sequence[str]
    """Sessions that the reviewer is to judge blind, in the order of the audits."""
    damaged: Sequence[str]
    """Sessions whose label log cannot be read, so that it is not known whether they were judged."""
    disputed: Sequence[str]
    """Sessions on which judges differ, in the order of the audits."""
    judged: int
    """Number of sessions that the reviewer has judged blind."""

    @property
    def hidden(self) -> frozenset[str]:
        """The sessions that are in no list and no export of the reviewer."""
        return frozenset((*self.waiting, *self.damaged))

    def restrict_selection(self, chosen: SessionSelection) -> SessionSelection:
        """Return the selection without hidden sessions.

        If the selection has a model, disputed sessions are left out, too, also those in dispute
        outside of audits. A session in a list would disclose the verdict, the model or the day that
        the list selects, and perhaps its run, by the sessions beside it.
        """
        by_model = chosen.model is not None
        without = self.hidden.union(self.disputed if by_model else ())
        return replace(chosen, without=without, run_shown=by_model)


class _KnownAudit(NamedTuple):
    """An audit that was read."""

    audit: Audit
    numbers: Mapping[str, int]
    """The number of each drawn session, by the session's id."""


@lru_cache(maxsize=100)
def _read_known_audit(path: Path, _: str | None) -> _KnownAudit:
    """Return the audit in a file; with another stamp, the second argument, it is read again."""
    audit = read_record(Audit, path)
    return _KnownAudit(audit, {item.session: n for n, item in enumerate(audit.items, 1)})


class AuditTasks:
    """The attempts that audits of a data folder drew, from published and development runs."""

    def __init__(self, store: SessionStore) -> None:
        self._folder = store.folder

    def list_audits(self) -> list[Audit]:
        """Return the audits, the newest first.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        return [known_audit.audit for known_audit in self._read_known_audits()]

    def _read_known_audits(self) -> list[_KnownAudit]:
        """Return the audits, the newest first. An audit with the same stamp is not read again."""
        paths = chain(self._folder.audits.list_files(), self._folder.local.audits.list_files())
        return sorted(
            (_read_known_audit(path, read_stamp(path)) for path in paths),
            key=lambda known_audit: (known_audit.audit.drawn_at, known_audit.audit.audit_id),
            reverse=True,
        )

    def list_tasks(self) -> Iterator[AuditTask]:
        """Yield all drawn attempts, the newest audit first, in the order of each audit.

        Raises:
            InvalidRecordError: an audit or a label log cannot be read.
        """
        for place in self._list_places():
            yield self._read_task(*place)

    def _list_places(self) -> Iterator[tuple[Audit, int, AuditItem]]:
        for audit in self.list_audits():
            for number, item in enumerate(audit.items, 1):
                yield audit, number, item

    def group_ids(self, reviewer: str | None) -> AuditedIds:
        """Return the drawn sessions, by their state for a reviewer.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        waiting: dict[str, None] = {}
        damaged: dict[str, None] = {}
        disputed: dict[str, None] = {}
        judged: set[str] = set()
        for audit, number, item in self._list_places():
            try:
                task = self._read_task(audit, number, item)
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

    def list_session_tasks(self, session_id: str, events: Sequence[LabelEvent]) -> list[AuditTask]:
        """Return the tasks of a session in all audits, the newest audit first.

        Args:
            session_id: the session.
            events: the events of its label log.

        Raises:
            InvalidRecordError: an audit cannot be read.
        """
        tasks: list[AuditTask] = []
        for known_audit in self._read_known_audits():
            number = known_audit.numbers.get(session_id)
            if number is not None:
                item = known_audit.audit.items[number - 1]
                drawn = find_judgements(known_audit.audit, item, events)
                tasks.append(AuditTask(known_audit.audit, number, item, drawn))
        return tasks

    def find_task(self, name: str) -> AuditTask | None:
        """Return the task with this `AuditTask.name`; None if there is none."""
        for audit, number, item in self._list_places():
            if name == f"{audit.audit_id}/{number}":
                return self._read_task(audit, number, item)
        return None

    def _read_task(self, audit: Audit, number: int, item: AuditItem) -> AuditTask:
        events = read_log(LabelEvent, self._folder.get_label_file(item.session))
        return AuditTask(audit, number, item, find_judgements(audit, item, events))
