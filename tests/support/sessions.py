"""Writing of session records for tests."""

from pathlib import Path

from records.files.data_folder import DataFolder
from records.sessions.session import Session
from records.writer import session_bytes, write_atomically


def write_session(folder: DataFolder, session: Session) -> Path:
    """Write a recorded session where it is read; return the path. A new session is raw."""
    return write_atomically(folder.session_file(session.id), session_bytes(session))
