"""Changes of many sessions at once, which can be interrupted, continued and taken back.

A change is a file in `data/local/bulk`. Its first line has the labels and the sessions. A line
follows for each session that was begun or done. So any process can continue a change whose process
was killed, or take it back. A session is recorded as done when its labels are on the disk.
"""

import secrets
import threading
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import sleep
from typing import Literal

from pydantic import JsonValue, ValidationError

from records.errors import InvalidRecordError, MissingRecordError, RecordsError
from records.files.data_folder import DataFolder
from records.files.plain_files import Log, is_locked
from records.reader import read_bytes
from records.sessions.events import read_log, select_standing
from records.sessions.labels import LabelEvent, LabelName
from records.sessions.session import EvalStatus
from records.shapes.base import EventId, Moment, OutsideText, Record, SessionId
from records.writer import write_atomically
from review.errors import BulkInUseError, ChangedMeanwhileError, ReviewError
from review.index.session_index import SessionIndex
from review.label_service import LabelService
from review.selection import SessionSelection
from review.store import SessionStore

_BATCH = 500
"""Number of sessions whose labels are flushed to the disk together."""
_KEPT = 20
"""Number of changes that are kept; older changes are deleted when a new change begins."""

_OF_ANOTHER = "a change of many sessions is taken back"
"""The reason that is needed to take back a label of another reviewer."""
_TRIES = 50
_TRY_AGAIN_S = 0.02

Outcome = Literal["begun", "written", "same", "refused", "taking_back", "undone", "left"]
"""The meaning of a line. The labels of a session are to be written (begun), were written, were the
same, or cannot be written (refused). The whole change is being taken back. A session is as before
the change (undone), or cannot be taken back (left)."""


class BulkLabels(Record):
    """The labels for each of the sessions; an empty field changes nothing."""

    status: EvalStatus | None = None
    ready: bool | None = None
    added: tuple[OutsideText, ...] = ()
    removed: tuple[OutsideText, ...] = ()

    def list_values(self) -> dict[LabelName, JsonValue]:
        """Return the labels that are set, by name; tags are added and removed instead."""
        status = None if self.status is None else self.status.value
        values: dict[LabelName, JsonValue] = {"evalStatus": status, "evalReady": self.ready}
        return {name: value for name, value in values.items() if value is not None}


class BulkStart(Record):
    """The first line of a change."""

    at: Moment
    reviewer: str | None
    labels: BulkLabels
    back: str
    """The address of the list from which the change was started."""
    sessions: tuple[SessionId, ...]


class BulkLine(Record):
    """Any line of a change but the first."""

    outcome: Outcome
    session: SessionId | None = None
    at: Moment | None = None
    """When the session was begun."""
    version: str | None = None
    """The version of the session after its labels were written."""
    events: tuple[EventId, ...] = ()
    """The events that were written."""
    reviewer: str | None = None
    """The reviewer who takes the change back."""
    reason: OutsideText = ""
    """Why labels were not written, or not taken back."""


class BulkChange:
    """A change of many sessions, with the state in its file. One process at a time continues it."""

    def __init__(self, path: Path, start: BulkStart, lines: Iterable[BulkLine]) -> None:
        self.path = path
        self.start = start
        self.is_taken_back = False
        """True if the change was taken back, or is being taken back."""
        self.taken_back_by: str | None = None
        self._last: dict[str, BulkLine] = {}
        """The last line of each session."""
        for line in lines:
            self._apply(line)
        self._interrupted = {
            name: line for name, line in self._last.items() if line.outcome == "begun"
        }
        """Sessions that a killed process may have labelled without writing a line."""

    @property
    def key(self) -> str:
        """The name of the change."""
        return self.path.stem

    def list_lines(self, *outcomes: Outcome) -> list[BulkLine]:
        """Return the last lines of sessions that have one of the outcomes."""
        return [line for line in self._last.values() if line.outcome in outcomes]

    @property
    def remaining(self) -> Sequence[str]:
        """The sessions that are still to be changed, or to be taken back."""
        if self.is_taken_back:
            return [name for name, line in self._last.items() if line.outcome == "written"]
        done = self._last.keys() - {line.session for line in self.list_lines("begun")}
        return [name for name in self.start.sessions if name not in done]

    @property
    def total(self) -> int:
        """The number of sessions to be changed, or to be taken back."""
        written = self.list_lines("written", "undone", "left")
        return len(written) if self.is_taken_back else len(self.start.sessions)

    def go_on(self, store: SessionStore) -> None:
        """Change all remaining sessions, or take them back.

        Args:
            store: a store that is not durable, for this call alone.

        Raises:
            BulkInUseError: another process or thread is continuing the change.
        """
        with self.lock_change() as log:
            reviewer = self.taken_back_by if self.is_taken_back else self.start.reviewer
            service = LabelService(store, "desk", reviewer)
            remaining = self.remaining
            for start in range(0, len(remaining), _BATCH):
                batch = remaining[start : start + _BATCH]
                if self.is_taken_back:
                    lines = [self._take_back(store, service, session_id) for session_id in batch]
                else:
                    now = datetime.now(UTC)
                    new = [name for name in batch if name not in self._last]
                    self.append(
                        log, [BulkLine(outcome="begun", session=name, at=now) for name in new]
                    )
                    lines = [self._change(store, service, session_id) for session_id in batch]
                store.flush()
                self.append(log, lines)

    def begin_to_take_back(self, reviewer: str | None) -> None:
        """Record that ``reviewer`` takes the change back; `go_on` then does it.

        Raises:
            BulkInUseError: a process is still continuing the change.
        """
        with self.lock_change() as log:
            if not self.is_taken_back:
                self.append(log, [BulkLine(outcome="taking_back", reviewer=reviewer)])

    def _change(self, store: SessionStore, service: LabelService, session_id: str) -> BulkLine:
        """Label a session and return its line. A killed process may have labelled it already."""
        change = self.start.labels
        try:
            saved = service.label(
                session_id,
                change.list_values(),
                add_tags=change.added,
                remove_tags=change.removed,
            )
        except (RecordsError, ReviewError, OSError) as error:
            return BulkLine(outcome="refused", session=session_id, reason=str(error))
        events = saved.events
        if not events and session_id in self._interrupted:
            begun = self._interrupted[session_id].at or self.start.at
            log = read_log(LabelEvent, store.folder.get_label_file(session_id))
            events = [event.id for event in select_standing(log) if self._is_own(event, begun)]
        if not events:
            return BulkLine(outcome="same", session=session_id)
        return BulkLine(
            outcome="written",
            session=session_id,
            version=saved.visible.version,
            events=tuple(events),
        )

    def _is_own(self, event: LabelEvent, begun: datetime) -> bool:
        """Return whether an event belongs to this change, by reviewer, way, time and label."""
        labels = self.start.labels
        tags = ["evalTags"] if labels.added or labels.removed else []
        return (
            event.at >= begun
            and event.via == "desk"
            and event.reviewer == self.start.reviewer
            and event.turn is None
            and event.field in {*labels.list_values(), *tags}
        )

    def _take_back(self, store: SessionStore, service: LabelService, session_id: str) -> BulkLine:
        written = self._last[session_id]
        version, events = written.version or "", written.events
        try:
            log = read_log(LabelEvent, store.folder.get_label_file(session_id))
            present = {event.id for event in select_standing(log)}
            if not present & set(events):  # a killed process took them back without a line
                return BulkLine(outcome="undone", session=session_id)
            for event_id in reversed(events):
                saved = service.undo(
                    session_id,
                    reason="" if self.taken_back_by == self.start.reviewer else _OF_ANOTHER,
                    event_id=event_id,
                    version=version,
                )
                version = saved.visible.version
        except ChangedMeanwhileError:
            reason = f"{session_id}: was changed since, and is left as it is"
            return BulkLine(outcome="left", session=session_id, reason=reason)
        except (RecordsError, ReviewError, OSError) as error:
            return BulkLine(outcome="left", session=session_id, reason=str(error))
        return BulkLine(outcome="undone", session=session_id)

    def append(self, log: Log, lines: Sequence[BulkLine]) -> None:
        """Append lines to the file, and apply them to this state when they are on the disk."""
        texts = (line.model_dump_json(exclude_defaults=True) for line in lines)
        log.append("".join(f"{text}\n" for text in texts).encode())
        for line in lines:
            self._apply(line)

    def _apply(self, line: BulkLine) -> None:
        if line.outcome == "taking_back":
            self.is_taken_back = True
            self.taken_back_by = line.reviewer
        elif line.session is not None:
            self._last[line.session] = line

    @contextmanager
    def lock_change(self) -> Generator[Log]:
        """Lock the change for a block, so that no other thread or process continues it.

        Raises:
            BulkInUseError: another thread or process has the lock.
        """
        for _ in range(_TRIES):
            with suppress(BlockingIOError):
                log = Log(self.path, make=True, wait=False)
                break
            sleep(_TRY_AGAIN_S)
        else:
            raise BulkInUseError(f"{self.key}: the change is still going on")
        with log:
            yield log.cut()


def _read(path: Path) -> BulkChange | None:
    """Return the change in a file, without incomplete lines; None if the first line is wrong."""
    try:
        first, *raw_lines = read_bytes(path).split(b"\n")[:-1]
        start = BulkStart.model_validate_json(first)
    except (ValueError, InvalidRecordError, MissingRecordError):
        return None
    lines: list[BulkLine] = []
    for line in raw_lines:
        with suppress(ValidationError):
            lines.append(BulkLine.model_validate_json(line))
    return BulkChange(path, start, lines)


class BulkChanges:
    """The changes of a data folder, and the threads of this process that make them."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._live: dict[str, tuple[threading.Thread, BulkChange]] = {}
        self._finished: str | None = None
        """The key of the newest change, if it was seen to have ended."""

    def begin(
        self,
        labels: BulkLabels,
        sessions: Sequence[str],
        reviewer: str | None,
        *,
        refused: Mapping[str, str],
        back: str,
    ) -> BulkChange:
        """Write the file of a new change, which `BulkChange.go_on` then makes.

        Args:
            labels: the labels.
            sessions: ids of the sessions.
            reviewer: the pseudonym of the reviewer.
            refused: reasons not to change some of the sessions, by id.
            back: the address of the list from which the change is started.
        """
        now = datetime.now(UTC)
        path = self._folder.bulk_changes / f"{now:%Y%m%dT%H%M%S%f}-{secrets.token_hex(8)}.jsonl"
        start = BulkStart(
            at=now, reviewer=reviewer, labels=labels, back=back, sessions=tuple(sessions)
        )
        lines = [
            BulkLine(outcome="refused", session=session_id, reason=reason)
            for session_id, reason in refused.items()
        ]
        texts = [line.model_dump_json() for line in (start, *lines)]
        write_atomically(path, "".join(f"{text}\n" for text in texts).encode())
        for old in self._list_paths()[_KEPT:]:
            old.unlink(missing_ok=True)
        return BulkChange(path, start, lines)

    def find_latest(self) -> str | None:
        """Return the key of the newest change; None if there is none."""
        return next((path.stem for path in self._list_paths()), None)

    def _list_paths(self) -> Sequence[Path]:
        """Return the files of changes, the newest first."""
        return sorted(self._folder.bulk_changes.glob("*.jsonl"), reverse=True)

    def start(self, change: BulkChange) -> threading.Thread:
        """Start a thread that continues a change; return the thread."""
        with self._lock:
            thread = threading.Thread(target=self._run_change, args=(change,), daemon=True)
            self._live[change.key] = thread, change
            thread.start()
            return thread

    def find(self, key: str) -> BulkChange | None:
        """Return the change with ``key``; None if there is none, or if its file is damaged."""
        read = (_read(path) for path in self._list_paths() if path.stem == key)
        return self._find_live(key) or next(read, None)

    def is_running(self, change: BulkChange) -> bool:
        """Return whether this or another process is continuing a change."""
        return self._find_live(change.key) is not None or is_locked(change.path)

    def _find_live(self, key: str) -> BulkChange | None:
        """Return the change that a thread of this process makes; None if none makes it."""
        with self._lock:
            thread, change = self._live.get(key, (None, None))
        return change if thread is not None and thread.is_alive() else None

    def find_interrupted(self) -> str | None:
        """Return the key of the newest change if it was interrupted; else None."""
        key = self.find_latest()
        if key is None or key == self._finished:
            return None
        change = self.find(key)
        if change is None or not change.remaining:
            self._finished = key
            return None
        return None if self.is_running(change) else key

    def _run_change(self, change: BulkChange) -> None:
        try:
            change.go_on(SessionStore(self._folder, durable=False))
        except BulkInUseError:
            return  # another process is continuing the change
        # With this query the index has the labels before a page shows that the change ended.
        SessionIndex(SessionStore(self._folder)).list_ids(SessionSelection(limit=1))
