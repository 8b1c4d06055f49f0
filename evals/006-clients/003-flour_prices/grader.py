# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Flour prices: what the mill is asked, what is kept of it, and what the baker sees meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Page, Ui

MILL = "https://mill.example/flours/"
SILENT = "The mill does not answer."
UNKNOWN = "The mill does not grind this."
NOTHING = "Ask for more than nothing."
RYE = {"grain": "rye", "kilos": 2, "total": 2.5}
ASK = "Ask the mill"


def ask(page: Page, grain: str, kilos: str) -> None:
    """Fill in the form and send it."""
    page.fill("Grain", grain)
    page.fill("Kilos", kilos)
    page.click(ASK)


def stored(convex: Convex) -> list[dict[str, object]]:
    """Return the prices that are kept, without what Convex adds."""
    return [{name: one[name] for name in RYE} for one in convex.table("prices")]


def test_a_price_is_asked_for_and_kept(convex: Convex) -> None:
    """The mill is asked for the grain as it is written, and the total is returned and stored."""
    convex.stub_fetch(MILL + "*", json={"perKilo": 1.25})
    assert convex.action("prices:ask", {"grain": "rye", "kilos": 2}) == 2.5
    assert convex.action("prices:ask", {"grain": "rye/wheat?50%", "kilos": 0.5}) == 0.625
    assert [(one.method, one.url) for one in convex.fetches()] == [
        ("GET", MILL + "rye"),
        ("GET", MILL + "rye%2Fwheat%3F50%25"),
    ]
    assert stored(convex) == [RYE, {"grain": "rye/wheat?50%", "kilos": 0.5, "total": 0.625}]


@pytest.mark.parametrize(
    ("reply", "data"),
    [
        ({"status": 404, "json": {"perKilo": 1}}, UNKNOWN),
        ({"status": 404, "body": "not found"}, UNKNOWN),
        ({"status": 500, "json": {"perKilo": 1}}, SILENT),
        ({"fail": True}, SILENT),
        ({"body": "<p>Closed</p>"}, SILENT),
        ({"json": {"perKilo": "1.25"}}, SILENT),
        ({"body": "null"}, SILENT),
    ],
)
def test_failures_of_the_mill_are_told(convex: Convex, reply: dict[str, Any], data: str) -> None:
    """Each failure reaches the caller as data that it can show, and nothing is stored."""
    convex.stub_fetch(MILL + "*", **reply)
    with pytest.raises(FunctionFailed) as refusal:
        convex.action("prices:ask", {"grain": "rye", "kilos": 2})
    assert refusal.value.data == data
    assert convex.table("prices") == []


def test_nothing_is_not_asked_for(convex: Convex) -> None:
    """No kilos, or fewer, are refused without asking the mill."""
    convex.stub_fetch(MILL + "*", json={"perKilo": 1.25})
    for kilos in (0, -2):
        with pytest.raises(FunctionFailed) as refusal:
            convex.action("prices:ask", {"grain": "rye", "kilos": kilos})
        assert refusal.value.data == NOTHING
    assert convex.fetches() == []


@pytest.mark.parametrize("wrong", [{"grain": 1.0}, {"kilos": "2"}], ids=["grain", "kilos"])
def test_questions_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """A grain that is no text, or kilos that are no number, are refused without asking the mill."""
    convex.stub_fetch(MILL + "*", json={"perKilo": 1.25})
    with pytest.raises(FunctionFailed):
        convex.action("prices:ask", {"grain": "rye", "kilos": 2, **wrong})
    with pytest.raises(FunctionFailed):
        convex.query("prices:latest", wrong)
    assert convex.fetches() == []


@pytest.mark.parametrize("wrong", [{"grain": 1.0}, {"kilos": "2"}, {"total": "2.5"}])
def test_prices_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """A price with a value of another kind cannot be stored."""
    convex.insert("prices", RYE)
    with pytest.raises(FunctionFailed):
        convex.insert("prices", {**RYE, **wrong})


def test_only_the_action_stores_prices(convex: Convex) -> None:
    """Nothing but the action and the query is open to the public."""
    public = {path for path, one in convex.functions.items() if one.visibility == "public"}
    assert public == {"prices:ask", "prices:latest"}


def test_the_latest_five_are_given(convex: Convex) -> None:
    """The query gives the newest five prices, newest first, and reads no others."""
    convex.insert_many("prices", [{**RYE, "kilos": kilos} for kilos in range(100)])
    newest = convex.table("prices")[:-6:-1]
    convex.limit(documents_read=30)
    assert convex.query("prices:latest") == newest


def test_the_answer_is_waited_for_and_shown(convex: Convex, ui: Ui) -> None:
    """While the answer is on its way the page says so and asks no second time; then it shows it."""
    convex.stub_fetch(MILL + "rye", json={"perKilo": 1.25})
    page = ui.render()
    assert page.is_enabled(ASK)
    assert "Asking" not in page.text()
    page.hold()
    ask(page, "rye", "2")
    page.wait_for("Asking")
    assert not page.is_enabled(ASK)
    assert "Costs" not in page.text()
    page.release()
    page.wait_for("Costs 2.5")
    page.wait_enabled(ASK)
    assert "Asking" not in page.text()
    page.wait_for("2 kg rye: 2.5")
    assert (page.value("Grain"), page.value("Kilos")) == ("rye", "2")
    assert page.count("[role=alert]") == 0
    assert stored(convex) == [RYE]


def test_an_error_is_shown_until_the_next_question(convex: Convex, ui: Ui) -> None:
    """An alert shows the error's data; no question shows the total or error of an earlier one."""
    convex.stub_fetch(MILL + "rye", json={"perKilo": 1.25})
    convex.stub_fetch(MILL + "sand", status=404)
    page = ui.render()
    ask(page, "rye", "2")
    page.wait_for("Costs 2.5")
    ask(page, "sand", "2")
    page.wait_for(UNKNOWN)
    assert page.text("[role=alert]") == UNKNOWN
    assert "Costs" not in page.text()
    assert "Asking" not in page.text()
    page.wait_enabled(ASK)
    page.hold()
    ask(page, "rye", "4")
    page.wait_for("Asking")
    assert page.count("[role=alert]") == 0
    page.release()
    page.wait_for("Costs 5")
    page.hold()
    ask(page, "rye", "0")
    page.wait_for("Asking")
    assert "Costs" not in page.text()
    page.release()
    page.wait_for(NOTHING)
    assert page.text("[role=alert]") == NOTHING


def test_a_lost_connection_ends_the_waiting(convex: Convex, ui: Ui) -> None:
    """When the connection breaks, the page says that it went wrong, and takes questions again."""
    convex.stub_fetch(MILL + "rye", json={"perKilo": 1.25})
    page = ui.render()
    ask(page, "rye", "2")
    page.wait_for("Costs 2.5")
    page.hold()
    ask(page, "rye", "2")
    page.wait_for("Asking")
    page.cut()
    page.wait_for("Something went wrong.")
    assert page.text("[role=alert]") == "Something went wrong."
    assert "Asking" not in page.text()
    page.wait_enabled(ASK)
    assert page.errors() == ()


def test_the_list_stays_current(convex: Convex, ui: Ui) -> None:
    """Prices that others ask for come on top of the list by themselves."""
    convex.stub_fetch(MILL + "*", json={"perKilo": 1.25})
    page = ui.render()
    convex.action("prices:ask", {"grain": "rye", "kilos": 2})
    page.wait_for("2 kg rye: 2.5")
    convex.action("prices:ask", {"grain": "spelt", "kilos": 4})
    page.wait_for("4 kg spelt: 5")
    assert page.text("ul > li").splitlines() == ["4 kg spelt: 5", "2 kg rye: 2.5"]
