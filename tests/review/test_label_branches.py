"""Unusual branches of labels, merged in both directions: one state, as expected."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from pydantic import JsonValue

from records.files.data_folder import DataFolder
from records.sessions import events as event_order
from records.sessions.labels import LabelName, find_differing_judgements
from records.sessions.session import Session
from review.labeled_session import LabeledSession
from review.store import SessionStore
from review.turns import compute_transcript_digest
from tests.review.labelling import give_labels, take_back
from tests.review.test_label_merges import GROWING, ID, merge_branches

pytestmark = pytest.mark.unit

Steps = Callable[[SessionStore], object]
Seen = Callable[[LabeledSession], object]


class Branches(NamedTuple):
    """Two branches of a session, and a fact of their merge."""

    before: Steps
    left: Steps
    right: Steps
    fact: Seen
    expected: object


def judge(reviewer: str, status: str, turn: int | None = None, *, blind: bool = False) -> Steps:
    """Return a step in which a reviewer gives a status."""
    return lambda store: give_labels(
        store, ID, {"evalStatus": status}, reviewer=reviewer, turn=turn, blind=blind
    )


def tag(reviewer: str, *tags: str) -> Steps:
    """Return a step in which a reviewer sets the tags."""
    return lambda store: give_labels(
        store, ID, {"evalTags": [*tags]}, via="desk", reviewer=reviewer
    )


def retag(reviewer: str, add: str = "", remove: str = "") -> Steps:
    """Return a step in which a reviewer adds and removes tags; each letter is a tag."""

    def compute_tags(now: Session) -> dict[LabelName, JsonValue]:
        together = dict.fromkeys((*now.eval_tags, *add))
        return {"evalTags": [name for name in together if name not in remove]}

    return lambda store: give_labels(store, ID, compute_tags, reviewer=reviewer)


def undo(reviewer: str, reason: str = "") -> Steps:
    """Return a step in which a reviewer takes back their own latest change, else another's."""
    return lambda store: take_back(store, ID, reviewer=reviewer, reason=reason)


def undo_first(reviewer: str) -> Steps:
    """Return a step in which a reviewer takes back the first change in the log."""
    return lambda store: take_back(
        store,
        ID,
        via="desk",
        reviewer=reviewer,
        reason="wrong",
        event_id=store.read(ID).events[0].id,
    )


def chain_steps(*many: Steps) -> Steps:
    """Return a step of several steps."""

    def do_all(store: SessionStore) -> None:
        for step in many:
            step(store)

    return do_all


def shift_clock(hours: int, step: Steps) -> Steps:
    """Return a step on a machine whose clock differs by this number of hours."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            del tz
            return datetime.now(UTC) + timedelta(hours=hours)

    def do(store: SessionStore) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(event_order, "datetime", Clock)
            step(store)

    return do


def grow(store: SessionStore) -> None:
    """Publish a longer version of the transcript."""
    publish(store, 1)


def publish(store: SessionStore, length: int) -> None:
    """Write the published copy of a version of the transcript."""
    digest = compute_transcript_digest(GROWING[length])
    store.write(GROWING[length].model_copy(update={"source_digest": digest}), published=True)


def do_nothing(_: SessionStore) -> None:
    """Do nothing."""


def get_status(labeled: LabeledSession) -> object:
    """Return the status."""
    return labeled.session.eval_status.value


def get_status_and_tags(labeled: LabeledSession) -> object:
    """Return the status and the tags."""
    return get_status(labeled), labeled.session.eval_tags


def get_tags(labeled: LabeledSession) -> object:
    """Return the tags in one text."""
    return "".join(labeled.session.eval_tags)


def get_turn_statuses(labeled: LabeledSession) -> object:
    """Return the status of each labelled turn."""
    return {number: labels["evalStatus"] for number, labels in labeled.turns.items()}


def get_status_and_turns(labeled: LabeledSession) -> object:
    """Return the status of the session, and that of each labelled turn."""
    return get_status(labeled), get_turn_statuses(labeled)


def get_status_and_staleness(labeled: LabeledSession) -> object:
    """Return the status, and whether the transcript changed since."""
    return get_status(labeled), labeled.is_stale


def get_disputes(labeled: LabeledSession) -> object:
    """Return the status, and the reviewers who differ."""
    return get_status(labeled), {
        event.reviewer for event in find_differing_judgements(labeled.events)
    }


GOLDEN = judge("p1", "golden")
DISPUTED = chain_steps(GOLDEN, judge("p2", "incorrect"))
CASES = {
    "one undoes, the other labels over it": Branches(
        GOLDEN, undo("p1"), judge("p2", "incorrect"), get_status, "incorrect"
    ),
    "both undo the same event": Branches(
        chain_steps(GOLDEN, judge("p1", "correct")), undo("p1"), undo("p1"), get_status, "golden"
    ),
    "both undo it, and one labels again": Branches(
        GOLDEN, undo("p1"), chain_steps(undo("p1"), judge("p1", "correct")), get_status, "correct"
    ),
    "an undo of an event, and of the event before it": Branches(
        chain_steps(GOLDEN, judge("p2", "correct")),
        undo("p2"),
        undo("p1"),
        get_status,
        "needs_review",
    ),
    "undoes of all, taken by others": Branches(
        chain_steps(GOLDEN, judge("p2", "correct")),
        undo_first("p2"),
        chain_steps(undo_first("p3"), undo("p3", "wrong, too")),
        get_status,
        "needs_review",
    ),
    "a status and tags": Branches(
        do_nothing, GOLDEN, tag("p2", "a", "b"), get_status_and_tags, ("golden", ("a", "b"))
    ),
    "tags are taken back, a status stays": Branches(
        chain_steps(tag("p1", "a"), GOLDEN),
        chain_steps(tag("p1", "b"), undo("p1")),
        judge("p1", "incorrect"),
        get_status_and_tags,
        ("incorrect", ("a",)),
    ),
    "turns apart, and the session": Branches(
        judge("p1", "correct", turn=1),
        chain_steps(judge("p1", "incorrect", turn=1), undo("p1")),
        chain_steps(judge("p2", "golden", turn=2), judge("p2", "golden")),
        get_status_and_turns,
        ("golden", {1: "correct", 2: "golden"}),
    ),
    "an undo of a turn's only label": Branches(
        judge("p1", "correct", turn=1),
        undo("p1"),
        judge("p2", "golden", turn=1),
        get_turn_statuses,
        {1: "golden"},
    ),
    "a clock a year ahead is followed where it was seen": Branches(
        shift_clock(9_000, GOLDEN),
        judge("p2", "incorrect"),
        tag("p1", "a"),
        get_status,
        "incorrect",
    ),
    "a clock that was set back": Branches(
        GOLDEN,
        shift_clock(-9_000, judge("p2", "incorrect")),
        tag("p1", "a"),
        get_status,
        "incorrect",
    ),
    "an undo with a clock set back, a label with one ahead": Branches(
        GOLDEN,
        shift_clock(-9_000, undo("p1")),
        shift_clock(9_000, judge("p2", "correct")),
        get_status,
        "correct",
    ),
    "blind judgements that differ": Branches(
        do_nothing,
        judge("p1", "golden", blind=True),
        judge("p2", "incorrect", blind=True),
        get_disputes,
        ("incorrect", {"p1", "p2"}),
    ),
    "a status in sight of one side decides nothing": Branches(
        GOLDEN,
        judge("p2", "incorrect"),
        shift_clock(9, judge("p3", "correct")),
        get_disputes,
        ("correct", {"p1", "p2", "p3"}),
    ),
    "a status given blind to the other side decides nothing": Branches(
        do_nothing,
        judge("p1", "golden", blind=True),
        shift_clock(9, chain_steps(judge("p2", "incorrect", blind=True), judge("p3", "golden"))),
        get_disputes,
        ("golden", {"p1", "p2", "p3"}),
    ),
    "a decision in sight of both, and a label of the other branch": Branches(
        DISPUTED, judge("p3", "golden"), tag("p4", "a"), get_disputes, ("golden", set())
    ),
    "a decision, and a judgement that it did not see": Branches(
        DISPUTED,
        judge("p3", "golden"),
        shift_clock(-9, judge("p4", "incorrect")),
        get_disputes,
        ("golden", {"p3", "p4"}),
    ),
    "a decision, and a side that judges anew": Branches(
        DISPUTED,
        shift_clock(9, judge("p3", "golden")),
        judge("p1", "correct"),
        get_disputes,
        ("golden", {"p1", "p3"}),
    ),
    "two decisions that differ": Branches(
        DISPUTED,
        judge("p3", "golden"),
        judge("p4", "incorrect"),
        get_disputes,
        ("incorrect", {"p3", "p4"}),
    ),
    "two decisions that are the same": Branches(
        DISPUTED, judge("p3", "golden"), judge("p4", "golden"), get_disputes, ("golden", set())
    ),
    "tags of both": Branches(do_nothing, retag("p1", "a"), retag("p2", "b"), get_tags, "ab"),
    "tags of both over a tag, which one takes away": Branches(
        retag("p1", "xy"), retag("p1", "a", "x"), retag("p2", "b"), get_tags, "yab"
    ),
    "both add the same tag, and both take one away": Branches(
        retag("p1", "xy"), retag("p1", "a", "x"), retag("p2", "ab", "x"), get_tags, "yab"
    ),
    "all tags are set, and others are added": Branches(
        retag("p1", "xy"), tag("p1", "z"), retag("p2", "b"), get_tags, "zb"
    ),
    "tags in another order, and others are added": Branches(
        retag("p1", "xy"), tag("p1", "y", "x"), retag("p2", "b"), get_tags, "yxb"
    ),
    "several changes of tags in each": Branches(
        retag("p1", "x"),
        chain_steps(retag("p1", "ab"), retag("p1", "c", "a")),
        chain_steps(retag("p2", "de"), retag("p2", "", "xd")),
        get_tags,
        "bce",
    ),
    "tags that are taken back in one": Branches(
        retag("p1", "x"),
        chain_steps(retag("p1", "a", "x"), undo("p1")),
        retag("p2", "b"),
        get_tags,
        "xb",
    ),
    "the first tags are taken back in one": Branches(
        retag("p1", "x"), undo("p1"), retag("p2", "b"), get_tags, "b"
    ),
    "a transcript that grew under a label": Branches(
        do_nothing, GOLDEN, grow, get_status_and_staleness, ("golden", True)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_both_directions_of_a_merge_are_as_expected(tmp_path: Path, name: str) -> None:
    """The branches merge, and again after a further label on a merge, to one state."""
    case = CASES[name]
    base, left, right, one, other, again = (
        tmp_path / each for each in ("base", "left", "right", "one", "other", "again")
    )
    store = SessionStore(DataFolder(base))
    publish(store, 0)
    case.before(store)
    for branch, steps in ((left, case.left), (right, case.right)):
        shutil.copytree(base, branch)
        steps(SessionStore(DataFolder(branch)))

    merged = merge_branches(base, left, right, one).read(ID)
    labelling = merge_branches(base, right, left, other)
    same = labelling.read(ID)

    assert (merged, merged.version) == (same, same.version)
    assert case.fact(merged) == case.expected

    shutil.copytree(other, again)
    after = give_labels(labelling, ID, {"evalStatus": "golden", "evalNotes": "after"})
    later = merge_branches(again, one, other, tmp_path / "later").read(ID)
    assert (later, later.version) == (after, after.version)
