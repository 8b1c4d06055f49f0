"""Sessions with ids of the earlier rule: found by imports, renamed by `migrate`, never lost."""

import json
from pathlib import Path

import pytest

from leaderboard.sessions.imports import ImportCounts, SessionImport
from leaderboard.sessions.session_lookup import found
from records.files.data_folder import DataFolder
from records.reader import read_labels, read_session
from records.sessions.session import EvalStatus, FromFile, Session
from records.writer import session_bytes, write_atomically
from review.session_heads import session_heads
from review.session_ids import migrate_session_ids
from review.session_imports.common.adapter import session_id
from review.store import SessionStore
from tests.review.session_imports.transcripts import (
    SESSION,
    Record,
    answer,
    asked,
    meta,
    read_records,
    replied,
    user,
)

pytestmark = pytest.mark.unit

HELLO = [user("u1", None, "Why is it slow?"), answer("a1", "u1", "m1", "No index.")]
LONGER = [*HELLO, user("u2", "a1", "Add one."), answer("a2", "u2", "m2", "Added.")]
ROLLOUT = [meta(), asked("Why is it slow?"), replied("No index.")]
NEW = session_id("claude_code", SESSION)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return an empty store."""
    return SessionStore(DataFolder(tmp_path / "data"))


def file_of(folder: Path, records: list[Record], name: str = f"{SESSION}.jsonl") -> Path:
    """Write a transcript."""
    path = folder / name
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def imported(store: SessionStore, *paths: Path, dry_run: bool = False) -> ImportCounts:
    """Import files."""
    return SessionImport(store, dry_run=dry_run).run(paths)


def earlier(
    store: SessionStore,
    records: list[Record],
    name: str = f"{SESSION}.jsonl",
    *,
    published: bool = False,
) -> str:
    """Write a session as the version before did, without the later fields in its record."""
    (session,), _ = read_records(records, name)
    assert isinstance(session.source, FromFile)
    importer, digest = session.source.importer, session.source.digest
    old = session_id(importer, f"{digest}/0")
    fields = json.loads(session_bytes(session)) | {"id": old, "evalStatus": "needs_review"}
    for field in ("former_ids", "source_digest", "left_out"):
        del fields[field]
    for field in ("identity", "forked_from"):
        del fields["source"][field]
    folder = store.folder
    path = folder.published_session_file(old) if published else folder.local_session_file(old)
    write_atomically(path, json.dumps(fields, indent=2).encode())
    return old


def only(store: SessionStore) -> Session:
    """Return the only session of the store."""
    (labeled,) = store
    return labeled.session


@pytest.mark.parametrize("published", [False, True])
def test_migrate_renames_a_session_with_its_labels(store: SessionStore, *, published: bool) -> None:
    """The record keeps the former id; a second migration changes nothing."""
    old = earlier(store, HELLO, published=published)
    store.label(old, {"evalStatus": "golden"}, via="cli", reviewer="p1")
    store.label(old, {"evalNotes": "clear"}, via="cli", reviewer="p1")
    store.undo(old, via="cli", reviewer="p1")
    before = read_labels(store.folder.label_file(old))
    assert migrate_session_ids(store) == [(old, NEW)]
    session = only(store)
    assert (session.id, session.former_ids) == (NEW, (old,))
    assert (session.eval_status, session.eval_notes) == (EvalStatus.GOLDEN, "")
    assert read_labels(store.folder.label_file(NEW)) == before
    assert store.folder.published_session_file(NEW).exists() is published
    assert not list(store.folder.root.rglob(f"{old}*"))
    assert migrate_session_ids(store) == []
    assert found(store, old[:8]) == NEW


def test_an_import_finds_a_session_of_the_earlier_rule(store: SessionStore, tmp_path: Path) -> None:
    """The file may be the same or longer; a label is stale where the transcript changed."""
    old = earlier(store, HELLO)
    store.label(old, {"evalStatus": "golden"}, via="cli", reviewer="p1")
    counts = imported(store, file_of(tmp_path, HELLO))
    assert (counts.new, counts.stale) == (0, [])
    assert only(store).eval_status is EvalStatus.GOLDEN
    longer = imported(store, file_of(tmp_path, LONGER))
    assert (longer.new, longer.changed, longer.stale) == (0, 1, [NEW])
    assert (only(store).id, only(store).former_ids) == (NEW, (old,))
    assert list(longer.lines())[1] == f"1 changed, its label is stale: {NEW[:12]}"


@pytest.mark.parametrize("name", ["input.jsonl", f"{SESSION}.jsonl"])
def test_a_longer_version_finds_every_shorter_one(
    store: SessionStore, tmp_path: Path, name: str
) -> None:
    """Each was a session with its own labels."""
    first, second = earlier(store, HELLO, name), earlier(store, LONGER[:3], name)
    store.label(first, {"evalStatus": "golden"}, via="cli", reviewer="p1")
    store.label(second, {"evalNotes": "clear"}, via="cli", reviewer="p2")
    counts = imported(store, file_of(tmp_path, LONGER, name))
    assert (counts.sessions, counts.new, counts.stale) == (1, 0, [NEW])
    session = only(store)
    assert (session.eval_status, session.eval_notes) == (EvalStatus.GOLDEN, "clear")
    assert set(session.former_ids) == {first, second}
    assert len(session.messages) == 4


def test_another_session_of_the_same_file_name_is_not_found(
    store: SessionStore, tmp_path: Path
) -> None:
    """The file begins with another request."""
    old = earlier(store, [user("x1", None, "Another?"), answer("b1", "x1", "m", "Yes.")], "a.jsonl")
    counts = imported(store, file_of(tmp_path, HELLO, "a.jsonl"))
    assert counts.new == 1
    assert {labeled.session.id for labeled in store} == {old, NEW}


def test_rollouts_have_their_name_in_the_name_of_their_file(store: SessionStore) -> None:
    """Other files keep their ids until the next import."""
    old = earlier(store, ROLLOUT, f"rollout-2026-10-01T10-00-00-{SESSION}.jsonl")
    earlier_id = earlier(store, HELLO, "copy.jsonl")
    helper = earlier(store, LONGER, "agent-a1b2c3d.jsonl")
    assert migrate_session_ids(store) == [(old, session_id("codex", SESSION))]
    assert {labeled.session.id for labeled in store} == {
        session_id("codex", SESSION),
        earlier_id,
        helper,
    }


def test_what_names_a_session_follows_it(store: SessionStore) -> None:
    """Comparisons, judgements, audits, datasets and sessions of compared answers get the new id."""
    old = earlier(store, HELLO)
    folder = store.folder
    comparison, judgements = folder.local.comparison_file("c" * 32), folder.judgement_file("c" * 32)
    audit = folder.audit_file("9fdfa625ac2f-1")
    dataset = folder.root / "datasets" / "golden-1.json"
    for path in (comparison, judgements, audit, dataset):
        write_atomically(
            path, json.dumps({"items": [{"session": old, "text": f"no {old}"}]}).encode()
        )
    compared_id = session_id("comparison", f"{'c' * 32}/{old}/maker/model")
    source = FromFile(
        kind="file", importer="comparison", name=f"{'c' * 32}.json", digest="a" * 64, part=old
    )
    compared = only(store).model_copy(
        update={"id": compared_id, "source": source, "model": "maker/model"}
    )
    store.write(compared)
    store.label(compared_id, {"evalStatus": "correct"}, via="cli", reviewer="p1")
    followed = session_id("comparison", f"{'c' * 32}/{NEW}/maker/model")
    assert migrate_session_ids(store) == [(old, NEW), (compared_id, followed)]
    for path in (comparison, judgements, audit, dataset):
        assert json.loads(path.read_text())["items"] == [{"session": NEW, "text": f"no {old}"}]
    stored = store.read(followed).session
    assert stored.eval_status is EvalStatus.CORRECT
    assert isinstance(stored.source, FromFile)
    assert stored.source.part == NEW


def test_a_killed_migration_is_done_again(store: SessionStore) -> None:
    """Both the old and the new session may exist, with the same labels."""
    old = earlier(store, HELLO)
    store.label(old, {"evalStatus": "golden"}, via="cli", reviewer="p1")
    record = store.folder.local_session_file(old).read_bytes()
    log = store.folder.label_file(old).read_bytes()
    migrate_session_ids(store)
    write_atomically(store.folder.local_session_file(old), record)
    write_atomically(store.folder.local_label_file(old), log)
    assert migrate_session_ids(store) == [(old, NEW)]
    assert len(read_labels(store.folder.label_file(NEW))) == 1
    assert only(store).former_ids == (old,)


def test_heads_are_read_from_records_of_any_layout(store: SessionStore) -> None:
    """A record may be one line, or have a title that looks like the source."""
    (session,), _ = read_records(HELLO)
    title = '\n  "source": {"kind": "file", "importer": "forged"}'
    odd = session.model_copy(update={"title": title, "former_ids": ("former-0001",)})
    store.write(odd)
    (head,) = session_heads(store.folder)
    path = store.folder.local_session_file(odd.id)
    path.write_text(json.dumps(json.loads(path.read_text())))
    (same,) = session_heads(store.folder)
    assert head == same
    assert (head.importer, head.identity, head.former_ids) == (
        "claude_code",
        SESSION,
        ("former-0001",),
    )
    assert read_session(path) == odd
