# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Toll accounts of a canal: sums, counts and means over a stretch of time, by kind and lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Row = dict[str, Any]

# As many as a month may well have, and more than a round limit lets through.
BUSY = 1001

MANY = 100
AT_MOST = 30
"""Documents that one transaction may read where a crowd of many is stored."""

DAY = 24 * 3600 * 1000.0
NOTHING: Row = {
    "passages": 0,
    "tolls": 0,
    "averageToll": None,
    "weighed": 0,
    "averageTonnes": None,
    "heaviest": None,
}


def passage(at: float, kind: str = "cargo", **changes: str | float) -> Row:
    """Describe a passage on the Göta canal at Berg, not weighed, but for the changes."""
    fields: Row = {"canal": "Göta", "lock": "Berg", "at": at, "kind": kind, "toll": 10.0}
    return fields | changes


def account(convex: Convex, begin: float = 0, finish: float = DAY, canal: str = "Göta") -> Row:
    """Ask for the account of a canal; of the first day, unless told otherwise."""
    asked = {"canal": canal, "from": float(begin), "to": float(finish)}
    return cast("Row", convex.query("passages:account", asked))


def sums(tolls: list[float], tonnes: list[float]) -> Row:
    """Sum up passages with these tolls, of which those weighed have these tonnes."""
    return {
        "passages": len(tolls),
        "tolls": sum(tolls),
        "averageToll": sum(tolls) / len(tolls) if tolls else None,
        "weighed": len(tonnes),
        "averageTonnes": sum(tonnes) / len(tonnes) if tonnes else None,
        "heaviest": max(tonnes, default=None),
    }


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_passages_are_summed_up_in_all_and_by_kind(convex: Convex, order: int) -> None:
    """Counts, sums, means and the heaviest are right, in all and for each kind of boat."""
    rows = [
        passage(5, toll=12.5, tonnes=80.0),
        passage(4, toll=40.0, tonnes=300.25),
        passage(3, toll=0.0),
        passage(2, "passenger", toll=7.0, tonnes=20.5),
        passage(1, "passenger", toll=8.25),
        passage(0, "pleasure", toll=3.0),
    ]
    convex.insert_many("passages", rows[::order])
    found = account(convex)
    assert found["total"] == sums([12.5, 40, 0, 7, 8.25, 3], [80, 300.25, 20.5])
    assert found["kinds"] == {
        "cargo": sums([12.5, 40, 0], [80, 300.25]),
        "passenger": sums([7, 8.25], [20.5]),
        "pleasure": sums([3], []),
    }


@pytest.mark.parametrize("tonnes", [[0.0], [0.0, 0.0, 30.0], [-2.0, -5.0]])
def test_an_empty_boat_was_weighed(convex: Convex, tonnes: list[float]) -> None:
    """Zero tonnes, or less, are a weight; a boat that was not weighed has none, and is not 0."""
    weighed = [passage(n, tonnes=value) for n, value in enumerate(tonnes)]
    convex.insert_many("passages", [*weighed, passage(900), passage(901, "pleasure")])
    found = account(convex)
    assert found["total"] == sums([10.0] * (len(tonnes) + 2), tonnes)
    assert found["kinds"]["cargo"] == sums([10.0] * (len(tonnes) + 1), tonnes)
    assert found["kinds"]["pleasure"] == sums([10.0], [])


def test_kinds_without_passages_are_there_all_the_same(convex: Convex) -> None:
    """A kind, and a whole account, without passages has counts and sums of 0, and no means."""
    empty = {"cargo": NOTHING, "passenger": NOTHING, "pleasure": NOTHING}
    assert account(convex) == {"total": NOTHING, "kinds": empty, "locks": []}
    convex.insert("passages", passage(10, "pleasure", toll=0.0))
    free = sums([0.0], [])
    assert account(convex) == {
        "total": free,
        "kinds": empty | {"pleasure": free},
        "locks": [{"lock": "Berg", "passages": 1, "tolls": 0}],
    }


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_the_busiest_lock_comes_first(convex: Convex, order: int) -> None:
    """Each lock with passages has its count and sum, most passages first, then by name."""
    tolls = {
        "Norsholm": [1.0],
        "hajstorp": [2.0, 2.5],
        "Öna": [99.0],
        "Berg": [4.0, 0.0],
        "Borenshult": [5.0, 1.0, 1.0],
        "Åsa": [0.5],
        "Töreboda 10": [6.0],
        "Töreboda 9": [7.0],
    }
    rows = [
        passage(number, "passenger" if number % 2 else "cargo", lock=lock, toll=toll)
        for lock, each in tolls.items()
        for number, toll in enumerate(each)
    ]
    rows += [passage(DAY, lock="Tåtorp"), passage(0, lock="Tåtorp", canal="Kinda")]
    convex.insert_many("passages", rows[::order])
    in_order = ["Borenshult", "Berg", "hajstorp", "Norsholm", "Töreboda 10", "Töreboda 9"]
    assert account(convex)["locks"] == [
        {"lock": lock, "passages": len(tolls[lock]), "tolls": sum(tolls[lock])}
        for lock in [*in_order, "Åsa", "Öna"]
    ]


def test_the_account_is_of_its_time_and_canal(convex: Convex) -> None:
    """Passages from the beginning, up to but not at the end, on exactly this canal, count."""
    for at, toll in ((5, 8.0), (-5, 1.0), (4.5, 4.0), (0, 2.0)):
        others = [passage(at, canal=canal, toll=64.0) for canal in ("göta", "Göta II", "G")]
        convex.insert_many("passages", [others[0], passage(at, toll=toll), *others[1:]])
    stretches: list[tuple[float, float, list[float]]] = [
        (-100, 100, [1, 2, 4, 8]),
        (-5, 5, [1, 2, 4]),
        (0, 5, [2, 4]),
        (0, 0.5, [2]),
        (0.5, 5, [4]),
        (5, 5.5, [8]),
        (5.5, 100, []),
        (0, 0, []),
        (5, 0, []),
        (100 * DAY, -100 * DAY, []),
    ]
    for begin, finish, tolls in stretches:
        found = account(convex, begin, finish)
        assert found["total"] == found["kinds"]["cargo"] == sums(tolls, []), (begin, finish)
        assert [row["passages"] for row in found["locks"]] == ([len(tolls)] if tolls else [])


@pytest.mark.parametrize("begin", [0.0, -DAY, 1_700_000_000_123.0])
def test_an_account_covers_at_most_31_days(convex: Convex, begin: float) -> None:
    """Thirty-one days are an account, a millisecond more is refused with an error that says so."""
    convex.insert_many("passages", [passage(begin), passage(begin + 31 * DAY - 1)])
    assert account(convex, begin, begin + 31 * DAY)["total"]["passages"] == 2
    with pytest.raises(FunctionFailed) as failure:
        account(convex, begin, begin + 31 * DAY + 1)
    assert failure.value.data == "more than 31 days"


def test_a_busy_month_counts_whole(convex: Convex) -> None:
    """Every passage of a month with many counts, none is cut off."""
    rows = [passage(n * 1000.0, "pleasure", toll=2.0) for n in range(BUSY)]
    convex.insert_many("passages", rows)
    assert account(convex, 0, 31 * DAY)["total"] == sums([2.0] * BUSY, [])


def test_other_times_are_not_read(convex: Convex) -> None:
    """An account is made in a log too large to be read, whatever came before and after."""
    lone = [passage(10, toll=1.0), passage(10 * DAY, toll=2.0, certificate="iVBO")]
    convex.insert_many("passages", lone + [passage(2 * DAY + n) for n in range(MANY)])
    convex.limit(documents_read=AT_MOST)
    assert account(convex)["total"] == sums([1.0], [])
    assert account(convex, 9 * DAY, 11 * DAY)["total"] == sums([2.0], [])


def test_a_passage_has_a_known_kind_and_a_toll(convex: Convex) -> None:
    """Other kinds, and passages that lack what is required or have null for it, are refused."""
    whole = passage(10)
    convex.insert("passages", whole)
    wrong: list[Row] = [
        whole | {"kind": "Cargo"},
        *(whole | {key: None} for key in ("tonnes", "certificate", *whole)),
        *({key: whole[key] for key in whole if key != missing} for missing in whole),
    ]
    for row in wrong:
        with pytest.raises(FunctionFailed):
            convex.insert("passages", row)
