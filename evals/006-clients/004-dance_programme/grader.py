# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The dance hall's programme: its order and refusals, and dances shown before they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

REFUSED = "This dance is on already."


def evening(name: str, *dances: str) -> list[dict[str, object]]:
    """Return the dances of an evening to store, each written as on the page."""
    split = [dance.split(" ", 1) for dance in dances]
    return [{"evening": name, "minute": int(minute), "name": dance} for minute, dance in split]


def add(page: Page, dance: str, on: str = "friday") -> None:
    """Fill in the form and send it."""
    minute, name = dance.split(" ", 1)
    page.fill("Evening", on)
    page.fill("Minute", minute)
    page.fill("Name", name)
    page.click("Add")


def shown(page: Page, on: str = "friday") -> list[str]:
    """Return the programme of an evening as the page shows it."""
    return page.text(f"section#{on} li").splitlines()


def programme(convex: Convex, on: str = "friday") -> list[str]:
    """Return the programme of an evening as the backend gives it."""
    given = convex.query("dances:programme", {"evening": on})
    return [f"{one['minute']:.0f} {one['name']}" for one in given]


def test_the_programme_is_in_order(convex: Convex) -> None:
    """Dances come by minute, those of the same minute as stored, and of the one evening only."""
    saturday = evening("saturday", "15 Tango")
    convex.insert_many("dances", evening("friday", "100 Waltz", "20 Rumba", "5 Polka"))
    convex.insert_many("dances", [*saturday, *evening("friday", "20 Jive")])
    by_name = {one["name"]: one for one in convex.table("dances")}
    expected = [by_name[name] for name in ("Polka", "Rumba", "Jive", "Waltz")]
    assert convex.query("dances:programme", {"evening": "friday"}) == expected


def test_other_evenings_are_not_read(convex: Convex) -> None:
    """However many other evenings there are, reading and adding touch only the one asked for."""
    for week in range(2):
        others = [f"{minute} Dance {minute}" for minute in range(100)]
        convex.insert_many("dances", evening(f"week {week}", *others))
    convex.limit(documents_read=50)
    new = evening("friday", "20 Dance 1")[0]
    id_ = convex.mutation("dances:add", new)
    assert programme(convex) == ["20 Dance 1"]
    assert convex.query("dances:programme", {"evening": "friday"})[0]["_id"] == id_


@pytest.mark.parametrize("wrong", [{"evening": 5.0}, {"minute": "20"}, {"name": 5.0}])
def test_dances_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """An evening or a name that is no text, or a minute that is no number, is refused."""
    right = evening("friday", "20 Waltz")[0]
    convex.insert("dances", right)
    with pytest.raises(FunctionFailed):
        convex.insert("dances", {**right, **wrong})
    with pytest.raises(FunctionFailed):
        convex.mutation("dances:add", {**right, "name": "Tango", **wrong})
    with pytest.raises(FunctionFailed):
        convex.query("dances:programme", {"evening": 5.0})


def test_a_name_is_taken_once_an_evening(convex: Convex) -> None:
    """The same name is refused with data on the same evening, and stored on another one."""
    convex.insert_many("dances", evening("friday", "20 Waltz", "40 Tango"))
    with pytest.raises(FunctionFailed) as refusal:
        convex.mutation("dances:add", evening("friday", "60 Waltz")[0])
    assert refusal.value.data == REFUSED
    convex.mutation("dances:add", evening("friday", "20 Slow Waltz")[0])
    convex.mutation("dances:add", evening("saturday", "20 Waltz")[0])
    assert programme(convex) == ["20 Waltz", "20 Slow Waltz", "40 Tango"]
    assert programme(convex, "saturday") == ["20 Waltz"]


def test_not_known_is_told_apart_from_none(convex: Convex, ui: Ui) -> None:
    """Each section is loading until its programme is known; a dance added meanwhile arrives."""
    convex.insert_many("dances", evening("friday", "20 Waltz"))
    page = ui.render(held=True)
    page.wait_for("Loading")
    assert page.count("input[type=number]") == 1
    add(page, "5 Polka")
    assert page.text("section").count("Loading") == 2
    assert "No dances" not in page.text()
    page.release()
    page.wait_for("5 Polka")
    page.wait_for("No dances")
    assert shown(page) == ["5 Polka", "20 Waltz"]
    assert "No dances" in page.text("section#saturday")
    assert "No dances" not in page.text("section#friday")
    assert "Loading" not in page.text()
    assert page.errors() == ()


def test_a_dance_is_shown_at_its_place_at_once(convex: Convex, ui: Ui) -> None:
    """Before any answer each new dance stands at its place, in its evening and no other."""
    convex.insert_many("dances", evening("friday", "10 Waltz", "20 Rumba", "100 Tango"))
    convex.insert_many("dances", evening("saturday", "30 Jive"))
    page = ui.render()
    page.wait_for("100 Tango")
    page.wait_for("30 Jive")
    page.hold()
    for dance in ("20 Samba", "5 Polka", "120 Gavotte", "20 Foxtrot"):
        add(page, dance)
        page.wait_for(dance, timeout_s=1)
    add(page, "30 Quickstep", on="saturday")
    page.wait_for("30 Quickstep", timeout_s=1)
    assert (page.value("Minute"), page.value("Name")) == ("", "")
    names = "5 Polka|10 Waltz|20 Rumba|20 Samba|20 Foxtrot|100 Tango|120 Gavotte"
    assert shown(page) == names.split("|")
    assert shown(page, "saturday") == ["30 Jive", "30 Quickstep"]
    page.release()
    convex.mutation("dances:add", evening("saturday", "1 Reel")[0])
    page.wait_for("1 Reel")
    assert shown(page) == names.split("|") == programme(convex)
    assert shown(page, "saturday") == ["1 Reel", "30 Jive", "30 Quickstep"]
    assert page.count("[role=alert]") == 0


def test_the_first_dance_replaces_no_dances(ui: Ui) -> None:
    """On an empty evening the first dance is shown at once, and that there are none no longer."""
    page = ui.render()
    page.wait_for("No dances")
    page.hold()
    add(page, "20 Waltz", on="saturday")
    page.wait_for("20 Waltz", timeout_s=1)
    assert "No dances" not in page.text("section#saturday")
    assert shown(page, "friday") == []


def test_a_refused_dance_disappears(convex: Convex, ui: Ui) -> None:
    """A refused dance is shown, then gone, with the reason; others on their way stay."""
    convex.insert_many("dances", evening("friday", "10 Waltz", "40 Rumba"))
    page = ui.render()
    page.wait_for("40 Rumba")
    page.hold()
    add(page, "20 Polka")
    add(page, "30 Waltz")
    page.wait_for("30 Waltz", timeout_s=1)
    assert shown(page) == ["10 Waltz", "20 Polka", "30 Waltz", "40 Rumba"]
    assert page.count("[role=alert]") == 0
    page.release()
    page.wait_gone("30 Waltz")
    # The client may hear of the refusal before it hears that the Polka is stored, or after it.
    # Both are known once a dance that was stored later is shown.
    convex.mutation("dances:add", evening("saturday", "1 Reel")[0])
    page.wait_for("1 Reel")
    friday = ["10 Waltz", "20 Polka", "40 Rumba"]
    assert shown(page) == friday == programme(convex)
    # Nothing else is on its way now, so no new programme replaces one that was changed in place.
    page.hold()
    add(page, "30 Waltz")
    page.wait_for("30 Waltz", timeout_s=1)
    page.release()
    page.wait_for(REFUSED)
    page.wait_gone("30 Waltz")
    assert page.text("[role=alert]") == REFUSED
    assert shown(page) == friday == programme(convex)
    add(page, "50 Jive")
    page.wait_gone(REFUSED)
    assert page.count("[role=alert]") == 0
    assert shown(page) == [*friday, "50 Jive"] == programme(convex)
