"""Sessions and their label logs on disk: `<id>.json` and `<id>.labels.jsonl`.

Raw sessions lie in `data/local/sessions`, published ones in `data/sessions`; `DataFolder` knows
which of them is read, and where the log lies.

A label counts once its line is on the disk. Writers of one session take turns by a lock on its log,
so none loses another's event; a line that a killed writer left half is cut off by the next.
"""

import fcntl
import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BufferedRandom
from pathlib import Path
from typing import BinaryIO, Final, cast

from pydantic import JsonValue

from records.artifacts import digest_of
from records.folder import DataFolder
from records.labels import (
    PEOPLE,
    LabelEvent,
    LabelName,
    Way,
    differing,
    folded,
    last_to_undo,
)
from records.plain_files import open_to_change
from records.reader import parse_labels, read_labels, read_session
from records.session import EvalStatus, Session
from records.writer import record_bytes, write_atomically, write_session
from review.errors import ChangedMeanwhileError

_LABELS: Final = {"eval_ready", "eval_status", "eval_notes", "eval_tags", "expected_output"}

LabelsOf = Callable[[Session], Mapping[LabelName, JsonValue]]
"""Labels to set, by those that a session has."""


@dataclass(frozen=True, slots=True)
class LabeledSession:
    """A session with the labels that its log leaves."""

    session: Session
    events: Sequence[LabelEvent]

    @property
    def is_stale(self) -> bool:
        """Whether the transcript changed since the status was judged last."""
        judged = [event.seen for event in self.events if event.field == "evalStatus"]
        return bool(judged) and judged[-1] != transcript_digest(self.session)

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
        return digest_of(transcript_digest(self.session), labels, str(len(self.events)))


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

    def read(self, session_id: str) -> LabeledSession:
        """Return one session.

        Raises:
            MissingRecordError: there is none of this id.
            InvalidRecordError: it, or its log, cannot be read.
        """
        return self._read(self.folder.session_file(session_id))

    def write(self, session: Session, *, published: bool = False, durable: bool = True) -> bool:
        """Write a session, whose labels become those of its log; say whether anything changed.

        Whoever writes thousands may flush them to the disk together at the end: not ``durable``.

        Args:
            session: the session.
            published: whether it goes among the published ones, unless it is among the raw ones
                already; else among the raw ones.
            durable: whether it is on the disk when this returns.
        """
        path = self.folder.local_session_file(session.id)
        if published and not path.exists():
            path = self.folder.published_session_file(session.id)
        wanted = folded(session, self._events_of(session.id))
        if path.exists() and read_session(path) == wanted:
            return False
        write_atomically(path, record_bytes(wanted), durable=durable)
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
        version: str | None = None,
    ) -> LabeledSession:
        """Set labels and return the session; those that it has already make no event.

        A status makes one also where it is the same: the first time that a person judges what a
        grader had judged, after the transcript changed, where it decides between reviewers who
        judged differently, and whenever it is given blind.

        Labels that depend on those which the session has, such as tags to which one is added, are
        given as a function: it is called while no other writer can change them.

        Raises:
            MissingRecordError: there is no such session.
            ChangedMeanwhileError: the session is not of the ``version`` that was given.
            ValueError: a label cannot have this value.
        """
        if version is not None:  # before a log is made; it counts under the lock, below
            _check_version(self.read(session_id), version)
        path = self.folder.session_file(session_id)
        session = read_session(path)
        with self._locked(session_id) as log:
            given = parse_labels(self.folder.label_file(session_id), log.read())
            before = LabeledSession(folded(session, given), given)
            _check_version(before, version)
            said = before.session.model_dump(mode="json", by_alias=True)
            wanted = cast(
                "Mapping[LabelName, JsonValue]",
                labels if isinstance(labels, Mapping) else labels(before.session),
            )
            events = [
                LabelEvent(
                    at=datetime.now(UTC),
                    reviewer=reviewer,
                    field=field,
                    before=said[field],
                    after=value,
                    reason=reason,
                    via=via,
                    blind=blind,
                    seen=transcript_digest(session),
                )
                for field, value in wanted.items()
                if said[field] != value
                or (field == "evalStatus" and via in PEOPLE and before.is_news(value, blind=blind))
            ]
            _append(log, events)
            return self._settled(session, [*given, *events])

    def undo(
        self, session_id: str, *, via: Way, reviewer: str | None = None, version: str | None = None
    ) -> LabeledSession:
        """Take the latest change back and return the session; nothing happens without one.

        Raises:
            MissingRecordError: there is no such session.
            ChangedMeanwhileError: the session is not of the ``version`` that was given.
        """
        if version is not None:
            _check_version(self.read(session_id), version)
        session = read_session(self.folder.session_file(session_id))
        with self._locked(session_id) as log:
            events = parse_labels(self.folder.label_file(session_id), log.read())
            _check_version(LabeledSession(folded(session, events), events), version)
            place = last_to_undo(events)
            if place is not None:
                back = events[place]
                event = back.model_copy(
                    update={
                        "at": datetime.now(UTC),
                        "reviewer": reviewer,
                        "before": back.after,
                        "after": back.before,
                        "reason": "",
                        "via": via,
                        "undoes": place,
                    }
                )
                _append(log, [event])
                events.append(event)
            return self._settled(session, events)

    def _settled(self, session: Session, events: Sequence[LabelEvent]) -> LabeledSession:
        """Repeat the labels in the session's record; killed before, the next reader folds them."""
        labelled = folded(session, events)
        if labelled != read_session(self.folder.session_file(session.id)):
            write_session(self.folder, labelled)
        return LabeledSession(labelled, events)

    def _read(self, path: Path) -> LabeledSession:
        session = read_session(path)
        events = self._events_of(session.id)
        return LabeledSession(folded(session, events), events)

    def _events_of(self, session_id: str) -> list[LabelEvent]:
        return read_labels(self.folder.label_file(session_id))

    @contextmanager
    def _locked(self, session_id: str) -> Generator[BinaryIO]:
        """Give the log of a session, to this process alone; a torn last line is cut off."""
        path = self.folder.label_file(session_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        with BufferedRandom(open_to_change(path, make=True)) as log:
            fcntl.flock(log, fcntl.LOCK_EX)
            data = log.read()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                log.truncate(whole)
            log.seek(0)
            yield log


def _append(log: BinaryIO, events: Sequence[LabelEvent]) -> None:
    """Write events behind the others, all in one piece."""
    lines = (json.dumps(one.model_dump(mode="json"), ensure_ascii=False) for one in events)
    log.seek(0, os.SEEK_END)
    log.write("".join(f"{line}\n" for line in lines).encode())
    log.flush()
    os.fsync(log.fileno())


def _check_version(one: LabeledSession, version: str | None) -> None:
    if version is not None and version != one.version:
        raise ChangedMeanwhileError(f"{one.session.id}: somebody changed it since it was shown")
