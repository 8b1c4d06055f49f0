# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Parts of a canoe's document are set and removed, and everything else stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Boat = dict[str, Any]

FULL: Boat = {
    "name": "Heron",
    "hull": {"material": "cedar", "lengthCm": 488.0, "colour": "green"},
    "rack": {"bay": "north", "tier": 2.0},
    "gear": {"paddles": 2.0, "spray decks": 1.0},
    "borrower": "Ines",
    "remark": "Mind the keel.",
}
BARE: Boat = {
    "name": "Coot",
    "hull": {"material": "aluminium", "lengthCm": 410.0},
    "gear": {},
}


def change(convex: Convex, boat: str, function: str, **arguments: Any) -> None:  # noqa: ANN401
    """Call one of the mutations for a boat."""
    assert convex.mutation(f"boats:{function}", {"boat": boat, **arguments}) is None


def contents(convex: Convex, boat: str) -> Boat:
    """Tell what is stored of a boat, without the system's own fields."""
    document = convex.document("boats", boat)
    assert document is not None, "the boat is gone"
    return {name: value for name, value in document.items() if not name.startswith("_")}


def changed(convex: Convex, before: Boat, function: str, **arguments: Any) -> Boat:  # noqa: ANN401
    """Store a boat, call a mutation, and tell what is stored then."""
    boat = convex.insert("boats", before)
    change(convex, boat, function, **arguments)
    return contents(convex, boat)


def without(boat: Boat, *fields: str) -> Boat:
    """Return a boat without some of its fields."""
    return {name: value for name, value in boat.items() if name not in fields}


def test_paint_changes_the_colour_alone(convex: Convex) -> None:
    """A colour is set or changed, and the other parts of the hull stay."""
    for boat in (FULL, BARE):
        painted = boat | {"hull": boat["hull"] | {"colour": "red"}}
        assert changed(convex, boat, "paint", colour="red") == painted


def test_paint_removes_the_colour(convex: Convex) -> None:
    """With null the hull has no colour any more, and still its other parts."""
    bleached = FULL | {"hull": without(FULL["hull"], "colour")}
    assert changed(convex, FULL, "paint", colour=None) == bleached
    assert changed(convex, BARE, "paint", colour=None) == BARE


def test_a_boat_moves_by_one_part_or_both(convex: Convex) -> None:
    """The bay, the tier (0 too) or both are changed; without either, all stays."""
    parts: list[dict[str, Any]] = [{"bay": "south"}, {"bay": ""}, {"tier": 0.0}]
    for part in [*parts, {"bay": "west", "tier": 1.0}, {}]:
        assert changed(convex, FULL, "move", **part) == FULL | {"rack": FULL["rack"] | part}


def test_a_boat_without_a_rack_needs_both_parts(convex: Convex) -> None:
    """A boat that lies nowhere is laid on a rack by both parts, and refused by less."""
    rack = {"bay": "", "tier": 0.0}
    assert changed(convex, BARE, "move", **rack) == BARE | {"rack": rack}
    boat = convex.insert("boats", BARE)
    for part in ({"bay": "north"}, {"tier": 1.0}, {}):
        with pytest.raises(FunctionFailed):
            change(convex, boat, "move", **part)
    assert contents(convex, boat) == BARE


def test_one_thing_is_stowed_and_the_others_stay(convex: Convex) -> None:
    """A thing is added or counted anew, and with 0 it is gone; no other thing changes."""
    boat = convex.insert("boats", FULL)
    steps: list[tuple[str, float, dict[str, float]]] = [
        ("bailer", 1.0, {"paddles": 2.0, "spray decks": 1.0, "bailer": 1.0}),
        ("paddles", 3.0, {"paddles": 3.0, "spray decks": 1.0, "bailer": 1.0}),
        ("spray decks", 0.0, {"paddles": 3.0, "bailer": 1.0}),
        ("anchor", 0.0, {"paddles": 3.0, "bailer": 1.0}),
    ]
    for thing, count, gear in steps:
        change(convex, boat, "stow", thing=thing, count=count)
        assert contents(convex, boat) == FULL | {"gear": gear}
    assert changed(convex, BARE, "stow", thing="rope", count=2) == BARE | {"gear": {"rope": 2}}


def test_a_boat_that_is_lent_leaves_its_rack(convex: Convex) -> None:
    """Lending sets the borrower and removes the rack, and nothing else."""
    lent = without(FULL, "rack") | {"borrower": "Ola"}
    assert changed(convex, FULL, "lend", borrower="Ola") == lent
    assert changed(convex, BARE, "lend", borrower="Ola") == BARE | {"borrower": "Ola"}


def test_a_boat_comes_back(convex: Convex) -> None:
    """The borrower is removed; the remark is replaced where one is given, and kept otherwise."""
    back = without(FULL, "borrower")
    assert changed(convex, FULL, "bringBack") == back
    for remark in ("Leaks.", ""):
        assert changed(convex, FULL, "bringBack", remark=remark) == back | {"remark": remark}
    assert changed(convex, BARE, "bringBack") == BARE
    assert changed(convex, BARE, "bringBack", remark="Wet.") == BARE | {"remark": "Wet."}


CALLS: dict[str, dict[str, Any]] = {
    "paint": {"colour": "red"},
    "move": {"bay": "west", "tier": 1.0},
    "stow": {"thing": "rope", "count": 2.0},
    "lend": {"borrower": "Ola"},
    "bringBack": {"remark": "Wet."},
}


def test_a_boat_that_is_gone_is_refused(convex: Convex) -> None:
    """Each mutation fails for a boat that is no longer there; other boats stay as they were."""
    gone, other = convex.insert_many("boats", [FULL, BARE])
    convex.delete("boats", gone)
    for function, arguments in CALLS.items():
        with pytest.raises(FunctionFailed):
            change(convex, gone, function, **arguments)
    assert [row["_id"] for row in convex.table("boats")] == [other]
    assert contents(convex, other) == BARE


def test_a_boat_is_as_described(convex: Convex) -> None:
    """Parts of another kind, parts that are missing, and parts too many cannot be stored."""
    convex.insert_many("boats", [FULL, BARE])
    wrong: list[Boat] = [
        *({field: None} for field in FULL),
        *({"hull": FULL["hull"] | {part: None}} for part in FULL["hull"]),
        *({"rack": FULL["rack"] | {part: None}} for part in FULL["rack"]),
        *({part: without(FULL[part], *FULL[part])} for part in ("hull", "rack")),
        {"gear": {"paddles": "two"}},
        {"owner": "Ines"},
    ]
    for change_of in wrong:
        with pytest.raises(FunctionFailed):
            convex.insert("boats", FULL | change_of)


def test_five_mutations_are_public_and_check_what_they_are_given(convex: Convex) -> None:
    """Only the five can be called, and arguments of another type are refused."""
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {f"boats:{function}": "mutation" for function in CALLS}
    boat = convex.insert("boats", FULL)
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("paint", {}),
        ("move", {"tier": "2"}),
        ("stow", {"thing": "rope", "count": None}),
        ("lend", {"borrower": None}),
        ("bringBack", {"remark": None}),
    ]
    for function, arguments in wrong:
        with pytest.raises(FunctionFailed):
            change(convex, boat, function, **arguments)
    assert contents(convex, boat) == FULL
