# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Lookups of a chain of kennels: each finds its stays among many more than may be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Stay = dict[str, Any]

MANY = 70
AT_MOST = 50
"""Documents that one transaction may read where many are stored."""
LEFT: Stay = {"kennel": "Nord", "chip": "900", "state": "left", "from": 500.0, "run": "A"}


def crowd(convex: Convex, *fields: Stay) -> None:
    """Store many stays of each kind, and let no transaction read as many as there are of one."""
    kinds = [LEFT | kind for kind in fields]
    convex.insert_many("stays", [kind for kind in kinds for _ in range(MANY)])
    convex.limit(documents_read=AT_MOST)


def store(convex: Convex, times: list[int], **fields: str) -> list[int]:
    """Store stays that begin at these times, in this order."""
    convex.insert_many("stays", [{**LEFT, **fields, "from": float(time)} for time in times])
    return times


def times(convex: Convex, function: str, **args: str | float) -> list[Any]:
    """Call a lookup, and tell when the stays that it finds begin."""
    return [stay["from"] for stay in cast("list[Stay]", convex.query(f"stays:{function}", args))]


def test_stays_are_returned_as_stored(convex: Convex) -> None:
    """All five lookups give whole documents, with a run and without; no others are public."""
    free: Stay = {"kennel": "Nord", "chip": "1", "state": "booked", "from": 7.0}
    documents = [LEFT, free, {**LEFT, "chip": "2", "state": "boarding"}]
    convex.insert_many("stays", documents)
    left, booked, boarding = convex.table("stays")
    span = {"kennel": "Nord", "after": 0, "before": 9}
    assert convex.query("stays:lastIn", {"kennel": "Nord", "run": "A"}) == left
    assert convex.query("stays:arrivals", span) == [booked]
    assert convex.query("stays:unassigned", {"kennel": "Nord"}) == [booked]
    assert convex.query("stays:ofDog", {"chip": "1"}) == [booked]
    assert convex.query("stays:inHouse", {"kennel": "Nord", "limit": 3}) == [boarding]
    found = {(path, each.kind) for path, each in convex.functions.items()}
    lookups = ("inHouse", "arrivals", "ofDog", "lastIn", "unassigned")
    assert found == {(f"stays:{name}", "query") for name in lookups}


def test_who_is_in_the_house_among_many_who_left(convex: Convex) -> None:
    """Boarding dogs come in the order of their arrival, as many as asked for."""
    stored = store(convex, [30, 10, 999, 20], state="boarding")
    store(convex, [5], state="boarding", kennel="Ost")
    crowd(convex, {}, {"state": "booked"}, {"state": "boarding", "kennel": "Süd"})
    assert times(convex, "inHouse", kennel="Nord", limit=100) == sorted(stored)
    assert times(convex, "inHouse", kennel="Nord", limit=3) == [10, 20, 30]
    assert times(convex, "inHouse", kennel="Nord", limit=1) == [10]
    assert times(convex, "inHouse", kennel="West", limit=1) == []
    assert times(convex, "inHouse", kennel="Süd", limit=15) == [500] * 15


def test_a_limit_out_of_bounds_is_refused(convex: Convex) -> None:
    """No more than 100 can be asked for, no less than one, and no part of one."""
    for limit in (0, 101, 2.5, -1):
        with pytest.raises(FunctionFailed) as refused:
            times(convex, "inHouse", kennel="Nord", limit=limit)
        assert refused.value.data == "bad limit"


def test_arrivals_of_a_span_among_many(convex: Convex) -> None:
    """The span begins with its first moment and ends before its last; ten arrivals are given."""
    stored = store(convex, [119, 100, *range(101, 111), 99, 120], state="booked")
    store(convex, [105], state="boarding")
    early, late = ({"state": "booked", "from": time} for time in (50.0, 500.0))
    crowd(convex, early, late, {"from": 105.0}, {"state": "booked", "kennel": "Süd", "from": 105.0})
    assert times(convex, "arrivals", kennel="Nord", after=100, before=120) == sorted(stored)[1:11]
    assert times(convex, "arrivals", kennel="Nord", after=109, before=120) == [109, 110, 119]
    assert times(convex, "arrivals", kennel="Nord", after=120, before=121) == [120]
    assert times(convex, "arrivals", kennel="Nord", after=120, before=120) == []


def test_the_stays_of_a_dog(convex: Convex) -> None:
    """The ten latest stays of one dog come from all kennels and states, the latest first."""
    stored = store(convex, [8, 3, 11, 5, 1, 12], chip="7")
    stored += store(convex, [2, 9, 4, 10, 7, 6], chip="7", state="booked", kennel="Ost")
    crowd(convex, {}, {"chip": "8", "from": 12.0})
    assert times(convex, "ofDog", chip="7") == sorted(stored, reverse=True)[:10]
    assert times(convex, "ofDog", chip="9") == []
    assert times(convex, "ofDog", chip="900") == [500] * 10


def test_the_stays_of_a_dog_in_one_kennel(convex: Convex) -> None:
    """A dog's stays elsewhere, and other dogs' here, are in nobody's way."""
    store(convex, [8, 3, 5], chip="7", kennel="Ost")
    store(convex, [6], chip="", kennel="")
    crowd(convex, {"chip": "7"}, {"kennel": "Ost"})
    assert times(convex, "ofDog", chip="7", kennel="Ost") == [8, 5, 3]
    assert times(convex, "ofDog", chip="7", kennel="Nord") == [500] * 10
    assert times(convex, "ofDog", chip="7", kennel="") == []


def test_the_last_stay_in_a_run(convex: Convex) -> None:
    """Of those who left, the one who came last; not who is there, or in another run."""
    stored = store(convex, [300, 200, 900, 400], run="B")
    store(convex, [950], run="B", state="boarding")
    store(convex, [960], run="B", kennel="Ost")
    crowd(convex, {}, {"run": "B", "from": 100.0}, {"run": "B", "kennel": "Süd"})
    last = cast("Stay", convex.query("stays:lastIn", {"kennel": "Nord", "run": "B"}))
    assert (last["from"], last["state"], last["kennel"]) == (max(stored), "left", "Nord")
    assert convex.query("stays:lastIn", {"kennel": "Nord", "run": "C"}) is None


def test_stays_without_a_run(convex: Convex) -> None:
    """Booked stays that have no run yet are found, ten of them, the earliest first."""
    free: Stay = {name: value for name, value in LEFT.items() if name != "run"}
    order = [7, 3, 11, 5, 1, 12, 2, 9, 4, 10, 8, 6]
    booked = [{**free, "state": "booked", "from": float(time)} for time in order]
    convex.insert_many("stays", [*booked, *[{**free, "from": 0.0}] * MANY])
    crowd(convex, {"state": "booked", "from": 0.0})
    assert times(convex, "unassigned", kennel="Nord") == sorted(order)[:10]
    assert times(convex, "unassigned", kennel="Ost") == []


def test_arguments_are_as_described(convex: Convex) -> None:
    """An argument of another kind is refused, instead of finding nothing."""
    calls: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("inHouse", {"kennel": "Nord", "limit": 3.0}, {"kennel": 3.0}),
        ("arrivals", {"kennel": "Nord", "after": 0.0, "before": 9.0}, {"kennel": 3.0}),
        ("arrivals", {"kennel": "Nord", "after": 0.0, "before": 9.0}, {"after": "0"}),
        ("arrivals", {"kennel": "Nord", "after": 0.0, "before": 9.0}, {"before": "9"}),
        ("ofDog", {"chip": "7", "kennel": "Nord"}, {"chip": 7.0}),
        ("ofDog", {"chip": "7", "kennel": "Nord"}, {"kennel": None}),
        ("lastIn", {"kennel": "Nord", "run": "A"}, {"run": 3.0}),
        ("unassigned", {"kennel": "Nord"}, {"kennel": 3.0}),
    ]
    for name, right, wrong in calls:
        convex.query(f"stays:{name}", right)
        with pytest.raises(FunctionFailed):
            convex.query(f"stays:{name}", {**right, **wrong})
