# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The pieces of choirs: what the backend gives, and the page as a singer uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

PERFORMED = "This piece has been performed."


def choir(convex: Convex, name: str, *pieces: str) -> str:
    """Store a choir with its pieces: ``+`` before a title means learned, ``!`` performed."""
    id_ = convex.insert("choirs", {"name": name})
    documents = [
        {
            "choir": id_,
            "title": piece.lstrip("+!"),
            "learned": "+" in piece,
            "performed": "!" in piece,
        }
        for piece in pieces
    ]
    if documents:
        convex.insert_many("pieces", documents)
    return id_


def choose(ui: Ui, name: str) -> Page:
    """Render the page and choose a choir, once it is offered."""
    page = ui.render()
    page.wait_for(name)
    page.fill("Choir", name)
    page.wait_for("learned")
    return page


def learned(convex: Convex) -> dict[str, bool]:
    """Return which pieces are stored as learned, by title."""
    return {piece["title"]: piece["learned"] for piece in convex.table("pieces")}


def test_choirs_and_their_pieces_are_given_in_order(convex: Convex) -> None:
    """The queries give documents as stored, oldest first, and only the pieces of the choir."""
    alto = choir(convex, "Alto Alley", "+Kyrie", "Abendlied")
    choir(convex, "Bass Basin", "Shenandoah")
    assert convex.query("choirs:list") == convex.table("choirs")
    assert convex.query("pieces:ofChoir", {"choir": alto}) == convex.table("pieces")[:2]


def test_a_change_is_stored(convex: Convex) -> None:
    """The mutation sets the piece to what is asked for, and only that piece."""
    choir(convex, "Alto Alley", "+Kyrie", "Abendlied")
    piece = convex.table("pieces")[1]["_id"]
    convex.mutation("pieces:setLearned", {"piece": piece, "learned": True})
    convex.mutation("pieces:setLearned", {"piece": piece, "learned": True})
    assert learned(convex) == {"Kyrie": True, "Abendlied": True}


def test_performed_pieces_are_refused(convex: Convex) -> None:
    """A performed piece keeps its state, and the caller gets the reason as data."""
    choir(convex, "Alto Alley", "!+Kyrie")
    piece = convex.table("pieces")[0]["_id"]
    with pytest.raises(FunctionFailed) as refusal:
        convex.mutation("pieces:setLearned", {"piece": piece, "learned": False})
    assert refusal.value.data == PERFORMED
    assert learned(convex) == {"Kyrie": True}


@pytest.mark.parametrize(
    "wrong", [{"choir": "Alto Alley"}, {"title": 1.0}, {"learned": "yes"}, {"performed": "yes"}]
)
def test_pieces_are_as_described(convex: Convex, wrong: dict[str, str | float]) -> None:
    """A piece with a value of another kind cannot be stored, nor a choir without a name."""
    with pytest.raises(FunctionFailed):
        convex.insert("choirs", {"name": 1.0})
    piece = {"choir": choir(convex, "Alto Alley"), "title": "Kyrie", "learned": False}
    convex.insert("pieces", {**piece, "performed": False})
    with pytest.raises(FunctionFailed):
        convex.insert("pieces", {**piece, "performed": False, **wrong})


def test_arguments_are_as_described(convex: Convex) -> None:
    """What is no choir, no piece, or neither learned nor not, or not asked for, is refused."""
    alto = choir(convex, "Alto Alley", "Kyrie")
    piece = convex.table("pieces")[0]["_id"]
    for path, choir_of in (("pieces:ofChoir", piece), ("choirs:list", alto)):
        with pytest.raises(FunctionFailed):
            convex.query(path, {"choir": choir_of})
    right = {"piece": piece, "learned": True}
    for wrong in ({"piece": alto}, {"learned": "yes"}, {"performed": True}):
        with pytest.raises(FunctionFailed):
            convex.mutation("pieces:setLearned", {**right, **wrong})
    assert learned(convex) == {"Kyrie": False}


def test_pieces_of_other_choirs_are_not_read(convex: Convex) -> None:
    """However many pieces other choirs have, only those of the one asked for are read."""
    for number in range(2):
        choir(convex, f"Choir {number}", *(f"Song {n}" for n in range(60)))
    alto = choir(convex, "Alto Alley", "Kyrie")
    convex.limit(documents_read=30)
    pieces = convex.query("pieces:ofChoir", {"choir": alto})
    assert [piece["title"] for piece in pieces] == ["Kyrie"]


def test_nothing_is_asked_for_before_a_choice(convex: Convex, ui: Ui) -> None:
    """Without a choice the page says so, and goes on working when the choirs become known."""
    choir(convex, "Alto Alley", "Kyrie")
    page = ui.render(held=True)
    page.wait_for("Choose a choir")
    page.release()
    page.wait_for("Alto Alley")
    assert "Choose a choir" in page.text()
    assert "Loading pieces" not in page.text()
    assert page.errors() == ()


def test_chosen_pieces_are_loaded_and_shown(convex: Convex, ui: Ui) -> None:
    """A choice shows that pieces are loading, and then each of them, checked where learned."""
    choir(convex, "Alto Alley", "+Kyrie", "Abendlied", "+Exsultate")
    choir(convex, "Bass Basin", "Shenandoah")
    page = ui.render()
    page.wait_for("Alto Alley")
    page.hold()
    page.fill("Choir", "Alto Alley")
    page.wait_for("Loading pieces")
    assert "Choose a choir" not in page.text()
    page.release()
    page.wait_for("2 of 3 learned")
    text = page.text()
    assert text.index("Kyrie") < text.index("Abendlied") < text.index("Exsultate")
    assert "Shenandoah" not in text
    assert [page.is_checked(title) for title in ("Kyrie", "Abendlied", "Exsultate")] == [
        True,
        False,
        True,
    ]


def test_another_choice_never_shows_the_old_pieces(convex: Convex, ui: Ui) -> None:
    """While the pieces of another choir are loading, those of the choir before are gone."""
    choir(convex, "Alto Alley", "Kyrie")
    choir(convex, "Bass Basin", "Shenandoah")
    page = choose(ui, "Alto Alley")
    page.hold()
    page.fill("Choir", "Bass Basin")
    page.wait_for("Loading pieces")
    assert "Kyrie" not in page.text()
    page.release()
    page.wait_for("Shenandoah")


def test_a_choice_can_be_taken_back(convex: Convex, ui: Ui) -> None:
    """Choosing None again leads back to the beginning, and a choir can be chosen once more."""
    choir(convex, "Alto Alley", "Kyrie")
    page = choose(ui, "Alto Alley")
    page.fill("Choir", "None")
    page.wait_for("Choose a choir")
    assert "Kyrie" not in page.text()
    page.fill("Choir", "Alto Alley")
    page.wait_for("Kyrie")
    assert page.errors() == ()


def test_a_choir_without_pieces_is_not_loading(convex: Convex, ui: Ui) -> None:
    """A choir without pieces shows a count of none."""
    choir(convex, "Quiet Choir")
    page = choose(ui, "Quiet Choir")
    assert "0 of 0 learned" in page.text()
    assert "Loading pieces" not in page.text()


def test_changes_of_others_are_shown(convex: Convex, ui: Ui) -> None:
    """What others learn is checked and counted by itself."""
    choir(convex, "Alto Alley", "+Kyrie", "Abendlied")
    page = choose(ui, "Alto Alley")
    piece = convex.table("pieces")[1]["_id"]
    convex.mutation("pieces:setLearned", {"piece": piece, "learned": True})
    page.wait_for("2 of 2 learned")
    assert page.is_checked("Abendlied")


def test_a_click_is_shown_before_the_answer(convex: Convex, ui: Ui) -> None:
    """Checkbox and count change while the backend's answer is still on its way."""
    choir(convex, "Alto Alley", "+Kyrie", "Abendlied")
    page = choose(ui, "Alto Alley")
    page.hold()
    page.click("Abendlied", role="checkbox")
    page.wait_for("2 of 2 learned", timeout_s=1)
    assert page.is_checked("Abendlied")
    page.click("Kyrie", role="checkbox")
    page.wait_for("1 of 2 learned", timeout_s=1)
    assert not page.is_checked("Kyrie")
    page.release()
    page.wait_for("1 of 2 learned")
    # Read where it is stored: what the page shows is only half of the promise.
    convex.settle()
    assert learned(convex) == {"Kyrie": False, "Abendlied": True}
    assert [page.is_checked(title) for title in ("Kyrie", "Abendlied")] == [False, True]
    assert page.count("[role=alert]") == 0


def test_a_refused_click_is_taken_back(convex: Convex, ui: Ui) -> None:
    """A change that the backend refuses is shown at first, and then no longer."""
    choir(convex, "Alto Alley", "!Kyrie", "+Abendlied")
    page = choose(ui, "Alto Alley")
    page.hold()
    page.click("Kyrie", role="checkbox")
    page.wait_for("2 of 2 learned", timeout_s=1)
    page.release()
    page.wait_for("1 of 2 learned")
    page.wait_checked("Kyrie", checked=False)
    page.wait_for(PERFORMED)
    assert page.text("[role=alert]") == PERFORMED
    assert learned(convex) == {"Kyrie": False, "Abendlied": True}


def test_a_refusal_goes_away_with_the_next_change(convex: Convex, ui: Ui) -> None:
    """The alert is gone once another change was stored."""
    choir(convex, "Alto Alley", "!Kyrie", "Abendlied")
    page = choose(ui, "Alto Alley")
    page.click("Kyrie", role="checkbox")
    page.wait_for(PERFORMED)
    page.click("Abendlied", role="checkbox")
    page.wait_gone(PERFORMED)
    page.wait_for("1 of 2 learned")
    assert page.count("[role=alert]") == 0
