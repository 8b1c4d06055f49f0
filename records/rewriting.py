"""Rewrites records of older versions in the current shape, as `leaderboard migrate` asks for."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from records.errors import InvalidRecordError
from records.files.data_folder import LABELS, RECORD, DataFolder
from records.files.front_matter import TOML_FENCE
from records.files.plain_files import open_plain
from records.journal.entries import encoded, parse_entry, version_of
from records.journal.journal import held, in_use
from records.migrations import migrate_entry
from records.reader import (
    parse_judgement_lines,
    parse_label_lines,
    parse_report,
    parse_run,
    read_bytes,
    read_session,
)
from records.sessions.event_order import ordered
from records.sessions.labels import unlabelled
from records.sessions.log_event import LogEvent
from records.sessions.session_locks import locked
from records.shapes.report import report_text
from records.shapes.run import RUN_VERSION
from records.writer import atomic_file, run_bytes, session_bytes, write_atomically


def migrate_folder(folder: DataFolder, *, locks: Path | None = None) -> list[Path]:
    """Rewrite each run, report, journal, session and log that is not in today's shape.

    Return their paths. A session's record loses the labels that repeat its log; events of logs get
    identities. Writers of sessions hold their locks in ``locks``, where that is not the folder of
    ``folder``. Journals of runs that another process executes are left alone: it is a process of
    the version that began them.

    Raises:
        InvalidRecordError: a record cannot be read; those before it are rewritten already, and
            running again goes on from there.
    """
    return [
        *(path for path in folder.run_files() if _rewritten(path)),
        *(path for path in folder.report_files() if _report_rewritten(path)),
        *(path for path in folder.journal_files() if _journal_rewritten(path)),
        *(
            path
            for log in folder.published_label_files()
            for path in _labels_rewritten(folder, log, locks)
        ),
        *(path for path in folder.judgement_files() if _judgements_rewritten(path)),
    ]


def _rewritten(path: Path) -> bool:
    old = read_bytes(path)
    new = run_bytes(parse_run(path, old))
    if new == old:
        return False
    write_atomically(path, new)
    return True


def _report_rewritten(path: Path) -> bool:
    """Leave reports of today's version as their authors laid them out."""
    old = read_bytes(path)
    if not old.startswith(TOML_FENCE.encode()):
        return False
    write_atomically(path, report_text(parse_report(path, old)).encode())
    return True


def _journal_rewritten(path: Path) -> bool:
    if in_use(path):
        return False
    with held(path), open_plain(path) as old:
        version = version_of(old.readline())
        if version is None or version >= RUN_VERSION:
            return False
        old.seek(0)
        with atomic_file(path) as new:
            for line in _entries(path, old, version):
                new.write(line)
    return True


def _labels_rewritten(folder: DataFolder, log: Path, locks: Path | None) -> Iterator[Path]:
    """Rewrite a log, and the record whose labels repeat it; yield the rewritten files."""
    session_id = log.name.removesuffix(LABELS)
    record = log.with_name(session_id + RECORD)
    with locked(locks or folder.locks, [session_id]):
        old = read_bytes(log)
        events = parse_label_lines(log, old)
        if record.exists():
            session = read_session(record)
            own = unlabelled(session, ordered(events))
            if own != session:
                write_atomically(record, session_bytes(own))
                yield record
        if _events_rewritten(log, old, events):
            yield log


def _judgements_rewritten(log: Path) -> bool:
    old = read_bytes(log)
    return _events_rewritten(log, old, parse_judgement_lines(log, old))


def _events_rewritten(log: Path, old: bytes, events: Sequence[LogEvent]) -> bool:
    """Rewrite a log in which an event has no identity; the lines stay in their order."""
    lines = old.split(b"\n")[:-1]
    if all(event.id.encode() in line for event, line in zip(events, lines, strict=True)):
        return False
    new = [json.dumps(event.model_dump(mode="json"), ensure_ascii=False) for event in events]
    write_atomically(log, "".join(f"{line}\n" for line in new).encode())
    return True


def _entries(path: Path, lines: Iterator[bytes], version: int) -> Iterator[bytes]:
    """Yield the lines in the current shape, without a torn last line: nobody reported it."""
    offset = 0
    for line in lines:
        if not line.endswith(b"\n"):
            return
        try:
            lifted = migrate_entry(json.loads(line), version, RUN_VERSION)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            reason = f"does not have the shape of version {version}: {error}"
            raise InvalidRecordError(path, f"at byte {offset}", reason) from error
        yield encoded(parse_entry(path, offset, json.dumps(lifted).encode()))
        offset += len(line)
