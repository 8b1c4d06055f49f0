# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Tracks that are picked and dropped together, while others play, move and remove them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

TRACKS = {"Axle": 3, "Bell": 40, "Chain": 5, "Dynamo": 60, "Engine": 7, "Fender": 2, "Gear": 4}
"""The minutes of each track. Five tracks are loaded at first."""
PLAYED = "That was played already"
FROZEN = "The order is frozen now"
NO_PLACE = "The track above was removed"
View = dict[str, str]


def make_show(convex: Convex) -> str:
    """Make a show with seven tracks that begins at eleven in the evening, return its id."""
    show = str(convex.mutation("shows:add", {"name": "Night Shift", "startsAt": 23 * 60}))
    for title, minutes in TRACKS.items():
        convex.mutation("tracks:add", {"show": show, "title": title, "minutes": minutes})
    return show


def open_show(ui: Ui, show: str) -> Page:
    """Render the page of a show, and wait until all of it is loaded."""
    page = ui.render(props={"show": show})
    page.wait_for("Night Shift")
    page.wait_for("Axle")
    page.wait_gone("Loading")
    return page


def track_id(convex: Convex, title: str) -> str:
    """Return the id of a track."""
    return str(next(row["_id"] for row in convex.table("tracks") if row["title"] == title))


def remove(convex: Convex, title: str) -> None:
    """Remove a track, as somebody else does."""
    convex.mutation("tracks:remove", {"track": track_id(convex, title)})


def freeze(convex: Convex, show: str, *, is_frozen: bool) -> None:
    """Freeze a show or let it be changed again, as somebody else does."""
    convex.mutation("shows:freeze", {"show": show, "isFrozen": is_frozen})


def stored_order(convex: Convex) -> str:
    """Return the titles of all stored tracks in their order."""
    rows = sorted(convex.table("tracks"), key=lambda row: row["position"])
    return " ".join(row["title"] for row in rows)


def pick(page: Page, *titles: str) -> None:
    """Pick tracks one after the other."""
    for title in titles:
        page.click("Pick", within=title)


def drop(page: Page, title: str) -> None:
    """Drop the tray below a track."""
    page.click("Drop below", within=title)


def look(page: Page) -> View:
    """Return the titles in the order and in the tray, the reasons, the times, and what is next."""
    parts = {
        "order": "#order li h3",
        "tray": "#tray li",
        "times": "#order .start",
        "saving": "#order li",
    }
    view = {name: page.text(css).replace("\n", " ") for name, css in parts.items()}
    view["tray"] = " ".join(view["tray"].replace("Put back", "").split())
    view["saving"] = str(view["saving"].count("Saving"))
    view["next"] = page.text("#next").removeprefix("Next: ")
    return view


def count_buttons(page: Page, name: str) -> int:
    """Return the number of buttons with a name."""
    return page.html().count(f">{name}</button>")


def expect(page: Page, **expected: str) -> None:
    """Demand parts of the page, when it has rendered what it knows."""
    view: View = {}
    for _ in range(10):
        view = {part: text for part, text in look(page).items() if part in expected}
        if view == expected:
            break
        page.errors()
    assert view == expected


def release(page: Page) -> None:
    """Let the answers come, and demand that they change nothing but the marks of saving."""
    before = look(page) | {"saving": "0"}
    page.release()
    page.wait_gone("Saving")
    expect(page, **before)
    assert page.count("[role=alert]") == 0
    assert page.errors() == ()


def test_a_drop_shows_at_once(convex: Convex, ui: Ui) -> None:
    """Picked tracks go below another one in their order, also again before the answers come."""
    page = open_show(ui, make_show(convex))
    assert count_buttons(page, "Drop below") == 0
    assert count_buttons(page, "Pick") == 5
    page.hold()
    pick(page, "Dynamo", "Axle")
    page.click("Put back", within="Dynamo")
    pick(page, "Dynamo")
    expect(page, order="Axle Bell Chain Dynamo Engine", tray="Axle Dynamo", next="Axle", saving="0")
    assert (count_buttons(page, "Pick"), count_buttons(page, "Drop below")) == (3, 3)
    drop(page, "Chain")
    expect(page, order="Bell Chain Axle Dynamo Engine", tray="", next="Bell", saving="2")
    expect(page, times="23:00 23:40 23:45 23:48 00:48")
    assert count_buttons(page, "Drop below") == 0
    pick(page, "Bell", "Axle")
    drop(page, "Dynamo")
    expect(page, order="Chain Dynamo Bell Axle Engine", tray="", next="Chain", saving="3")
    pick(page, "Engine", "Bell")
    drop(page, "Chain")
    expect(page, order="Chain Engine Bell Dynamo Axle", tray="", saving="4")
    release(page)
    assert stored_order(convex) == "Chain Engine Bell Dynamo Axle Fender Gear"
    pick(page, "Dynamo")
    drop(page, "Chain")
    page.wait_gone("Saving")
    expect(page, order="Chain Dynamo Engine Bell Axle", tray="", next="Chain")


def test_drops_go_over_the_edges_of_pages(convex: Convex, ui: Ui) -> None:
    """A place that is not loaded takes tracks out of view, and loaded pages are one order."""
    page = open_show(ui, make_show(convex))
    page.hold()
    pick(page, "Bell", "Axle")
    drop(page, "Engine")
    expect(page, order="Chain Dynamo Engine", tray="", next="Chain")
    release(page)
    page.click("More")
    page.wait_for("Gear")
    expect(page, order="Chain Dynamo Engine Bell Axle Fender Gear")
    page.hold()
    pick(page, "Gear", "Chain")
    drop(page, "Engine")
    expect(page, order="Dynamo Engine Gear Chain Bell Axle Fender", next="Dynamo")
    pick(page, "Dynamo", "Bell")
    drop(page, "Fender")
    expect(page, order="Engine Gear Chain Axle Fender Dynamo Bell", next="Engine")
    release(page)
    assert stored_order(convex) == "Engine Gear Chain Axle Fender Dynamo Bell"


def test_refused_tracks_are_in_the_tray_again(convex: Convex, ui: Ui) -> None:
    """Of a drop the refused tracks come back in their order, and the others stand together."""
    show = make_show(convex)
    page = open_show(ui, show)
    pick(page, "Chain", "Axle", "Dynamo")
    page.hold()
    convex.mutation("tracks:play", {"show": show})
    drop(page, "Bell")
    expect(page, order="Bell Chain Axle Dynamo Engine", tray="", next="Bell", saving="3")
    pick(page, "Engine")
    page.release()
    page.wait_gone("Saving")
    expect(page, order="Axle Bell Chain Dynamo Engine", tray=f"Axle {PLAYED} Engine", next="Bell")
    page.click("Put back", within="Axle")
    expect(page, tray="Engine")
    pick(page, "Bell", "Dynamo")
    page.hold()
    freeze(convex, show, is_frozen=True)
    drop(page, "Axle")
    expect(page, order="Axle Engine Bell Dynamo Chain", tray="", next="Engine")
    pick(page, "Chain")
    page.release()
    page.wait_gone("Saving")
    tray = " ".join(f"{title} {FROZEN}" for title in ("Engine", "Bell", "Dynamo"))
    expect(page, order="Axle Bell Chain Dynamo Engine", tray=f"{tray} Chain", next="Bell")
    freeze(convex, show, is_frozen=False)
    page.click("Put back", within="Bell")
    page.errors()
    page.hold()
    drop(page, "Axle")
    expect(page, order="Axle Engine Dynamo Chain Bell", tray="", next="Engine")
    release(page)
    assert stored_order(convex) == "Axle Engine Dynamo Chain Bell Fender Gear"


def test_late_refusals_change_nothing(convex: Convex, ui: Ui) -> None:
    """Tracks that were picked again before their refusal came stay where they are since."""
    page = open_show(ui, make_show(convex))
    page.hold()
    remove(convex, "Dynamo")
    pick(page, "Axle", "Bell")
    drop(page, "Dynamo")
    expect(page, order="Chain Dynamo Axle Bell Engine", tray="")
    pick(page, "Axle")
    drop(page, "Chain")
    expect(page, order="Chain Axle Dynamo Bell Engine", tray="", next="Chain")
    page.release()
    page.wait_gone("Saving")
    expect(page, order="Bell Chain Axle Engine", tray=f"Bell {NO_PLACE}", next="Bell")
    page.hold()
    remove(convex, "Chain")
    drop(page, "Chain")
    expect(page, order="Chain Bell Axle Engine", tray="")
    pick(page, "Axle", "Bell")
    page.release()
    page.wait_gone("Saving")
    expect(page, order="Bell Axle Engine", tray="Axle Bell", next="Bell")
    page.hold()
    drop(page, "Engine")
    pick(page, "Engine")
    expect(page, order="Engine", tray="Engine", next="Engine")
    page.release()
    page.wait_gone("Saving")
    assert page.errors() == ()
    expect(page, order="Engine", tray="Engine", next="Engine")
    assert stored_order(convex) == "Engine Axle Bell Fender Gear"


def test_others_move_and_remove_tracks(convex: Convex, ui: Ui) -> None:
    """A picked track that left the loaded part is dropped from the tray, a removed one is gone."""
    show = make_show(convex)
    page = open_show(ui, show)
    pick(page, "Bell", "Chain", "Dynamo")
    beyond = {"track": track_id(convex, "Bell"), "below": track_id(convex, "Gear")}
    convex.mutation("tracks:move", beyond)
    page.wait_gone("23:48")
    remove(convex, "Chain")
    expect(page, order="Axle Dynamo Engine", tray="Bell Dynamo")
    page.hold()
    drop(page, "Axle")
    expect(page, order="Axle Bell Dynamo Engine", tray="", times="23:00 23:03 23:43 00:43")
    release(page)
    pick(page, "Bell")
    page.hold()
    remove(convex, "Bell")
    drop(page, "Dynamo")
    expect(page, order="Axle Dynamo Bell Engine", tray="")
    page.release()
    page.wait_gone("Saving")
    expect(page, order="Axle Dynamo Engine", tray="", next="Axle")
    assert (page.count("[role=alert]"), count_buttons(page, "Drop below")) == (0, 0)
    pick(page, "Axle")
    remove(convex, "Axle")
    page.wait_for("Next: Dynamo")
    expect(page, order="Dynamo Engine", tray="")
    assert count_buttons(page, "Drop below") == 0
    pick(page, "Engine")
    convex.mutation("tracks:play", {"show": show})
    page.wait_for("Played")
    drop(page, "Dynamo")
    page.wait_gone("Saving")
    expect(page, order="Dynamo Engine", tray="", next="Engine")
    assert page.errors() == ()
