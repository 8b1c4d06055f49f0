# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Datings of rock samples: ordered at once, asked for later, and reported back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

LABORATORY = "https://lab.datings.test/orders"
ORDER = {"sample": "Isua 4/b", "grams": 12.5}
WAITING = {"state": "waiting"}
DATED = {"state": "dated", "ageMa": 3705.5}
NO_ANSWER = {"state": "failed", "reason": "no answer"}
ALMOST_S = 595.0
REST_S = 10.0
DAY_S = 86_400.0


def answering(convex: Convex, age_ma: float = 3705.5) -> None:
    """Let the laboratory date every sample so."""
    convex.stub_fetch(LABORATORY, method="POST", json={"ageMa": age_ma, "method": "U-Pb"})


def order(convex: Convex, sample: str = "Isua 4/b") -> str:
    """Order a dating."""
    dating = convex.mutation("datings:order", {**ORDER, "sample": sample})
    assert isinstance(dating, str)
    return dating


def outcome(convex: Convex, dating: str, sample: str = "Isua 4/b") -> object:
    """Tell how a dating stands, and demand that it is read with what was ordered."""
    found = convex.query("datings:get", {"dating": dating})
    assert isinstance(found, dict)
    assert found == {**ORDER, "sample": sample, "outcome": found["outcome"]}
    stored = convex.document("datings", dating)
    assert stored is not None
    assert stored["outcome"] == found["outcome"]
    return cast("object", found["outcome"])


def after_the_delay(convex: Convex) -> None:
    """Let the ten minutes pass, and a little more."""
    convex.clock.advance(ALMOST_S + REST_S)


def change(convex: Convex, function: str, dating: str) -> object:
    """Withdraw or reorder a dating."""
    return convex.mutation(f"datings:{function}", {"dating": dating})


def test_an_order_waits_ten_minutes_and_is_dated(convex: Convex) -> None:
    """An order waits; after ten minutes, and not before, the laboratory's age is there."""
    answering(convex)
    dating = order(convex)
    assert outcome(convex, dating) == WAITING
    convex.clock.advance(ALMOST_S)
    assert (outcome(convex, dating), convex.fetches()) == (WAITING, [])
    convex.clock.advance(REST_S)
    assert outcome(convex, dating) == DATED


def test_the_laboratory_is_asked_once_with_the_order(convex: Convex) -> None:
    """One POST request has the sample and the grams as JSON, and nothing else."""
    answering(convex)
    order(convex)
    convex.clock.advance(DAY_S)
    (fetch,) = convex.fetches()
    assert (fetch.method, fetch.url) == ("POST", LABORATORY)
    assert fetch.headers["content-type"].startswith("application/json")
    assert fetch.json() == ORDER


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"status": 422, "json": {"reason": "too little zircon"}}, "too little zircon"),
        ({"status": 422, "json": {"reason": "", "ageMa": 4.5}}, ""),
        ({"status": 422, "json": {"ageMa": 4.5}}, "no answer"),
        ({"status": 422, "json": {"reason": 7}}, "no answer"),
        ({"status": 200, "json": {"reason": "too little zircon"}}, "no answer"),
        ({"status": 200, "json": {"ageMa": "4.5"}}, "no answer"),
        ({"status": 200, "body": "null"}, "no answer"),
        ({"status": 200, "body": "<p>Thank you!</p>"}, "no answer"),
        ({"status": 400, "json": {"reason": "too little zircon"}}, "no answer"),
        ({"status": 202, "json": {"ageMa": 4.5}}, "no answer"),
        ({"status": 500, "json": {"ageMa": 4.5}}, "no answer"),
        ({"fail": True}, "no answer"),
    ],
    ids=[
        "refused",
        "refused_without_words",
        "refused_without_reason",
        "reason_as_number",
        "reason_with_200",
        "age_as_text",
        "null",
        "no_json",
        "bad_request",
        "accepted",
        "server_error",
        "no_connection",
    ],
)
def test_a_failure_is_reported_back(convex: Convex, reply: dict[str, Any], reason: str) -> None:
    """Whatever goes wrong, the dating does not wait for ever: it has failed, with a reason."""
    convex.stub_fetch(LABORATORY, method="POST", **reply)
    dating = order(convex)
    after_the_delay(convex)
    assert outcome(convex, dating) == {"state": "failed", "reason": reason}


def test_a_withdrawn_order_is_not_sent(convex: Convex) -> None:
    """What is withdrawn while it waits stays so, and only the others are sent."""
    answering(convex)
    first, withdrawn, last = (order(convex, sample) for sample in ("A", "B", "C"))
    convex.clock.advance(ALMOST_S)
    assert [change(convex, "withdraw", withdrawn) for _ in range(2)] == [True, False]
    convex.clock.advance(REST_S)
    assert outcome(convex, withdrawn, "B") == {"state": "withdrawn"}
    assert (outcome(convex, first, "A"), outcome(convex, last, "C")) == (DATED, DATED)
    assert sorted(fetch.json()["sample"] for fetch in convex.fetches()) == ["A", "C"]


@pytest.mark.parametrize("function", ["withdraw", "reorder"])
@pytest.mark.parametrize(
    "state",
    [DATED, {"state": "withdrawn"}, {"state": "failed", "reason": "lost"}, WAITING],
    ids=["dated", "withdrawn", "failed", "waiting"],
)
def test_only_what_stands_so_is_changed(
    convex: Convex, state: dict[str, Any], function: str
) -> None:
    """Only what waits can be withdrawn and only what failed reordered; else nothing changes."""
    answering(convex)
    dating = convex.insert("datings", {**ORDER, "outcome": state})
    after = {("withdraw", "waiting"): {"state": "withdrawn"}, ("reorder", "failed"): WAITING}
    expected = after.get((function, state["state"]))
    assert change(convex, function, dating) is (expected is not None)
    assert outcome(convex, dating) == (expected or state)
    after_the_delay(convex)
    assert len(convex.fetches()) == (1 if expected == WAITING else 0)


def test_a_failed_dating_is_ordered_anew(convex: Convex) -> None:
    """A failure is not repeated by itself; a reorder waits anew, is asked once, and counts."""
    convex.stub_fetch(LABORATORY, method="POST", fail=True)
    dating = order(convex)
    convex.clock.advance(DAY_S)
    assert (outcome(convex, dating), len(convex.fetches())) == (NO_ANSWER, 1)
    answering(convex)
    assert [change(convex, "reorder", dating) for _ in range(2)] == [True, False]
    convex.clock.advance(ALMOST_S)
    assert outcome(convex, dating) == WAITING
    convex.clock.advance(REST_S)
    assert outcome(convex, dating) == DATED
    assert len(convex.fetches()) == 2


def test_a_reorder_can_be_withdrawn(convex: Convex) -> None:
    """What was ordered anew can be withdrawn like any order."""
    convex.stub_fetch(LABORATORY, method="POST", fail=True)
    dating = order(convex)
    after_the_delay(convex)
    change(convex, "reorder", dating)
    assert change(convex, "withdraw", dating) is True
    after_the_delay(convex)
    assert outcome(convex, dating) == {"state": "withdrawn"}
    assert len(convex.fetches()) == 1


def test_a_dating_that_is_gone(convex: Convex) -> None:
    """It is refused by name, and nobody is asked for it."""
    answering(convex)
    dating = order(convex)
    convex.delete("datings", dating)
    calls = (
        lambda: change(convex, "withdraw", dating),
        lambda: change(convex, "reorder", dating),
        lambda: convex.query("datings:get", {"dating": dating}),
    )
    for call in calls:
        with pytest.raises(FunctionFailed) as refusal:
            call()
        assert refusal.value.data == "no such dating"
    after_the_delay(convex)
    assert (convex.fetches(), convex.table("datings")) == ([], [])


def test_nobody_else_can_report(convex: Convex) -> None:
    """Four functions are public; what asks and what reports are not."""
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {
        "datings:order": "mutation",
        "datings:withdraw": "mutation",
        "datings:reorder": "mutation",
        "datings:get": "query",
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "dated"},
        {"state": "failed"},
        {"state": "waiting", "ageMa": 4.5},
        {"state": "lost"},
        {"state": "dated", "ageMa": 4.5, "reason": "guess"},
    ],
    ids=["no_age", "no_reason", "waiting_with_age", "unknown_state", "age_and_reason"],
)
def test_no_other_outcomes_can_be_stored(convex: Convex, wrong: dict[str, Any]) -> None:
    """The schema admits each state with its own fields only."""
    for right in (WAITING, DATED, NO_ANSWER, {"state": "withdrawn"}):
        convex.insert("datings", {**ORDER, "outcome": right})
    with pytest.raises(FunctionFailed):
        convex.insert("datings", {**ORDER, "outcome": wrong})


def test_an_order_says_what_it_may(convex: Convex) -> None:
    """An order takes a sample, a text, and grams, a number, and nothing besides."""
    for wrong in ({"sample": 4.0}, {"grams": "12.5"}, {"outcome": DATED}):
        arguments: dict[str, Any] = {**ORDER, **wrong}
        with pytest.raises(FunctionFailed):
            convex.mutation("datings:order", arguments)
    assert convex.table("datings") == []
