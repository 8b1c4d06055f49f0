# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Departure boards of a station, narrowed by platform and section where these are given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Departure = dict[str, Any]

MANY = 100
AT_MOST = 30
"""Documents that one transaction may read where a crowd of many is stored."""

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


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        (2.0, [(2, None), (2, "A")]),
        (0.0, [(0, None), (0, ""), (0, "A"), (0, "B")]),
        (1.0, []),
        (None, [(None, None)]),
    ],
    ids=["platform", "platform_0", "unknown", "none_yet"],
)
def test_a_platform_narrows_the_board(
    convex: Convex, platform: float | None, expected: list[tuple[float | None, str | None]]
) -> None:
    """A platform, 0 among them, or the lack of one narrows the board."""
    fill(convex)
    rows = board(convex, platform=platform)
    assert places(rows) == [place for place in expected for _ in range(2)]
    assert [row["minute"] for row in rows] == [0, 700] * len(expected)


@pytest.mark.parametrize(
    ("section", "platforms"),
    [("A", [0, 2, 10]), ("B", [0]), ("", [0]), (None, [-1, 0, 2])],
    ids=["section", "other_section", "section_without_a_name", "whole_platform"],
)
def test_a_section_narrows_the_board(
    convex: Convex, section: str | None, platforms: list[float]
) -> None:
    """A section of a platform, one with an empty name too, or the lack of one narrows the board."""
    fill(convex, -1)
    for platform in (-1.0, 0.0, 2.0, 10.0):
        rows = board(convex, platform=platform, section=section)
        assert places(rows) == [(platform, section)] * (2 if platform in platforms else 0)
        assert [row["minute"] for row in rows] == [0, 700][: len(rows)]


def test_a_section_needs_a_platform(convex: Convex) -> None:
    """A section without a platform is refused, whichever it is; with one it is not."""
    fill(convex)
    for section in ("A", "", None):
        assert board(convex, section=section, platform=0.0) != []
        with pytest.raises(FunctionFailed) as failure:
            board(convex, section=section)
        assert failure.value.data == "section without platform"


def test_other_stations_and_days_are_left_out(convex: Convex) -> None:
    """A board shows the departures of its station on its day only."""
    rows = [
        departure(minute, place, **changes)
        for place in PLACES
        for minute, changes in enumerate(
            (
                {"station": "Anholt Nord"},
                {},
                {"day": "2031-05-03"},
                {"day": "2031-05-05", "station": "Anholt Nord"},
            )
        )
    ]
    convex.insert_many("departures", rows)
    for narrowed in ({}, {"platform": 0.0}, {"platform": 0.0, "section": "A"}):
        assert {row["minute"] for row in board(convex, **narrowed)} == {1}
    assert [row["minute"] for row in board(convex, station="Anholt Nord", platform=2.0)] == [0, 0]
    assert board(convex, station="Anholt Nord", day="2031-05-03") == []


def test_the_limit_counts_what_is_on_the_board(convex: Convex) -> None:
    """The first departures of the narrowed board are returned, whatever number others have."""
    crowd = [departure(0, place) for place in PLACES if place != {"platform": 2.0} for _ in "123"]
    rows = [departure(101.0 - n, {"platform": 2.0}) for n in range(102)]
    convex.insert_many("departures", crowd + rows)
    for limit, expected in ((None, 20), (1.0, 1), (21.0, 21), (500.0, 100)):
        arguments = {} if limit is None else {"limit": limit}
        found = board(convex, platform=2.0, section=None, **arguments)
        assert [row["minute"] for row in found] == list(range(expected))


def test_only_what_is_on_the_board_is_read(convex: Convex) -> None:
    """A board is made without reading what is not on it, at a station too large to be read."""
    last = {"platform": 9.0, "section": "Z"}
    busy = {"platform": 8.0, "section": "B"}
    crowd = [departure(minute, busy) for minute in range(MANY)]
    lone = [departure(0, last), departure(5, {"platform": 8.0}, composition="iVBO")]
    convex.insert_many("departures", lone + crowd)
    convex.limit(documents_read=AT_MOST)
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
