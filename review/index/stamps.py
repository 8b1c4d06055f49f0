"""Stamps of the files of sessions, which show changes of records and of label logs."""

import os
from collections.abc import Sequence
from pathlib import Path
from time import time_ns
from typing import Final, NamedTuple

from records.files.data_folder import LABELS, RECORD

_COARSE_NS: Final = 100_000_000
"""Nanoseconds in which a folder can change without a new modification time. Clocks of file systems
advance in steps."""


class SessionStamp(NamedTuple):
    """The stamps of a session's files in all folders."""

    record: str
    log: str
    """The stamps of the label logs; empty if there is none."""

    @property
    def size(self) -> int:
        """Bytes of all records of the session."""
        return sum(int(size) for size in self.record.split()[1::3])


def list_stamps(folders: Sequence[Path]) -> dict[str, SessionStamp]:
    """Return the stamp of each session that has a record, by the session's id."""
    records: dict[str, str] = {}
    logs: dict[str, str] = {}
    for folder in folders:
        try:
            entries = os.scandir(folder)
        except FileNotFoundError:
            continue
        with entries:
            for entry in entries:
                name = entry.name
                kind = LABELS if name.endswith(LABELS) else RECORD
                if name.startswith(".") or not name.endswith(kind):
                    continue
                try:
                    stamp = _format_stamp(entry.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue
                stamps = logs if kind is LABELS else records
                session_id = name.removesuffix(kind)
                before = stamps.get(session_id)
                stamps[session_id] = stamp if before is None else f"{before} {stamp}"
    return {name: SessionStamp(stamp, logs.get(name, "")) for name, stamp in records.items()}


def find_stamp(folders: Sequence[Path], session_id: str) -> SessionStamp | None:
    """Return the stamp of one session, as in `list_stamps`; None if it has no record."""
    record, log = (
        " ".join(filter(None, (_read_stamp(folder / f"{session_id}{kind}") for folder in folders)))
        for kind in (RECORD, LABELS)
    )
    return SessionStamp(record, log) if record else None


def compute_folders_stamp(folders: Sequence[Path]) -> int:
    """Return a number that changes when a file is added, removed or replaced.

    0 means unknown: a folder changed so recently that its next change may not show.
    """
    times: list[int] = []
    for folder in folders:
        try:
            changed = folder.stat().st_mtime_ns
        except FileNotFoundError:
            changed = 1
        if time_ns() - changed <= _COARSE_NS:
            return 0
        times.append(changed)
    return hash(tuple(times))


def _read_stamp(path: Path) -> str | None:
    try:
        return _format_stamp(path.lstat())
    except (FileNotFoundError, NotADirectoryError):
        return None


def _format_stamp(status: os.stat_result) -> str:
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"
