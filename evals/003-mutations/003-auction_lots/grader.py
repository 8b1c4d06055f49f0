# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Lots of an auction are corrected in parts or rewritten as a whole, or refused with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Lot = dict[str, Any]

FIXED: Lot = {"sale": "Clocks", "number": 7.0, "withdrawn": False, "revision": 3.0}
LONG: Lot = {
    "title": "Bracket clock",
    "estimate": {"low": 800.0, "high": 1200.0},
    "reserve": 700.0,
    "provenance": ["Estate of a watchmaker", "By descent"],
}
SHORT: Lot = {"title": "Carriage clock"}
NEXT: Lot = FIXED | {"revision": 4.0}


def contents(convex: Convex, lot: str) -> Lot:
    """Tell what is stored of a lot, without the system's own fields."""
    document = convex.document("lots", lot)
    assert document is not None, "the lot is gone"
    return {name: value for name, value in document.items() if not name.startswith("_")}


def correct(convex: Convex, lot: str, changes: Lot, revision: float = 3) -> object:
    """Correct a lot, and tell the answer."""
    return convex.mutation("lots:correct", {"lot": lot, "revision": revision, "changes": changes})


def rewrite(convex: Convex, lot: str, description: Lot, revision: float = 3) -> object:
    """Rewrite a lot, and tell the answer."""
    arguments = {"lot": lot, "revision": revision, "description": description}
    return convex.mutation("lots:rewrite", arguments)


def corrected(convex: Convex, before: Lot, changes: Lot) -> Lot:
    """Store a lot, correct it, and tell what is stored then."""
    lot = convex.insert("lots", FIXED | before)
    assert correct(convex, lot, changes) == 4
    return contents(convex, lot)


def reason(convex: Convex, before: Lot, change: Lot, revision: float = 3) -> list[object]:
    """Tell why a correction and a rewriting with the same content are refused.

    A rewriting says everything, so it is given what the correction leaves as it is.
    """
    lot = convex.insert("lots", FIXED | before)
    stored = contents(convex, lot)
    description = {name: value for name, value in stored.items() if name not in FIXED} | change
    with pytest.raises(FunctionFailed) as first:
        correct(convex, lot, change, revision)
    with pytest.raises(FunctionFailed) as second:
        rewrite(convex, lot, description, revision)
    assert contents(convex, lot) == stored
    return [first.value.data, second.value.data]


def both(code: str, **more: object) -> list[object]:
    """Return the same error data for both mutations."""
    return [{"code": code, **more}] * 2


def test_a_correction_changes_what_it_gives(convex: Convex) -> None:
    """A given part takes the stored one's place, 0 and nothing listed too; the rest stays."""
    changes: list[Lot] = [
        {"title": "Mantel clock"},
        {"estimate": {"low": 900.0, "high": 900.0}},
        {"reserve": 0.0},
        {"provenance": []},
        {"title": "Clock", "estimate": {"low": 0.0, "high": 1.0}, "reserve": 0.0},
    ]
    for change in changes:
        assert corrected(convex, LONG, change) == NEXT | LONG | change
        assert corrected(convex, SHORT, change) == NEXT | SHORT | change


def test_a_correction_of_nothing_raises_the_revision(convex: Convex) -> None:
    """Without changes all of the description stays, also its optional parts."""
    assert corrected(convex, LONG, {}) == NEXT | LONG
    assert corrected(convex, SHORT, {}) == NEXT | SHORT


def test_a_rewriting_leaves_nothing_of_the_old_description(convex: Convex) -> None:
    """Afterwards the description is what was given, and the lot is still the same lot."""
    whole: list[tuple[Lot, Lot]] = [
        (LONG, SHORT),
        (SHORT, LONG),
        (LONG, SHORT | {"provenance": []}),
        (LONG, SHORT | {"reserve": 9000.0}),
        (LONG, LONG),
    ]
    for before, after in whole:
        lot = convex.insert("lots", FIXED | before)
        assert rewrite(convex, lot, after) == 4
        assert contents(convex, lot) == NEXT | after


def test_changes_follow_one_another(convex: Convex) -> None:
    """Each change counts on from the one before, and the document stays the same document."""
    other, lot = convex.insert_many("lots", [FIXED | SHORT, FIXED | LONG | {"revision": 0.0}])
    before = convex.document("lots", lot)
    assert correct(convex, lot, {"title": "One"}, 0) == 1
    assert rewrite(convex, lot, SHORT, 1) == 2
    assert correct(convex, lot, {"reserve": 5.0}, 2) == 3
    after = convex.document("lots", lot)
    assert before is not None
    assert after is not None
    assert (before["_id"], before["_creationTime"]) == (after["_id"], after["_creationTime"])
    assert contents(convex, lot) == FIXED | SHORT | {"reserve": 5.0}
    assert contents(convex, other) == FIXED | SHORT
    assert len(convex.table("lots")) == 2


def test_what_the_caller_has_not_seen_is_not_overwritten(convex: Convex) -> None:
    """An older or newer revision is refused with the present one, and a withdrawn lot always."""
    for revision in (2, 4, 0):
        assert reason(convex, LONG, {"title": "Mine"}, revision) == both("OUTDATED", revision=3)
    withdrawn = LONG | {"withdrawn": True}
    assert reason(convex, withdrawn, {"title": "Mine"}) == both("WITHDRAWN")
    assert reason(convex, withdrawn, {"title": ""}, 2) == both("WITHDRAWN")


def test_a_description_must_be_sound(convex: Convex) -> None:
    """A title is demanded, an estimate in order, and a reserve that is no higher."""
    assert reason(convex, LONG, {"title": ""}) == both("NO_TITLE")
    upside_down = {"estimate": {"low": 2.0, "high": 1.0}}
    assert reason(convex, SHORT, upside_down) == both("BAD_ESTIMATE")
    too_low = {"estimate": {"low": 699.0, "high": 1200.0}}
    for before, change in [
        (SHORT, too_low | {"reserve": 700.0}),
        (LONG, {"reserve": 801.0}),
        (LONG, too_low),
    ]:
        assert reason(convex, before, change) == both("BAD_RESERVE")
    edge = {"reserve": 800.0}
    assert corrected(convex, LONG, edge) == NEXT | LONG | edge


def test_the_first_reason_counts(convex: Convex) -> None:
    """Where several reasons fit, the first in the stated order is told."""
    worst: Lot = {"title": "", "estimate": {"low": 2.0, "high": 1.0}, "reserve": 9.0}
    assert reason(convex, LONG, worst, 9) == both("OUTDATED", revision=3)
    assert reason(convex, LONG, worst) == both("NO_TITLE")
    assert reason(convex, LONG, worst | {"title": "Clock"}) == both("BAD_ESTIMATE")


def test_a_lot_that_is_gone_is_refused(convex: Convex) -> None:
    """A lot that is no longer there is told by its error, and is not made anew."""
    lot = convex.insert("lots", FIXED | LONG)
    convex.delete("lots", lot)
    for change in (correct, rewrite):
        with pytest.raises(FunctionFailed) as failure:
            change(convex, lot, {"title": ""}, 9)
        assert failure.value.data == {"code": "NO_LOT"}
    assert convex.table("lots") == []


def test_what_is_no_description_is_refused(convex: Convex) -> None:
    """Two mutations are public, and take neither other fields, nor null, nor half an estimate."""
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {"lots:correct": "mutation", "lots:rewrite": "mutation"}
    lot = convex.insert("lots", FIXED | LONG)
    wrong: list[Lot] = [
        {"number": 8.0},
        {"withdrawn": True},
        {"reserve": None},
        {"estimate": {"low": 900.0}},
        {"provenance": ["By descent", 3.0]},
    ]
    for change in wrong:
        with pytest.raises(FunctionFailed):
            correct(convex, lot, change)
        with pytest.raises(FunctionFailed):
            rewrite(convex, lot, SHORT | change)
    with pytest.raises(FunctionFailed):
        rewrite(convex, lot, {"reserve": 5.0})
    assert contents(convex, lot) == FIXED | LONG
