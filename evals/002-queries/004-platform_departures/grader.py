"""Departure boards of a station, narrowed by platform and section where these are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Departure = dict[str, Any]

# Seventeen of these are more than one transaction may read.
LARGE_PICTURE = "A" * 1_040_000
TOO_MANY = 17

# Every way of having a platform and a section, in the order of the board.
PLACES: list[Departure] = [
    {},
    {"platform": -1.0},
    {"platform": 0.0},
    {"platform": 0.0, "section": ""},
    {"platform": 0.0, "section": "A"},
    {"platform": 0.0, "section": "B"},
    {"platform": 2.0},
    {"platform": 2.0, "section": "A"},
    {"platform": 10.0, "section": "A"},
]


def departure(minute: float, place: Departure, **changes: str) -> Departure:
    """Describe a departure of the day from Anholt, but for the changes."""
    fields: Departure = {
        "station": "Anholt",
        "day": "2031-05-04",
        "minute": minute,
        "train": f"IC {minute:g}",
    }
    return fields | place | changes


def board(convex: Convex, **arguments: str | float | None) -> list[Departure]:
    """Ask for the board of Anholt, narrowed by the arguments."""
    asked = {"station": "Anholt", "day": "2031-05-04"} | arguments
    return cast("list[Departure]", convex.query("departures:board", asked))


def places(rows: list[Departure]) -> list[tuple[float | None, str | None]]:
    """Tell the platform and section of each departure."""
    return [(row.get("platform"), row.get("section")) for row in rows]


def fill(convex: Convex, order: int = 1) -> None:
    """Store two departures for every place, in the order of places or against it."""
    rows = [departure(minute, place) for place in PLACES for minute in (0.0, 700.0)]
    convex.insert_many("departures", rows[::order])


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_the_board_is_ordered_by_platform_section_and_minute(convex: Convex, order: int) -> None:
    """The whole board comes by platform, then section, then minute, what is missing first."""
    fill(convex, order)
    rows = board(convex)
    assert places(rows) == places([place for place in PLACES for _ in range(2)])
    assert [row["minute"] for row in rows] == [0, 700] * len(PLACES)
    stored = {row["_id"]: row for row in convex.table("departures")}
    assert rows == [stored[row["_id"]] for row in rows]


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
@pytest.mark.parametrize(
    ("narrowed", "expected"),
    [
        ({"platform": 2.0}, [(2, None), (2, "A")]),
        ({"platform": 0.0}, [(0, None), (0, ""), (0, "A"), (0, "B")]),
        ({"platform": 10.0}, [(10, "A")]),
        ({"platform": 1.0}, []),
        ({"platform": None}, [(None, None)]),
        ({"platform": 0.0, "section": "A"}, [(0, "A")]),
        ({"platform": 0.0, "section": ""}, [(0, "")]),
        ({"platform": 0.0, "section": None}, [(0, None)]),
        ({"platform": 2.0, "section": None}, [(2, None)]),
        ({"platform": 2.0, "section": "B"}, []),
        ({"platform": 10.0, "section": None}, []),
    ],
    ids=[
        "platform",
        "platform_0",
        "platform_with_one_section",
        "unknown_platform",
        "no_platform",
        "section",
        "section_without_a_name",
        "no_section_of_platform_0",
        "no_section",
        "unknown_section",
        "no_train_takes_it_whole",
    ],
)
def test_the_board_is_narrowed_by_what_is_given(
    convex: Convex,
    narrowed: dict[str, Any],
    expected: list[tuple[float | None, str | None]],
    order: int,
) -> None:
    """A platform, 0 among them, a section, or the lack of either narrow the board."""
    fill(convex, order)
    rows = board(convex, **narrowed)
    assert places(rows) == [place for place in expected for _ in range(2)]
    assert [row["minute"] for row in rows] == [0, 700] * len(expected)


@pytest.mark.parametrize("section", ["A", "", None])
def test_a_section_needs_a_platform(convex: Convex, section: str | None) -> None:
    """A section without a platform is refused, whichever it is; with one it is not."""
    fill(convex)
    assert board(convex, section=section, platform=0.0) != []
    with pytest.raises(FunctionFailed) as failure:
        board(convex, section=section)
    assert failure.value.data == "section without platform"


def test_other_stations_and_days_are_left_out(convex: Convex) -> None:
    """A board shows the departures of its station on its day only."""
    for place in PLACES:
        convex.insert_many(
            "departures",
            [
                departure(1, place, station="Anholt Nord"),
                departure(2, place),
                departure(3, place, day="2031-05-03"),
                departure(4, place, day="2031-05-05", station="Anholt Nord"),
            ],
        )
    for narrowed in ({}, {"platform": 0.0}, {"platform": 0.0, "section": "A"}):
        assert {row["minute"] for row in board(convex, **narrowed)} == {2}
    assert [row["minute"] for row in board(convex, station="Anholt Nord", platform=2.0)] == [1, 1]
    assert board(convex, station="Anholt Nord", day="2031-05-03") == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [({}, 20), ({"limit": 1.0}, 1), ({"limit": 21.0}, 21), ({"limit": 500.0}, 100)],
    ids=["left_out", "one", "more_than_usual", "too_many"],
)
def test_the_limit_counts_what_is_on_the_board(
    convex: Convex, arguments: dict[str, float], expected: int
) -> None:
    """The first departures of the narrowed board are returned, whatever number others have."""
    crowd = [departure(0, place) for place in PLACES if place != {"platform": 2.0} for _ in "1234"]
    rows = [departure(119.0 - n, {"platform": 2.0}) for n in range(120)]
    convex.insert_many("departures", crowd + rows)
    found = board(convex, platform=2.0, section=None, **arguments)
    assert [row["minute"] for row in found] == list(range(expected))


def test_only_what_is_on_the_board_is_read(convex: Convex) -> None:
    """A board is made without reading what is not on it, at a station too large to be read."""
    last = {"platform": 9.0, "section": "Z"}
    convex.insert_many("departures", [departure(0, last), departure(5, {"platform": 8.0})])
    busy = {"platform": 8.0, "section": "B"}
    for minute in range(TOO_MANY):
        convex.insert("departures", departure(minute, busy, composition=LARGE_PICTURE))
    assert places(board(convex, platform=9.0)) == [(9, "Z")]
    assert places(board(convex, platform=8.0, section=None)) == [(8, None)]
    assert places(board(convex, platform=8.0, section="A")) == []
    assert places(board(convex, limit=2.0)) == [(8, None), (8, "B")]
    assert [row["minute"] for row in board(convex, **busy, limit=2.0)] == [0, 1]


def test_a_departure_has_all_that_a_board_needs(convex: Convex) -> None:
    """A departure without station, day, minute or train, or with null for a gap, is refused."""
    whole = departure(10, {})
    convex.insert("departures", whole)
    wrong: list[Departure] = [
        *({key: whole[key] for key in whole if key != missing} for missing in whole),
        *(whole | {gap: None} for gap in ("platform", "section", "composition")),
    ]
    for row in wrong:
        with pytest.raises(FunctionFailed):
            convex.insert("departures", row)
