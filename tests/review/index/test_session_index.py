"""The index of sessions: it selects the same as a scan of every file, and follows every change."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from records.sessions.session import EvalStatus, FromAttempt, Session
from review.index.session_index import SessionIndex
from review.selection import SessionSelection
from review.store import SessionStore
from tests.review.corpus import NASTY, PLAIN, make_message, make_session, store_of
from tests.review.labelling import give_labels

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
DATED = (
    make_session(
        20,
        make_message("user", "Straße und STRASSE"),
        created_at="2026-01-05T10:00:00Z",
        model="a/b",
    ),
    make_session(
        21, make_message("user", "a\0b \ufffd"), created_at=None, model=None, eval_tags=("auth",)
    ),
)


def make_attempt_session(number: int, name: str, model: str, status: EvalStatus) -> Session:
    """Return the session of an attempt as its grader judged it."""
    source = FromAttempt(kind="attempt", run_id="4p2bzjf5m6urabcd", eval=name, sample=number)
    record = make_session(
        number, make_message("user", "task"), make_message("assistant", "answer"), model=model
    )
    return record.model_copy(update={"source": source, "eval_status": status})


ATTEMPTS = (
    make_attempt_session(30, "001-a/001-b", "a/b", EvalStatus.CORRECT),
    make_attempt_session(31, "001-a/001-b", "a/b", EvalStatus.INCORRECT),
    make_attempt_session(32, "001-a/002-c", "a/b", EvalStatus.CORRECT),
    make_attempt_session(33, "001-a/002-c", "c/d", EvalStatus.INCORRECT),
)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a store of many kinds of sessions."""
    return store_of(tmp_path, (*NASTY, *DATED, *ATTEMPTS))


@pytest.fixture
def index(store: SessionStore) -> SessionIndex:
    """Return the index of the store."""
    return SessionIndex(store)


def read_in_full(store: SessionStore, selection: SessionSelection) -> Sequence[str]:
    """Return the selection from a scan of every file."""
    selected = [labeled.session.id for labeled in store if selection.selects(labeled)]
    return selected[: selection.limit]


_SELECTIONS = st.builds(
    SessionSelection,
    statuses=st.frozensets(st.sampled_from(EvalStatus), max_size=2),
    tags=st.frozensets(st.sampled_from(["auth", "debugging", "none"]), max_size=2),
    model=st.sampled_from([None, "maker/model", "a/b", "nobody"]),
    source=st.sampled_from([None, "attempt", "chat"]),
    since=st.sampled_from([None, date(2026, 1, 5), date(2026, 1, 6)]),
    until=st.sampled_from([None, date(2026, 1, 5), date(2030, 1, 1)]),
    ready=st.sampled_from([None, True, False]),
    text=st.sampled_from(
        [None, "", "a", "STRASSE", "straße", "aß", "query", "{{ env.HOME }}", '"', "\0", "x" * 50]
    ),
    limit=st.sampled_from([None, 1, 3]),
)


@given(selection=_SELECTIONS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_index_agrees_with_the_files(
    store: SessionStore, index: SessionIndex, selection: SessionSelection
) -> None:
    """Any selection gives the same sessions, in the same order, as reading all of them."""
    assert list(index.list_ids(selection)) == read_in_full(store, selection)
    listed = index.list_page(selection, 0, 100)
    whole = replace(selection, limit=None)
    assert sorted(row.id for row in listed.rows) == read_in_full(store, whole)
    assert listed.total == len(listed.rows)
    unfiltered = read_in_full(store, replace(whole, statuses=frozenset()))
    assert sum(listed.counts.values()) == len(unfiltered)


def test_pages_are_counted_and_newest_first(index: SessionIndex) -> None:
    """The total is over all pages, and sessions without a date come last."""
    every = SessionSelection()
    first, second = index.list_page(every, 0, 5), index.list_page(every, 5, 50)
    assert first.total == second.total == len(NASTY) + len(DATED) + len(ATTEMPTS)
    together = [row.id for row in (*first.rows, *second.rows)]
    assert together == list(index.list_ids_in_order(every))
    assert together[-2:] == [DATED[0].id, DATED[1].id]
    assert sum(first.counts.values()) == first.total
    assert first.counts == second.counts


def test_labels_and_files_of_others_are_seen_at_once(
    store: SessionStore, index: SessionIndex
) -> None:
    """Labels, also of a writer killed before the record; sessions that come, change and go."""
    golden = SessionSelection(statuses=frozenset({EvalStatus.GOLDEN}), text="answer")
    assert index.list_ids(golden) == []
    give_labels(store, ATTEMPTS[0].id, {"evalStatus": "golden", "evalTags": ["new"]})
    assert index.list_ids(golden) == [ATTEMPTS[0].id]
    assert "new" in index.list_facets().tags
    store.write(ATTEMPTS[0].model_copy(update={"messages": (make_message("user", "wholly new"),)}))
    assert index.list_ids(golden) == []
    assert index.list_ids(SessionSelection(text="wholly")) == [ATTEMPTS[0].id]
    record = store.folder.get_session_file(ATTEMPTS[1].id)
    before = record.read_bytes()
    give_labels(store, ATTEMPTS[1].id, {"evalStatus": "golden"})
    record.write_bytes(before)  # as if the writer had been killed between log and record
    store.write(make_session(40, make_message("user", "one more")))
    assert index.list_ids(golden) == [ATTEMPTS[1].id]
    store.folder.get_session_file(ATTEMPTS[1].id).unlink()
    store.write(make_session(41, make_message("user", "and another")))
    assert index.list_ids(golden) == []


def test_a_file_written_in_place_is_seen_after_a_while(
    store: SessionStore, index: SessionIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a write leaves the folder as it is, so all stamps are compared now and then."""
    index.list_ids(SessionSelection())
    time.sleep(0.2)  # the folder's modification time has settled
    index.list_ids(SessionSelection())
    record = store.folder.get_session_file(PLAIN.id)
    record.write_text(record.read_text().replace("Fix the query", "Mend the query"))
    now = time.time() + 60
    monkeypatch.setattr("review.index.catching_up.time", lambda: now)
    assert index.list_ids(SessionSelection(text="mend the")) == [PLAIN.id]


def test_the_index_can_be_deleted_or_damaged(store: SessionStore, index: SessionIndex) -> None:
    """The index is made anew without a loss, as is an index of another version."""
    every = SessionSelection(text="query")
    before = index.list_ids(every)
    file = store.folder.cache / "sessions.sqlite3"
    file.unlink()
    assert index.list_ids(every) == before
    for path in store.folder.cache.iterdir():
        path.write_bytes(b"no database at all" * 1000)
    assert index.list_ids(every) == before
    with sqlite3.connect(file) as tables:
        tables.execute("PRAGMA user_version = 999")
    tables.close()
    assert index.list_ids(every) == before


def test_sessions_to_be_judged(store: SessionStore, index: SessionIndex) -> None:
    """A session waits until a judgement, and again after a new text or a dispute."""

    def list_waiting() -> set[str]:
        return {*index.to_judge()}

    entry, other = ATTEMPTS[0], ATTEMPTS[2]
    assert {entry.id, other.id} <= list_waiting()
    give_labels(store, entry.id, {"evalStatus": "golden"}, via="desk", reviewer="p1")
    give_labels(store, other.id, {"evalStatus": "golden"}, via="desk", reviewer="p1")
    assert not {entry.id, other.id} & list_waiting()
    give_labels(store, entry.id, {"evalStatus": "incorrect"}, via="desk", reviewer="p2")
    assert index.to_judge()[0] == entry.id  # before those that one model passed and failed
    store.write(other.model_copy(update={"messages": (make_message("user", "changed"),)}))
    assert other.id in list_waiting()


def test_evals_flip_where_one_model_both_passed_and_failed(
    store: SessionStore, index: SessionIndex
) -> None:
    """Graders' verdicts decide, not later judgements; a difference of two models is no flip."""
    flipping = ATTEMPTS[0].id, ATTEMPTS[1].id
    first, second, *others = index.to_judge()
    assert {first, second} == {*flipping}
    give_labels(store, ATTEMPTS[0].id, {"evalStatus": "incorrect"}, via="desk")
    assert index.to_judge() == [ATTEMPTS[1].id, *others]


_ASKER = """
import json, sys
from pathlib import Path
from records.files.data_folder import DataFolder
from review.index.session_index import SessionIndex
from review.selection import SessionSelection
from review.store import SessionStore
index = SessionIndex(SessionStore(DataFolder(Path(sys.argv[1]))))
print("ready", flush=True)
print(json.dumps(list(index.list_ids(SessionSelection(text="query")))), flush=True)
"""


@pytest.mark.integration
@pytest.mark.parametrize(
    "delay_s", [0.05, *(pytest.param(delay, marks=pytest.mark.night) for delay in (0, 0.2))]
)
def test_processes_that_are_killed_while_making_it_leave_it_right(
    store: SessionStore, delay_s: float
) -> None:
    """Several processes make it at once and one is killed; the others give the same answer."""
    for number in range(100, 300):
        store.write(make_session(number, make_message("user", f"query {number} " * 50)))
    command = [sys.executable, "-c", _ASKER, str(store.folder.root)]
    expected = read_in_full(store, SessionSelection(text="query"))
    askers = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    for asker in askers:
        assert asker.stdout is not None
        assert asker.stdout.readline() == "ready\n"
    time.sleep(delay_s)
    os.kill(askers[0].pid, signal.SIGKILL)
    askers[0].communicate()
    for asker in askers[1:]:
        output, _ = asker.communicate()
        assert json.loads(output) == expected
