"""The index equals a scan of the files after any changes, by this process and by others."""

import json
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from records.sessions.session import Session
from review import store as store_module
from review.errors import IndexInTheMakingError
from review.index import catching_up
from review.index.indexed_session import IndexedSession, make_alias, make_index_row
from review.index.session_index import SessionIndex
from review.labeled_session import LabeledSession
from review.selection import SessionSelection
from review.store import ChangedSessions, SessionStore
from tests.review.corpus import make_message, make_session
from tests.review.desking import make_desk_client, read_form_fields
from tests.review.labelling import give_labels, take_back
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    from pydantic import JsonValue

    from records.sessions.labels import LabelName

pytestmark = pytest.mark.unit

WORDS = ("alpha", "beta", "gamma")
Change = Callable[[SessionStore, int, int], object]


def write(store: SessionStore, number: int, kind: int) -> None:
    """Write a session, whose text depends on ``kind``; a published one for odd kinds.

    A damaged record is not overwritten.
    """
    texts = [
        make_message("user", WORDS[kind % 3]),
        *[make_message("assistant", "long " * 400)] * (kind % 2),
    ]
    record = make_session(number, *texts, title=f"Title {kind}", model=f"m/{kind % 2}")
    with suppress(InvalidRecordError):
        store.write(record, published=bool(kind % 2))


def label(store: SessionStore, number: int, kind: int) -> None:
    """Label a session through a separate store, as another process does."""
    other = SessionStore(store.folder)
    labels: dict[LabelName, JsonValue] = {
        "evalStatus": ("golden", "incorrect", "correct")[kind % 3],
        "evalTags": [WORDS[kind % 3]],
    }
    if _is_there(store, number):
        give_labels(other, _make_id(number), labels, reviewer=("p1", "p2")[kind % 2])


def undo(store: SessionStore, number: int, kind: int) -> None:
    """Take the last label back."""
    if _is_there(store, number):
        take_back(store, _make_id(number), reviewer=("p1", "p2")[kind % 2], reason="a slip")


def delete(store: SessionStore, number: int, kind: int) -> None:
    """Delete the raw or the published record of a session; its log stays."""
    paths = (store.folder.local.sessions.get_file, store.folder.sessions.get_file)
    paths[kind % 2](_make_id(number)).unlink(missing_ok=True)


def damage(store: SessionStore, number: int, kind: int) -> None:
    """Damage a record in place, or mend it by another text."""
    path = store.folder.get_session_file(_make_id(number))
    if path.exists():
        text = path.read_text()
        wrong = text.startswith("x")
        path.write_text(
            text[1:] if wrong else f"x{text}" if kind % 2 else text.replace("alpha", "beta")
        )


def merge(store: SessionStore, number: int, kind: int) -> None:
    """Put lines of a log into another order, as a merge of two branches does."""
    path = store.folder.get_label_file(_make_id(number))
    if path.exists():
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(lines[kind % 3 :] + lines[: kind % 3]))


def _make_id(number: int) -> str:
    return f"session-{number:04}"


def _is_there(store: SessionStore, number: int) -> bool:
    try:
        store.read(_make_id(number))
    except Exception:  # noqa: BLE001 - damaged or deleted
        return False
    return True


NOTED: Sequence[Change] = (write, label, undo)
"""Changes by this program."""
CHANGES: Sequence[Change] = (*NOTED, delete, damage, merge)


def _is_never_due(*_: object) -> bool:
    return False


def _fail(*_: object) -> None:
    raise ZeroDivisionError


def make_steps(changes: Sequence[Change]) -> st.SearchStrategy[list[tuple[Change, int, int]]]:
    """Return lists of changes, each to one of four sessions."""
    step = st.tuples(st.sampled_from(changes), st.integers(1, 4), st.integers(0, 5))
    return st.lists(step, min_size=1, max_size=12)


@contextmanager
def open_own_store() -> Generator[SessionStore]:
    """Yield a store of an empty folder, in which sessions of 2 kB are large."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(store_module, "LARGE", 2_000)
        yield SessionStore(DataFolder(Path(folder)))


def scan_files(store: SessionStore) -> tuple[list[IndexedSession], int]:
    """Return the lines of all readable sessions, and the number of others, from every file."""
    scan = list(SessionStore(store.folder).scan())
    rows = [make_index_row(labeled) for labeled in scan if isinstance(labeled, LabeledSession)]
    return rows, len(scan) - len(rows)


def assert_equal_to_files(index: SessionIndex, store: SessionStore) -> None:
    """Compare lines, problems, names and texts with those of the files."""
    rows, damaged = scan_files(store)
    listed, problems = index.list_rows(SessionSelection())
    assert (list(listed), len(problems)) == (rows, damaged)
    assert [index.find_alias(make_alias(row.id)) for row in rows] == [row.id for row in rows]
    for word in (*WORDS, "lo", "Title"):
        chosen = SessionSelection(text=word)
        assert list(index.list_ids(chosen)) == [
            labeled.session.id
            for labeled in store.scan()
            if isinstance(labeled, LabeledSession) and chosen.selects(labeled)
        ]


@pytest.mark.more
@given(steps=make_steps(CHANGES))
@example(steps=[(write, 1, 0), (damage, 1, 1), (write, 1, 2)])
def test_after_any_changes(steps: list[tuple[Change, int, int]]) -> None:
    """A query that waits sees every change, also of files that others wrote in place."""
    with open_own_store() as store, pytest.MonkeyPatch.context() as patched:
        patched.setattr(catching_up, "_LOOK_AGAIN_S", -1)
        index = SessionIndex(store)
        for at, (change, number, kind) in enumerate(steps):
            change(store, number, kind)
            if at % 3 == 0:
                index.list_ids(SessionSelection())
        assert_equal_to_files(index, store)


@pytest.mark.more
@given(steps=make_steps(NOTED))
@settings(max_examples=settings().max_examples // 2)
def test_after_changes_by_this_program_where_stamps_are_compared_behind(
    steps: list[tuple[Change, int, int]],
) -> None:
    """The desk sees writes of any process of the program without a comparison of stamps."""
    with open_own_store() as store, pytest.MonkeyPatch.context() as patched:
        write(store, 1, 0)
        SessionIndex(store).list_ids(SessionSelection())
        index = SessionIndex(store, wait=False)
        index.list_ids(SessionSelection())
        patched.setattr(catching_up, "_QUICK_S", -1)
        patched.setattr(catching_up, "_LOOK_AGAIN_S", 3600)
        patched.setattr(catching_up.CatchingUp, "_is_due", _is_never_due)
        for change, number, kind in steps:
            change(store, number, kind)
        assert_equal_to_files(index, store)


def test_changes_by_others_are_seen_behind_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow comparison runs behind: the first query may miss changes, later queries do not."""
    monkeypatch.setattr(catching_up, "_QUICK_S", -1)
    monkeypatch.setattr(catching_up, "_LOOK_AGAIN_S", 0.01)
    store = SessionStore(DataFolder(tmp_path))
    write(store, 1, 0)
    index = SessionIndex(store, wait=False)
    assert len(index.list_ids(SessionSelection())) == 1
    record = store.folder.get_session_file(_make_id(1))
    copy = json.loads(record.read_text()) | {"id": _make_id(2)}
    store.folder.local.sessions.get_file(_make_id(2)).write_text(json.dumps(copy))
    wait_until(lambda: len(index.list_ids(SessionSelection())) == 2)


def test_a_new_index_shows_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists reload themselves; a session is shown meanwhile; a form loses nothing."""
    store = SessionStore(DataFolder(tmp_path))
    for number in range(1, 7):
        write(store, number, 0)
    gate, read = threading.Event(), catching_up.read_session
    seen = 0

    def read_slowly(path: Path) -> Session:
        nonlocal seen
        seen += 1
        if seen > 3:
            gate.wait(60)
        return read(path)

    monkeypatch.setattr(catching_up, "read_session", read_slowly)
    monkeypatch.setattr(catching_up, "_BATCH_S", 0)
    monkeypatch.setattr(catching_up, "_FIRST_WAIT_S", 0.05)
    client = make_desk_client(store)
    try:
        while "3 of 6 sessions are read" not in (page := client.get("")).text:
            assert page.status_code == 503
            time.sleep(0.02)
        assert (page.headers["Refresh"], page.headers["Retry-After"]) == ("1", "1")
        session_page = client.get("sessions/session-0002").raise_for_status()
        assert "alpha" in session_page.text
        fields = read_form_fields(client, "sessions/session-0002")
        many = {"token": fields["token"], "filter": "", "which": "all", "total": "6", "add": "x"}
        refused = client.post("many", data=many)
        assert refused.status_code == 503
        assert "Refresh" not in refused.headers
        saved = client.post("sessions/session-0002", data={**fields, "evalStatus": "golden"})
        assert saved.status_code == 303
    finally:
        gate.set()
    while (page := client.get("?status=golden")).status_code == 503:
        time.sleep(0.02)
    assert "Title 0" in page.text
    assert [labeled.session.eval_tags for labeled in store] == [()] * 6


def test_progress_of_a_new_index_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch is reported, up to all sessions."""
    monkeypatch.setattr(catching_up, "_BATCH_S", 0)
    store = SessionStore(DataFolder(tmp_path))
    for number in range(1, 4):
        write(store, number, 0)
    reports: list[tuple[int, int]] = []
    index = SessionIndex(store, report=lambda done, total: reports.append((done, total)))
    index.list_ids(SessionSelection())
    assert reports == [(1, 3), (2, 3), (3, 3)]
    index.list_ids(SessionSelection())
    assert len(reports) == 3


def test_notes_of_changes_do_not_grow_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file that was read to its end is deleted by the next comparison."""
    monkeypatch.setattr("review.store._LARGEST", 100)
    monkeypatch.setattr(catching_up, "_LOOK_AGAIN_S", -1)
    store = SessionStore(DataFolder(tmp_path))
    index = SessionIndex(store)
    notes = ChangedSessions(store.folder)
    for kind in range(20):
        write(store, 1, kind * 2)
        index.list_ids(SessionSelection())
        assert notes.end() < 200
    label(store, 1, 0)
    assert_equal_to_files(index, store)


def test_an_error_of_the_thread_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next query raises it; the query after it tries again."""
    store = SessionStore(DataFolder(tmp_path))
    write(store, 1, 0)
    index = SessionIndex(store, wait=False)
    with monkeypatch.context() as patched:
        patched.setattr(catching_up, "list_stamps", _fail)
        with pytest.raises(ZeroDivisionError):
            index.list_ids(SessionSelection())
    try:
        ids = index.list_ids(SessionSelection())
    except IndexInTheMakingError:
        ids = SessionIndex(store).list_ids(SessionSelection())
    assert list(ids) == [_make_id(1)]
