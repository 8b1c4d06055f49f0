"""Heads of imported sessions, by which imports and commands find them."""

import json
from pathlib import Path

import pytest

from leaderboard.sessions.session_lookup import find_session_id
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.session import Session
from review.session_heads import read_session_heads
from review.store import SessionStore
from tests.review.session_imports.reading_formats import read_rows
from tests.review.session_imports.transcripts import SESSION, make_turn

pytestmark = pytest.mark.unit

HELLO = make_turn(1, "Why is it slow?", "No index.")


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return an empty store."""
    return SessionStore(DataFolder(tmp_path / "data"))


def test_heads_are_read_from_records_of_any_layout(store: SessionStore) -> None:
    """A record may be one line, or have a title that looks like the source."""
    (session,), _ = read_rows(*HELLO)
    title = '\n  "source": {"kind": "file", "importer": "forged"}'
    odd = session.model_copy(update={"title": title, "former_ids": ("former-0001",)})
    store.write(odd)
    (head,) = read_session_heads(store.folder)
    path = store.folder.local.sessions.get_file(odd.id)
    path.write_text(json.dumps(json.loads(path.read_text())))
    (same,) = read_session_heads(store.folder)
    assert head == same
    assert (head.source.importer, head.source.identity, head.former_ids) == (
        "claude_code",
        SESSION,
        ("former-0001",),
    )
    assert read_record(Session, path) == odd
    assert find_session_id(store, "former-") == odd.id
