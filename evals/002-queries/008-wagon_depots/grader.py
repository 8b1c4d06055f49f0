# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The depots at which a railway's wagons stand: each once, without reading every wagon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Row = dict[str, Any]

MANY = 50


def wagon(depot: str | None, arrived_at: float = 0.0, **changes: str) -> Row:
    """Describe a wagon of the Inlandsbanan at a depot, or under way where that is None."""
    fields: Row = {"railway": "Inlandsbanan", "number": "31", "arrivedAt": float(arrived_at)}
    return (fields if depot is None else fields | {"depot": depot}) | changes


def depots(convex: Convex, **arguments: str | float) -> list[Row]:
    """Ask for the depots of the Inlandsbanan."""
    asked = {"railway": "Inlandsbanan"} | arguments
    return cast("list[Row]", convex.query("wagons:depots", asked))


def names(convex: Convex, **arguments: str | float) -> list[str]:
    """Tell the names of the depots listed."""
    return [row["depot"] for row in depots(convex, **arguments)]


def numbered(count: int) -> list[str]:
    """Name some depots, in order."""
    return [f"Depot {number:03}" for number in range(count)]


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_each_depot_is_listed_once_in_order(convex: Convex, order: int) -> None:
    """Depots come once each, by name, however many wagons stand there and whenever stored."""
    stand = ["Sveg", "Mora", "Sveg", "Arvidsjaur", "Mora", "Mora", "Sorsele", "Mora A", "arvika"]
    convex.insert_many("wagons", [wagon(depot, 5) for depot in stand[::order]])
    assert depots(convex) == [
        {"depot": depot, "waitingSince": 5}
        for depot in ("Arvidsjaur", "Mora", "Mora A", "Sorsele", "Sveg", "arvika")
    ]


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_a_depot_tells_who_waits_longest(convex: Convex, order: int) -> None:
    """A depot has the earliest arrival among its own wagons of the railway."""
    arrivals = {"Mora": [40, 7.5, 90], "Sorsele": [0, 3], "Sveg": [20, -15, 0, 20]}
    rows = [wagon(depot, at) for depot, each in arrivals.items() for at in each]
    rows += [wagon("Mora", -99, railway="Malmbanan"), wagon(None, -99)]
    convex.insert_many("wagons", rows[::order])
    assert depots(convex) == [
        {"depot": "Mora", "waitingSince": 7.5},
        {"depot": "Sorsele", "waitingSince": 0},
        {"depot": "Sveg", "waitingSince": -15},
    ]


def test_wagons_under_way_are_at_no_depot(convex: Convex) -> None:
    """Wagons without a depot add nothing to the list, however many there are."""
    convex.insert_many("wagons", [wagon(None, n) for n in range(30)])
    assert depots(convex) == []
    convex.insert_many("wagons", [wagon("Mora", 3), wagon(None, 1), wagon("Arvidsjaur", 4)])
    assert names(convex) == ["Arvidsjaur", "Mora"]
    assert names(convex, limit=1.0) == ["Arvidsjaur"]


def test_other_railways_are_left_out(convex: Convex) -> None:
    """Only depots with wagons of exactly the railway asked for are listed."""
    for railway, depot in (
        ("Inlandsbanan", "Mora"),
        ("Inlandsbanan II", "Arvidsjaur"),
        ("inlandsbanan", "Sveg"),
        ("Inland", "Sorsele"),
        ("Malmbanan", "Mora"),
    ):
        convex.insert("wagons", wagon(depot, railway=railway))
    assert names(convex) == ["Mora"]
    assert names(convex, railway="Inland") == ["Sorsele"]
    assert names(convex, railway="Bohusbanan") == []


def test_the_limit_counts_depots(convex: Convex) -> None:
    """At most `limit` depots are listed, the first ones, however many wagons stand there."""
    crowd = [wagon("Depot 000") for _ in range(5)]
    convex.insert_many("wagons", [*crowd, *(wagon(depot) for depot in numbered(61)[::-1])])
    assert names(convex) == numbered(20)
    for limit, expected in ((1.0, 1), (21.0, 21), (900.0, 60)):
        assert names(convex, limit=limit) == numbered(expected)


@pytest.mark.parametrize("limit", [1, 3, 7])
def test_the_list_goes_on_after_a_name(convex: Convex, limit: int) -> None:
    """Continued after the last name of each part, the list meets every depot once, in order."""
    known = numbered(7)
    convex.insert_many("wagons", [wagon(depot, n) for depot in known for n in range(2)])
    listed = names(convex, limit=float(limit))
    while part := names(convex, limit=float(limit), after=listed[-1]):
        assert len(listed) < len(known), "the list does not come to an end"
        assert len(part) == min(limit, len(known) - len(listed))
        listed += part
    assert listed == known


def test_the_name_to_go_on_after_need_not_be_a_depot(convex: Convex) -> None:
    """Any text may be given: depots later than it are listed, and it itself is not."""
    convex.insert_many("wagons", [wagon(depot) for depot in (None, "Mora", "Sorsele", "Sveg")])
    assert names(convex, after="Morb") == ["Sorsele", "Sveg"]
    assert names(convex, after="Mor") == ["Mora", "Sorsele", "Sveg"]
    assert names(convex, after="Sorsele") == ["Sveg"]
    assert names(convex, after="") == ["Mora", "Sorsele", "Sveg"]
    assert names(convex, after="a") == []


def test_wagons_of_a_crowd_are_not_read(convex: Convex) -> None:
    """At most two wagons are read for each depot listed, and two besides, whoever stands there."""
    lone = [wagon("Arvidsjaur"), wagon("Sveg", photo="iVBO"), wagon(None)]
    convex.insert_many("wagons", lone + [wagon("Mora", 10 + number) for number in range(MANY)])
    convex.limit(documents_read=2 * 3 + 2)
    assert depots(convex) == [
        {"depot": "Arvidsjaur", "waitingSince": 0},
        {"depot": "Mora", "waitingSince": 10},
        {"depot": "Sveg", "waitingSince": 0},
    ]
    convex.limit(documents_read=2 * 1 + 2)
    assert names(convex, after="Mora") == ["Sveg"]
    assert names(convex, after="Mo", limit=1.0) == ["Mora"]


@pytest.mark.parametrize("order", [1, -1], ids=["others_first", "others_last"])
def test_a_crowd_elsewhere_is_not_read(convex: Convex, order: int) -> None:
    """Wagons under way, and those of other railways at the same depots, are not read either."""
    crowd = [wagon(None, -number) for number in range(MANY)]
    for depot in (None, "Arvidsjaur", "Mora", "Sorsele"):
        crowd += [wagon(depot, -number, railway="Malmbanan") for number in range(MANY)]
    convex.insert_many("wagons", [*crowd, wagon("Mora", 3), wagon("Sveg", 4)][::order])
    convex.limit(documents_read=2 * 2 + 2)
    assert depots(convex) == [
        {"depot": "Mora", "waitingSince": 3},
        {"depot": "Sveg", "waitingSince": 4},
    ]


def test_arguments_have_their_kinds(convex: Convex) -> None:
    """A railway or a name that is no text, and a limit that is no number, are refused."""
    assert depots(convex, after="Mora", limit=2.0) == []
    for wrong in ({"railway": 7.0}, {"after": 7.0}, {"limit": "2"}):
        with pytest.raises(FunctionFailed):
            depots(convex, **wrong)


def test_a_wagon_has_a_railway_a_number_and_an_arrival(convex: Convex) -> None:
    """A wagon that lacks any of them, or has a value of another kind, is refused."""
    whole = wagon(None)
    convex.insert("wagons", whole)
    wrong: list[Row] = [
        *({key: whole[key] for key in whole if key != missing} for missing in whole),
        *(whole | {key: None} for key in ("depot", "photo", *whole)),
    ]
    for row in wrong:
        with pytest.raises(FunctionFailed):
            convex.insert("wagons", row)
