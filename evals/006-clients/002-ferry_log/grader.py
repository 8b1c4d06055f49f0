# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The ferry log: its pages of crossings, and the list that a reader lengthens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

EARLIER = "Earlier crossings"


def crossings(count: int, line: str = "north", ship: str = "Heron") -> list[dict[str, object]]:
    """Return crossings to store, with one car in the first, two in the second, and so on."""
    return [{"line": line, "ship": ship, "cars": cars + 1} for cars in range(count)]


def entries(newest: int, oldest: int, ship: str = "Heron") -> list[str]:
    """Return what the page shows for such crossings, from the newest down to the oldest."""
    return [f"{ship}, {cars} cars" for cars in range(newest, oldest - 1, -1)]


def page_from(convex: Convex, cursor: str | None) -> dict[str, Any]:
    """Return a page of three crossings of the north line."""
    opts = {"numItems": 3, "cursor": cursor}
    return convex.query("crossings:ofLine", {"line": "north", "paginationOpts": opts})


def shown(page: Page) -> list[str]:
    """Return the entries on the page."""
    return page.text("ul > li").splitlines()


def earlier(page: Page, oldest: str) -> None:
    """Ask for earlier crossings, and wait until the oldest of them is there."""
    page.click(EARLIER)
    page.wait_for(oldest)


def test_crossings_come_in_pages_newest_first(convex: Convex) -> None:
    """Pages follow each other without gap or overlap, newest first, of the one line only."""
    for north, south in zip(crossings(5), crossings(5, "south", "Egret"), strict=True):
        convex.insert_many("crossings", [north, south])
    stored = [one for one in reversed(convex.table("crossings")) if one["line"] == "north"]
    first = page_from(convex, None)
    second = page_from(convex, first["continueCursor"])
    assert [first["page"], second["page"]] == [stored[:3], stored[3:]]
    assert second["isDone"] is True


def test_only_the_page_is_read(convex: Convex) -> None:
    """A page is read alone, however many crossings there are of this line and the other."""
    convex.insert_many("crossings", crossings(1, "south", "Egret"))
    convex.insert_many("crossings", [*crossings(150), *crossings(1, "south", "Egret")])
    convex.insert_many("crossings", crossings(100))
    convex.limit(documents_read=50)
    opts = {"numItems": 10, "cursor": None}
    south = convex.query("crossings:ofLine", {"line": "south", "paginationOpts": opts})
    assert [one["ship"] for one in south["page"]] == ["Egret", "Egret"]
    north = convex.query("crossings:ofLine", {"line": "north", "paginationOpts": opts})
    assert [one["cars"] for one in north["page"]] == list(range(100, 90, -1))


def test_a_logged_crossing_is_stored(convex: Convex) -> None:
    """The mutation stores what it is given, and returns the id."""
    heron = {"line": "south", "ship": "Heron", "cars": 0}
    id_ = convex.mutation("crossings:log", heron)
    stored = convex.document("crossings", id_)
    assert stored is not None
    assert {name: stored[name] for name in heron} == heron


@pytest.mark.parametrize("wrong", [{"line": "west"}, {"ship": 7.0}, {"cars": "many"}])
def test_crossings_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """A crossing of no line, or with a value of another kind, is neither stored nor logged."""
    right = crossings(1)[0]
    convex.insert("crossings", right)
    with pytest.raises(FunctionFailed):
        convex.insert("crossings", {**right, **wrong})
    with pytest.raises(FunctionFailed):
        convex.mutation("crossings:log", {**right, **wrong})


def test_other_arguments_are_refused(convex: Convex) -> None:
    """A line that there is not has no pages, and nothing is asked for by another name."""
    opts = {"numItems": 3, "cursor": None}
    right: dict[str, Any] = {"line": "north", "paginationOpts": opts}
    for wrong in ({"line": "west"}, {"line": None}, {"ship": "Heron"}, {"paginationOpts": 3.0}):
        with pytest.raises(FunctionFailed):
            convex.query("crossings:ofLine", {**right, **wrong})


def test_not_known_is_told_apart_from_none(ui: Ui) -> None:
    """The page says that it is loading until it knows that there are none, and then only that."""
    page = ui.render(held=True)
    page.wait_for("Loading crossings")
    assert "No crossings yet" not in page.text()
    page.release()
    page.wait_for("No crossings yet")
    for said in ("Loading crossings", "Loading more", "That is all", EARLIER):
        assert said not in page.text()


def test_a_reader_loads_more_until_that_is_all(convex: Convex, ui: Ui) -> None:
    """Each step adds five below those shown, which stay; the last one says that it was all."""
    convex.insert_many("crossings", crossings(13))
    page = ui.render()
    page.wait_for("Heron, 9 cars")
    assert shown(page) == entries(13, 9)
    assert "That is all" not in page.text()
    assert "Loading more" not in page.text()
    page.hold()
    page.click(EARLIER)
    page.wait_for("Loading more")
    assert shown(page) == entries(13, 9)
    assert EARLIER not in page.text()
    assert "That is all" not in page.text()
    page.release()
    page.wait_gone("Loading more")
    assert shown(page) == entries(13, 4)
    earlier(page, "Heron, 1 cars")
    page.wait_for("That is all")
    assert shown(page) == entries(13, 1)
    assert EARLIER not in page.text()
    assert "Loading more" not in page.text()


def test_a_list_of_several_steps_stays_current(convex: Convex, ui: Ui) -> None:
    """New crossings come on top of a list of several pages, and nothing is lost or doubled."""
    convex.insert_many("crossings", crossings(12))
    page = ui.render()
    earlier(page, "Heron, 3 cars")
    for cars in range(1, 7):
        convex.mutation("crossings:log", {"line": "north", "ship": "Egret", "cars": cars})
    page.wait_for("Egret, 6 cars")
    assert shown(page) == entries(6, 1, "Egret") + entries(12, 3)
    earlier(page, "Heron, 1 cars")
    assert shown(page) == entries(6, 1, "Egret") + entries(12, 1)


def test_the_first_crossing_ever_appears(convex: Convex, ui: Ui) -> None:
    """A list that was empty shows the first crossing that is logged, and that it is all."""
    page = ui.render()
    page.wait_for("No crossings yet")
    convex.mutation("crossings:log", {"line": "south", "ship": "Egret", "cars": 2})
    convex.mutation("crossings:log", {"line": "north", "ship": "Heron", "cars": 1})
    page.wait_for("Heron, 1 cars")
    assert shown(page) == ["Heron, 1 cars"]
    assert "No crossings yet" not in page.text()


def test_another_line_begins_with_its_newest(convex: Convex, ui: Ui) -> None:
    """Another line is loaded from its newest on, and nothing of the line before is left."""
    convex.insert_many("crossings", [*crossings(8), *crossings(8, "south", "Egret")])
    page = ui.render()
    earlier(page, "Heron, 1 cars")
    page.hold()
    page.fill("Line", "south")
    page.wait_for("Loading crossings")
    assert page.count("li") == 0
    page.release()
    page.wait_for("Egret, 4 cars")
    assert shown(page) == entries(8, 4, "Egret")
    assert "That is all" not in page.text()
    earlier(page, "Egret, 1 cars")
    assert shown(page) == entries(8, 1, "Egret")
