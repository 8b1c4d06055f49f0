# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A ski school's bookings: seven functions that share code and leave nothing half done."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Source

QUERIES = {"lessons:free", "lessons:booked"}
MUTATIONS = {f"lessons:{name}" for name in ("book", "cancel", "move", "bookAll", "tryAll")}
RUNNERS = ("runQuery", "runMutation", "runAction")
MANY = 150
AT_MOST = 40
"""Documents that one transaction may read where many are stored."""


def lesson(convex: Convex, places: int) -> str:
    """Store a lesson that nobody has booked."""
    return convex.insert("lessons", {"title": "Snowplough", "places": places, "taken": 0})


def book(convex: Convex, lesson: str, child: str) -> str:
    """Book a child into a lesson."""
    args = {"lesson": lesson, "child": child}
    return cast("str", convex.mutation("lessons:book", args))


def many(convex: Convex, function: str, lesson: str, children: list[str]) -> list[str]:
    """Book several children with `bookAll` or `tryAll`."""
    args = {"lesson": lesson, "children": list[object](children)}
    return cast("list[str]", convex.mutation(f"lessons:{function}", args))


def free(convex: Convex, lesson: str) -> object:
    """Ask for the free places, which have to agree with the bookings and with what is stored."""
    document = convex.document("lessons", lesson)
    assert document is not None
    bookings = [found for found in convex.table("bookings") if found["lesson"] == lesson]
    assert document["taken"] == len(bookings)
    return convex.query("lessons:free", {"lesson": lesson})


def refused(convex: Convex, function: str, **args: object) -> object:
    """Demand that a mutation is refused and changes nothing, and tell the error's data."""
    before = convex.table("lessons"), convex.table("bookings")
    with pytest.raises(FunctionFailed) as failed:
        convex.mutation(f"lessons:{function}", args)
    assert (convex.table("lessons"), convex.table("bookings")) == before
    return failed.value.data


def test_seven_functions_and_no_more(convex: Convex) -> None:
    """Two queries and five mutations, all public; nothing internal beside them."""
    found = {(path, each.kind, each.visibility) for path, each in convex.functions.items()}
    expected = {(path, "query", "public") for path in QUERIES}
    assert found == expected | {(path, "mutation", "public") for path in MUTATIONS}


def test_functions_share_plain_code(source: Source, convex: Convex) -> None:
    """No function runs another one: what they share is called as ordinary TypeScript."""
    assert set(convex.functions) == QUERIES | MUTATIONS
    assert [call.callee for name in RUNNERS for call in source.calls(name)] == []


def test_children_are_booked_until_the_lesson_is_full(convex: Convex) -> None:
    """A booking takes a place, a cancelled one frees it; the reasons of refusals have an order."""
    course = lesson(convex, 2)
    ada, _ = book(convex, course, "Ada"), book(convex, course, "Bo")
    assert convex.document("bookings", ada) is not None
    assert convex.query("lessons:booked", {"lesson": course, "child": "Ada"}) == ada
    assert convex.query("lessons:booked", {"lesson": course, "child": "Cy"}) is None
    assert refused(convex, "book", lesson=course, child="Ada") == "booked already"
    assert refused(convex, "book", lesson=course, child="Cy") == "full"
    assert convex.mutation("lessons:cancel", {"booking": ada}) is None
    assert free(convex, course) == 1
    assert refused(convex, "cancel", booking=ada) == "no such booking"
    assert free(convex, lesson(convex, 9)) == 9


def test_moving_frees_the_place_first(convex: Convex) -> None:
    """A child moves to another lesson, and anew into the same one though it is full."""
    near, far = lesson(convex, 1), lesson(convex, 1)
    first = book(convex, near, "Ada")
    second = convex.mutation("lessons:move", {"booking": first, "lesson": near})
    third = convex.mutation("lessons:move", {"booking": second, "lesson": far})
    assert (free(convex, near), free(convex, far)) == (1, 0)
    (booking,) = convex.table("bookings")
    assert (booking["_id"], booking["lesson"], booking["child"]) == (third, far, "Ada")
    assert len({first, second, third}) == 3


def test_a_move_that_is_refused_changes_nothing(convex: Convex) -> None:
    """The old booking and its place stay when the other lesson is full, booked or gone."""
    near, far, gone = lesson(convex, 5), lesson(convex, 1), lesson(convex, 5)
    ada, bo = book(convex, near, "Ada"), book(convex, near, "Bo")
    book(convex, far, "Bo")
    convex.delete("lessons", gone)
    assert refused(convex, "move", booking=ada, lesson=far) == "full"
    assert refused(convex, "move", booking=bo, lesson=far) == "booked already"
    assert refused(convex, "move", booking=ada, lesson=gone) == "no such lesson"
    convex.delete("bookings", ada)
    assert refused(convex, "move", booking=ada, lesson=gone) == "no such booking"


def test_all_or_none_are_booked(convex: Convex) -> None:
    """A list of children is booked in its order, or nobody of it."""
    course = lesson(convex, 3)
    assert refused(convex, "bookAll", lesson=course, children=list("ABCD")) == "full"
    assert refused(convex, "bookAll", lesson=course, children=list("ABA")) == "booked already"
    bookings = many(convex, "bookAll", course, ["B", "A", "C"])
    assert free(convex, course) == 0
    found = [convex.query("lessons:booked", {"lesson": course, "child": each}) for each in "BAC"]
    assert bookings == found


def test_who_cannot_be_booked_leaves_nothing_behind(convex: Convex) -> None:
    """Children who are refused take no place, and the others are booked all the same."""
    course = lesson(convex, 2)
    results = many(convex, "tryAll", course, ["Ada", "Ada", "Bo", "Cy", "Bo"])
    ada, bo = (booking["_id"] for booking in convex.table("bookings"))
    assert results == [ada, "booked already", bo, "full", "booked already"]
    assert free(convex, course) == 0


def test_a_lesson_that_is_gone(convex: Convex) -> None:
    """Nothing can be booked into it or asked of it, but its bookings can be cancelled."""
    course = lesson(convex, 2)
    ada = book(convex, course, "Ada")
    convex.delete("lessons", course)
    for function, args in {"free": {}, "booked": {"child": "Ada"}}.items():
        with pytest.raises(FunctionFailed) as failed:
            convex.query(f"lessons:{function}", {"lesson": course, **args})
        assert failed.value.data == "no such lesson"
    assert refused(convex, "book", lesson=course, child="Ada") == "no such lesson"
    assert refused(convex, "bookAll", lesson=course, children=["Ada"]) == "no such lesson"
    assert many(convex, "tryAll", course, ["Ada"]) == ["no such lesson"]
    assert convex.mutation("lessons:cancel", {"booking": ada}) is None
    assert convex.table("bookings") == []


def test_large_lessons_are_not_read_through(convex: Convex) -> None:
    """One more child is booked, moved and cancelled where many are booked already."""
    course = convex.insert("lessons", {"title": "Race", "places": MANY + 1, "taken": MANY})
    crowd = [{"lesson": course, "child": f"Child {n}"} for n in range(MANY)]
    convex.insert_many("bookings", crowd)
    convex.limit(documents_read=AT_MOST)
    ada = book(convex, course, "Ada")
    moved = convex.mutation("lessons:move", {"booking": ada, "lesson": course})
    assert convex.query("lessons:booked", {"lesson": course, "child": "Ada"}) == moved
    assert refused(convex, "book", lesson=course, child="Bo") == "full"


def test_other_arguments_are_refused(convex: Convex) -> None:
    """Nobody books more than one place, or cancels for a name, by an argument of their own."""
    course = lesson(convex, 3)
    ada = book(convex, course, "Ada")
    refused(convex, "book", lesson=course, child="Bo", places=2)
    refused(convex, "cancel", booking=ada, child="Ada")
    refused(convex, "move", booking=ada, lesson=course, child="Bo")
    for function in ("bookAll", "tryAll"):
        refused(convex, function, lesson=course, children=["Bo"], places=2)
