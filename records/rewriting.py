"""Rewrites records of older versions in the current shape, as `leaderboard migrate` asks for."""

import json
from collections.abc import Iterator
from pathlib import Path

from records.errors import InvalidRecordError
from records.folder import DataFolder
from records.front_matter import TOML_FENCE
from records.journal import held, in_use
from records.journal_entries import encoded, parsed, version_of
from records.migrations import migrate_entry
from records.plain_files import open_plain
from records.reader import parse_report, parse_run, read_bytes
from records.report import report_text
from records.run import RUN_VERSION
from records.writer import atomic_file, run_bytes, write_atomically


def migrate_folder(folder: DataFolder) -> list[Path]:
    """Rewrite each run, report and journal that is not in today's shape.

    Return their paths. Journals of runs that another process executes are left alone: it is a
    process of the version that began them.

    Raises:
        InvalidRecordError: a record cannot be read; those before it are rewritten already, and
            running again goes on from there.
    """
    return [
        *(path for path in folder.run_files() if _rewritten(path)),
        *(path for path in folder.report_files() if _report_rewritten(path)),
        *(path for path in folder.journal_files() if _journal_rewritten(path)),
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


def _entries(path: Path, lines: Iterator[bytes], version: int) -> Iterator[bytes]:
    """Yield the lines in the current shape; a torn last one was never reported, and is left out."""
    offset = 0
    for line in lines:
        if not line.endswith(b"\n"):
            return
        try:
            lifted = migrate_entry(json.loads(line), version, RUN_VERSION)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            reason = f"does not have the shape of version {version}: {error}"
            raise InvalidRecordError(path, f"at byte {offset}", reason) from error
        yield encoded(parsed(path, offset, json.dumps(lifted).encode()))
        offset += len(line)
