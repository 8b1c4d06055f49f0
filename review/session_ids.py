"""Ids that earlier versions gave to imported sessions, and their change to today's ids.

The id of a coding tool's session was a digest of its file: a file that grew was another session.
Now it is made of the name that the file gives the session. A session keeps its former id in its
record; its label log, and all records that name it go with it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.files.plain_files import open_plain
from records.reader import read_labels, read_session
from records.sessions.event_order import ordered
from records.sessions.labels import LabelEvent
from records.sessions.session import FromFile, Session
from records.writer import session_bytes, write_atomically
from review.session_heads import SessionHead, session_heads
from review.session_imports.common.adapter import session_id
from review.store import SessionStore

BY_FILE: Final = frozenset({"claude_code", "codex", "opencode"})
"""The importers whose ids were digests of files."""
_COMPARISON: Final = "comparison"
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def is_by_file(head: SessionHead) -> bool:
    """Return whether a session has an id of the earlier rule."""
    return (
        head.importer in BY_FILE
        and head.identity is None
        and head.id == session_id(head.importer, f"{head.digest}/0")
    )


def name_of_file(head: SessionHead) -> str | None:
    """Return the name of the session that the name of its file has; None where it has none."""
    names = _UUID.findall(head.name) if head.importer != "opencode" else []
    is_whole = names and (head.importer == "codex" or head.name == f"{names[0]}.jsonl")
    return names[-1] if is_whole else None


def migrate_session_ids(store: SessionStore) -> list[tuple[str, str]]:
    """Give the sessions of the earlier rule their ids of today; return the old and new ids.

    A session whose file has another name than its program gave it keeps its id until the file is
    imported anew.

    Raises:
        InvalidRecordError: a record or log of such a session cannot be read.
    """
    changes: list[tuple[str, str]] = []
    for head in list(session_heads(store.folder)):
        identity = name_of_file(head) if is_by_file(head) else None
        if identity is not None:
            changes.append((head.id, rename_session(store, head, identity)))
    return [*changes, *_follow(store, dict(changes))]


def rename_session(store: SessionStore, head: SessionHead, identity: str) -> str:
    """Give a session the id of the name that its source gives it; return that id.

    Where the session of that id exists already, as of a longer version of the file, the labels are
    joined and the longer transcript is kept. Killed in between, it can be done again.

    Raises:
        InvalidRecordError: the record or the log cannot be read.
    """
    new = session_id(head.importer, identity)
    _rename(store, head, new, {"identity": identity})
    _replace_mentions(store.folder, head.id, new)
    return new


def _rename(store: SessionStore, head: SessionHead, new: str, source: Mapping[str, object]) -> None:
    folder = store.folder
    with store.locked(head.id, new):
        events = [*read_labels(folder.label_file(head.id)), *read_labels(folder.label_file(new))]
        logs = [folder.local_label_file(head.id), folder.published_label_file(head.id)]
        for path, target in (
            (folder.local_session_file(head.id), folder.local_session_file(new)),
            (folder.published_session_file(head.id), folder.published_session_file(new)),
        ):
            if path.exists():
                write_atomically(target, session_bytes(_joined(path, target, new, source)))
        if events:
            write_atomically(folder.label_file(new), _log_bytes(events))
        for path in (
            folder.local_session_file(head.id),
            folder.published_session_file(head.id),
            *logs,
        ):
            path.unlink(missing_ok=True)


def _joined(path: Path, target: Path, new: str, source: Mapping[str, object]) -> Session:
    """Return the longer of two versions of a session, under its new id."""
    versions = [read_session(file) for file in (path, target) if file.exists()]
    longest = max(versions, key=lambda session: len(session.messages))
    former = [i for session in versions for i in (*session.former_ids, session.id) if i != new]
    origin = longest.source
    if isinstance(origin, FromFile):
        origin = origin.model_copy(update=dict(source))
    update = {"id": new, "former_ids": tuple(dict.fromkeys(former)), "source": origin}
    return longest.model_copy(update=update)


def _log_bytes(events: Sequence[LabelEvent]) -> bytes:
    unique = {event.id: event for event in events}
    lines = (
        json.dumps(event.model_dump(mode="json"), ensure_ascii=False)
        for event in ordered(list(unique.values()))
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _replace_mentions(folder: DataFolder, old: str, new: str) -> None:
    """Write the new id into comparisons, their judgements, audits and versions of datasets."""
    for path in _mentioning(folder):
        try:
            with open_plain(path) as file:
                before = file.read()
        except InvalidRecordError:
            continue
        after = before.replace(f'"{old}"'.encode(), f'"{new}"'.encode())
        if after != before:
            write_atomically(path, after)


def _mentioning(folder: DataFolder) -> Iterator[Path]:
    for part in (folder, folder.local):
        yield from part.files_naming_sessions()


def _follow(store: SessionStore, renamed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Rename the sessions of answers of comparisons, whose ids have the compared session's in them.

    Yield their old and new ids.
    """
    if not renamed:
        return
    for head in list(session_heads(store.folder)):
        part = renamed.get(head.part or "")
        if head.importer != _COMPARISON or part is None:
            continue
        identity = f"{Path(head.name).stem}/{part}/{read_session(head.path).model}"
        new = session_id(_COMPARISON, identity)
        _rename(store, head, new, {"identity": identity, "part": part})
        yield head.id, new


class KnownSessions:
    """The imported sessions of a store, by the names that their sources give them.

    Sessions that are written meanwhile are added.
    """

    def __init__(self, heads: Iterable[SessionHead]) -> None:
        """Sort the heads of all records of the store."""
        self._heads: dict[str, SessionHead] = {}
        self._by_file: dict[tuple[str, str], list[SessionHead]] = {}
        self._renamed: dict[str, str] = {}
        self._forks: dict[tuple[str, str], set[str]] = {}
        for head in heads:
            self._heads[head.id] = head
            self._renamed |= dict.fromkeys(head.former_ids, head.id)
            if is_by_file(head):
                self._by_file.setdefault((head.importer, head.name), []).append(head)
            if head.forked_from is not None:
                self._forks.setdefault((head.importer, head.forked_from), set()).add(head.id)

    def of_today(self, session: Session) -> Session:
        """Return a session that was read from a file with the id that the store knows it by.

        An export of a session that was renamed meanwhile has its former id.
        """
        new = self._renamed.get(session.id, session.id)
        head = self._heads.get(new)
        former = head.former_ids if head is not None else ()
        if new == session.id and former == session.former_ids:
            return session
        return session.model_copy(update={"id": new, "former_ids": former})

    def older_versions(self, session: Session) -> list[SessionHead]:
        """Return the sessions of the earlier rule that are the same, of this or a shorter file."""
        source = session.source
        if source.kind != "file" or source.identity is None or source.importer not in BY_FILE:
            return []
        return [
            head
            for head in self._by_file.get((source.importer, source.name), [])
            if head.digest == source.digest or self._begins_alike(head, session)
        ]

    def forget(self, heads: Iterable[SessionHead], new: str) -> None:
        """Take note that sessions were renamed."""
        for head in heads:
            self._by_file[head.importer, head.name].remove(head)
            self._renamed[head.id] = new
            renamed = self._heads.get(new, replace(head, former_ids=()))
            self._heads[new] = replace(renamed, former_ids=(*renamed.former_ids, head.id))

    def add(self, session: Session) -> None:
        """Take note of a session that was written."""
        source = session.source
        if source.kind == "file" and source.forked_from is not None:
            self._forks.setdefault((source.importer, source.forked_from), set()).add(session.id)

    def forks_of(self, session: Session) -> list[str]:
        """Return the ids of the sessions that begin with a copy of it."""
        source = session.source
        if source.kind != "file" or source.identity is None:
            return []
        return sorted(self._forks.get((source.importer, source.identity), ()))

    def _begins_alike(self, head: SessionHead, session: Session) -> bool:
        """Return whether a session of a file of the same name has the same first request."""
        try:
            older = read_session(head.path)
        except InvalidRecordError:
            return False
        requests = {(m.text, m.at) for m in older.messages if m.role == "user"}
        first = next(((m.text, m.at) for m in session.messages if m.role == "user"), None)
        return first in requests
