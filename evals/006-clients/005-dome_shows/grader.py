# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The planetarium's shows: looked up by code, and the page that follows what is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

HINT = "Type the three characters of a code"
MARS: dict[str, Any] = {"code": "K7B", "title": "Dust on Mars", "seats": 12}
COMET: dict[str, Any] = {"code": "Q2Z", "title": "A comet returns", "seats": 1}


def said(page: Page, *, of: str) -> None:
    """Demand that the page says this one of all that it can say about a code."""
    page.wait_for(of)
    others = (HINT, "Looking up", "There is no show", "seats left", "Mars", "comet")
    text = page.text()
    assert [other for other in others if other in text] == [one for one in others if one in of]


def found(page: Page, show: dict[str, Any]) -> None:
    """Demand that the page shows this show and nothing else."""
    page.wait_for(str(show["title"]))
    page.wait_for(f"{show['seats']} seats left")
    text = page.text()
    for other in (HINT, "Looking up", "There is no show"):
        assert other not in text


def refusal(convex: Convex, code: str) -> object:
    """Return the data with which a code is refused."""
    with pytest.raises(FunctionFailed) as refused:
        convex.query("shows:byCode", {"code": code})
    return refused.value.data


def test_a_show_is_found_by_its_code(convex: Convex) -> None:
    """The query gives the one show of the code as stored, or null, and reads no others."""
    others = [{**MARS, "code": f"{number:03}"} for number in range(100)]
    id_ = convex.insert_many("shows", [*others, COMET, MARS])[-1]
    stored = convex.document("shows", id_)
    convex.limit(documents_read=30)
    assert convex.query("shows:byCode", {"code": "K7B"}) == stored
    assert convex.query("shows:byCode", {"code": "K7C"}) is None


@pytest.mark.parametrize("code", ["", "K7", "K7BX", "k7b", "K-7", " K7B", "K7\u00c4"])
def test_what_is_no_code_is_refused(convex: Convex, code: str) -> None:
    """A text that cannot be a code is an error with data, not an answer."""
    assert refusal(convex, code) == "Not a code."


def test_a_seat_is_taken_until_none_is_left(convex: Convex) -> None:
    """Seats are taken one by one, of the one show, until it is sold out."""
    mars, comet = convex.insert_many("shows", [MARS, COMET])
    convex.mutation("shows:takeSeat", {"show": comet})
    with pytest.raises(FunctionFailed) as refused:
        convex.mutation("shows:takeSeat", {"show": comet})
    assert refused.value.data == "Sold out."
    convex.mutation("shows:takeSeat", {"show": mars})
    assert [one["seats"] for one in convex.table("shows")] == [11, 0]
    convex.delete("shows", mars)
    with pytest.raises(FunctionFailed) as gone:
        convex.mutation("shows:takeSeat", {"show": mars})
    assert gone.value.data == "Sold out."


@pytest.mark.parametrize("wrong", [{"code": 7.0}, {"title": 7.0}, {"seats": "12"}])
def test_shows_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """A show with a value of another kind cannot be stored."""
    convex.insert("shows", MARS)
    with pytest.raises(FunctionFailed):
        convex.insert("shows", {**MARS, **wrong})


def test_other_arguments_are_refused(convex: Convex) -> None:
    """Nobody takes more than one seat, or asks by a title."""
    mars = convex.insert("shows", MARS)
    with pytest.raises(FunctionFailed):
        convex.mutation("shows:takeSeat", {"show": mars, "seats": 2.0})
    with pytest.raises(FunctionFailed):
        convex.query("shows:byCode", {"code": "K7B", "title": "Dust on Mars"})
    with pytest.raises(FunctionFailed):
        convex.query("shows:byCode", {"code": 777.0})


def test_nothing_is_asked_for_without_a_code(ui: Ui) -> None:
    """What is no code gets a hint, whatever was wanted before; the page stays whole."""
    page = ui.render()
    said(page, of=HINT)
    for typed in ("K", "K7", "K-7", "  ", "K7BX"):
        page.fill("Code", typed)
        said(page, of=HINT)
        assert page.value("Code") == typed
    page.fill("Code", "K7B")
    said(page, of="There is no show K7B")
    page.fill("Code", "")
    said(page, of=HINT)
    assert page.errors() == ()


def test_a_code_is_looked_up_and_shown(convex: Convex, ui: Ui) -> None:
    """A code as people type it is looked up, and its show is shown when it is known."""
    convex.insert_many("shows", [COMET, MARS])
    page = ui.render()
    page.hold()
    page.fill("Code", " k7b ")
    said(page, of="Looking up K7B")
    page.release()
    found(page, MARS)
    assert page.value("Code") == " k7b "


def test_no_answer_is_left_over_for_the_next_code(convex: Convex, ui: Ui) -> None:
    """While another code is looked up, nothing of the one before is shown; in any order."""
    convex.insert_many("shows", [COMET, MARS])
    page = ui.render()
    page.fill("Code", "K7B")
    found(page, MARS)
    page.hold()
    page.fill("Code", "Q2Z")
    said(page, of="Looking up Q2Z")
    page.fill("Code", "X0X")
    said(page, of="Looking up X0X")
    page.release()
    said(page, of="There is no show X0X")
    page.hold()
    page.fill("Code", "K7B")
    said(page, of="Looking up K7B")
    page.fill("Code", "Q2Z")
    said(page, of="Looking up Q2Z")
    page.release()
    found(page, COMET)
    assert MARS["title"] not in page.text()


def test_the_seats_stay_current(convex: Convex, ui: Ui) -> None:
    """Seats that others take, and a show that is new under the code, appear by themselves."""
    page = ui.render()
    page.fill("Code", "Q2Z")
    said(page, of="There is no show Q2Z")
    show = convex.insert("shows", {**COMET, "seats": 2})
    convex.mutation("shows:takeSeat", {"show": show})
    found(page, COMET)
    convex.mutation("shows:takeSeat", {"show": show})
    page.wait_for("0 seats left")
