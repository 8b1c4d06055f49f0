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
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from io import BufferedRandom
from pathlib import Path
from typing import Final, cast

from pydantic import JsonValue

from records.artifacts import digest_of
from records.base import EventId
from records.errors import InvalidRecordError, MissingRecordError
from records.event_ids import new_event_id
from records.event_order import moment_after, ordered, standing
from records.folder import DataFolder
from records.labels import (
    PEOPLE,
    LabelEvent,
    LabelName,
    Way,
    differing,
    folded,
    last_of,
    last_own,
    last_to_undo,
    turn_labels,
    unlabelled,
)
from records.plain_files import open_to_change
from records.reader import read_labels, read_session
from records.session import EvalStatus, Session
from records.writer import make_durable, session_bytes, write_atomically
from review.errors import ChangedMeanwhileError, OthersLabelError
from review.session_locks import locked

_LABELS: Final = {"eval_ready", "eval_status", "eval_notes", "eval_tags", "expected_output"}

LabelsOf = Callable[[Session], Mapping[LabelName, JsonValue]]
"""Labels to set, by those that a session has."""


@dataclass(frozen=True, slots=True)
class LabeledSession:
    """A session with the labels that its log leaves."""

    session: Session
    events: Sequence[LabelEvent]
    written: Sequence[LabelEvent] = field(default=(), compare=False)
    """The events among them that were written just now, where labels were set or taken back."""

    @property
    def turns(self) -> Mapping[int, Mapping[LabelName, JsonValue]]:
        """The labels of single turns, by the number of the turn from 1."""
        return turn_labels(self.events)

    @property
    def is_stale(self) -> bool:
        """Whether the transcript changed since the status was judged last."""
        judged = [
            event.seen
            for event in standing(self.events)
            if event.field == "evalStatus" and event.turn is None
        ]
        return bool(judged) and judged[-1] != transcript_digest(self.session)

    @property
    def judges(self) -> Sequence[str]:
        """The pseudonyms of those whose judgements stand, from the one who judged last."""
        named = [
            event.reviewer
            for event in reversed(standing(self.events))
            if event.field == "evalStatus"
            and event.turn is None
            and event.via in PEOPLE
            and event.reviewer is not None
        ]
        return list(dict.fromkeys(named))

    @property
    def is_unjudged(self) -> bool:
        """Whether no person judged the transcript as it is."""
        return self.session.reviewed_at is None or self.is_stale

    def is_news(self, status: JsonValue, *, blind: bool) -> bool:
        """Whether it says something new when a person gives it the status that it has."""
        undecided = self.is_unjudged or bool(differing(self.events))
        return blind or (undecided and status != EvalStatus.NEEDS_REVIEW)

    @property
    def version(self) -> str:
        """A digest that is another one after any change of the transcript or of a label."""
        labels = self.session.model_dump_json(include=_LABELS)
        return digest_of(
            transcript_digest(self.session), labels, *(event.id for event in self.events)
        )


@dataclass(frozen=True, slots=True)
class SessionProblem:
    """A session that cannot be read."""

    path: Path
    """The damaged file: a record or a label log."""
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


def transcript_digest(session: Session) -> str:
    """Return the SHA-256 of what a reviewer reads: roles, texts and calls of tools.

    That of a redacted copy is that of its source, so that labels of one are labels of the other.
    """
    if session.source_digest is not None:
        return session.source_digest
    parts = (
        part
        for message in session.messages
        for part in (
            message.role,
            message.text,
            message.tool_call_id or "",
            *(text for call in message.tool_calls for text in (call.id, call.name, call.arguments)),
        )
    )
    return digest_of(*parts)


class SessionStore:
    """The sessions of a data folder."""

    def __init__(self, folder: DataFolder) -> None:
        self.folder = folder

    def __iter__(self) -> Iterator[LabeledSession]:
        """Yield all sessions, by their ids.

        Raises:
            InvalidRecordError: one of them, or its log, cannot be read.
        """
        for path in self.folder.session_files():
            yield self._read(path)

    def scan(self) -> Iterator[LabeledSession | SessionProblem]:
        """Yield all sessions by their ids; in the place of one that cannot be read, its problem."""
        for path in self.folder.session_files():
            try:
                yield self._read(path)
            except InvalidRecordError as error:
                reason = f"{error.field}: {error.reason}" if error.field else error.reason
                yield SessionProblem(error.path, reason)
            except MissingRecordError:
                continue  # deleted since the folder was listed

    def read(self, session_id: str) -> LabeledSession:
        """Return one session.

        Raises:
            MissingRecordError: there is none of this id.
            InvalidRecordError: it, or its log, cannot be read.
        """
        return self._read(self.folder.session_file(session_id))

    def write(self, session: Session, *, published: bool = False, durable: bool = True) -> bool:
        """Write the record of a session; return whether anything changed. Its log stays.

        The labels of ``session`` become those that came with it: the log's events stand over them.
        Whoever writes thousands may flush them to the disk together at the end: not ``durable``.

        Args:
            session: the session.
            published: whether it goes among the published ones, unless it is among the raw ones
                already; else among the raw ones.
            durable: whether it is on the disk when this returns.

        Raises:
            InvalidRecordError: the record that is there, or its log, cannot be read.
        """
        path = self.folder.local_session_file(session.id)
        if published and not path.exists():
            path = self.folder.published_session_file(session.id)
        with self.locked(session.id):
            if path.exists():
                events = read_labels(self.folder.label_file(session.id))
                if unlabelled(read_session(path), events) == session:
                    return False
            write_atomically(path, session_bytes(session), durable=durable)
            return True

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
        """Set labels and return the session; those that it has already make no event.

        A status makes one also where it is the same: the first time that a person judges what a
        grader had judged, after the transcript changed, where it decides between reviewers who
        judged differently, and whenever it is given blind.

        Labels that depend on those which the session has, such as tags to which one is added, are
        given as a function: it is called while no other writer can change them.

        Args:
            session_id: the session.
            labels: the labels, or a function of the session that returns them.
            via: the way by which they were given.
            reviewer: a pseudonym.
            reason: the reason, in words.
            blind: whether verdict, model and other labels were out of sight.
            audit: the item of an audit that is judged.
            turn: the number of a turn that is labelled, from 1; null for the session.
            version: the version that the reviewer saw; null where it does not matter.

        Raises:
            MissingRecordError: there is no such session.
            ChangedMeanwhileError: the session is not of the ``version`` that was given.
            ValueError: a label cannot have this value.
        """
        with self.locked(session_id):
            record, before = self._record(session_id)
            _check_version(before, version)
            wanted = cast(
                "Mapping[LabelName, JsonValue]",
                labels if isinstance(labels, Mapping) else labels(before.session),
            )
            present = _present_labels(before, turn)
            moment, seen = moment_after(before.events), transcript_digest(before.session)
            events: list[LabelEvent] = []
            for field, value in wanted.items():
                is_judged = turn is None and field == "evalStatus" and via in PEOPLE
                if present.get(field) == value and not (
                    is_judged and before.is_news(value, blind=blind)
                ):
                    continue
                at = moment + timedelta(microseconds=len(events))
                replaced = last_of(before.events, field, turn)
                events.append(
                    LabelEvent(
                        id=new_event_id(at),
                        at=at,
                        replaces=None if replaced is None else replaced.id,
                        reviewer=reviewer,
                        field=field,
                        turn=turn,
                        before=present.get(field),
                        after=value,
                        reason=reason,
                        via=via,
                        blind=blind,
                        seen=seen,
                        audit=audit,
                    )
                )
            return self._with_events(record, before, events)

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

        Without ``event_id`` it is the reviewer's own latest change; where none of these is left,
        the latest one of anybody else.

        Raises:
            MissingRecordError: there is no such session.
            ChangedMeanwhileError: the session is not of the ``version`` that was given, or the
                event was taken back already.
            OthersLabelError: the change is another reviewer's, and there is no ``reason``.
        """
        with self.locked(session_id):
            record, before = self._record(session_id)
            _check_version(before, version)
            back = _to_take_back(before, reviewer, event_id)
            if back is None:
                return before
            if not reason and (back.reviewer != reviewer or back.via not in PEOPLE):
                raise OthersLabelError(
                    f"{session_id}: the label is not this reviewer's: it is taken back only with a "
                    "reason"
                )
            at = moment_after(before.events)
            replaced = last_of(before.events, back.field, back.turn)
            event = LabelEvent(
                id=new_event_id(at),
                at=at,
                replaces=None if replaced is None else replaced.id,
                undoes=back.id,
                reviewer=reviewer,
                field=back.field,
                turn=back.turn,
                before=back.after,
                after=back.before,
                reason=reason,
                via=via,
                blind=back.blind,
                seen=back.seen,
                audit=back.audit,
            )
            return self._with_events(record, before, [event])

    @contextmanager
    def locked(self, *session_ids: str) -> Generator[None]:
        """Hold the locks of sessions: no other writer changes their records or labels meanwhile.

        Every method that writes takes the lock itself: none of them may be called inside.
        """
        with locked(self.folder.locks, session_ids):
            yield

    def _with_events(
        self, record: Session, before: LabeledSession, new: Sequence[LabelEvent]
    ) -> LabeledSession:
        """Append events to the log and return the session that they leave."""
        if not new:
            return before
        _append(self.folder.label_file(record.id), new)
        events = ordered([*before.events, *new])
        return LabeledSession(folded(record, events), events, new)

    def _record(self, session_id: str) -> tuple[Session, LabeledSession]:
        """Return the record of a session, and the session with the labels of its log."""
        record = read_session(self.folder.session_file(session_id))
        events = read_labels(self.folder.label_file(session_id))
        return record, LabeledSession(folded(record, events), events)

    def _read(self, path: Path) -> LabeledSession:
        record = read_session(path)
        events = read_labels(self.folder.label_file(record.id))
        return LabeledSession(folded(record, events), events)


def _present_labels(shown: LabeledSession, turn: int | None) -> Mapping[str, JsonValue]:
    """Return the labels that a session has, or one of its turns."""
    if turn is not None:
        return cast("Mapping[str, JsonValue]", shown.turns.get(turn, {}))
    return shown.session.model_dump(mode="json", by_alias=True, include=_LABELS)


def _to_take_back(
    shown: LabeledSession, reviewer: str | None, event_id: EventId | None
) -> LabelEvent | None:
    if event_id is None:
        return last_own(shown.events, reviewer) or last_to_undo(shown.events)
    for event in standing(shown.events):
        if event.id == event_id:
            return event
    raise ChangedMeanwhileError(f"{shown.session.id}: the label was taken back since it was shown")


def _append(path: Path, events: Sequence[LabelEvent]) -> None:
    """Write events behind the others of a log, all in one piece; a torn last line is cut off."""
    lines = (json.dumps(one.model_dump(mode="json"), ensure_ascii=False) for one in events)
    path.parent.mkdir(parents=True, exist_ok=True)
    with BufferedRandom(open_to_change(path, make=True)) as log:
        log.truncate(log.read().rfind(b"\n") + 1)
        is_new = log.seek(0, os.SEEK_END) == 0
        log.write("".join(f"{line}\n" for line in lines).encode())
        log.flush()
        os.fsync(log.fileno())
    if is_new:
        make_durable(path.parent)


def _check_version(one: LabeledSession, version: str | None) -> None:
    if version is not None and version != one.version:
        raise ChangedMeanwhileError(f"{one.session.id}: somebody changed it since it was shown")
