# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A board of lists: moves that are shown before they are answered, while others move cards too."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

TODO = ("Axle", "Bell", "Chain", "Dynamo", "Engine", "Fender", "Gear")
ADA = {"Chain": 5.0, "Gear": 2.0, "Handle": 9.0}
LABELS = {"Chain": "bug", "Dynamo": "bug", "Gear": "feature"}
FULL = "Doing is full"
Lists = dict[str, str]


def make_board(convex: Convex, *todo: str, doing: tuple[str, ...] = ("Handle",)) -> None:
    """Make three lists with cards, some of which are Ada's."""
    lists = [
        convex.mutation("lists:add", {"name": "Todo"}),
        convex.mutation("lists:add", {"name": "Doing", "limit": 3}),
        convex.mutation("lists:add", {"name": "Done", "isDone": True}),
    ]
    for position, titles in enumerate((todo or TODO, doing)):
        for title in titles:
            card: dict[str, object] = {"list": lists[position], "title": title, "due": 7}
            if title in ADA:
                card |= {"person": "ada", "due": ADA[title]}
            if title in LABELS:
                card["label"] = LABELS[title]
            convex.mutation("cards:add", card)


def list_id(convex: Convex, name: str) -> str:
    """Return the id of a list."""
    return str(next(row["_id"] for row in convex.table("lists") if row["name"] == name))


def card_id(convex: Convex, title: str) -> str:
    """Return the id of a card."""
    return str(next(row["_id"] for row in convex.table("cards") if row["title"] == title))


def move(convex: Convex, title: str, name: str) -> None:
    """Move a card to the bottom of a list, as somebody else does."""
    place = {"kind": "bottom"}
    args = {"card": card_id(convex, title), "list": list_id(convex, name), "place": place}
    convex.mutation("cards:move", args)


def fill_doing(convex: Convex) -> None:
    """Fill the list Doing, as somebody else does."""
    doing = list_id(convex, "Doing")
    for title in ("Inlet", "Jack"):
        convex.mutation("cards:add", {"list": doing, "title": title, "due": 7})


def open_board(ui: Ui) -> Page:
    """Render Ada's board, and wait until all of it is loaded."""
    page = ui.render(props={"me": "ada"})
    page.wait_for("My cards")
    page.wait_gone("Loading")
    page.errors()
    return page


def look(page: Page) -> Lists:
    """Return the titles in each list, the lists of Ada's cards, and the sizes."""
    lists: Lists = {}
    for name in ("Todo", "Doing", "Done", "mine"):
        lists[name] = " ".join(page.text(f'section[data-list="{name}"] h3').split())
    lists["in"] = " ".join(page.text("p.in").split())
    lists["sizes"] = "/".join(page.text("p.size").split("\n"))
    return lists


def settle(page: Page, expected: Lists) -> Lists:
    """Let the page render what it already knows; return the shown parts that a test expects."""
    lists: Lists = {}
    for _ in range(10):
        lists = {part: text for part, text in look(page).items() if part in expected}
        if lists == expected:
            break
        page.errors()
    return lists


def expect(page: Page, **expected: str) -> None:
    """Demand parts of the page, while the server's messages are held back or all have come."""
    assert settle(page, expected) == expected


def release(page: Page) -> None:
    """Let the answers come, and demand that they change nothing in lists, sizes and marks."""
    before = look(page)
    closed = page.text("section li").count("Closed")
    page.release()
    page.wait_gone("Saving")
    assert settle(page, before) == before
    assert page.text("section li").count("Closed") == closed
    assert page.count("[role=alert]") == 0
    assert page.errors() == ()


def said(page: Page, title: str) -> list[str]:
    """Return the marks of saving and refusal at a card, for each place where it is shown."""
    entries = [part for part in page.html().split("<li") if f">{title}</h3>" in part]
    marks = (("Saving", "Saving"), ('role="alert"', "refused"))
    return [" ".join(mark for sign, mark in marks if sign in entry) for entry in entries]


def test_moves_within_a_list_show_at_once(convex: Convex, ui: Ui) -> None:
    """Cards go up and down at each click, also several and the same one again, and stay there."""
    make_board(convex)
    page = open_board(ui)
    ends = (("Up", "Axle"), ("Down", "Axle"), ("Up", "Engine"), ("Down", "Engine"))
    assert [page.is_enabled(name, within=title) for name, title in ends] == [
        False,
        True,
        True,
        False,
    ]
    buttons = [page.count(f'section[data-list="{name}"] li button') for name in ("Todo", "mine")]
    assert buttons == [4 * 5, 2 * 3]
    page.hold()
    page.click("Down", within="Axle")
    expect(page, Todo="Bell Axle Chain Dynamo Engine")
    page.click("Down", within="Axle")
    page.click("Up", within="Engine")
    page.click("Up", within="Engine")
    expect(page, Todo="Bell Chain Engine Axle Dynamo", sizes="7/1 of 3/0", mine="Gear Chain Handle")
    release(page)
    page.click("Up", within="Chain")
    page.wait_gone("Saving")
    expect(page, Todo="Chain Bell Engine Axle Dynamo")


def test_a_move_to_a_list_changes_every_part(convex: Convex, ui: Ui) -> None:
    """A card leaves one list and stands at the bottom of another; sizes and names agree at once."""
    make_board(convex)
    page = open_board(ui)
    expect(page, **{"in": "Todo Todo Doing"}, sizes="7/1 of 3/0")
    page.hold()
    page.click("To Doing", within="Chain")
    expect(
        page,
        Todo="Axle Bell Dynamo Engine",
        Doing="Handle Chain",
        mine="Gear Chain Handle",
        sizes="6/2 of 3/0",
        **{"in": "Todo Doing Doing"},
    )
    page.click("Up", within="Chain")
    expect(page, Doing="Chain Handle")
    release(page)


def test_cards_are_closed_and_opened_at_once(convex: Convex, ui: Ui) -> None:
    """A card is closed in an empty done list and leaves its person's, and comes back in order."""
    make_board(convex)
    page = open_board(ui)
    page.hold()
    page.click("To Done", within="Axle")
    expect(page, Done="Axle", Todo="Bell Chain Dynamo Engine", sizes="6/1 of 3/1")
    page.click("Send to Done", within="Handle")
    page.click("Send to Done", within="Chain")
    expect(page, Done="Axle Handle Chain", Doing="", mine="Gear", sizes="5/0 of 3/3")
    assert page.text("section li").count("Closed") == 3
    release(page)
    page.hold()
    page.click("To Doing", within="Handle")
    expect(page, Done="Axle Chain", Doing="Handle", mine="Gear Handle", sizes="5/1 of 3/2")
    page.click("To Doing", within="Chain")
    expect(page, Done="Axle", Doing="Handle Chain", mine="Gear Chain Handle", sizes="5/2 of 3/1")
    page.click("Up", within="Chain")
    expect(page, Doing="Chain Handle", **{"in": "Todo Doing Doing"})
    assert page.text("section li").count("Closed") == 1
    release(page)


def test_places_that_are_not_loaded_are_not_shown(convex: Convex, ui: Ui) -> None:
    """A card that goes below the loaded part of a list leaves the view, and comes with the rest."""
    make_board(convex)
    page = open_board(ui)
    page.hold()
    page.click("To Todo", within="Handle")
    expect(page, Todo="Axle Bell Chain Dynamo Engine", Doing="", sizes="8/0 of 3/0")
    page.click("Down", within="Dynamo")
    expect(page, Todo="Axle Bell Chain Engine")
    release(page)
    page.click("More")
    page.wait_for("Fender")
    expect(page, Todo="Axle Bell Chain Engine Dynamo Fender Gear Handle")


def test_moves_cross_the_edge_of_a_page(convex: Convex, ui: Ui) -> None:
    """In a list of several pages cards go over the edges, and below the last card."""
    make_board(convex)
    page = open_board(ui)
    page.click("More")
    page.wait_for("Fender")
    for button, title, todo in (
        ("Down", "Dynamo", "Axle Bell Chain Engine Dynamo Fender Gear"),
        ("Up", "Dynamo", "Axle Bell Chain Dynamo Engine Fender Gear"),
        ("Down", "Engine", "Axle Bell Chain Dynamo Fender Engine Gear"),
        ("Up", "Gear", "Axle Bell Chain Dynamo Fender Gear Engine"),
        ("Up", "Fender", "Axle Bell Chain Fender Dynamo Gear Engine"),
        ("Down", "Gear", "Axle Bell Chain Fender Dynamo Engine Gear"),
    ):
        page.hold()
        page.click(button, within=title)
        expect(page, Todo=todo)
        release(page)
    page.hold()
    page.click("To Todo", within="Handle")
    expect(page, Todo="Axle Bell Chain Fender Dynamo Engine Gear Handle", sizes="8/0 of 3/0")
    release(page)


def test_an_empty_last_page_takes_cards(convex: Convex, ui: Ui) -> None:
    """When the last page of a list has lost its cards, the next card for the bottom is shown."""
    make_board(convex, *TODO[:6])
    page = open_board(ui)
    page.click("More")
    page.wait_for("Fender")
    page.hold()
    page.click("To Done", within="Fender")
    expect(page, Todo="Axle Bell Chain Dynamo Engine", Done="Fender")
    page.click("To Todo", within="Handle")
    expect(page, Todo="Axle Bell Chain Dynamo Engine Handle")
    page.click("Down", within="Engine")
    expect(page, Todo="Axle Bell Chain Dynamo Handle Engine", Doing="")
    release(page)


def test_filtered_lists_show_their_label_only(convex: Convex, ui: Ui) -> None:
    """With a filter a moved card shows only where its label does; all else changes as ever."""
    make_board(convex)
    page = open_board(ui)
    page.fill("Label", "bug")
    page.wait_gone("Axle")
    page.wait_gone("Loading")
    expect(page, Todo="Chain Dynamo", Doing="", mine="Gear Chain Handle")
    page.hold()
    page.click("Send to Doing", within="Gear")
    expect(page, Todo="Chain Dynamo", Doing="", sizes="6/2 of 3/0", **{"in": "Doing Todo Doing"})
    page.click("Send to Doing", within="Chain")
    expect(page, Todo="Dynamo", Doing="Chain", sizes="5/3 of 3/0", mine="Gear Chain Handle")
    page.click("To Todo", within="Chain")
    page.click("Up", within="Chain")
    expect(page, Todo="Chain Dynamo", Doing="", sizes="6/2 of 3/0")
    release(page)


def test_a_card_that_no_list_shows_is_moved(convex: Convex, ui: Ui) -> None:
    """A card beyond the loaded part of its list goes to another one from its person's cards."""
    make_board(convex)
    page = open_board(ui)
    page.hold()
    page.click("Send to Doing", within="Gear")
    expect(page, Doing="Handle Gear", sizes="6/2 of 3/0", **{"in": "Doing Todo Doing"})
    page.click("Send to Done", within="Handle")
    expect(page, Doing="Gear", Done="Handle", mine="Gear Chain")
    release(page)


def test_lists_that_are_loading_are_left_alone(convex: Convex, ui: Ui) -> None:
    """Moves while a list loads more, or another label, end where the server put them."""
    make_board(convex)
    page = open_board(ui)
    page.hold()
    page.click("More")
    page.click("To Todo", within="Handle")
    expect(page, Todo="Axle Bell Chain Dynamo Engine", Doing="", sizes="8/0 of 3/0")
    page.release()
    page.wait_gone("Saving")
    page.wait_for("Fender")
    expect(page, Todo="Axle Bell Chain Dynamo Engine Fender Gear Handle", Doing="")
    page.hold()
    page.fill("Label", "bug")
    page.click("Send to Done", within="Chain")
    expect(page, mine="Gear Handle", sizes="7/0 of 3/1")
    page.release()
    page.wait_gone("Saving")
    page.wait_gone("Loading")
    expect(page, Todo="Dynamo", Done="Chain", mine="Gear Handle", sizes="7/0 of 3/1")
    assert page.errors() == ()


def test_a_refusal_stays_with_its_card(convex: Convex, ui: Ui) -> None:
    """A refused card is back in its place with the reason, which other moves do not touch."""
    make_board(convex)
    page = open_board(ui)
    page.hold()
    fill_doing(convex)
    page.click("To Doing", within="Bell")
    expect(page, Todo="Axle Chain Dynamo Engine", Doing="Handle Bell", sizes="6/2 of 3/0")
    page.release()
    page.wait_for(FULL)
    page.wait_gone("Saving")
    expect(page, Todo=" ".join(TODO[:5]), Doing="Handle Inlet Jack", sizes="7/3 of 3/0")
    assert page.text("[role=alert]") == FULL
    assert (said(page, "Bell"), said(page, "Axle")) == (["refused"], [""])
    page.click("To Done", within="Dynamo")
    page.wait_gone("Saving")
    page.click("Down", within="Axle")
    page.wait_gone("Saving")
    expect(page, Todo="Bell Axle Chain Engine", Done="Dynamo")
    assert said(page, "Bell") == ["refused"]
    page.hold()
    page.click("Down", within="Bell")
    expect(page, Todo="Axle Bell Chain Engine")
    assert said(page, "Bell") == ["Saving"]
    release(page)
    assert said(page, "Bell") == [""]


def test_a_refusal_shows_wherever_the_card_does(convex: Convex, ui: Ui) -> None:
    """Both places of a card tell of its moves, also of a card that had left one of them."""
    make_board(convex)
    page = open_board(ui)
    before = look(page)
    page.hold()
    fill_doing(convex)
    convex.mutation("cards:block", {"card": card_id(convex, "Handle"), "isBlocked": True})
    page.click("To Doing", within="Chain")
    page.click("Send to Done", within="Handle")
    page.click("Send to Doing", within="Gear")
    expect(page, mine="Gear Chain", Doing="Chain Gear", Done="Handle")
    assert said(page, "Chain") == ["Saving", "Saving"]
    assert said(page, "Handle") == ["Saving"]
    page.release()
    page.wait_for("This card is blocked")
    page.wait_gone("Saving")
    expect(page, **before | {"Doing": "Handle Inlet Jack", "sizes": "7/3 of 3/0"})
    assert said(page, "Chain") == ["refused", "refused"]
    assert said(page, "Handle") == ["refused", "refused"]
    assert said(page, "Gear") == ["refused"]
    assert page.text('section[data-list="mine"] [role=alert]').split("\n") == [
        FULL,
        FULL,
        "This card is blocked",
    ]


def test_only_the_latest_move_is_told_of(convex: Convex, ui: Ui) -> None:
    """A refusal that comes after the card was moved again is not shown, and later ones are."""
    make_board(convex)
    page = open_board(ui)
    page.hold()
    fill_doing(convex)
    page.click("To Doing", within="Axle")
    page.click("To Done", within="Axle")
    page.click("To Done", within="Bell")
    page.click("To Doing", within="Bell")
    expect(page, Doing="Handle Bell", Done="Axle", sizes="5/2 of 3/1")
    page.release()
    page.wait_for(FULL)
    page.wait_gone("Saving")
    expect(page, Doing="Handle Inlet Jack", Done="Axle Bell", sizes="5/3 of 3/2")
    assert (said(page, "Axle"), said(page, "Bell")) == ([""], ["refused"])


def test_others_move_cards_meanwhile(convex: Convex, ui: Ui) -> None:
    """A move beside a card that somebody else took away ends where the server put it, once."""
    make_board(convex)
    page = open_board(ui)
    page.hold()
    move(convex, "Bell", "Done")
    convex.mutation("cards:remove", {"card": card_id(convex, "Dynamo")})
    page.click("Up", within="Chain")
    page.click("To Doing", within="Dynamo")
    page.click("To Done", within="Axle")
    expect(page, Todo="Chain Bell Engine", Doing="Handle Dynamo", Done="Axle")
    page.release()
    page.wait_gone("Saving")
    expect(page, Todo="Engine", Doing="Handle", Done="Bell Axle", sizes="4/1 of 3/2")
    move(convex, "Axle", "Doing")
    page.wait_for("2 of 3")
    expect(page, Todo="Engine", Doing="Handle Axle", Done="Bell", sizes="4/2 of 3/1")
    page.click("More")
    page.wait_for("Fender")
    expect(page, Todo="Engine Fender Gear Chain")
    assert page.errors() == ()
