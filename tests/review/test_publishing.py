"""Published copies of sessions: secrets are gone, labels stay, sources are followed."""

import json
import re
from pathlib import Path

import pytest

from records.checks.check_data import check_all, check_data
from records.files.data_folder import DataFolder
from records.reader import read_record
from records.sessions import session
from records.sessions.events import read_log
from records.sessions.labels import LabelEvent
from records.writer import write_atomically
from review import publishing
from review.errors import ReviewError
from review.secret_rules.rule import REMOVED
from review.store import SessionStore
from review.turns import compute_transcript_digest
from tests.review.corpus import PLAIN, store_of
from tests.review.desking import make_desk_client
from tests.review.labelling import give_labels

pytestmark = pytest.mark.unit

HIDDEN = "swordfish99"
KEY = f"API_KEY={HIDDEN}"
RAW = PLAIN.model_copy(
    update={
        "title": f"Use {KEY}",
        "project": f"/home/{HIDDEN}/app",
        "source": session.FromFile(
            kind="file",
            importer="chat",
            name=f"password={HIDDEN}.jsonl",
            digest="0" * 64,
            identity=f"/Users/{HIDDEN}/x",
        ),
        "eval_notes": KEY,
        "eval_tags": (f"token={HIDDEN}",),
        "expected_output": KEY,
        "messages": (
            session.SessionMessage(role="user", text=KEY),
            session.SessionMessage(
                role="assistant",
                text="Done",
                tool_calls=(
                    session.ToolCall(id="c", name="run", arguments=json.dumps({"command": KEY})),
                ),
            ),
            session.SessionMessage(role="tool", text=KEY, tool_call_id="c"),
            session.SessionMessage(role="assistant", text="It is Xq7Rk2Lm9Tz4Vb8Nc3Wd now"),
        ),
    }
)
LONGER = RAW.model_copy(
    update={"messages": (*RAW.messages, session.SessionMessage(role="user", text="And more?"))}
)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a store with one raw session full of secrets."""
    return store_of(tmp_path, [RAW])


def read_tracked_files(folder: DataFolder) -> str:
    """Return the content of all files of sessions that git would track."""
    files = sorted(path for path in folder.sessions.folder.iterdir() if path.is_file())
    return "\n".join(path.read_text("utf-8") for path in files)


def find_state(store: SessionStore) -> publishing.Publication:
    """Return the state of publication of the session."""
    return publishing.find_publication(store.folder, store.read(RAW.id).session)


def test_a_copy_holds_no_secret_and_its_labels(store: SessionStore) -> None:
    """No text of record and log has a secret; the log moves beside the copy."""
    folder = store.folder
    give_labels(store, RAW.id, {"evalStatus": "golden", "evalNotes": f"not {KEY}"}, reason=KEY)
    proposed = publishing.make_copy(store, RAW.id)
    assert not folder.sessions.get_file(RAW.id).exists()
    done = publishing.publish(store, RAW.id)
    assert proposed.taken_out == done.taken_out
    assert done.looks_secret == ["Xq7Rk2Lm9Tz4Vb8Nc3Wd"]
    assert HIDDEN not in read_tracked_files(folder)
    assert REMOVED in read_tracked_files(folder)
    assert not folder.local.labels.get_file(RAW.id).exists()
    assert find_state(store) is publishing.Publication.PUBLISHED
    raw = store.read(RAW.id)
    assert raw.session.messages == RAW.messages
    assert (raw.session.eval_status, raw.is_stale) == ("golden", False)
    assert check_all(folder) == []


def test_the_copy_alone_has_valid_labels(store: SessionStore) -> None:
    """In another checkout the label holds for this transcript, by the source's digest."""
    give_labels(store, RAW.id, {"evalStatus": "golden"})
    publishing.publish(store, RAW.id)
    store.folder.local.sessions.get_file(RAW.id).unlink()
    (copy,) = store
    assert copy.session.source_digest == compute_transcript_digest(RAW)
    assert (copy.session.eval_status, copy.is_stale) == ("golden", False)
    assert find_state(store) is publishing.Publication.PUBLISHED


def test_labels_after_publishing_hold_no_secret(store: SessionStore) -> None:
    """They go to the log that git tracks; earlier labels of a raw session keep their text."""
    give_labels(store, RAW.id, {"evalNotes": f"first {KEY}"})
    assert HIDDEN in store.folder.local.labels.get_file(RAW.id).read_text()
    publishing.publish(store, RAW.id)
    done = give_labels(store, RAW.id, {"evalNotes": f"second {KEY}"}, reason=KEY)
    assert done.session.eval_notes == f"second API_KEY={REMOVED}"
    assert HIDDEN not in read_tracked_files(store.folder)
    assert len(read_log(LabelEvent, store.folder.get_label_file(RAW.id))) == 2


def test_a_source_that_grew_makes_the_copy_outdated(store: SessionStore) -> None:
    """The next publication ends this; the label is stale, as for any changed transcript."""
    give_labels(store, RAW.id, {"evalStatus": "golden"})
    publishing.publish(store, RAW.id)
    store.write(LONGER)
    assert find_state(store) is publishing.Publication.OUTDATED
    assert list(publishing.find_outdated_copies(store.folder)) == [
        store.folder.sessions.get_file(RAW.id)
    ]
    assert store.read(RAW.id).is_stale
    publishing.publish(store, RAW.id)
    assert find_state(store) is publishing.Publication.PUBLISHED
    assert (
        read_record(session.Session, store.folder.sessions.get_file(RAW.id)).messages[-1].text
        == "And more?"
    )
    assert HIDDEN not in read_tracked_files(store.folder)


@pytest.mark.parametrize("has_source", [True, False])
def test_unpublishing_keeps_labels(store: SessionStore, *, has_source: bool) -> None:
    """They become local; without its source, the copy becomes local as well."""
    folder = store.folder
    give_labels(store, RAW.id, {"evalStatus": "golden"})
    publishing.publish(store, RAW.id)
    if not has_source:
        folder.local.sessions.get_file(RAW.id).unlink()
    assert publishing.unpublish(store, RAW.id)
    assert not publishing.unpublish(store, RAW.id)
    assert list(folder.sessions.folder.iterdir()) == []
    assert find_state(store) is publishing.Publication.LOCAL
    assert store.read(RAW.id).session.eval_status == "golden"
    assert check_all(folder) == []


def test_deleting_removes_all_files(store: SessionStore) -> None:
    """Records and logs are removed at both places."""
    give_labels(store, RAW.id, {"evalStatus": "golden"})
    publishing.publish(store, RAW.id)
    assert len(publishing.list_files_of_session(store.folder, RAW.id)) == 3
    assert len(publishing.delete(store, RAW.id)) == 3
    assert publishing.list_files_of_session(store.folder, RAW.id) == []
    assert list(store) == []


def write_raw_published(store: SessionStore) -> DataFolder:
    """Write a raw import with a label in the folder of published sessions."""
    folder = store.folder
    folder.local.sessions.get_file(RAW.id).unlink()
    write_atomically(folder.sessions.get_file(RAW.id), session.encode_session(RAW))
    give_labels(store, RAW.id, {"evalStatus": "golden"})
    return folder


def test_raw_sessions_among_the_published_are_named_and_moved(store: SessionStore) -> None:
    """Their labels move with them; the check warns that git keeps them."""
    folder = write_raw_published(store)
    (problem,) = check_all(folder)
    assert problem.path == folder.sessions.get_file(RAW.id)
    assert "leaderboard session publish --undo" in problem.reason
    assert "history of git keeps it" in problem.reason
    assert publishing.unpublish(store, RAW.id)
    assert list(folder.sessions.folder.iterdir()) == []
    assert store.read(RAW.id).session.eval_status == "golden"
    assert check_all(folder) == []


def test_a_newer_raw_session_stays_when_an_older_one_moves(store: SessionStore) -> None:
    """The newer session was imported before the move: labels of both places stay."""
    write_raw_published(store)
    store.write(LONGER)
    publishing.unpublish(store, RAW.id)
    assert store.read(RAW.id).session.messages == LONGER.messages
    assert store.read(RAW.id).session.eval_status == "golden"


def test_attempts_of_published_runs_stay_published(store: SessionStore) -> None:
    """Their texts are public in the archive of the run: they are no raw session, and no copy."""
    source = session.FromAttempt(kind="attempt", run_id="a" * 20, eval="000-a/000-b", sample=1)
    attempt = PLAIN.model_copy(update={"id": "attempt-1", "source": source})
    store.write(attempt, published=True)
    assert check_data(store.folder) == []
    with pytest.raises(ReviewError, match="its run is published"):
        publishing.unpublish(store, "attempt-1")


def test_a_local_attempt_follows_its_published_run(store: SessionStore) -> None:
    """Its text stays unchanged, its labels lose secrets, and the raw session is removed."""
    source = session.FromAttempt(kind="attempt", run_id="a" * 20, eval="000-a/000-b", sample=1)
    attempt = PLAIN.model_copy(update={"id": "attempt-1", "source": source})
    store.write(attempt)
    give_labels(store, "attempt-1", {"evalStatus": "golden"}, reason=KEY)
    publishing.publish_attempt(store, "attempt-1")
    publishing.publish_attempt(store, "attempt-1")
    folder = store.folder
    assert folder.get_session_file("attempt-1") == folder.sessions.get_file("attempt-1")
    moved = store.read("attempt-1")
    assert (moved.session.messages, moved.session.eval_status) == (attempt.messages, "golden")
    assert not moved.is_stale
    assert HIDDEN not in folder.get_label_file("attempt-1").read_text()
    assert check_all(folder) == []


def test_a_killed_publication_is_named_or_goes_on(store: SessionStore) -> None:
    """Each state between its steps reads as before or after, and a second publication ends it."""
    folder = store.folder
    give_labels(store, RAW.id, {"evalStatus": "golden"})
    log = folder.local.labels.get_file(RAW.id).read_bytes()
    write_atomically(folder.labels.get_file(RAW.id), b"")  # killed before the record
    assert store.read(RAW.id).session.eval_status == "golden"
    publishing.publish(store, RAW.id)
    write_atomically(folder.local.labels.get_file(RAW.id), log)  # killed before the old log went
    assert store.read(RAW.id).session.eval_status == "golden"
    (problem,) = check_all(folder)
    assert problem.path == folder.local.labels.get_file(RAW.id)
    publishing.publish(store, RAW.id)
    assert check_all(folder) == []


def test_the_desk_shows_the_state_of_a_copy(store: SessionStore) -> None:
    """The facts of a session include published or outdated, and nothing without a copy."""

    def read_copy_states() -> list[str]:
        text = client.get(f"sessions/{RAW.id}").raise_for_status().text
        return re.findall(r"<dt>Copy</dt><dd>(\w+)</dd>", text)

    with make_desk_client(store) as client:
        assert read_copy_states() == []
        publishing.publish(store, RAW.id)
        assert read_copy_states() == ["published"]
        store.write(LONGER)
        assert read_copy_states() == ["outdated"]
