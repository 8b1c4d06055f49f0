# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Map sheets of a series that cover a point, the smallest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Sheet = dict[str, Any]
Edges = tuple[float, float, float, float]

MANY = 100
AT_MOST = 30
"""Documents that one transaction may read where a crowd of many is stored."""


def sheet(number: str, edges: Edges, **changes: str | bool) -> Sheet:
    """Describe a sheet in use by its edges: west, south, east, north."""
    west, south, east, north = edges
    fields: Sheet = {
        "series": "Baltic",
        "number": number,
        "west": west,
        "south": south,
        "east": east,
        "north": north,
        "withdrawn": False,
    }
    return fields | changes


def covering(
    convex: Convex, latitude: float, longitude: float, **more: str | float
) -> list[dict[str, Any]]:
    """Ask for the sheets of the Baltic series that cover a point."""
    point = {"series": "Baltic", "latitude": latitude, "longitude": longitude}
    return cast("list[dict[str, Any]]", convex.query("sheets:covering", point | more))


def numbers(convex: Convex, latitude: float, longitude: float, **more: str | float) -> list[str]:
    """Tell the numbers of the sheets that cover a point, in order."""
    return [row["number"] for row in covering(convex, latitude, longitude, **more)]


def test_a_sheet_covers_what_lies_within_its_edges(convex: Convex) -> None:
    """A sheet covers the points between its edges and on them, and no others."""
    convex.insert("sheets", sheet("B 1", (10, 50, 20, 60)))
    for point in ((55, 15), (50, 15), (60, 15), (55, 10), (55, 20), (60, 10)):
        assert numbers(convex, *point) == ["B 1"], point
    beside = [(49.5, 15), (60.5, 15), (55, 9.5), (55, 20.5), (-55, 15), (55, -15), (15, 55)]
    for point in beside:
        assert numbers(convex, *point) == [], point


def test_the_equator_and_the_first_meridian_are_nothing_special(convex: Convex) -> None:
    """Edges and points at zero and below are as good as others."""
    convex.insert_many("sheets", [sheet("B 1", (-4, -6, 0, 0)), sheet("B 2", (0, -6, 4, 0))])
    for latitude in (0, -3):
        assert numbers(convex, latitude, 0) == ["B 1", "B 2"]
        assert numbers(convex, latitude, -4) == ["B 1"]
        assert numbers(convex, latitude, 3.5) == ["B 2"]
    assert numbers(convex, 0.5, 0) == []


def test_sheets_reach_across_the_180th_meridian(convex: Convex) -> None:
    """A sheet from 170 to -175 covers what is between, eastwards; 180 and -180 are the same."""
    convex.insert_many(
        "sheets",
        [
            sheet("up_to", (170, -10, 180, 20)),
            sheet("from", (-180, -10, -175, 10)),
            sheet("across", (170, -10, -175, 4)),
        ],
    )
    found: dict[float, list[str]] = {
        169.5: [],
        170: ["across", "up_to"],
        178: ["across", "up_to"],
        180: ["from", "across", "up_to"],
        -180: ["from", "across", "up_to"],
        -178: ["from", "across"],
        -175: ["from", "across"],
        -174.5: [],
        0: [],
    }
    assert {longitude: numbers(convex, 0, longitude) for longitude in found} == found


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_the_smallest_sheet_comes_first(convex: Convex, order: int) -> None:
    """Sheets come by their degrees, then by number, each with id, number and degrees."""
    known = [
        sheet("C 9", (10, 50, 20, 60)),
        sheet("a 4", (14, 54, 17, 58)),
        sheet("C 10", (5, 50, 25, 55)),
        sheet("B 2", (13, 52, 17, 55)),
        sheet("A 1", (14.5, 54.5, 15.5, 55.5)),
    ]
    convex.insert_many("sheets", known[::order])
    ids = {row["number"]: row["_id"] for row in convex.table("sheets")}
    assert covering(convex, 55, 15) == [
        {"_id": ids[number], "number": number, "degrees": degrees}
        for number, degrees in (("A 1", 1), ("B 2", 12), ("a 4", 12), ("C 10", 100), ("C 9", 100))
    ]


def test_a_sheet_across_the_180th_meridian_is_as_wide_as_it_looks(convex: Convex) -> None:
    """The width of a sheet across the meridian is counted eastwards, and it is sorted by it."""
    convex.insert_many(
        "sheets", [sheet("wide", (170, -10, -175, 10)), sheet("narrow", (175, -10, -179.5, 10))]
    )
    found = covering(convex, 0, 179)
    assert [(row["number"], row["degrees"]) for row in found] == [("narrow", 110), ("wide", 300)]


@pytest.mark.parametrize("order", [1, -1], ids=["crowd_first", "crowd_last"])
def test_the_limit_counts_sheets_that_cover_the_point(convex: Convex, order: int) -> None:
    """The first `limit` sheets that cover the point are returned, 5 if it is left out."""
    crowd = [sheet(f"A {n}", (n, 30, n + 1.0, 40)) for n in range(12)]
    wanted = [sheet(f"B {n}", (10.0 - n, 50, 20, 60)) for n in range(6, -1, -1)]
    convex.insert_many("sheets", (crowd + wanted)[::order])
    all_of_them = [f"B {n}" for n in range(7)]
    assert numbers(convex, 55, 15) == all_of_them[:5]
    for limit in (1, 6, 50):
        assert numbers(convex, 55, 15, limit=float(limit)) == all_of_them[:limit]


def test_other_series_and_withdrawn_sheets_are_left_out(convex: Convex) -> None:
    """Only sheets of exactly the series asked for, and not withdrawn, are found."""
    edges = (10, 50, 20, 60)
    convex.insert_many(
        "sheets",
        [
            sheet("B 1", edges, withdrawn=True),
            sheet("B 2", edges),
            sheet("B 3", edges, series="baltic"),
            sheet("B 4", edges, series="Baltic II"),
            sheet("B 5", edges, series="Baltic II", withdrawn=True),
        ],
    )
    assert numbers(convex, 55, 15) == ["B 2"]
    assert numbers(convex, 55, 15, series="Baltic II") == ["B 4"]
    assert numbers(convex, 55, 15, series="Balt") == []


def test_the_rest_of_the_archive_is_not_read(convex: Convex) -> None:
    """Sheets are found in an archive too large to be read."""
    edges = (10, 50, 20, 60)
    convex.insert("sheets", sheet("B 1", edges, scan="iVBO"))
    crowd = [sheet(f"N {number}", edges, series="Nordic") for number in range(MANY)]
    convex.insert_many("sheets", [*crowd, sheet("B 2", edges)])
    convex.limit(documents_read=AT_MOST)
    assert numbers(convex, 55, 15) == ["B 1", "B 2"]


def test_a_sheet_has_all_of_its_fields(convex: Convex) -> None:
    """A sheet without its number, edges or state is refused; one without a scan is not."""
    whole = sheet("B 1", (10, 50, 20, 60))
    convex.insert("sheets", whole)
    for field in whole:
        for wrong in ({key: whole[key] for key in whole if key != field}, whole | {field: None}):
            with pytest.raises(FunctionFailed):
                convex.insert("sheets", wrong)


def test_a_point_is_two_numbers(convex: Convex) -> None:
    """A series that is no text, and a point or limit that is no number, are refused."""
    right: Sheet = {"series": "Baltic", "latitude": 55.0, "longitude": 15.0, "limit": 2.0}
    assert convex.query("sheets:covering", right) == []
    for field in right:
        with pytest.raises(FunctionFailed):
            convex.query("sheets:covering", right | {field: True})
