"""Changes of many sessions: interrupted, continued, taken back; nothing is lost or doubled."""

from collections.abc import Callable
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from records.files.plain_files import is_locked
from review import bulk_changes
from review.bulk_changes import BulkChange, BulkChanges, BulkLabels
from review.errors import BulkInUseError
from review.store import SessionStore
from tests.review.corpus import make_message, make_session, store_of
from tests.review.desking import make_desk_client, read_form_fields
from tests.review.labelling import give_labels

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
COUNT = 12
LABELS = BulkLabels(ready=True, added=("bulk",))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SessionStore:
    """Return a store of twelve sessions, changed in batches of four."""
    monkeypatch.setattr(bulk_changes, "_BATCH", 4)
    return store_of(
        tmp_path,
        (
            make_session(number, make_message("user", "Question"), make_message("assistant", "a"))
            for number in range(COUNT)
        ),
    )


def begin_change(store: SessionStore) -> BulkChange:
    """Return a change of all sessions that has begun, but has changed no session."""
    ids = [path.stem for path in store.folder.list_session_files()]
    return BulkChanges(store.folder).begin(LABELS, ids, "p1", refused={}, back="/review/")


def reread_change(change: BulkChange, store: SessionStore) -> BulkChange:
    """Return the change in the state that another process reads."""
    stored_change = BulkChanges(store.folder).find(change.key)
    assert stored_change is not None
    return stored_change


def go_on(change: BulkChange, store: SessionStore) -> None:
    """Continue to the end, as the desk does."""
    change.go_on(SessionStore(store.folder, durable=False))


def list_tags(store: SessionStore) -> list[tuple[str, ...]]:
    """Return the tags of each session."""
    return [labeled.session.eval_tags for labeled in store]


@pytest.mark.parametrize("after", [0, 1, 5, 11])
@pytest.mark.parametrize("is_back", [False, True])
def test_an_interrupted_change_goes_on(store: SessionStore, after: int, *, is_back: bool) -> None:
    """The change may stop at any session, also between a label and its line in the file."""
    change = begin_change(store)
    if is_back:
        go_on(change, store)
        change.begin_to_take_back("p1")
    go_on_until(change, store, after)
    with change.path.open("ab") as file:
        file.write(b'{"outcome": "wri')  # a line that a killed process left half
    other = reread_change(change, store)
    assert other.remaining
    go_on(other, store)
    last = reread_change(change, store)
    assert last.remaining == []
    assert list_tags(store) == [() if is_back else ("bulk",)] * COUNT
    assert len(last.list_lines("undone" if is_back else "written")) == COUNT
    events = [len(labeled.events) for labeled in store]
    assert events == [4 if is_back else 2] * COUNT
    if not is_back:
        last.begin_to_take_back("p1")
        go_on(last, store)
        assert list_tags(store) == [()] * COUNT


def _make_interrupted_append(add: Callable[..., None], after: int) -> Callable[..., None]:
    """Return `BulkChange.append`, interrupted once more sessions than ``after`` are done."""
    done = 0

    def append_or_interrupt(
        self: BulkChange, file: object, lines: list[bulk_changes.BulkLine]
    ) -> None:
        nonlocal done
        done += sum(line.outcome in {"written", "undone"} for line in lines)
        if done > after:
            raise KeyboardInterrupt
        add(self, file, lines)

    return append_or_interrupt


def test_one_at_a_time_goes_on_with_a_change(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process is refused until the first process has ended."""
    monkeypatch.setattr(bulk_changes, "_TRIES", 1)
    change = begin_change(store)
    other = reread_change(change, store)
    with change.lock_change():
        assert is_locked(other.path)
        with pytest.raises(BulkInUseError):
            go_on(other, store)
    assert not is_locked(other.path)


def test_the_latest_changes_are_kept(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older change can no longer be taken back at once."""
    monkeypatch.setattr(bulk_changes, "_KEPT", 2)
    first, second, third = (begin_change(store) for _ in range(3))
    changes = BulkChanges(store.folder)
    assert changes.find(first.key) is None
    assert changes.find(second.key) is not None
    assert changes.find_latest() == third.key


def test_a_desk_that_is_started_again_continues_and_takes_back(store: SessionStore) -> None:
    """The list names the interrupted change; its page continues it, and takes it back."""
    change = begin_change(store)
    go_on_until(change, store, 4)
    client = make_desk_client(store)
    notice = LexborHTMLParser(client.get("").text).css_first(f'a[href="/review/many/{change.key}"]')
    assert notice is not None
    page = client.get(f"many/{change.key}").raise_for_status()
    assert "was interrupted" in page.text
    assert "Refresh" not in page.headers
    fields = {
        "token": read_form_fields(client, "sessions/session-0001")["token"],
        "bulk": change.key,
    }
    assert "12 sessions changed" in client.post("many/continue", data=fields).text
    assert "was interrupted" not in client.get("").text
    again = make_desk_client(store)
    assert f'href="/review/many/{change.key}"' in again.get("").text
    fields["token"] = read_form_fields(again, "sessions/session-0001")["token"]
    give_labels(store, "session-0003", {"evalNotes": "mine"})
    undone = LexborHTMLParser(again.post("many/undo", data=fields).text)
    assert undone.css("h1")[0].text() == "11 sessions are as before"
    (left,) = undone.css("main li")
    assert left.text() == "session-0003: was changed since, and is left as it is"
    assert list_tags(store) == [("bulk",) if number == 3 else () for number in range(COUNT)]
    assert again.post("many/undo", data=fields).status_code == 409


def go_on_until(change: BulkChange, store: SessionStore, after: int) -> None:
    """Continue a change, and stop after this number of sessions as a killed process does."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(BulkChange, "append", _make_interrupted_append(BulkChange.append, after))
        with pytest.raises(KeyboardInterrupt):
            go_on(change, store)


def test_the_page_of_a_change_that_goes_on_shows_its_progress(store: SessionStore) -> None:
    """The page reloads each second, and the change cannot be taken back yet."""
    change = begin_change(store)
    go_on_until(change, store, 8)
    client = make_desk_client(store)
    token = read_form_fields(client, "sessions/session-0001")["token"]
    with change.lock_change():
        page = client.get(f"many/{change.key}").raise_for_status()
        undo = client.post("many/undo", data={"token": token, "bulk": change.key})
    assert page.headers["Refresh"] == "1"
    progress = LexborHTMLParser(page.text).css_first("progress")
    assert progress is not None
    assert progress.attributes == {"max": "12", "value": "8"}
    assert undo.status_code == 409
