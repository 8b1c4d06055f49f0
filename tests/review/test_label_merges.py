"""Two branches that label the same session: merged in both directions, the state is the same."""

import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from records.checks.check_data import check_all
from records.files.data_folder import DataFolder
from records.sessions.events import make_event_id, order_events
from records.sessions.labels import LabelEvent, LabelName, find_differing_judgements
from records.sessions.session import EvalStatus, Session
from review.errors import GateError
from review.labeled_session import LabeledSession
from review.store import SessionStore
from review.turns import compute_transcript_digest
from tests.review.corpus import make_message, make_session, store_of
from tests.review.labelling import give_labels, take_back
from tests.support.git import commit_all, run_git

pytestmark = pytest.mark.unit
ROOT = Path(__file__).parents[2]
GROWING = [
    make_session(
        1,
        *(make_message("user" if n % 2 == 0 else "assistant", f"text {n}") for n in range(length)),
    )
    for length in (2, 4, 6)
]
"""A session, and longer versions of it."""
ID = GROWING[0].id


@dataclass(frozen=True)
class Change:
    """A step of a branch."""

    kind: str
    reviewer: str | None = None
    status: str = "golden"
    turn: int | None = None
    tags: str = ""
    """Each letter is a tag."""

    def retag(self, now: Session) -> dict[LabelName, JsonValue]:
        """Return the tags of a session after the change."""
        match self.kind:
            case "add":
                return {"evalTags": [*dict.fromkeys((*now.eval_tags, *self.tags))]}
            case "remove":
                return {"evalTags": [tag for tag in now.eval_tags if tag not in self.tags]}
            case _:
                return {"evalTags": [*dict.fromkeys(self.tags)]}


_CHANGES = st.lists(
    st.builds(
        Change,
        kind=st.sampled_from(
            [
                *("status", "status", "blind", "notes", "add", "remove", "set"),
                *("undo", "undo other's", "import", "log"),
            ]
        ),
        reviewer=st.sampled_from(["p1", "p2", "p3", None]),
        status=st.sampled_from([status.value for status in EvalStatus]),
        turn=st.sampled_from([None, None, 1]),
        tags=st.text("xyz", max_size=3),
    ),
    max_size=6,
)


def apply(store: SessionStore, change: Change) -> None:
    """Do one step of a branch."""
    match change.kind:
        case "status" | "blind":
            give_labels(
                store,
                ID,
                {"evalStatus": change.status},
                via="cli",
                reviewer=change.reviewer,
                blind=change.kind == "blind",
                turn=change.turn,
            )
        case "add" | "remove" | "set":
            give_labels(store, ID, change.retag, via="desk", reviewer=change.reviewer)
        case "notes":
            note = f"{change.reviewer}: {change.status}"
            give_labels(store, ID, {"evalNotes": note}, via="desk", reviewer=change.reviewer)
        case "undo":
            with suppress(GateError):
                take_back(store, ID, reviewer=change.reviewer)
        case "undo other's":
            take_back(store, ID, reviewer=change.reviewer, reason="a mistake")
        case "import":
            grown = [
                version for version in GROWING if len(version.messages) > count_messages(store)
            ]
            store.write(grown[0] if grown else GROWING[-1])
        case _:
            log = store.folder.get_label_file(ID)
            if log.exists():  # a line that a merge doubled
                log.write_bytes(log.read_bytes() + log.read_bytes().split(b"\n")[0] + b"\n")


def count_messages(store: SessionStore) -> int:
    """Return the number of messages of the session."""
    return len(store.read(ID).session.messages)


def merge_branches(base: Path, mine: Path, theirs: Path, into: Path) -> SessionStore:
    """Merge two branches as git does: lines of both logs, and the longer record."""
    shutil.copytree(mine, into)
    store = SessionStore(DataFolder(into))
    logs = [DataFolder(path).get_label_file(ID) for path in (base, mine, theirs)]
    old, ours, other = (path.read_bytes() if path.exists() else b"" for path in logs)
    if ours or other:
        store.folder.get_label_file(ID).write_bytes(ours + other.removeprefix(old))
    longer = max((SessionStore(DataFolder(path)) for path in (mine, theirs)), key=count_messages)
    shutil.copy(longer.folder.get_session_file(ID), store.folder.get_session_file(ID))
    return store


def read_merge_state(store: SessionStore) -> tuple[object, ...]:
    """Return the state that must not depend on the direction of a merge."""
    labeled = store.read(ID)
    return (
        labeled.session,
        labeled.events,
        labeled.turns,
        labeled.version,
        find_differing_judgements(labeled.events),
    )


def make_branches(
    folder: Path, before: Sequence[Change], mine: Sequence[Change], theirs: Sequence[Change]
) -> None:
    """Make a base, and two branches of it."""
    base = SessionStore(DataFolder(folder / "base"))
    base.write(GROWING[0])
    for change in before:
        apply(base, change)
    for name, changes in (("mine", mine), ("theirs", theirs)):
        shutil.copytree(folder / "base", folder / name)
        for change in changes:
            apply(SessionStore(DataFolder(folder / name)), change)


@given(_CHANGES, _CHANGES, _CHANGES, _CHANGES)
def test_both_directions_have_one_state(
    before: list[Change], mine: list[Change], theirs: list[Change], after: list[Change]
) -> None:
    """The state is the same after any labels, undos, imports and merges, and after more of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_branches(folder, before, mine, theirs)
        base, left_branch, right_branch = (folder / branch for branch in ("base", "mine", "theirs"))
        branch = merge_branches(base, left_branch, right_branch, folder / "one")
        other = merge_branches(base, right_branch, left_branch, folder / "other")
        assert read_merge_state(branch) == read_merge_state(other)
        assert check_all(branch.folder) == []
        shutil.copytree(folder / "one", folder / "again")
        for change in after:
            apply(branch, change)
        later = merge_branches(folder / "again", folder / "one", folder / "other", folder / "later")
        sooner = merge_branches(
            folder / "again", folder / "other", folder / "one", folder / "sooner"
        )
        assert read_merge_state(later) == read_merge_state(sooner) == read_merge_state(branch)


def _make_statuses(*reviewers: str) -> st.SearchStrategy[list[Change]]:
    return st.lists(
        st.builds(
            Change,
            kind=st.sampled_from(["status", "status", "blind", "undo"]),
            reviewer=st.sampled_from(reviewers),
            status=st.sampled_from(["golden", "incorrect", "needs_review"]),
        ),
        max_size=5,
    )


@given(_make_statuses("p1", "p2", "p3"), _make_statuses("p1", "p4"), _make_statuses("p2", "p5"))
def test_clocks_decide_nothing(
    before: list[Change], mine: list[Change], theirs: list[Change]
) -> None:
    """A merge has the same differing judgements with the clock of a branch ahead or behind."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_branches(folder, before, mine, theirs)
        base_events, left_events, right_events = (
            SessionStore(DataFolder(folder / branch)).read(ID).events
            for branch in ("base", "mine", "theirs")
        )
        base_ids = {event.id for event in base_events}
        sides: list[set[str]] = []
        for hours in (-1, 0, 1):
            moved = [
                event
                if event.id in base_ids
                else event.model_copy(update={"at": event.at + timedelta(hours=hours)})
                for event in right_events
            ]
            sides.append(
                {
                    event.id
                    for event in find_differing_judgements(order_events([*left_events, *moved]))
                }
            )
        assert sides[0] == sides[1] == sides[2]


def merge_by_git(folder: Path, branch: str, other: str) -> LabeledSession:
    """Merge one branch into another on a new branch, and return the session."""
    run_git(folder, "checkout", "-q", "-b", f"{branch}-with-{other}", branch)
    run_git(folder, "merge", "-q", "--no-edit", other)
    store = SessionStore(DataFolder(folder / "data"))
    assert check_all(store.folder) == []
    return store.read(ID)


@pytest.mark.integration
def test_git_merges_two_branches_that_label_one_session(tmp_path: Path) -> None:
    """There is no conflict; an undo takes back the same event in both directions."""
    run_git(tmp_path, "init", "-q", "-b", "main")
    shutil.copy(ROOT / ".gitattributes", tmp_path)
    (tmp_path / ".gitignore").write_text("/data/local/\n")
    store = SessionStore(DataFolder(tmp_path / "data"))
    digest = compute_transcript_digest(GROWING[0])
    copy = GROWING[0].model_copy(update={"source_digest": digest})
    store.write(copy, published=True)
    commit_all(tmp_path, "published")
    run_git(tmp_path, "checkout", "-q", "-b", "first")
    give_labels(store, ID, {"evalStatus": "golden", "evalNotes": "good"}, reviewer="p1")
    commit_all(tmp_path, "p1")
    run_git(tmp_path, "checkout", "-q", "-b", "second", "main")
    give_labels(store, ID, {"evalStatus": "incorrect"}, reviewer="p2")
    take_back(store, ID, reviewer="p2")
    give_labels(store, ID, {"evalStatus": "correct"}, reviewer="p2")
    commit_all(tmp_path, "p2")

    merge = merge_by_git(tmp_path, "first", "second")
    other = merge_by_git(tmp_path, "second", "first")

    assert merge == other
    assert len(merge.events) == 5
    assert merge.session.eval_status is EvalStatus.CORRECT
    assert merge.session.eval_notes == "good"
    assert take_back(store, ID, reviewer="p2").session.eval_status is EvalStatus.GOLDEN


FRESH = make_session(1, make_message("user", "q"), make_message("assistant", "a"))


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    """Return a store with one session that nobody judged."""
    return store_of(tmp_path, [FRESH])


def test_a_status_names_the_judgements_between_which_it_decides(store: SessionStore) -> None:
    """Judgements that agree or were unseen have no link; a correction links the sides again."""

    def judge(reviewer: str, status: str, *, blind: bool = False) -> LabelEvent:
        labels: dict[LabelName, JsonValue] = {"evalStatus": status}
        done = give_labels(store, FRESH.id, labels, via="desk", reviewer=reviewer, blind=blind)
        return done.written[0]

    first = judge("p1", "golden", blind=True)
    second = judge("p2", "incorrect", blind=True)
    third = judge("p3", "golden")
    corrected = judge("p3", "correct")
    other = judge("p4", "incorrect")
    last = judge("p5", "correct")
    sides = (first.id, second.id)
    assert [first.decides, second.decides] == [(), ()]
    assert [third.decides, corrected.decides, other.decides] == [sides, sides, sides]
    assert last.decides == (corrected.id, other.id, *sides)
    (note,) = give_labels(store, FRESH.id, {"evalNotes": "why"}, via="desk").written
    assert (note.decides, note.added, note.removed) == (None, None, None)


def test_a_change_of_tags_names_the_tags_that_come_and_go(store: SessionStore) -> None:
    """An undo takes back the tags of its own event; the tags of later changes stay."""

    def retag(tags: str) -> LabelEvent:
        return give_labels(store, FRESH.id, {"evalTags": [*tags]}, reviewer="p1").written[0]

    events = [retag(tags) for tags in ("ab", "bc", "cb", "cbd")]
    assert [(event.added, event.removed) for event in events] == [
        (("a", "b"), ()),
        (("c",), ("a",)),
        ((), ()),
        (("d",), ()),
    ]
    assert store.read(FRESH.id).session.eval_tags == ("c", "b", "d")
    back = take_back(store, FRESH.id, reviewer="p1", event_id=events[1].id)
    assert back.session.eval_tags == ("a", "b", "d")


def test_tags_of_an_older_program_are_all_tags(store: SessionStore) -> None:
    """The older program's later change holds, and later changes build on it."""
    log = store.folder.get_label_file(FRESH.id)
    give_labels(store, FRESH.id, {"evalTags": ["a"]})
    take_back(store, FRESH.id)
    mine = give_labels(store, FRESH.id, {"evalTags": ["a"]}).written[0]
    unknown = {"added": None, "removed": None}
    theirs = mine.model_copy(
        update={"id": make_event_id(mine.at), "after": ["b"], "at": mine.at + timedelta(hours=1)}
        | unknown
    )
    old = mine.model_copy(update=unknown)
    log.write_text("".join(f"{event.model_dump_json()}\n" for event in (old, theirs)))
    assert store.read(FRESH.id).session.eval_tags == ("b",)
    after = give_labels(store, FRESH.id, lambda now: {"evalTags": [*now.eval_tags, "c"]})
    assert after.session.eval_tags == ("b", "c")
