# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A board-game evening: what guests may change, and a page on which each game is on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

HANABI = {"title": "Hanabi", "seats": 4, "taken": 2}
FULL = {"title": "Azul", "seats": 2, "taken": 2}
EMPTY = {"title": "Tichu", "seats": 3, "taken": 0}
NOBODY = "Nobody sits here."
UNTITLED = "Give it a title."
BUTTONS = ("Join", "Leave", "Rename")


def evening(convex: Convex, ui: Ui) -> Page:
    """Store three games, and return the page that shows them."""
    convex.insert_many("games", [HANABI, FULL, EMPTY])
    page = ui.render()
    page.wait_for("Tichu: 0 of 3")
    return page


def refused(convex: Convex, path: str, **args: object) -> object:
    """Call a mutation, and return the data with which it is refused."""
    with pytest.raises(FunctionFailed) as refusal:
        convex.mutation(path, args)
    return refusal.value.data


def enabled(page: Page, game: str) -> list[bool]:
    """Tell which buttons of a game's entry can be used."""
    return [page.is_enabled(button, within=game) for button in BUTTONS]


def alerts(page: Page) -> list[str]:
    """Return what each entry's alert says, in the order of the entries; empty where it has none."""
    entries = range(1, page.count("li") + 1)
    return [page.text(f"li:nth-child({number}) [role=alert]") for number in entries]


def test_games_are_changed_one_at_a_time(convex: Convex) -> None:
    """Opening, joining, leaving, renaming and closing change the one game as they say."""
    convex.insert_many("games", [HANABI, FULL])
    tichu = convex.mutation("games:open", {"title": "Tichu", "seats": 3})
    hanabi, azul = (one["_id"] for one in convex.table("games")[:2])
    convex.mutation("games:join", {"game": hanabi})
    convex.mutation("games:join", {"game": tichu})
    convex.mutation("games:leave", {"game": azul})
    convex.mutation("games:rename", {"game": tichu, "title": "  Set\n"})
    games = convex.query("games:list")
    assert games == convex.table("games")
    fields = [(one["title"], one["taken"], one["seats"]) for one in games]
    assert fields == [("Hanabi", 3, 4), ("Azul", 1, 2), ("Set", 1, 3)]
    for _ in range(2):
        convex.mutation("games:close", {"game": azul})
    assert convex.query("games:list") == [games[0], games[2]]


def test_refusals_carry_their_reason(convex: Convex) -> None:
    """What cannot be done is refused with an object that says why, and changes nothing."""
    hanabi, azul, tichu, over = convex.insert_many("games", [HANABI, FULL, EMPTY, EMPTY])
    convex.delete("games", over)
    before = convex.table("games")
    assert refused(convex, "games:join", game=azul) == {"kind": "full", "seats": 2}
    assert refused(convex, "games:leave", game=tichu) == {"kind": "nobody"}
    assert refused(convex, "games:rename", game=hanabi, title=" ") == {"kind": "untitled"}
    for path in ("games:join", "games:leave"):
        assert refused(convex, path, game=over) == {"kind": "gone"}
    assert refused(convex, "games:rename", game=over, title="Set") == {"kind": "gone"}
    assert convex.table("games") == before


@pytest.mark.parametrize("wrong", [{"title": 7.0}, {"seats": "4"}, {"taken": "2"}])
def test_games_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """A game with a value of another kind cannot be stored."""
    convex.insert("games", HANABI)
    with pytest.raises(FunctionFailed):
        convex.insert("games", {**HANABI, **wrong})


def test_other_arguments_are_refused(convex: Convex) -> None:
    """Nobody joins with several at once, or opens a game in which seats are taken."""
    game = convex.insert("games", HANABI)
    calls: dict[str, dict[str, Any]] = {
        "join": {"game": game, "seats": 2.0},
        "leave": {"game": game, "seats": 2.0},
        "rename": {"game": game, "title": "Set", "seats": 9.0},
        "close": {"game": game, "title": "Hanabi"},
        "open": {"title": "Set", "seats": 3.0, "taken": 1.0},
    }
    for name, arguments in calls.items():
        with pytest.raises(FunctionFailed):
            convex.mutation(f"games:{name}", arguments)
    with pytest.raises(FunctionFailed):
        convex.query("games:list", {"title": "Hanabi"})


def test_entries_follow_what_is_stored(convex: Convex, ui: Ui) -> None:
    """Games appear in order once they are known, and then as anybody changes them."""
    hanabi, azul = convex.insert_many("games", [HANABI, FULL])
    page = ui.render(held=True)
    page.wait_for("Loading games")
    page.release()
    page.wait_for("Azul: 2 of 2")
    text = page.text()
    assert text.index("Hanabi: 2 of 4") < text.index("Azul: 2 of 2")
    assert "Loading games" not in text
    convex.mutation("games:leave", {"game": azul})
    convex.mutation("games:rename", {"game": hanabi, "title": "Set"})
    page.wait_for("Azul: 1 of 2")
    page.wait_for("Set: 2 of 4")
    assert page.count("li") == 2
    assert page.count("[role=alert]") == 0


def test_guests_change_games_on_the_page(convex: Convex, ui: Ui) -> None:
    """The buttons of an entry change that game, and a stored title leaves the field empty."""
    page = evening(convex, ui)
    page.click("Join", within="Tichu")
    page.wait_for("Tichu: 1 of 3")
    page.click("Leave", within="Azul")
    page.wait_for("Azul: 1 of 2")
    page.fill("New title", "Set", within="Hanabi")
    page.click("Rename", within="Hanabi")
    page.wait_for("Set: 2 of 4")
    convex.settle()
    assert [(one["title"], one["taken"]) for one in convex.table("games")] == [
        ("Set", 2),
        ("Azul", 1),
        ("Tichu", 1),
    ]
    page.fill("New title", "Go", within="Tichu")
    assert page.value("New title", within="Set") == ""


def test_only_the_changed_entry_waits(convex: Convex, ui: Ui) -> None:
    """Each entry is disabled from its own click until its own answer, several at once."""
    page = evening(convex, ui)
    page.hold()
    page.click("Join", within="Hanabi")
    assert enabled(page, "Hanabi") == [False, False, False]
    assert enabled(page, "Azul") == enabled(page, "Tichu") == [True, True, True]
    page.click("Leave", within="Tichu")
    assert enabled(page, "Tichu") == [False, False, False]
    assert enabled(page, "Hanabi") == [False, False, False]
    assert enabled(page, "Azul") == [True, True, True]
    page.release()
    page.wait_for(NOBODY)
    page.wait_for("Hanabi: 3 of 4")
    for game in ("Hanabi", "Azul", "Tichu"):
        assert enabled(page, game) == [True, True, True]


def test_refusals_stand_at_their_own_entries(convex: Convex, ui: Ui) -> None:
    """Each entry tells its own refusal, until a later change of the same game was stored."""
    page = evening(convex, ui)
    page.click("Join", within="Azul")
    page.wait_for("All 2 seats are taken.")
    page.click("Leave", within="Tichu")
    page.wait_for(NOBODY)
    page.fill("New title", "  ", within="Hanabi")
    page.click("Rename", within="Hanabi")
    page.wait_for(UNTITLED)
    assert alerts(page) == [UNTITLED, "All 2 seats are taken.", NOBODY]
    assert page.value("New title", within="Hanabi") == "  "
    page.hold()
    page.click("Leave", within="Azul")
    assert alerts(page) == [UNTITLED, "All 2 seats are taken.", NOBODY]
    page.release()
    page.wait_gone("All 2 seats are taken.")
    assert alerts(page) == [UNTITLED, "", NOBODY]
    assert page.count("[role=alert]") == 2


def test_a_game_that_closes_meanwhile_is_over(convex: Convex, ui: Ui) -> None:
    """A change that comes too late leaves the other entries as they were."""
    page = evening(convex, ui)
    page.hold()
    convex.mutation("games:close", {"game": convex.table("games")[1]["_id"]})
    page.click("Join", within="Azul")
    page.release()
    page.wait_gone("Azul")
    assert alerts(page) == ["", ""]
    assert page.count("[role=alert]") == 0
    assert enabled(page, "Tichu") == [True, True, True]


def test_entries_keep_what_is_theirs(convex: Convex, ui: Ui) -> None:
    """What was typed and refused stays with its game when the games around it come and go."""
    page = evening(convex, ui)
    page.click("Leave", within="Tichu")
    page.wait_for(NOBODY)
    page.fill("New title", "Set", within="Azul")
    convex.mutation("games:close", {"game": convex.table("games")[0]["_id"]})
    page.wait_gone("Hanabi")
    convex.mutation("games:open", {"title": "Skat", "seats": 3})
    page.wait_for("Skat: 0 of 3")
    typed = [page.value("New title", within=game) for game in ("Azul", "Tichu", "Skat")]
    assert typed == ["Set", "", ""]
    assert alerts(page) == ["", NOBODY, ""]
