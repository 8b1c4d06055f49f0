"""Check for demonstration sessions (`docs/demo/`), which belong in no folder of measurements."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from records.errors import RecordsError
from records.files.data_folder import DataFolder
from records.reader import read_session
from records.sessions.session import Session

DEMO: Final = "demo"
"""The importer in the source of demonstration sessions."""


def is_demonstration(session: Session) -> bool:
    """Return whether a session is one of the demonstration."""
    return session.source.kind == "file" and session.source.importer == DEMO


def find_misplaced_demonstrations(folder: DataFolder) -> Iterator[Path]:
    """Yield the demonstration sessions of a data folder that has other records, too.

    Args:
        folder: a published folder, which is checked together with its ``local`` part.
    """
    sessions = chain(
        folder.list_published_session_files(), folder.local.list_published_session_files()
    )
    demonstrations: list[Path] = []
    has_others = any(map(_has_measurements, (folder, folder.local)))
    for path in sessions:
        try:
            session = read_session(path)
        except RecordsError:
            continue  # check_sessions reports it
        if is_demonstration(session):
            demonstrations.append(path)
        else:
            has_others = True
    if has_others:
        yield from demonstrations


def _has_measurements(folder: DataFolder) -> bool:
    files = chain(
        folder.list_run_files(),
        folder.list_benchmark_files(),
        folder.list_report_files(),
        folder.list_trial_files(),
    )
    return folder.models_file.exists() or next(files, None) is not None
