"""Sessions and their label logs on disk: `<id>.json` and `<id>.labels.jsonl`.

Raw sessions lie in `data/local/sessions`, published ones in `data/sessions`; `DataFolder` knows
which of them is read, and where the log lies.

The record holds a conversation with the labels that came with it; each later label is an event of
the log. A label counts once its line is on the disk. Writers of one session, of its record as of
its labels, read and write under its lock, so none loses the work of another; a line that a killed
writer left half is cut off by the next.
"""

import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from typing import Final, Protocol

from pydantic import JsonValue

from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import RECORD, DataFolder
from records.files.plain_files import open_to_change
from records.reader import read_labels, read_session
from records.sessions.event_order import ordered
from records.sessions.labels import PEOPLE, LabelEvent, LabelName, Way, folded
from records.sessions.session import Session
from records.sessions.session_locks import locked
from records.shapes.base import EventId
from records.writer import make_durable, session_bytes, write_atomically
from review.changed_sessions import ChangedSessions
from review.errors import ChangedMeanwhileError
from review.label_changes import GivenLabels, UndoneLabel
from review.labeled_session import LabeledSession
from review.large_sessions import LargeSessions
from review.redacted_copies import redacted_events

_FEW: Final = 20
"""Logs that are flushed separately."""

LabelsOf = Callable[[Session], Mapping[LabelName, JsonValue]]
"""Labels to set, by the present labels of a session; a large session comes without its messages."""


@dataclass(frozen=True, slots=True)
class SessionProblem:
    """A session that cannot be read."""

    path: Path
    """The damaged file: a record or a label log."""
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"

    @classmethod
    def of(cls, error: InvalidRecordError) -> "SessionProblem":
        """Return the problem that reading a session found."""
        reason = f"{error.field}: {error.reason}" if error.field else error.reason
        return cls(error.path, reason)


class LabelGuard(Protocol):
    """Decides whether a person may change labels now; it is asked under the session's lock."""

    def admit(
        self,
        shown: LabeledSession,
        reviewer: str | None,
        labels: Mapping[LabelName, JsonValue],
        turn: int | None,
        *,
        blind: bool,
    ) -> tuple[bool, str | None]:
        """Return whether the labels are given blind, and the item of the audit that they judge.

        Raises:
            GateError: the reviewer may not give them now.
        """
        ...

    def admit_undo(self, shown: LabeledSession, reviewer: str | None) -> None:
        """Refuse an undo that the reviewer may not make now.

        Raises:
            GateError: the reviewer is to judge the session blind.
        """
        ...


class SessionStore:
    """The sessions of a data folder."""

    def __init__(self, folder: DataFolder, *, durable: bool = True) -> None:
        """Open the store; nothing is read before it is asked.

        Args:
            folder: the data folder.
            durable: whether a label is on the disk when the call that gives it returns; else all
                are when `flush` returns, which is quicker for many.
        """
        self.folder = folder
        self.guard: LabelGuard | None = None
        """Decides on the changes that people make; null where every change is written."""
        self._durable = durable
        self._unflushed: set[Path] = set()
        self._changed = ChangedSessions(folder)
        self._large = LargeSessions(folder)

    def __iter__(self) -> Iterator[LabeledSession]:
        """Yield all sessions, by their ids.

        Raises:
            InvalidRecordError: one of them, or its log, cannot be read.
        """
        for path in self.folder.session_files():
            yield self._read(path)

    def scan(
        self, paths: Iterable[Path] | None = None
    ) -> Iterator[LabeledSession | SessionProblem]:
        """Yield all sessions by their ids; an unreadable session is replaced by its problem.

        Args:
            paths: the records that are read, where these are not all.
        """
        for path in self.folder.session_files() if paths is None else paths:
            try:
                yield self._read(path)
            except InvalidRecordError as error:
                yield SessionProblem.of(error)
            except MissingRecordError:
                continue  # deleted since the folder was listed

    def read(self, session_id: str) -> LabeledSession:
        """Return one session.

        Raises:
            MissingRecordError: there is none of this id.
            InvalidRecordError: it, or its log, cannot be read.
        """
        path = self.folder.session_file(session_id)
        record, transcript = self._large.read(path)
        check_name(path, record)
        return self._labelled(record, transcript)

    def read_head(self, session_id: str) -> LabeledSession:
        """Return one session; a large session without its messages.

        Raises:
            MissingRecordError: there is none of this id.
            InvalidRecordError: it, or its log, cannot be read.
        """
        return self._record(session_id)[1]

    def read_record(self, session_id: str) -> Session:
        """Return the record of a session, with the labels that came with it alone.

        Raises:
            MissingRecordError: there is none of this id.
            InvalidRecordError: it cannot be read.
        """
        return read_session(self.folder.session_file(session_id))

    def write(self, session: Session, *, published: bool = False, durable: bool = True) -> bool:
        """Write the record of a session; return whether it changed. Its log stays.

        The labels of ``session`` become the labels of its record: the log's events stand over them.
        A caller that writes thousands may flush them together at the end: not ``durable``.

        Args:
            session: the session.
            published: whether it goes among the published sessions, unless it is among the raw
                sessions already; else among the raw sessions.
            durable: whether it is on the disk when this returns.

        Raises:
            InvalidRecordError: the record that is there, or its log, cannot be read.
        """
        path = self.folder.local_session_file(session.id)
        if published and not path.exists():
            path = self.folder.published_session_file(session.id)
        with self.locked(session.id):
            if self._is_written(session, path):
                return False
            write_atomically(path, session_bytes(session), durable=durable)
            self._large.keep(path, session)
            self._changed.note(session.id)
            return True

    def holds(self, session: Session) -> bool:
        """Return whether `write` would change nothing among the raw sessions.

        Raises:
            InvalidRecordError: the record that is there, or its log, cannot be read.
        """
        return self._is_written(session, self.folder.local_session_file(session.id))

    def label(  # noqa: PLR0913 - what an event is made of
        self,
        session_id: str,
        labels: Mapping[LabelName, JsonValue] | LabelsOf,
        *,
        via: Way,
        reviewer: str | None = None,
        reason: str = "",
        blind: bool = False,
        audit: str | None = None,
        turn: int | None = None,
        version: str | None = None,
    ) -> LabeledSession:
        """Set labels and return the session; labels that it has already make no event.

        A large session is returned without its messages (`review.large_sessions`).

        A status makes an event also where it is the same: the first time that a person judges after
        a grader, after the transcript changed, where it decides between reviewers who
        judged differently, and whenever it is given blind.

        Labels that depend on the present labels, such as the tags with another added, are given
        as a function: it is called while no other writer can change them.

        Args:
            session_id: the session.
            labels: the labels, or a function of the session that returns them.
            via: the way by which they were given.
            reviewer: a pseudonym.
            reason: the reason, in words.
            blind: whether verdict, model and other labels were out of sight.
            audit: the item of an audit that is judged; a ``guard`` finds it itself.
            turn: the number of a turn that is labelled, from 1; null for the session.
            version: the version that the reviewer saw; null where it does not matter.

        Raises:
            MissingRecordError: there is no such session.
            ChangedMeanwhileError: the session is not of the ``version`` that was given.
            GateError: the ``guard`` refuses the labels.
            ValueError: a label cannot have this value.
        """
        with self.locked(session_id):
            record, before = self._record(session_id, whole=turn is not None)
            _check_version(before, version)
            new_labels = labels(before.session) if callable(labels) else labels
            if self.guard is not None and via in PEOPLE:
                blind, audit = self.guard.admit(before, reviewer, new_labels, turn, blind=blind)
            given_labels = GivenLabels(new_labels, via, reviewer, reason, blind, audit, turn)
            return self._with_events(record, before, given_labels.events_after(before))

    def undo(  # noqa: PLR0913 - what an event is made of
        self,
        session_id: str,
        *,
        via: Way,
        reviewer: str | None = None,
        reason: str = "",
        event_id: EventId | None = None,
        version: str | None = None,
    ) -> LabeledSession:
        """Take a change back and return the session; nothing happens where nothing is left.

        A large session is returned without its messages.

        Without ``event_id`` it is the reviewer's own latest change; where none of these is left,
        the latest one of anybody else.

        Raises:
            MissingRecordError: there is no such session.
            ChangedMeanwhileError: the session is not of the ``version`` that was given, or the
                event was taken back already.
            GateError: the ``guard`` refuses it.
            OthersLabelError: the change is another reviewer's, and there is no ``reason``.
        """
        with self.locked(session_id):
            record, before = self._record(session_id)
            _check_version(before, version)
            if self.guard is not None and via in PEOPLE:
                self.guard.admit_undo(before, reviewer)
            undone = UndoneLabel(via, reviewer, reason, event_id)
            return self._with_events(record, before, undone.events_after(before))

    @contextmanager
    def locked(self, *session_ids: str) -> Generator[None]:
        """Hold the locks of sessions: no other writer changes their records or labels meanwhile.

        Every method that writes takes the lock itself: none of them may be called inside.
        """
        with locked(self.folder.locks, session_ids):
            yield

    def _is_written(self, session: Session, path: Path) -> bool:
        return path.exists() and read_session(path) == session

    def flush(self) -> None:
        """Return once the labels of a store that is not durable are on the disk."""
        if len(self._unflushed) > _FEW:
            os.sync()  # once for all: hundreds of files take as many turns of the disk
            self._unflushed.clear()
        for path in self._unflushed:
            with suppress(MissingRecordError), open_to_change(path) as log:
                os.fsync(log.fileno())
        for folder in {path.parent for path in self._unflushed}:
            make_durable(folder)
        self._unflushed.clear()

    def _with_events(
        self, record: Session, before: LabeledSession, new: Sequence[LabelEvent]
    ) -> LabeledSession:
        """Append events to the log and return the session that they leave."""
        if not new:
            return before
        if self._has_redacted_copy(record):
            new = redacted_events(new)
        log = self.folder.label_file(record.id)
        _append(log, new, durable=self._durable)
        if not self._durable:
            self._unflushed.add(log)
        self._changed.note(record.id)
        events = ordered([*before.events, *new])
        return LabeledSession(folded(record, events), events, new, before.transcript)

    def _has_redacted_copy(self, record: Session) -> bool:
        """Return whether git tracks the log: texts in it must hold no secret."""
        copy = self.folder.published_session_file(record.id)
        is_raw = self.folder.local_session_file(record.id).exists()
        return copy.exists() and (is_raw or record.source_digest is not None)

    def _record(self, session_id: str, *, whole: bool = False) -> tuple[Session, LabeledSession]:
        """Return the record of a session, and the session with the labels of its log.

        A large session has its messages only as a ``whole``.
        """
        path = self.folder.session_file(session_id)
        read_record = self._large.read if whole else self._large.read_head
        record, transcript = read_record(path)
        check_name(path, record)
        return record, self._labelled(record, transcript)

    def _labelled(self, record: Session, transcript: str) -> LabeledSession:
        events = read_labels(self.folder.label_file(record.id))
        return LabeledSession(folded(record, events), events, known_transcript=transcript)

    def _read(self, path: Path) -> LabeledSession:
        record = read_session(path)
        check_name(path, record)
        events = read_labels(self.folder.label_file(record.id))
        return LabeledSession(folded(record, events), events)


def check_name(path: Path, record: Session) -> None:
    """Refuse a record that lies under the name of another session.

    Raises:
        InvalidRecordError: its id is not that of the file's name.
    """
    if path.name != f"{record.id}{RECORD}":
        raise InvalidRecordError(path, "id", f"is {record.id}: rename the file, or delete it")


def _append(path: Path, events: Sequence[LabelEvent], *, durable: bool) -> None:
    """Write events behind the others of a log, all in one piece; a torn last line is cut off."""
    lines = (json.dumps(event.model_dump(mode="json"), ensure_ascii=False) for event in events)
    path.parent.mkdir(parents=True, exist_ok=True)
    with BufferedRandom(open_to_change(path, make=True)) as log:
        log.truncate(log.read().rfind(b"\n") + 1)
        is_new = log.seek(0, os.SEEK_END) == 0
        log.write("".join(f"{line}\n" for line in lines).encode())
        log.flush()
        if durable:
            os.fsync(log.fileno())
    if is_new and durable:
        make_durable(path.parent)


def _check_version(one: LabeledSession, version: str | None) -> None:
    if version is not None and version != one.version:
        raise ChangedMeanwhileError(f"{one.session.id}: somebody changed it since it was shown")
