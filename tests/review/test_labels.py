"""The labels of a session: their log, its fold, and many writers at once."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.checks.check_data import check_all
from records.errors import InvalidRecordError, MissingRecordError
from records.files.data_folder import DataFolder
from records.sessions.labels import find_differing_judgements
from records.sessions.session import EvalStatus, SessionMessage
from review.labeled_session import LabeledSession
from review.store import SessionStore
from review.turns import compute_transcript_digest
from tests.review.corpus import PLAIN, make_message, store_of
from tests.review.labelling import give_labels, take_back

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
FRESH = PLAIN.model_copy(
    update={
        "eval_status": EvalStatus.NEEDS_REVIEW,
        "eval_tags": (),
        "eval_notes": "",
    }
)


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a store with one session that nobody judged."""
    return store_of(tmp_path, [FRESH])


def test_a_published_copy_shares_its_labels_with_its_source(store: SessionStore) -> None:
    """Each is read once, its label holds for both, and a source that grows makes it stale."""
    folder = store.folder
    copy = FRESH.model_copy(
        update={"title": "A redacted title", "source_digest": compute_transcript_digest(FRESH)}
    )
    folder.local.sessions.get_file(FRESH.id).unlink()
    store.write(copy, published=True)
    give_labels(store, FRESH.id, {"evalStatus": "golden"})
    assert folder.labels.get_file(FRESH.id).exists()
    assert not store.read(FRESH.id).is_stale

    store.write(FRESH)
    (raw,) = store
    assert raw.session.title == FRESH.title
    assert (raw.session.eval_status, raw.is_stale) == (EvalStatus.GOLDEN, False)
    more = SessionMessage(role="user", text="And more?")
    store.write(FRESH.model_copy(update={"messages": (*FRESH.messages, more)}))
    assert store.read(FRESH.id).is_stale
    assert check_all(folder) == []


def test_marking_as_ready_is_no_review(store: SessionStore) -> None:
    """Only a change of status by a person sets the date."""
    assert give_labels(store, FRESH.id, {"evalReady": True}).session.reviewed_at is None
    assert (
        give_labels(store, FRESH.id, {"evalStatus": "correct"}, via="grader").session.reviewed_at
        is None
    )
    assert (
        give_labels(store, FRESH.id, {"evalStatus": "golden"}, via="desk").session.reviewed_at
        is not None
    )


@pytest.mark.parametrize("label", [{"evalStatus": "great"}, {"evalReady": 1}, {"evalTags": "a"}])
def test_wrong_values_are_refused(store: SessionStore, label: dict[str, object]) -> None:
    """Nothing is written."""
    with pytest.raises(ValueError, match=r"evalStatus|evalReady|evalTags|great"):
        give_labels(store, FRESH.id, label, via="api")  # pyright: ignore[reportArgumentType] - on purpose
    assert store.read(FRESH.id).events == []


JUDGED: Mapping[str, tuple[Sequence[tuple[str | None, str, bool]], Sequence[str]]] = {
    "one alone": ([("p1", "correct", False), ("p1", "incorrect", False)], []),
    "two agree": ([("p1", "correct", True), ("p2", "correct", True)], []),
    "two differ": ([("p1", "correct", True), ("p2", "incorrect", True)], ["correct", "incorrect"]),
    "in sight of one": ([("p1", "golden", False), ("p2", "correct", False)], ["golden", "correct"]),
    "not judged": ([("p1", "correct", True), ("p2", "needs_review", True)], []),
    "decided as the last one said": (
        [("p1", "correct", True), ("p2", "incorrect", True), ("p1", "incorrect", False)],
        [],
    ),
    "decided as the first one said": (
        [("p1", "correct", True), ("p2", "incorrect", True), ("p3", "correct", False)],
        [],
    ),
    "decided by somebody without a pseudonym": (
        [("p1", "correct", True), ("p2", "incorrect", True), (None, "incorrect", False)],
        [],
    ),
    "blind without a pseudonym": (
        [("p1", "correct", True), (None, "incorrect", True)],
        ["correct", "incorrect"],
    ),
    "and again": (
        [
            *[("p1", "correct", True), ("p2", "incorrect", True)],
            *[("p1", "incorrect", False), ("p2", "golden", False)],
        ],
        ["incorrect", "golden"],
    ),
}


@pytest.mark.parametrize("case", JUDGED)
def test_reviewers_differ_until_somebody_decides(store: SessionStore, case: str) -> None:
    """A status given in sight of both decides, even the current status of the session."""
    judgements, expected = JUDGED[case]
    for reviewer, status, blind in judgements:
        give_labels(
            store, PLAIN.id, {"evalStatus": status}, via="desk", reviewer=reviewer, blind=blind
        )
    events = store.read(PLAIN.id).events
    assert [event.after for event in find_differing_judgements(events)] == expected
    assert len(events) == len(judgements)


_CHANGES = st.lists(
    st.sampled_from(["golden", "correct", "incorrect", "needs_review", "undo"]), max_size=12
)


@given(_CHANGES)
def test_the_fold_has_the_last_labels(changes: list[str]) -> None:
    """Any sequence of labels and undos leaves the same value as a plain stack."""
    import tempfile  # noqa: PLC0415 - a folder for each example

    with tempfile.TemporaryDirectory() as folder:
        store = SessionStore(DataFolder(Path(folder)))
        store.write(FRESH)
        stack = ["needs_review"]
        for change in changes:
            if change == "undo":
                take_back(store, FRESH.id)
                stack = stack[:-1] or stack
            else:
                give_labels(store, FRESH.id, {"evalStatus": change})
                stack += [] if stack[-1] == change else [change]
        assert store.read(FRESH.id).session.eval_status.value == stack[-1]


_WRITER = """
import sys
from pathlib import Path
from records.files.data_folder import DataFolder
from review.store import SessionStore
from tests.review.labelling import give_labels
store = SessionStore(DataFolder(Path(sys.argv[1])))
for number in range(1000):
    note = f"{sys.argv[3]} {number}"
    give_labels(store, sys.argv[2], {"evalNotes": note}, via="api", reason=note)
    print(note, flush=True)
"""


def test_no_tag_of_another_writer_is_lost(store: SessionStore) -> None:
    """A change of tags reads the tags after all other writers wrote."""

    def add(number: int) -> None:
        give_labels(store, FRESH.id, lambda now: {"evalTags": [*now.eval_tags, f"tag-{number}"]})

    with ThreadPoolExecutor(8) as writers:
        list(writers.map(add, range(24)))
    tags = store.read(FRESH.id).session.eval_tags
    assert sorted(tags) == sorted(f"tag-{number}" for number in range(24))


@pytest.mark.more
@pytest.mark.parametrize("count", [6, pytest.param(20, marks=pytest.mark.night)])
def test_writers_are_killed(store: SessionStore, count: int) -> None:
    """Every acknowledged label is in the log once, after any kills."""
    dice = random.Random(20261124)  # noqa: S311 - no secret
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, store.folder.root, FRESH.id, f"w{number}"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    acknowledged: list[str] = []
    for writer in writers:
        assert writer.stdout is not None
        acknowledged.append(writer.stdout.readline().strip())  # each is at work
    for writer in dice.sample(writers, len(writers)):
        time.sleep(dice.uniform(0, 0.05))
        os.kill(writer.pid, signal.SIGKILL)
    for writer in writers:
        output, _ = writer.communicate()
        # A line that was cut off by the kill was not acknowledged.
        acknowledged += output.splitlines() if output.endswith("\n") else output.splitlines()[:-1]
    lines = store.folder.get_label_file(FRESH.id).read_bytes().split(b"\n")
    reasons = [json.loads(line)["reason"] for line in lines[:-1]]
    assert len(reasons) == len(set(reasons))
    assert set(acknowledged) <= set(reasons)
    assert len(acknowledged) >= count
    assert [event.reason for event in store.read(FRESH.id).events] == reasons
    give_labels(store, FRESH.id, {"evalNotes": "the end"})
    assert store.read(FRESH.id).session.eval_notes == "the end"


def test_a_torn_line_was_never_acknowledged(store: SessionStore) -> None:
    """The next writer cuts off the incomplete line of a killed writer."""
    give_labels(store, FRESH.id, {"evalNotes": "kept"})
    with store.folder.get_label_file(FRESH.id).open("ab") as log:
        log.write(b'{"at": "2026')
    assert len(store.read(FRESH.id).events) == 1
    give_labels(store, FRESH.id, {"evalTags": ["x"]})
    assert [event.field for event in store.read(FRESH.id).events] == ["evalNotes", "evalTags"]


def test_a_label_of_a_turn_is_not_the_sessions(store: SessionStore) -> None:
    """The label has the number of the turn; undo leaves none."""
    give_labels(store, FRESH.id, {"expectedOutput": "the whole"})
    give_labels(store, FRESH.id, {"expectedOutput": "first", "evalStatus": "golden"}, turn=1)
    give_labels(store, FRESH.id, {"expectedOutput": "second"}, turn=1)
    labelled = store.read(FRESH.id)
    assert labelled.turns == {1: {"expectedOutput": "second", "evalStatus": "golden"}}
    assert labelled.session.expected_output == "the whole"
    assert labelled.session.eval_status is EvalStatus.NEEDS_REVIEW
    for _ in range(3):
        labelled = take_back(store, FRESH.id)
    assert labelled.turns == {}
    assert labelled.session.expected_output == "the whole"


def test_fields_of_newer_programs_are_kept_and_lock_nobody_out(store: SessionStore) -> None:
    """Unknown fields, labels and ways are kept; an unknown label changes nothing."""
    give_labels(store, FRESH.id, {"evalNotes": "kept"})
    log = store.folder.get_label_file(FRESH.id)
    fields = json.loads(log.read_text())
    newer = {
        **fields,
        "id": f"{fields['id'][:8]}-0000-7000-8000-000000000000",
        "confidence": 0.5,
        "via": "phone",
    }
    unknown = {
        **newer,
        "id": f"{fields['id'][:8]}-0000-7000-8000-000000000001",
        "field": "evalMood",
        "after": {"any": 1},
    }
    with log.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in (newer, unknown))
    give_labels(store, FRESH.id, {"evalTags": ["x"]})
    read = store.read(FRESH.id)
    assert (read.session.eval_notes, read.session.eval_tags) == ("kept", ("x",))
    assert [event.model_dump(mode="json").get("confidence") for event in read.events].count(
        0.5
    ) == 2


def test_a_damaged_session_stands_among_the_others(store: SessionStore) -> None:
    """The scan yields its file and the reason in its place."""
    for number in (1, 2):
        store.write(FRESH.model_copy(update={"id": f"session-{number:04}"}))
    give_labels(store, "session-0002", {"evalNotes": "kept"})
    store.folder.get_session_file("session-0001").write_text("{broken")
    with store.folder.get_label_file("session-0002").open("a") as log:
        log.write("{}\n")
    whole, *broken = store.scan()
    assert isinstance(whole, LabeledSession)
    assert [problem.path for problem in broken if isinstance(problem, InvalidRecordError)] == [
        store.folder.get_session_file("session-0001"),
        store.folder.get_label_file("session-0002"),
    ]
    assert "line 2" in str(broken[1])


@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.night)])
def test_a_label_undoes_no_import(store: SessionStore, rounds: int) -> None:
    """20 imports of a transcript that grows and 60 labels at once: nothing is lost."""

    def import_all(session_id: str) -> None:
        own = SessionStore(store.folder)
        session = own.read(session_id).session
        for number in range(20):
            more = make_message("user", f"more {number}")
            session = session.model_copy(update={"messages": (*session.messages, more)})
            own.write(session)

    def label_all(session_id: str) -> None:
        own = SessionStore(store.folder)
        for number in range(60):
            give_labels(own, session_id, {"evalNotes": f"note {number}"})

    for number in range(rounds):
        record = FRESH.model_copy(update={"id": f"session-{number:04}"})
        store.write(record)
        with ThreadPoolExecutor(2) as writers:
            for done in [writers.submit(write, record.id) for write in (import_all, label_all)]:
                done.result()
        after = store.read(record.id)
        assert len(after.session.messages) == len(FRESH.messages) + 20
        assert after.session.messages[-1].text == "more 19"
        assert [event.after for event in after.events] == [f"note {each}" for each in range(60)]


def test_a_renamed_record_is_refused(store: SessionStore) -> None:
    """A read by its name or by the id in it is refused; in a scan it is a problem."""
    renamed = store.folder.get_session_file("session-0009")
    store.folder.get_session_file(FRESH.id).rename(renamed)
    with pytest.raises(InvalidRecordError, match=FRESH.id):
        store.read("session-0009")
    with pytest.raises(MissingRecordError):
        store.read(FRESH.id)
    (problem,) = store.scan()
    assert isinstance(problem, InvalidRecordError)
    assert problem.path == renamed
