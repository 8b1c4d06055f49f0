"""Imported sessions found again: by their heads, and in files without a session's name."""

import json
from pathlib import Path

import pytest

from leaderboard.sessions.imports import ImportCounts, SessionImport
from leaderboard.sessions.session_lookup import find_session_id
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions.session import Session
from review.session_heads import read_session_heads
from review.store import SessionStore
from tests.review.labelling import give_labels
from tests.review.session_imports.reading_formats import read_rows
from tests.review.session_imports.transcripts import SESSION, make_turn

pytestmark = pytest.mark.unit
Turn = tuple[str, str]


def make_chat_line(*turns: Turn) -> str:
    """Return a line with a chat: requests with their answers."""
    messages = [
        {"role": role, "content": text}
        for request, reply in turns
        for role, text in (("user", request), ("assistant", reply))
    ]
    return json.dumps({"messages": messages})


def import_lines(
    store: SessionStore, path: Path, *lines: str, dry_run: bool = False
) -> ImportCounts:
    """Import a file of these lines."""
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return SessionImport(store, dry_run=dry_run).run([path])


def list_ids(store: SessionStore) -> set[str]:
    """Return the ids of all sessions."""
    return {path.stem for path in store.folder.list_session_files()}


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """An empty store."""
    return SessionStore(DataFolder(tmp_path / "data"))


A, B, C = make_chat_line(("a", "1")), make_chat_line(("b", "2")), make_chat_line(("c", "3"))
LONGER = make_chat_line(("a", "1"), ("a2", "4"))


def test_a_file_that_grew_makes_only_its_new_sessions(store: SessionStore, tmp_path: Path) -> None:
    """New sessions may be at its end or beginning, or the order may change."""
    path = tmp_path / "chats.jsonl"
    import_lines(store, path, A, B)
    before = list_ids(store)
    for lines, new in (([A, B, C], 1), ([C, A, B], 1), ([B, A], 0), ([B], 0)):
        counts = import_lines(store, path, *lines, dry_run=True)
        assert (counts.sessions, counts.new, counts.changed) == (len(lines), new, 0)
    import_lines(store, path, C, B, A)
    assert len(list_ids(store)) == 3
    assert before < list_ids(store)


def test_a_chat_that_was_gone_on_with_is_the_same_session(
    store: SessionStore, tmp_path: Path
) -> None:
    """Its label is stale; the other sessions of the file stay unchanged."""
    path = tmp_path / "chats.jsonl"
    import_lines(store, path, A, B)
    before = list_ids(store)
    (of_a,) = (name for name in before if store.read(name).session.title == "a")
    give_labels(store, of_a, {"evalStatus": "golden"})
    assert import_lines(store, path, B, LONGER, dry_run=True).stale == [of_a]
    counts = import_lines(store, path, B, LONGER)
    assert (counts.new, counts.changed, counts.stale) == (0, 1, [of_a])
    assert list_ids(store) == before
    assert len(store.read(of_a).session.messages) == 4


def test_rows_that_begin_alike_stay_apart(store: SessionStore, tmp_path: Path) -> None:
    """Some sets have a row for each turn of a conversation; copies in one file stay as well."""
    path = tmp_path / "turns.jsonl"
    import_lines(store, path, A, LONGER, A)
    before = list_ids(store)
    assert len(before) == 3
    longest = make_chat_line(("a", "1"), ("a2", "4"), ("a3", "5"))
    counts = import_lines(store, path, longest, A, LONGER, A, dry_run=True)
    assert (counts.new, counts.changed) == (1, 0)


def test_a_later_version_in_a_file_of_another_name(store: SessionStore, tmp_path: Path) -> None:
    """Its transcript identifies a chat that is its own file; rows of a set have no identity."""
    import_lines(store, tmp_path / "one.jsonl", A)
    counts = import_lines(store, tmp_path / "two.jsonl", LONGER, dry_run=True)
    assert (counts.new, counts.changed) == (0, 1)
    counts = import_lines(store, tmp_path / "set.jsonl", LONGER, B, dry_run=True)
    assert (counts.new, counts.changed) == (2, 0)


def test_another_answer_is_another_session(store: SessionStore, tmp_path: Path) -> None:
    """A shorter transcript is another session as well: nothing of the longer is lost."""
    path = tmp_path / "chats.jsonl"
    import_lines(store, path, LONGER)
    for line in (make_chat_line(("a", "one")), A):
        assert import_lines(store, path, line, dry_run=True).new == 1


HELLO = make_turn(1, "Why is it slow?", "No index.")


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
