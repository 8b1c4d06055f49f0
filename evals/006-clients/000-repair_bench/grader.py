# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The repair bench: its backend, and its page as a reader uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Ui

LAMP = {"item": "Desk lamp", "fault": "flickers", "done": False}
RADIO = {"item": "Radio", "fault": "hums", "done": False}
CLOCK = {"item": "Wall clock", "fault": "stands still", "done": True}


def test_open_repairs_are_listed_oldest_first(convex: Convex) -> None:
    """The query gives the repairs that are not done, oldest first, as they are stored."""
    convex.insert_many("repairs", [RADIO, CLOCK, LAMP])
    stored = convex.table("repairs")
    assert convex.query("repairs:listOpen") == [stored[0], stored[2]]


def test_accepted_repairs_are_stored_trimmed(convex: Convex) -> None:
    """A repair is stored as not done, without white space around its texts."""
    id_ = convex.mutation("repairs:accept", {"item": "  Desk lamp ", "fault": "\tflickers\n"})
    stored = convex.table("repairs")
    assert [{name: one[name] for name in LAMP} for one in stored] == [LAMP]
    assert id_ == stored[0]["_id"]


@pytest.mark.parametrize("item", ["", "  \n"])
def test_an_item_without_name_is_refused(convex: Convex, item: str) -> None:
    """An empty item is refused with data for the caller, and nothing is stored."""
    with pytest.raises(FunctionFailed) as refusal:
        convex.mutation("repairs:accept", {"item": item, "fault": "hums"})
    assert refusal.value.data == "Name the item."
    assert convex.table("repairs") == []


def test_finished_repairs_are_kept_as_done(convex: Convex) -> None:
    """Finishing marks a repair as done and changes nothing else."""
    id_ = convex.insert("repairs", LAMP)
    before = convex.document("repairs", id_)
    assert before is not None
    convex.mutation("repairs:finish", {"id": id_})
    assert convex.document("repairs", id_) == {**before, "done": True}


@pytest.mark.parametrize("wrong", [{"item": 1.0}, {"fault": 1.0}, {"done": "yes"}])
def test_repairs_are_as_described(convex: Convex, wrong: dict[str, str | float]) -> None:
    """A repair with a value of another kind cannot be stored."""
    with pytest.raises(FunctionFailed):
        convex.insert("repairs", LAMP | wrong)
    convex.insert("repairs", LAMP)


def test_arguments_are_as_described(convex: Convex) -> None:
    """An item that is no text, and what is no repair, are refused."""
    for wrong in ({"item": 1.0, "fault": "hums"}, {"item": "Radio", "fault": 1.0}):
        with pytest.raises(FunctionFailed):
            convex.mutation("repairs:accept", wrong)
    with pytest.raises(FunctionFailed):
        convex.mutation("repairs:finish", {"id": "Radio"})
    assert convex.table("repairs") == []
    with pytest.raises(FunctionFailed):
        convex.mutation("repairs:finish", {"id": convex.insert("repairs", LAMP), "done": True})


def test_finished_repairs_are_not_read(convex: Convex) -> None:
    """Open repairs are found among many that are done, without reading those."""
    convex.insert_many("repairs", [CLOCK] * 100)
    radio = convex.insert("repairs", RADIO)
    convex.limit(documents_read=30)
    assert [one["_id"] for one in convex.query("repairs:listOpen")] == [radio]


def test_not_known_is_told_apart_from_none(ui: Ui) -> None:
    """The page says that it is loading until the backend has answered, then that there are none."""
    page = ui.render(held=True)
    page.wait_for("Loading repairs")
    assert "No open repairs" not in page.text()
    page.release()
    page.wait_for("No open repairs")
    assert "Loading repairs" not in page.text()


def test_the_form_is_there_while_loading(ui: Ui) -> None:
    """Both fields can be filled while the repairs are not known, and keep what they hold."""
    page = ui.render(held=True)
    page.fill("Item", "Toaster")
    page.fill("Fault", "sparks")
    page.release()
    page.wait_for("No open repairs")
    assert (page.value("Item"), page.value("Fault")) == ("Toaster", "sparks")


def test_repairs_are_shown_in_order(convex: Convex, ui: Ui) -> None:
    """Each open repair has an entry with its item and fault, in the order of the query."""
    convex.insert_many("repairs", [RADIO, CLOCK, LAMP])
    page = ui.render()
    page.wait_for("Desk lamp")
    assert page.count("ul > li") == 2
    text = page.text("ul")
    assert text.index("Radio") < text.index("hums") < text.index("Desk lamp")
    assert "flickers" in text
    assert "Wall clock" not in text


def test_the_list_stays_current(convex: Convex, ui: Ui) -> None:
    """What others store and finish appears and disappears by itself."""
    page = ui.render()
    page.wait_for("No open repairs")
    id_ = convex.mutation("repairs:accept", {"item": "Radio", "fault": "hums"})
    page.wait_for("Radio")
    convex.mutation("repairs:accept", {"item": "Desk lamp", "fault": "flickers"})
    page.wait_for("Desk lamp")
    convex.mutation("repairs:finish", {"id": id_})
    page.wait_gone("Radio")
    assert "Desk lamp" in page.text()


def test_the_form_stores_a_repair(convex: Convex, ui: Ui) -> None:
    """What was typed is stored and listed, and both fields are empty afterwards."""
    page = ui.render()
    page.wait_for("No open repairs")
    page.fill("Item", "Radio")
    page.fill("Fault", "hums")
    page.click("Accept")
    page.wait_for("Radio")
    assert [{name: one[name] for name in RADIO} for one in convex.table("repairs")] == [RADIO]
    page.wait_for_value("Item", "")
    page.wait_for_value("Fault", "")
    assert page.count("[role=alert]") == 0


def test_no_second_repair_while_one_is_on_its_way(ui: Ui) -> None:
    """The button is disabled from the click until the backend has answered."""
    page = ui.render()
    page.wait_for("No open repairs")
    assert page.is_enabled("Accept")
    page.fill("Item", "Radio")
    page.hold()
    page.click("Accept")
    assert not page.is_enabled("Accept")
    page.release()
    page.wait_for_value("Item", "")
    page.wait_enabled("Accept")


def test_a_refusal_is_shown_and_loses_nothing(convex: Convex, ui: Ui) -> None:
    """A refused repair stays in the fields, and an alert shows the reason in the error's data."""
    page = ui.render()
    page.wait_for("No open repairs")
    page.fill("Item", "   ")
    page.fill("Fault", "hums")
    page.click("Accept")
    page.wait_for("Name the item.")
    assert page.text("[role=alert]") == "Name the item."
    assert (page.value("Item"), page.value("Fault")) == ("   ", "hums")
    assert convex.table("repairs") == []
    page.wait_enabled("Accept")


def test_a_refusal_goes_away_with_the_next_success(ui: Ui) -> None:
    """Once a repair is stored, the alert is gone."""
    page = ui.render()
    page.wait_for("No open repairs")
    page.fill("Fault", "hums")
    page.click("Accept")
    page.wait_for("Name the item.")
    page.wait_enabled("Accept")
    page.fill("Item", "Radio")
    page.click("Accept")
    page.wait_for("Radio")
    page.wait_gone("Name the item.")
    assert page.count("[role=alert]") == 0


def test_finish_is_about_its_own_entry(convex: Convex, ui: Ui) -> None:
    """The button of an entry finishes that repair and no other."""
    convex.insert_many("repairs", [RADIO, LAMP])
    page = ui.render()
    page.wait_for("Desk lamp")
    page.click("Finish", within="Desk lamp")
    page.wait_gone("Desk lamp")
    assert "Radio" in page.text()
    assert [one["done"] for one in convex.table("repairs")] == [False, True]
