"""The links of new label events: the judgements that a status decides between, and changed tags."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from records.sessions.events import make_event_id
from records.sessions.labels import LabelEvent, LabelName
from review.store import SessionStore
from tests.review.corpus import make_message, make_session, store_of
from tests.review.labelling import give_labels, take_back

if TYPE_CHECKING:
    from pydantic import JsonValue

pytestmark = pytest.mark.unit

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
