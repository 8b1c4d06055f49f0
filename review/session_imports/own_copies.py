"""Sessions that are imported from an export of this program, and their originals in the store."""

from records.sessions.session import Session
from review.session_imports.row_formats.own_rows import NAME
from review.store import SessionStore


def is_known_copy(session: Session, store: SessionStore) -> bool:
    """Return whether a session comes from an export of this program, and is in the store.

    The stored session has more: an export is redacted, and has neither times nor usage of messages.
    """
    source = session.source
    is_copy = source.kind == "file" and source.importer == NAME
    return is_copy and store.folder.get_session_file(session.id).exists()
