# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Couriers and parcels: two lists and a sum on one page, which have to agree at every moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

TAKEN = "Somebody has this already."
NOTHING = "Nothing to deliver"


def office(convex: Convex) -> tuple[str, str]:
    """Store two couriers with a parcel or two, and two that wait between theirs."""
    ada, ben = convex.insert_many("couriers", [{"name": "Ada"}, {"name": "Ben"}])
    convex.insert_many(
        "parcels",
        [
            {"address": "1 Mill Lane", "courier": ada},
            {"address": "2 Kiln Row"},
            {"address": "3 Tar Street", "courier": ben},
            {"address": "4 Weir Path"},
            {"address": "5 Salt Quay", "courier": ada},
        ],
    )
    return ada, ben


def parcel(convex: Convex, address: str) -> str:
    """Return the id of the parcel for an address."""
    return str(next(one["_id"] for one in convex.table("parcels") if one["address"] == address))


def choose(ui: Ui, name: str) -> Page:
    """Render the page and choose a courier, once there is one to choose."""
    page = ui.render()
    page.wait_for(name)
    page.fill("Courier", name)
    page.wait_for("given")
    return page


def shown(page: Page) -> tuple[str, str, str]:
    """Return the numbers of the addresses in each list, and the sum."""
    lists = (page.text(f"section#{part} li") for part in ("waiting", "round"))
    waiting, round_ = ("".join(sign for sign in text if sign.isdigit()) for text in lists)
    return waiting, round_, page.text("#sum")


def test_parcels_are_listed_by_who_has_them(convex: Convex) -> None:
    """Each query gives its own parcels as stored, oldest first, and all couriers are listed."""
    ada, _ = office(convex)
    stored = convex.table("parcels")
    assert convex.query("parcels:waiting") == [stored[1], stored[3]]
    assert convex.query("parcels:ofCourier", {"courier": ada}) == [stored[0], stored[4]]
    assert convex.query("couriers:list") == convex.table("couriers")


@pytest.mark.parametrize("wrong", [{"address": 2.0}, {"courier": "Ada"}, {"courier": None}])
def test_tables_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """A courier without a name, and a parcel with a value of another kind, cannot be stored."""
    convex.insert("parcels", {"address": "2 Kiln Row"})
    with pytest.raises(FunctionFailed):
        convex.insert("parcels", {"address": "2 Kiln Row", **wrong})
    with pytest.raises(FunctionFailed):
        convex.insert("couriers", {"name": 7.0})


def test_other_rounds_are_not_read(convex: Convex) -> None:
    """However many parcels other couriers have, the lists and changes stay quick."""
    ada, ben = office(convex)
    convex.insert_many("parcels", [{"address": "Far away", "courier": ben}] * 100)
    convex.limit(documents_read=30)
    convex.mutation("parcels:give", {"parcel": parcel(convex, "2 Kiln Row"), "courier": ada})
    assert [one["address"] for one in convex.query("parcels:waiting")] == ["4 Weir Path"]
    mine = convex.query("parcels:ofCourier", {"courier": ada})
    assert [one["address"] for one in mine] == ["1 Mill Lane", "2 Kiln Row", "5 Salt Quay"]


def test_a_parcel_is_given_once_and_delivered(convex: Convex) -> None:
    """A parcel goes to the first who gets it; delivered ones are gone and cannot be given."""
    ada, ben = office(convex)
    kiln, weir = parcel(convex, "2 Kiln Row"), parcel(convex, "4 Weir Path")
    convex.mutation("parcels:give", {"parcel": kiln, "courier": ada})
    for _ in range(2):
        convex.mutation("parcels:deliver", {"parcel": weir})
    for again in ({"parcel": kiln, "courier": ben}, {"parcel": weir, "courier": ben}):
        with pytest.raises(FunctionFailed) as refusal:
            convex.mutation("parcels:give", again)
        assert refusal.value.data == TAKEN
    left = [(one["address"], one.get("courier")) for one in convex.table("parcels")]
    assert left == [
        ("1 Mill Lane", ada),
        ("2 Kiln Row", ada),
        ("3 Tar Street", ben),
        ("5 Salt Quay", ada),
    ]


def test_not_known_is_told_apart_from_none(convex: Convex, ui: Ui) -> None:
    """Each part says that it is loading, or not yet chosen, until it knows that there is none."""
    convex.insert("couriers", {"name": "Ada"})
    page = ui.render(held=True)
    page.wait_for("Loading parcels")
    assert "Choose a courier" in page.text("#round")
    assert page.text("#sum") == "Counting"
    assert "No parcels waiting" not in page.text()
    page.release()
    page.wait_for("No parcels waiting")
    page.wait_for("0 waiting")
    assert "Loading parcels" not in page.text()
    page.wait_for("Ada")
    page.hold()
    page.fill("Courier", "Ada")
    page.wait_for("Loading round")
    assert page.text("#sum") == "Counting"
    assert NOTHING not in page.text()
    assert "Choose a courier" not in page.text()
    page.release()
    page.wait_for(NOTHING)
    assert shown(page) == ("", "", "0 waiting, 0 given")
    page.fill("Courier", "None")
    page.wait_for("Choose a courier")
    assert page.text("#sum") == "0 waiting"
    assert NOTHING not in page.text()
    assert page.errors() == ()


def test_another_round_shows_nothing_of_the_last(convex: Convex, ui: Ui) -> None:
    """While another courier's parcels are loading, a parcel can be given and arrives there."""
    office(convex)
    page = ui.render()
    page.wait_for("2 waiting")
    assert not page.is_enabled("Give", within="2 Kiln Row")
    page.wait_for("Ada")
    page.fill("Courier", "Ada")
    page.wait_for("given")
    assert shown(page) == ("24", "15", "2 waiting, 2 given")
    page.hold()
    page.fill("Courier", "Ben")
    page.wait_for("Loading round")
    page.click("Give", within="4 Weir Path")
    page.wait_gone("4 Weir Path")
    assert shown(page) == ("2", "", "Counting")
    assert "Loading round" in page.text("#round")
    page.release()
    page.wait_for("1 waiting, 2 given")
    assert shown(page) == ("2", "34", "1 waiting, 2 given")


def test_a_change_is_shown_everywhere_at_once(convex: Convex, ui: Ui) -> None:
    """Before any answer both lists and the sum agree about what was given and delivered."""
    office(convex)
    page = choose(ui, "Ada")
    page.hold()
    page.click("Give", within="2 Kiln Row")
    page.wait_for("1 waiting, 3 given", timeout_s=1)
    assert shown(page) == ("4", "125", "1 waiting, 3 given")
    page.click("Deliver", within="1 Mill Lane")
    page.wait_for("1 waiting, 2 given", timeout_s=1)
    page.click("Deliver", within="2 Kiln Row")
    page.wait_for("1 waiting, 1 given", timeout_s=1)
    page.click("Give", within="4 Weir Path")
    page.wait_for("No parcels waiting", timeout_s=1)
    assert shown(page) == ("", "45", "0 waiting, 2 given")
    page.release()
    convex.mutation("parcels:deliver", {"parcel": parcel(convex, "5 Salt Quay")})
    page.wait_for("0 waiting, 1 given")
    assert shown(page) == ("", "4", "0 waiting, 1 given")
    assert [one["address"] for one in convex.table("parcels")] == ["3 Tar Street", "4 Weir Path"]
    assert page.count("[role=alert]") == 0


def test_a_refused_change_is_left_nowhere(convex: Convex, ui: Ui) -> None:
    """A parcel that somebody else got meanwhile is in neither list, and the sum agrees."""
    _, ben = office(convex)
    page = choose(ui, "Ada")
    page.hold()
    convex.mutation("parcels:give", {"parcel": parcel(convex, "2 Kiln Row"), "courier": ben})
    page.click("Give", within="2 Kiln Row")
    page.wait_for("1 waiting, 3 given", timeout_s=1)
    assert page.count("[role=alert]") == 0
    page.release()
    page.wait_for(TAKEN)
    page.wait_for("1 waiting, 2 given")
    assert page.text("[role=alert]") == TAKEN
    assert shown(page) == ("4", "15", "1 waiting, 2 given")
    page.click("Give", within="4 Weir Path")
    page.wait_gone(TAKEN)
    assert page.count("[role=alert]") == 0
    assert shown(page) == ("", "145", "0 waiting, 3 given")
