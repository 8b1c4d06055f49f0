"""Writing of session records for tests."""

from pathlib import Path

from records.files.data_folder import DataFolder
from records.sessions.session import Session, encode_session
from records.writer import write_atomically


def write_session(folder: DataFolder, session: Session) -> Path:
    """Write a recorded session where it is read; return the path. A new session is raw."""
    return write_atomically(folder.get_session_file(session.id), encode_session(session))
