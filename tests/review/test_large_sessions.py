"""A large session is labelled and shown without reading its transcript each time."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from leaderboard.commands.session_labels import label_command
from records.files.data_folder import DataFolder
from records.sessions.session import EvalStatus
from review import store as store_module
from review.index.session_index import SessionIndex
from review.selection import SessionSelection
from review.store import SessionStore
from tests.review.corpus import make_message, make_session, store_of
from tests.review.labelling import give_labels, take_back

pytestmark = pytest.mark.unit

LONG = make_session(
    1,
    make_message("user", "asked"),
    make_message("assistant", "x" * 3000),
    title="A long one",
    model="a/b",
)
LONGER = LONG.model_copy(update={"messages": (*LONG.messages, make_message("user", "more"))})


@pytest.fixture(autouse=True)
def _small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make sessions of 2 kB large."""
    monkeypatch.setattr(store_module, "LARGE", 2_000)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a store with one large session."""
    return store_of(tmp_path, [LONG])


def get_head_file(store: SessionStore) -> Path:
    """Return the file of the session's head."""
    return store.folder.cache / "heads" / f"{LONG.id}.json"


def test_a_label_reads_no_transcript(
    store: SessionStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels, versions and staleness are those of a store that reads the record."""
    fresh = SessionStore(DataFolder(tmp_path))

    def refuse(_: object, path: Path) -> None:
        raise AssertionError(f"{path} was read")

    with monkeypatch.context() as patched:
        patched.setattr(store_module, "read_record", refuse)
        done = give_labels(fresh, LONG.id, {"evalStatus": "golden", "evalTags": ["a"]})
        back = take_back(fresh, LONG.id)
    get_head_file(store).unlink()
    read = SessionStore(DataFolder(tmp_path)).read(LONG.id)
    assert (back.version, back.is_stale) == (read.version, read.is_stale)
    assert done.session.eval_status is EvalStatus.GOLDEN
    assert read.session.messages == LONG.messages


def test_a_transcript_that_changed_makes_the_label_stale(store: SessionStore) -> None:
    """The record may be changed by this program or by another."""
    give_labels(store, LONG.id, {"evalStatus": "golden"})
    assert not store.read(LONG.id).is_stale
    store.write(LONGER)
    assert store.read(LONG.id).is_stale
    give_labels(store, LONG.id, {"evalStatus": "golden"})
    assert not store.read(LONG.id).is_stale
    record = store.folder.get_session_file(LONG.id)
    changed = record.read_text().replace('"more"', '"Mehr"')
    record.write_text(changed)
    os.utime(record, ns=(1, 1))  # a clock that gives both writes the same time
    done = give_labels(store, LONG.id, {"evalNotes": "x"})
    assert done.is_stale
    assert store.read(LONG.id).session.messages[-1].text == "Mehr"


@pytest.mark.parametrize("damage", [b"", b"{", b'{"stamp": "x"}', b"\xff\xfe"])
def test_a_damaged_or_foreign_head_counts_for_nothing(store: SessionStore, damage: bytes) -> None:
    """The record is read instead."""
    get_head_file(store).write_bytes(damage)
    done = give_labels(store, LONG.id, {"evalStatus": "golden"})
    assert not done.is_stale
    assert done.session.title == LONG.title


def test_the_head_goes_with_its_session(store: SessionStore) -> None:
    """The next query of the index deletes it."""
    index = SessionIndex(store)
    assert list(index.list_ids(SessionSelection(text="asked"))) == [LONG.id]
    assert get_head_file(store).exists()
    store.folder.get_session_file(LONG.id).unlink()
    assert list(index.list_ids(SessionSelection())) == []
    assert not get_head_file(store).exists()


def test_a_turn_of_a_large_session_is_labelled(store: SessionStore) -> None:
    """The messages are read for the label."""
    done = give_labels(store, LONG.id, {"expectedOutput": "y"}, turn=1)
    assert done.turns == {1: {"expectedOutput": "y"}}


def test_labels_and_tags_of_the_command_read_no_transcript(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session's head is in the cache; only labels of turns need the messages."""
    SessionIndex(store).list_ids(SessionSelection())  # a new index reads it once

    def refuse(_: object, path: Path) -> None:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(store_module, "read_record", refuse)
    for words in (["--status", "golden"], ["--undo"], ["--add", "a"]):
        called = [LONG.id, *words, "--data", str(store.folder.root)]
        assert CliRunner().invoke(label_command, called, catch_exceptions=False).exit_code == 0
    monkeypatch.undo()
    assert store.read(LONG.id).session.eval_tags == ("a",)
