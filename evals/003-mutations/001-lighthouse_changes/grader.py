# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Parts of a lighthouse's description change without the rest, or the whole is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Light = dict[str, Any]

FULL: Light = {
    "name": "Eddystone",
    "beam": {"colour": "white", "periodS": 10.0, "arc": {"fromDeg": 17.0, "toDeg": 297.0}},
    "keepers": ["H. Winstanley", "J. Rudyerd"],
    "remarks": "Repaint the gallery.",
    "fogSignal": {"kind": "horn", "everyS": 60.0},
}
BARE: Light = {
    "name": "Sumburgh",
    "beam": {"colour": "red", "periodS": 30.0},
    "keepers": [],
}


def adjusted(convex: Convex, light: Light, changes: Light) -> Light:
    """Store a lighthouse, adjust it, and tell what is stored afterwards."""
    stored = convex.insert("lights", light)
    assert convex.mutation("lights:adjust", {"light": stored, "changes": changes}) is None
    return contents(convex, stored)


def contents(convex: Convex, light: str) -> Light:
    """Tell what is stored of a lighthouse, without the system's own fields."""
    document = convex.document("lights", light)
    assert document is not None
    return {name: value for name, value in document.items() if not name.startswith("_")}


def refused(convex: Convex, light: Light, changes: Light) -> None:
    """Demand that changes to a lighthouse are refused and leave it as it was."""
    stored = convex.insert("lights", light)
    with pytest.raises(FunctionFailed):
        convex.mutation("lights:adjust", {"light": stored, "changes": changes})
    assert contents(convex, stored) == light


@pytest.mark.parametrize("light", [FULL, BARE], ids=["full", "bare"])
def test_no_changes_change_nothing(convex: Convex, light: Light) -> None:
    """With nothing given everything stays, also what may be left out."""
    assert adjusted(convex, light, {}) == light
    assert adjusted(convex, light, {"beam": {}}) == light


@pytest.mark.parametrize("light", [FULL, BARE], ids=["full", "bare"])
@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Bell Rock"},
        {"name": ""},
        {"keepers": ["A. Reid"]},
        {"keepers": []},
        {"remarks": "New lens."},
        {"remarks": ""},
        {"fogSignal": {"kind": "siren", "everyS": 90.0}},
    ],
    ids=[
        "name",
        "empty_name",
        "keepers",
        "no_keepers",
        "remarks",
        "empty_remarks",
        "fog_signal",
    ],
)
def test_what_is_given_takes_the_place_of_what_is_stored(
    convex: Convex, light: Light, changes: Light
) -> None:
    """A given part takes the place of the stored one, and all other parts stay."""
    assert adjusted(convex, light, changes) == light | changes


@pytest.mark.parametrize("light", [FULL, BARE], ids=["full", "bare"])
@pytest.mark.parametrize(
    "changes",
    [
        {"colour": "green"},
        {"periodS": 0.0},
        {"colour": "", "periodS": 2.5},
        {"arc": {"fromDeg": 0.0, "toDeg": 90.0}},
    ],
    ids=["colour", "period_zero", "both", "arc"],
)
def test_a_part_of_the_beam_leaves_its_other_parts(
    convex: Convex, light: Light, changes: Light
) -> None:
    """A given part of the beam takes the stored one's place; the beam's other parts stay."""
    expected = light | {"beam": light["beam"] | changes}
    assert adjusted(convex, light, {"beam": changes}) == expected


def test_a_part_of_the_arc_leaves_its_other_part(convex: Convex) -> None:
    """One end of the arc can be moved alone, also to 0."""
    beam = FULL["beam"]
    assert adjusted(convex, FULL, {"beam": {"arc": {"toDeg": 180.0}}})["beam"] == beam | {
        "arc": {"fromDeg": 17, "toDeg": 180}
    }
    assert adjusted(convex, FULL, {"beam": {"arc": {"fromDeg": 0.0}}})["beam"] == beam | {
        "arc": {"fromDeg": 0, "toDeg": 297}
    }


def test_a_part_of_the_fog_signal_leaves_its_other_part(convex: Convex) -> None:
    """The fog signal's interval can be changed alone, and so can its kind."""
    assert adjusted(convex, FULL, {"fogSignal": {"everyS": 45.0}}) == FULL | {
        "fogSignal": {"kind": "horn", "everyS": 45}
    }
    assert adjusted(convex, FULL, {"fogSignal": {"kind": "bell"}}) == FULL | {
        "fogSignal": {"kind": "bell", "everyS": 60}
    }


@pytest.mark.parametrize("field", ["remarks", "fogSignal"])
def test_null_removes(convex: Convex, field: str) -> None:
    """Null removes the remarks or the fog signal, and nothing else."""
    expected = {name: value for name, value in FULL.items() if name != field}
    assert adjusted(convex, FULL, {field: None}) == expected
    assert adjusted(convex, BARE, {field: None}) == BARE


def test_null_removes_the_arc(convex: Convex) -> None:
    """Null removes the arc from the beam, whose other parts stay."""
    expected = FULL | {"beam": {"colour": "white", "periodS": 10}}
    assert adjusted(convex, FULL, {"beam": {"arc": None}}) == expected
    assert adjusted(convex, BARE, {"beam": {"arc": None}}) == BARE


def test_several_changes_at_once(convex: Convex) -> None:
    """Parts at all levels can be changed, left and removed in one call."""
    changes: Light = {
        "name": "Bell Rock",
        "beam": {"periodS": 5.0, "arc": {"fromDeg": 20.0}},
        "remarks": None,
        "fogSignal": {"everyS": 30.0},
    }
    assert adjusted(convex, FULL, changes) == {
        "name": "Bell Rock",
        "beam": {"colour": "white", "periodS": 5, "arc": {"fromDeg": 20, "toDeg": 297}},
        "keepers": ["H. Winstanley", "J. Rudyerd"],
        "fogSignal": {"kind": "horn", "everyS": 30},
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Bell Rock", "beam": {"arc": {"fromDeg": 20.0}}},
        {"name": "Bell Rock", "beam": {"arc": {}}},
        {"name": "Bell Rock", "fogSignal": {"kind": "bell"}},
        {"name": "Bell Rock", "fogSignal": {"everyS": 30.0}},
        {"name": "Bell Rock", "fogSignal": {}},
    ],
    ids=[
        "arc_without_end",
        "empty_arc",
        "signal_without_interval",
        "signal_without_kind",
        "empty_signal",
    ],
)
def test_incomplete_parts_are_refused(convex: Convex, changes: Light) -> None:
    """A new arc or fog signal of which a part is missing is refused, and nothing is changed."""
    refused(convex, BARE, changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"height": 41.0},
        {"beam": {"brightness": 3.0}},
        {"name": None},
        {"keepers": None},
        {"beam": None},
        {"beam": {"colour": None}},
        {"remarks": 7.0},
    ],
    ids=[
        "unknown_field",
        "unknown_part_of_the_beam",
        "null_name",
        "null_keepers",
        "null_beam",
        "null_colour",
        "number_as_remarks",
    ],
)
def test_changes_that_are_not_described_are_refused(convex: Convex, changes: Light) -> None:
    """Fields that a lighthouse does not have, and null for what cannot be missing, are refused."""
    refused(convex, FULL, changes)


@pytest.mark.parametrize(
    ("before", "after"), [(FULL, BARE), (BARE, FULL), (FULL, FULL)], ids=["less", "more", "same"]
)
def test_a_new_description_leaves_nothing_of_the_old(
    convex: Convex, before: Light, after: Light
) -> None:
    """After recommissioning the document holds what the description holds, and no more."""
    light = convex.insert("lights", before)
    result = convex.mutation("lights:recommission", {"light": light, "description": after})
    assert result is None
    assert contents(convex, light) == after


@pytest.mark.parametrize("missing", ["name", "beam", "keepers"])
def test_an_incomplete_description_is_refused(convex: Convex, missing: str) -> None:
    """A description without a required part is refused, and nothing is changed."""
    light = convex.insert("lights", FULL)
    description = {name: value for name, value in FULL.items() if name != missing}
    with pytest.raises(FunctionFailed):
        convex.mutation("lights:recommission", {"light": light, "description": description})
    assert contents(convex, light) == FULL


def test_the_document_stays_the_same_document(convex: Convex) -> None:
    """Its id and the time of its creation do not change, and other lighthouses do not either."""
    others = [convex.insert("lights", BARE), convex.insert("lights", FULL)]
    light = convex.insert("lights", FULL)
    before = convex.document("lights", light)
    convex.mutation("lights:adjust", {"light": light, "changes": {"name": "Bell Rock"}})
    convex.mutation("lights:recommission", {"light": light, "description": BARE})
    after = convex.document("lights", light)
    assert before is not None
    assert after is not None
    assert (before["_id"], before["_creationTime"]) == (after["_id"], after["_creationTime"])
    assert [contents(convex, other) for other in others] == [BARE, FULL]
    assert len(convex.table("lights")) == 3


def test_a_lighthouse_that_is_gone_is_refused(convex: Convex) -> None:
    """Adjusting or recommissioning a lighthouse that is no longer there fails and creates none."""
    light = convex.insert("lights", FULL)
    convex.clear()
    with pytest.raises(FunctionFailed):
        convex.mutation("lights:adjust", {"light": light, "changes": {}})
    with pytest.raises(FunctionFailed):
        convex.mutation("lights:adjust", {"light": light, "changes": {"name": "Bell Rock"}})
    with pytest.raises(FunctionFailed):
        convex.mutation("lights:recommission", {"light": light, "description": BARE})
    assert convex.table("lights") == []
