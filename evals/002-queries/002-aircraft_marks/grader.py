# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Aircraft by their registration marks: one, none, or too many that bear the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Aircraft = dict[str, Any]

MANY = 100
AT_MOST = 30
"""Documents that one transaction may read where a crowd of many is stored."""


def aircraft(mark: str | None, serial: str = "1", **more: str) -> Aircraft:
    """Describe an aircraft, without a mark where that is None."""
    fields: Aircraft = {"type": "DHC-2", "serial": serial} | more
    return fields if mark is None else fields | {"mark": mark}


def refusal(convex: Convex, mark: str) -> object:
    """Ask for a mark that cannot be answered, and tell the data of the error."""
    with pytest.raises(FunctionFailed) as failure:
        convex.query("aircraft:byMark", {"mark": mark})
    return failure.value.data


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_the_bearer_of_a_mark_is_found(convex: Convex, order: int) -> None:
    """Of many aircraft the one that bears exactly the mark is returned, as stored."""
    marks = ["SE-BKV", "SE-BK", "SE-BKVA", "se-bkv", "", "SE BKV"]
    known = [aircraft(mark, f"s{number}") for number, mark in enumerate(marks)]
    convex.insert_many("aircraft", known[::order])
    stored = {row["mark"]: row for row in convex.table("aircraft")}
    assert [convex.query("aircraft:byMark", {"mark": mark}) for mark in marks] == [
        stored[mark] for mark in marks
    ]


def test_a_mark_that_nobody_bears_gives_null(convex: Convex) -> None:
    """A mark without an aircraft gives null; aircraft without a mark are not found by text."""
    convex.insert_many("aircraft", [aircraft("SE-BKV"), aircraft(None), aircraft(None)])
    for mark in ("SE-BKW", "", "undefined", "null"):
        assert convex.query("aircraft:byMark", {"mark": mark}) is None


@pytest.mark.parametrize("bearers", [2, 3])
def test_a_mark_of_several_aircraft_is_refused(convex: Convex, bearers: int) -> None:
    """A mark that several bear fails with an error that names it; its neighbours do not."""
    doubles = [aircraft("SE-BKV", f"s{number}") for number in range(bearers)]
    convex.insert_many("aircraft", [aircraft("SE-BKU"), *doubles, aircraft("SE-BKW")])
    assert refusal(convex, "SE-BKV") == {"kind": "ambiguousMark", "mark": "SE-BKV"}
    for mark in ("SE-BKU", "SE-BKW"):
        found = convex.query("aircraft:byMark", {"mark": mark})
        assert isinstance(found, dict)
        assert found["mark"] == mark


def test_a_mark_is_unambiguous_once_only_one_is_left(convex: Convex) -> None:
    """When all but one of a mark's aircraft are gone, the mark has its aircraft again."""
    first, second = convex.insert_many("aircraft", [aircraft("G-ABCD"), aircraft("G-ABCD")])
    assert refusal(convex, "G-ABCD") == {"kind": "ambiguousMark", "mark": "G-ABCD"}
    convex.delete("aircraft", first)
    assert convex.query("aircraft:byMark", {"mark": "G-ABCD"}) == convex.document(
        "aircraft", second
    )


def test_a_list_of_marks_is_answered_in_its_order(convex: Convex) -> None:
    """Each mark has its entry, in the order asked for and as often, whatever becomes of others."""
    marks = ["D-3", "D-1", "D-2", "D-2", None, None]
    three, one, *_ = convex.insert_many("aircraft", [aircraft(mark) for mark in marks])
    asked = ["D-1", "D-2", "D-9", "D-3", "D-1", "", "D-2"]
    assert convex.query("aircraft:resolve", {"marks": asked}) == [
        {"mark": "D-1", "aircraft": one, "ambiguous": False},
        {"mark": "D-2", "aircraft": None, "ambiguous": True},
        {"mark": "D-9", "aircraft": None, "ambiguous": False},
        {"mark": "D-3", "aircraft": three, "ambiguous": False},
        {"mark": "D-1", "aircraft": one, "ambiguous": False},
        {"mark": "", "aircraft": None, "ambiguous": False},
        {"mark": "D-2", "aircraft": None, "ambiguous": True},
    ]
    assert convex.query("aircraft:resolve", {"marks": []}) == []


def test_a_look_up_does_not_read_the_register(convex: Convex) -> None:
    """A mark is looked up in a register too large to be read, also one that too many bear."""
    crowd = [aircraft("TEST", f"s{number}") for number in range(MANY)]
    wanted, *_ = convex.insert_many("aircraft", [aircraft("N-1", drawing="iVBO"), *crowd])
    convex.limit(documents_read=AT_MOST)
    assert convex.query("aircraft:byMark", {"mark": "N-1"}) == convex.document("aircraft", wanted)
    assert refusal(convex, "TEST") == {"kind": "ambiguousMark", "mark": "TEST"}
    assert convex.query("aircraft:resolve", {"marks": ["TEST", "N-1"]}) == [
        {"mark": "TEST", "aircraft": None, "ambiguous": True},
        {"mark": "N-1", "aircraft": wanted, "ambiguous": False},
    ]


@pytest.mark.parametrize("field", ["type", "serial"])
def test_an_aircraft_has_its_type_and_serial(convex: Convex, field: str) -> None:
    """An aircraft without type or serial number is refused; one without a mark is not."""
    whole = aircraft(None)
    convex.insert("aircraft", whole)
    for wrong in ({key: whole[key] for key in whole if key != field}, whole | {field: 7.0}):
        with pytest.raises(FunctionFailed):
            convex.insert("aircraft", wrong)


def test_marks_are_text(convex: Convex) -> None:
    """Marks that are no text are refused, in the register and in questions."""
    for field in ("mark", "drawing"):
        with pytest.raises(FunctionFailed):
            convex.insert("aircraft", aircraft(None) | {field: 7.0})
    for marks in (["D-1", 7.0], [None], "D-1"):
        with pytest.raises(FunctionFailed):
            convex.query("aircraft:resolve", {"marks": marks})
    with pytest.raises(FunctionFailed):
        convex.query("aircraft:byMark", {"mark": 7.0})
