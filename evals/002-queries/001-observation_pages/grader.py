# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The observation log of a telescope, newest first, page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Source

Row = dict[str, Any]

MANY = 200
AT_MOST = 50
"""Documents that one transaction may read where a crowd of many is stored."""


def observation(taken_at: float, **changes: str | float | bool) -> Row:
    """Describe a usable observation with the Meridian telescope, but for the changes."""
    fields: Row = {
        "telescope": "Meridian",
        "takenAt": taken_at,
        "target": f"field {taken_at:g}",
        "exposureS": 30.0,
        "usable": True,
    }
    return fields | changes


def read(
    convex: Convex, size: int, cursor: str | None = None, telescope: str = "Meridian"
) -> dict[str, Any]:
    """Read one page."""
    options = {"numItems": float(size), "cursor": cursor}
    arguments = {"telescope": telescope, "paginationOpts": options}
    return cast("dict[str, Any]", convex.query("observations:page", arguments))


def walk(convex: Convex, size: int, telescope: str = "Meridian") -> list[list[float]]:
    """Go through all pages, and tell the times on each."""
    pages: list[list[float]] = []
    cursor: str | None = None
    while True:
        result = read(convex, size, cursor, telescope)
        pages.append(times(result))
        if result["isDone"]:
            return pages
        assert len(pages) < 100, "the pages do not come to an end"
        cursor = result["continueCursor"]


def times(result: dict[str, Any]) -> list[float]:
    """Tell when the observations on a page were taken."""
    return [row["takenAt"] for row in result["page"]]


def test_the_newest_observation_comes_first(convex: Convex) -> None:
    """Observations come newest first by when they were taken, not by when they were stored."""
    taken = [50.0, 10.0, 90.0, -30.0, 70.0]
    convex.insert_many("observations", [observation(moment) for moment in taken])
    assert times(read(convex, 10)) == [90, 70, 50, 10, -30]


def test_an_entry_holds_what_the_list_shows(convex: Convex) -> None:
    """An entry has its id, time, target and exposure, and nothing else."""
    convex.insert("observations", observation(10.0, target="M 31", exposureS=12.5, preview="iVBO"))
    (row,) = convex.table("observations")
    assert read(convex, 10)["page"] == [
        {"_id": row["_id"], "takenAt": 10, "target": "M 31", "exposureS": 12.5}
    ]


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("telescope", 1.0),
        ("takenAt", "noon"),
        ("target", 31.0),
        ("exposureS", "long"),
        ("usable", "yes"),
        ("preview", 7.0),
    ],
)
def test_observations_are_as_described(convex: Convex, field: str, wrong: str | float) -> None:
    """An observation with a value of another kind cannot be stored."""
    convex.insert("observations", observation(10.0))
    with pytest.raises(FunctionFailed):
        convex.insert("observations", {**observation(10.0), field: wrong})


def test_a_telescope_is_asked_for_by_its_name(convex: Convex) -> None:
    """A telescope that is no text is refused, and so is a question that names none."""
    options = {"numItems": 5.0, "cursor": None}
    for arguments in ({"telescope": 1.0, "paginationOpts": options}, {"paginationOpts": options}):
        with pytest.raises(FunctionFailed):
            convex.query("observations:page", arguments)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 11, 40])
def test_pages_are_full_and_meet_everything_once(convex: Convex, size: int) -> None:
    """Every page but the last is full, and together they list everything once, in order."""
    taken = [float((n * 7) % 11) for n in range(11)]
    convex.insert_many("observations", [observation(moment) for moment in taken])
    pages = walk(convex, size)
    assert [moment for page in pages for moment in page] == sorted(taken, reverse=True)
    filled = [page for page in pages if page]
    assert [len(page) for page in filled[:-1]] == [size] * (len(filled) - 1)


def test_an_empty_log_is_one_empty_page(convex: Convex) -> None:
    """A telescope without observations has one page, empty and the last."""
    convex.insert("observations", observation(10.0, telescope="Zenith"))
    result = read(convex, 5)
    assert (result["page"], result["isDone"]) == ([], True)


def test_observations_taken_at_the_same_moment_are_all_listed(convex: Convex) -> None:
    """A burst of observations with one and the same time is listed whole, over several pages."""
    burst = [observation(10.0, target=f"frame {n}") for n in range(7)]
    convex.insert_many("observations", burst)
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(5):
        result = read(convex, 2, cursor)
        seen += [row["target"] for row in result["page"]]
        cursor = result["continueCursor"]
        if result["isDone"]:
            break
    assert sorted(seen) == [row["target"] for row in burst]


@pytest.mark.parametrize("size", [2, 5])
def test_other_telescopes_and_unusable_ones_are_left_out(convex: Convex, size: int) -> None:
    """Other telescopes' and unusable observations are left out, and make no page shorter."""
    for moment in range(12):
        convex.insert_many(
            "observations",
            [
                observation(float(moment), telescope="Zenith"),
                observation(moment + 0.5, usable=False),
                observation(moment + 0.25),
                observation(moment + 0.75, usable=False),
            ],
        )
    pages = [page for page in walk(convex, size) if page]
    assert [moment for page in pages for moment in page] == [n + 0.25 for n in range(11, -1, -1)]
    assert all(len(page) == size for page in pages[:-1])
    assert sum(len(page) for page in walk(convex, size, "Zenith")) == 12


def test_new_observations_do_not_shift_the_pages(convex: Convex) -> None:
    """What is added above the reader's place between two pages repeats and hides nothing."""
    convex.insert_many("observations", [observation(float(n)) for n in range(9)])
    first = read(convex, 3)
    convex.insert_many("observations", [observation(100.0), observation(101.0)])
    second = read(convex, 3, first["continueCursor"])
    convex.insert("observations", observation(102.0))
    third = read(convex, 3, second["continueCursor"])
    assert [times(first), times(second), times(third)] == [[8, 7, 6], [5, 4, 3], [2, 1, 0]]


def test_deleted_observations_do_not_shift_the_pages(convex: Convex) -> None:
    """What was listed and is deleted between two pages hides nothing that was not listed yet."""
    convex.insert_many("observations", [observation(float(n)) for n in range(9)])
    first = read(convex, 3)
    convex.delete("observations", first["page"][2]["_id"])
    convex.delete("observations", first["page"][0]["_id"])
    assert times(read(convex, 3, first["continueCursor"])) == [5, 4, 3]


def test_the_react_hook_can_call_it(convex: Convex) -> None:
    """The argument takes what `usePaginatedQuery` sends, with an id for its subscription."""
    convex.insert_many("observations", [observation(float(n)) for n in range(4)])
    options = {"numItems": 3.0, "cursor": None, "id": 1.0}
    result = cast(
        "dict[str, Any]",
        convex.query("observations:page", {"telescope": "Meridian", "paginationOpts": options}),
    )
    assert times(result) == [3, 2, 1]
    assert isinstance(result["continueCursor"], str)
    assert result["isDone"] is False


def test_a_page_costs_what_it_holds(convex: Convex) -> None:
    """A page is read without reading the rest of the log, or that of another telescope."""
    crowd = [observation(float(n), telescope="Zenith") for n in range(MANY)]
    convex.insert_many("observations", [*crowd, observation(-1.0), observation(1000.0)])
    convex.limit(documents_read=AT_MOST)
    newest = read(convex, 2, telescope="Zenith")
    assert times(newest) == [MANY - 1, MANY - 2]
    assert times(read(convex, 1, newest["continueCursor"], "Zenith")) == [MANY - 3]
    assert times(read(convex, 2)) == [1000, -1]


def test_nothing_is_read_only_to_be_dropped(source: Source) -> None:
    """The observations are selected by the index, not by a filter over what was read."""
    assert source.calls("filter") == []
