"""The import of sessions from files, with counts of new sessions and of parts left out."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from leaderboard.terminal.streams import say
from records.errors import InvalidRecordError, MissingRecordError
from records.reader import read_bytes, read_record
from records.sessions.events import select_standing
from records.sessions.session import FromFile, Session
from records.text.numbers import format_count
from records.text.visible import make_one_line
from review import session_heads
from review.session_imports import session_importers
from review.session_imports.common.drafts import make_imported_session_id
from review.session_imports.common.source_file import BadLine, SourceFile
from review.store import SessionStore
from review.turns import compute_transcript_digest

PROGRESS = 1000
"""The number of sessions after which a line about the progress is printed."""
_MET_AGAIN = frozenset({"claude_code", "codex", "opencode", "huggingface"})
"""The importers of sessions that may have forks, and of this program's own exports."""
STANDARD_INPUT = frozenset({"-", "/dev/stdin"})
_PARTS = {"reasoning": "reasoning part", "server tool result": "result of a server's tool"}
_PLURALS = {
    "result of a server's tool": "results of a server's tool",
    "message taken back": "messages taken back",
    "file of no known shape": "files of no known shape",
}


@dataclass(slots=True)
class ImportCounts:
    """The result of an import."""

    sessions: int = 0
    new: int = 0
    changed: int = 0
    """The number of known sessions that have a new version."""
    stale: list[str] = field(default_factory=list[str])
    """The ids of labelled sessions whose transcript has changed."""
    faults: int = 0
    """The number of files and parts of files that could not be read."""
    left_out: Counter[str] = field(default_factory=Counter[str])
    """The numbers of parts of sessions that were not stored, by kind."""

    def format_counts(self) -> Iterator[str]:
        """Yield the counts as lines for people."""
        yield f"{format_count(self.sessions, 'session')}, {self.new + self.changed} new or changed"
        if self.changed:
            ids = ", ".join(name[:12] for name in self.stale[:10])
            labels = "its label is stale" if len(self.stale) == 1 else "their labels are stale"
            if self.stale and len(self.stale) == self.changed:
                yield f"{self.changed} changed, {labels}: {ids}"
            elif self.stale:
                yield f"{self.changed} changed, of {len(self.stale)} the label is stale: {ids}"
            else:
                yield f"{self.changed} changed"
        if self.left_out:
            parts: list[str] = []
            for kind, number in sorted(self.left_out.items(), key=lambda item: (-item[1], item[0])):
                name = _PARTS.get(kind, kind)
                is_record = name.startswith("record of")
                plural = name.replace("record of", "records of") if is_record else None
                parts.append(format_count(number, name, _PLURALS.get(name, plural)))
            yield f"left out: {', '.join(parts)}"


@dataclass
class SessionImport:
    """An import of files into a store."""

    store: SessionStore
    importer: str | None = None
    dry_run: bool = False
    counts: ImportCounts = field(default_factory=ImportCounts)
    _known: session_heads.KnownSessions | None = None
    _nameless: session_heads.NamelessSessions | None = None
    _forks: list[Session] = field(default_factory=list[Session])
    _read: dict[str, Session] = field(default_factory=dict[str, Session])
    """The sessions of this import, in which forks find their originals; only for dry runs."""

    def run(self, paths: Sequence[Path]) -> ImportCounts:
        """Import files, folders and standard input; return the counts.

        Forks are written last, after their originals.

        Raises:
            MissingRecordError: a file does not exist.
        """
        for path in paths:
            if str(path) in STANDARD_INPUT:
                name = Path("standard-input")
                self._import(SourceFile(name, sys.stdin.buffer.read()), in_folder=False)
            elif path.is_dir():
                for file in sorted(child for child in path.rglob("*") if child.is_file()):
                    self._import_file(file, in_folder=True)
            else:
                self._import_file(path, in_folder=False)
        forks = {fork.id: fork for fork in self._forks}
        while forks:
            ready = [fork for fork in forks.values() if _find_original(fork) not in forks]
            for fork in ready or list(forks.values()):
                del forks[fork.id]
                # Messages that repeat the original, if it is stored, get a mark.
                name = _find_original(fork)
                original = self._read.get(name)
                with suppress(MissingRecordError):
                    original = original or self.store.read(name).session
                self._take(session_importers.with_repetition(fork, original) if original else fork)
        if not self.dry_run:
            # One flush for all sessions: if the machine stops before, they can be imported again.
            os.sync()
        return self.counts

    def _import_file(self, path: Path, *, in_folder: bool) -> None:
        try:
            data = read_bytes(path)
        except InvalidRecordError as error:
            self._tell(str(error), wrong=not in_folder)
            return
        self._import(SourceFile(path, data), in_folder=in_folder)

    def _import(self, source: SourceFile, *, in_folder: bool) -> None:
        waiting: list[Session] = []
        before = self.counts.sessions
        try:
            for part in session_importers.read_sessions(source, self.importer):
                if isinstance(part, BadLine):
                    self._tell(str(part), wrong=part.wrong)
                    if part.left_out is not None:
                        self.counts.left_out[part.left_out] += 1
                elif isinstance(part.source, FromFile) and part.source.forked_from is not None:
                    self._forks.append(part)
                elif self._may_be_known(part):
                    waiting.append(part)
                else:
                    self._take(part)
        except session_importers.UnknownFileError as error:
            # A folder may have other files, but a file that is named should be a transcript.
            if in_folder:
                self.counts.left_out["file of no known shape"] += 1
            else:
                self._tell(str(error), wrong=True)
        except InvalidRecordError as error:
            self._tell(str(error), wrong=True)
        self._take_known(waiting, is_alone=len(waiting) + self.counts.sessions - before == 1)

    def _may_be_known(self, session: Session) -> bool:
        """Return whether the store may have a session without a name under another id."""
        if not session_heads.is_nameless(session):
            return False
        self._nameless = self._nameless or session_heads.NamelessSessions(self._heads)
        is_here = self.store.folder.get_session_file(session.id).exists()
        return not is_here and self._nameless.may_hold(session)

    def _take_known(self, waiting: Sequence[Session], *, is_alone: bool) -> None:
        """Write sessions without a name: first those that are known, then their later versions."""
        if self._nameless is None:
            return
        changed: list[Session] = []
        for session in waiting:
            known_session = self._nameless.find_same(session)
            if known_session is None:
                changed.append(session)
            else:
                self._take(known_session)
        for session in changed:
            later = self._nameless.find_continued(session, of_same_file=not is_alone)
            self._take(later or session)

    def _take(self, session: Session) -> None:
        """Write a session under its id in the store, and count the result."""
        source = session.source
        has_names = isinstance(source, FromFile) and source.importer in _MET_AGAIN
        if self._known is None and has_names:
            self._known = session_heads.KnownSessions(self._heads)
        if self._known is not None:
            session = self._known.with_present_id(session)
        if self._nameless is not None:
            self._nameless.claim(session)
        self.counts.sessions += 1
        self.counts.left_out.update(session.left_out)
        self._store_or_count(session)
        if self.counts.sessions % PROGRESS == 0:
            say(f"{format_count(self.counts.sessions, 'session')} so far", err=True)

    def _store_or_count(self, session: Session) -> None:
        if self.dry_run:
            self._read[session.id] = session
        if self.store.holds(session) or session_importers.is_known_copy(session, self.store):
            return
        is_here = self.store.folder.get_session_file(session.id).exists()
        before = self.store.read(session.id) if is_here else None
        if not self.dry_run:
            self.store.write(session, durable=False)
            if self._known is not None:
                # Forks that were imported before their original get marks on repeated messages.
                self._known.add(session)
                for name in self._known.list_forks(session):
                    try:
                        fork = read_record(Session, self.store.folder.get_session_file(name))
                    except MissingRecordError:
                        continue
                    marked = session_importers.with_repetition(fork, session)
                    self.store.write(marked, durable=False)
        self.counts.new += before is None
        if before is None:
            return
        self.counts.changed += 1
        judged = any(event.field == "evalStatus" for event in select_standing(before.events))
        if judged and before.transcript != compute_transcript_digest(session):
            self.counts.stale.append(session.id)

    @cached_property
    def _heads(self) -> list[session_heads.SessionHead]:
        """The heads of the sessions that the store had before the import."""
        return list(session_heads.read_session_heads(self.store.folder))

    def _tell(self, text: str, *, wrong: bool) -> None:
        self.counts.faults += wrong
        say(make_one_line(text), err=True)


def _find_original(fork: Session) -> str:
    """Return the id of the original of a fork; empty for any other session."""
    source = fork.source
    if not isinstance(source, FromFile) or source.forked_from is None:
        return ""
    return make_imported_session_id(source.importer, source.forked_from)
