# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Crates move from one cellar to another once, however often a telephone sends the call."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex


def cellar(convex: Convex, crates: float, capacity: float = 100) -> str:
    """Dig a cellar."""
    return convex.insert("cellars", {"name": "North", "crates": crates, "capacity": capacity})


def move(convex: Convex, key: str, source: str, target: str, crates: float) -> object:
    """Move crates, and tell the answer."""
    arguments = {"key": key, "from": source, "to": target, "crates": crates}
    return convex.mutation("cellars:move", arguments)


def refused(convex: Convex, key: str, source: str, target: str, crates: float) -> object:
    """Demand that a move is refused and changes nothing, and tell the reason."""
    before = convex.table("cellars"), convex.table("moves")
    with pytest.raises(FunctionFailed) as refusal:
        move(convex, key, source, target, crates)
    assert (convex.table("cellars"), convex.table("moves")) == before
    return refusal.value.data


def stock(convex: Convex) -> list[object]:
    """Tell how many crates are in the cellars."""
    return [row["crates"] for row in convex.table("cellars")]


def test_a_move_changes_both_cellars_and_is_recorded(convex: Convex) -> None:
    """Crates leave one cellar and are in the other; a third is as it was."""
    other, target, source = cellar(convex, 9), cellar(convex, 5), cellar(convex, 20)
    before = convex.document("cellars", other)
    assert move(convex, "m-1", source, target, 7) == {"fromLeft": 13, "toHas": 12}
    assert stock(convex) == [9, 12, 13]
    assert convex.document("cellars", other) == before
    (row,) = convex.table("moves")
    kept = (row["key"], row["from"], row["to"], row["crates"])
    assert kept == ("m-1", source, target, 7)


def test_the_same_call_again_gets_the_same_answer(convex: Convex) -> None:
    """Repeated at once or after other moves, a call answers as at first and moves nothing."""
    source, target = cellar(convex, 20), cellar(convex, 5)
    first = {"fromLeft": 13, "toHas": 12}
    assert [move(convex, "m-1", source, target, 7) for _ in range(3)] == [first] * 3
    assert move(convex, "m-2", source, target, 7) == {"fromLeft": 6, "toHas": 19}
    assert move(convex, "m-3", target, source, 1) == {"fromLeft": 18, "toHas": 7}
    assert move(convex, "m-1", source, target, 7) == first
    assert stock(convex) == [7, 18]
    assert len(convex.table("moves")) == 3


def test_a_repeated_call_is_not_judged_anew(convex: Convex) -> None:
    """The first answer is given also when the move would now be impossible."""
    source, target = cellar(convex, 7), cellar(convex, 0, capacity=7)
    first = {"fromLeft": 0, "toHas": 7}
    assert move(convex, "m-1", source, target, 7) == first
    assert move(convex, "m-1", source, target, 7) == first
    convex.delete("cellars", source)
    assert move(convex, "m-1", source, target, 7) == first
    convex.delete("cellars", target)
    assert move(convex, "m-1", source, target, 7) == first


def test_a_key_stands_for_one_move(convex: Convex) -> None:
    """A key that has moved crates is refused for anything else, also for what is impossible."""
    north, south, east = (cellar(convex, 20) for _ in range(3))
    move(convex, "m-1", north, south, 7)
    for source, target, crates in (
        (north, south, 8),
        (east, south, 7),
        (north, east, 7),
        (south, north, 7),
        (north, north, 7),
        (north, south, 0),
    ):
        assert refused(convex, "m-1", source, target, crates) == {"code": "KEY_REUSED"}
    assert move(convex, "M-1", north, south, 7) == {"fromLeft": 6, "toHas": 34}


def test_what_cannot_be_moved_is_refused(convex: Convex) -> None:
    """Each reason is told with its figures, and the edges of both cellars can be used up."""
    source, target = cellar(convex, 10), cellar(convex, 4, capacity=12)
    for crates in (0, -1, 1.5, -0.5):
        assert refused(convex, "m", source, target, crates) == {"code": "BAD_COUNT"}
    assert refused(convex, "m", source, source, 3) == {"code": "SAME_CELLAR"}
    assert refused(convex, "m", source, target, 11) == {"code": "TOO_FEW", "left": 10}
    assert refused(convex, "m", source, target, 9) == {"code": "NO_ROOM", "room": 8}
    assert move(convex, "m", source, target, 8) == {"fromLeft": 2, "toHas": 12}
    assert move(convex, "n", target, source, 12) == {"fromLeft": 0, "toHas": 14}
    assert refused(convex, "o", target, source, 1) == {"code": "TOO_FEW", "left": 0}


def test_the_first_reason_counts(convex: Convex) -> None:
    """Where several reasons fit, the first in the stated order is told."""
    source, full, gone = cellar(convex, 10), cellar(convex, 4, capacity=4), cellar(convex, 3)
    convex.delete("cellars", gone)
    assert refused(convex, "m", gone, gone, 0) == {"code": "BAD_COUNT"}
    assert refused(convex, "m", gone, gone, 50) == {"code": "SAME_CELLAR"}
    assert refused(convex, "m", source, gone, 50) == {"code": "NO_CELLAR"}
    assert refused(convex, "m", gone, full, 50) == {"code": "NO_CELLAR"}
    assert refused(convex, "m", source, full, 50) == {"code": "TOO_FEW", "left": 10}


def test_a_failed_call_leaves_its_key_free(convex: Convex) -> None:
    """After a refusal the same call, or another with its key, takes place when it can."""
    source, target = cellar(convex, 3), cellar(convex, 5)
    assert refused(convex, "m-1", source, target, 7) == {"code": "TOO_FEW", "left": 3}
    move(convex, "m-2", target, source, 4)
    assert move(convex, "m-1", source, target, 7) == {"fromLeft": 0, "toHas": 8}
    assert refused(convex, "m-3", source, target, 1) == {"code": "TOO_FEW", "left": 0}
    assert move(convex, "m-3", target, source, 2) == {"fromLeft": 6, "toHas": 2}


def test_no_crate_is_lost_or_doubled(convex: Convex) -> None:
    """Forty calls by chance, many of them repeated, leave what one would count by hand."""
    cellars = [cellar(convex, 12, capacity=20) for _ in range(3)]
    held = dict.fromkeys(cellars, 12)
    done: dict[str, Any] = {}
    chance = Random(7)  # noqa: S311 - not for secrets
    calls = [(f"m-{n}", *chance.sample(cellars, 2), chance.randint(1, 9)) for n in range(20)]
    for key, source, target, crates in chance.choices(calls, k=40):
        possible = held[source] >= crates and held[target] + crates <= 20
        if key not in done and not possible:
            with pytest.raises(FunctionFailed):
                move(convex, key, source, target, crates)
            continue
        if key not in done:
            held[source] -= crates
            held[target] += crates
            done[key] = {"fromLeft": held[source], "toHas": held[target]}
        assert move(convex, key, source, target, crates) == done[key]
    assert stock(convex) == list(held.values())
    assert sorted(done) == sorted(str(row["key"]) for row in convex.table("moves"))
    assert 5 < len(done) < 20


def test_everything_is_of_its_kind(convex: Convex) -> None:
    """Arguments of another kind are refused, and so are cellars and moves that are not as told."""
    source, target = cellar(convex, 20), cellar(convex, 5)
    right = {"key": "m-1", "from": source, "to": target, "crates": 7.0}
    convex.mutation("cellars:move", right)
    (made,) = convex.table("moves")
    made = {name: value for name, value in made.items() if not name.startswith("_")}
    convex.insert("moves", made | {"key": "m-2"})
    for field in right:
        with pytest.raises(FunctionFailed):
            convex.mutation("cellars:move", right | {"key": "m-3", field: True})
        with pytest.raises(FunctionFailed):
            convex.insert("moves", made | {field: True})
    for wrong in ({"name": 7.0}, {"crates": "7"}, {"capacity": None}, {"depth": 3.0}):
        with pytest.raises(FunctionFailed):
            convex.insert("cellars", {"name": "North", "crates": 1.0, "capacity": 9.0} | wrong)


def test_other_moves_and_cellars_are_not_read(convex: Convex) -> None:
    """A move is made and repeated however many others there are; only `move` is public."""
    source, target = cellar(convex, 100), cellar(convex, 0)
    for n in range(15):
        cellar(convex, 1)
        move(convex, f"m-{n}", source, target, 1)
    convex.limit(documents_read=12)
    assert move(convex, "m-14", source, target, 1) == {"fromLeft": 85, "toHas": 15}
    assert move(convex, "m-15", source, target, 1) == {"fromLeft": 84, "toHas": 16}
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {"cellars:move": "mutation"}
