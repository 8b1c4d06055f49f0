# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Requests to a telescope, within a limit of each astronomer and one of all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

ADA = "https://users.test|ada"
MINUTE = 60
HOUR = 3600


def request(astronomer: Convex, target: str = "M31") -> dict[str, Any]:
    """Request an observation."""
    return cast("dict[str, Any]", astronomer.mutation("requests:request", {"target": target}))


def to_a_full_minute(convex: Convex, second: float = 1) -> None:
    """Move on to just after a full minute, a while before the next one."""
    convex.clock.advance_to(math.floor(convex.clock.now() / MINUTE + 1) * MINUTE + second)


def use_own(astronomer: Convex) -> None:
    """Use up all that an astronomer may request at once."""
    assert [request(astronomer)["ok"] for _ in range(4)] == [True] * 4


def use_all(convex: Convex, names: str = "pq") -> None:
    """Use up what all may request in a minute, by two others."""
    for name in names:
        assert [request(convex.as_user(name))["ok"] for _ in range(3)] == [True] * 3


def test_allowed_requests_are_stored(convex: Convex) -> None:
    """A request within the limits is stored with who made it."""
    to_a_full_minute(convex)
    answer = request(convex.as_user("ada"), "M 57")
    (stored,) = convex.table("requests")
    assert answer == {"ok": True, "id": stored["_id"]}
    assert (stored["astronomer"], stored["target"]) == (ADA, "M 57")


def test_each_astronomer_has_a_limit(convex: Convex) -> None:
    """The fifth request at once is refused, that of another astronomer is not."""
    to_a_full_minute(convex)
    ada = convex.as_user("ada")
    before = convex.clock.now()
    use_own(ada)
    refused = request(ada)
    passed = convex.clock.now() - before
    assert set(refused) == {"ok", "limit", "retryAfterS"}
    assert (refused["ok"], refused["limit"]) == (False, "own")
    assert 20 * MINUTE - passed <= refused["retryAfterS"] <= 20 * MINUTE
    assert refused["retryAfterS"] == int(refused["retryAfterS"])
    assert request(convex.as_user("bo"))["ok"] is True
    assert len(convex.table("requests")) == 5


def test_the_own_limit_fills_evenly(convex: Convex) -> None:
    """A third of an hour gives one request; a long time gives no more than four."""
    to_a_full_minute(convex)
    ada = convex.as_user("ada")
    use_own(ada)
    convex.clock.advance(15 * MINUTE)
    assert request(ada)["ok"] is False
    convex.clock.advance(6 * MINUTE)
    assert [request(ada)["ok"] for _ in range(2)] == [True, False]
    convex.clock.advance(5 * HOUR)
    to_a_full_minute(convex)
    assert [request(ada)["ok"] for _ in range(5)] == [True] * 4 + [False]


def test_all_together_have_a_limit(convex: Convex) -> None:
    """The seventh request of a minute is refused, and the next minute has six again."""
    to_a_full_minute(convex)
    use_all(convex)
    refused = request(convex.as_user("ada"))
    assert (refused["ok"], refused["limit"]) == (False, "all")
    assert refused["retryAfterS"] == int(refused["retryAfterS"])
    convex.clock.advance(MINUTE)
    use_all(convex, "rs")
    assert request(convex.as_user("ada"))["ok"] is False


def test_the_minutes_are_those_of_the_clock(convex: Convex) -> None:
    """The limit of all begins anew with each full minute, whenever the first request came."""
    # Sixths of a second, because some waiting times must end in less than a half.
    for second in (1, 8.17, 15.33, 22.5, 29.67, 36.83):
        convex.clear()  # a window that begins anywhere begins elsewhere each time
        to_a_full_minute(convex, second)
        before = convex.clock.now()
        use_all(convex)
        refused = request(convex.as_user("ada"))
        after = convex.clock.now()
        assert refused["limit"] == "all"
        next_minute = math.floor(before / MINUTE + 1) * MINUTE
        assert next_minute - after <= refused["retryAfterS"] < next_minute - before + 1


def test_a_minute_without_requests_saves_none(convex: Convex) -> None:
    """What was left of earlier minutes is lost."""
    to_a_full_minute(convex)
    request(convex.as_user("ada"))
    convex.clock.advance(3 * MINUTE)
    use_all(convex)
    assert request(convex.as_user("bo")) | {"retryAfterS": 0} == {
        "ok": False,
        "limit": "all",
        "retryAfterS": 0,
    }


def test_a_request_that_all_refuse_takes_nothing_of_ones_own(convex: Convex) -> None:
    """Whoever was refused by the limit of all has all four requests still."""
    to_a_full_minute(convex)
    use_all(convex)
    ada = convex.as_user("ada")
    assert [request(ada)["limit"] for _ in range(5)] == ["all"] * 5
    convex.clock.advance(MINUTE)
    use_own(ada)


def test_a_request_that_ones_own_refuses_takes_nothing_of_all(convex: Convex) -> None:
    """Refused requests of one astronomer leave the others theirs."""
    to_a_full_minute(convex)
    ada = convex.as_user("ada")
    use_own(ada)
    assert [request(ada)["limit"] for _ in range(5)] == ["own"] * 5
    replies_to_bo = [request(convex.as_user("bo"))["ok"] for _ in range(3)]
    assert replies_to_bo == [True, True, False]
    assert request(ada)["limit"] == "own"


@pytest.mark.parametrize("target", ["", " \n"], ids=["empty", "white_space"])
def test_a_request_without_a_target_counts_for_nothing(convex: Convex, target: str) -> None:
    """It is refused, and takes from neither limit."""
    to_a_full_minute(convex)
    ada = convex.as_user("ada")
    for _ in range(7):
        with pytest.raises(FunctionFailed) as refusal:
            request(ada, target)
        assert refusal.value.data == "no target"
    use_own(ada)
    assert len(convex.table("requests")) == 4


def test_whether_one_may_request_is_told(convex: Convex) -> None:
    """Asking takes nothing, and looks at the own limit alone."""
    to_a_full_minute(convex)
    ada = convex.as_user("ada")
    assert [ada.query("requests:mayRequest") for _ in range(6)] == [True] * 6
    use_own(ada)
    assert ada.query("requests:mayRequest") is False
    bo = convex.as_user("bo")
    assert [request(bo)["ok"] for _ in range(3)] == [True, True, False]
    assert bo.query("requests:mayRequest") is True


def test_one_astronomer_is_forgiven(convex: Convex) -> None:
    """The bucket of this astronomer is full again; others and the limit of all are untouched."""
    to_a_full_minute(convex)
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    use_own(ada)
    convex.clock.advance(MINUTE)
    use_own(bo)
    assert convex.admin.mutation("requests:forgive", {"astronomer": ADA}) is None
    assert (ada.query("requests:mayRequest"), bo.query("requests:mayRequest")) == (True, False)
    assert [request(ada).get("limit") for _ in range(3)] == [None, None, "all"]
    convex.clock.advance(MINUTE)
    assert [request(ada)["ok"] for _ in range(3)] == [True, True, False]


def test_callers_who_are_not_signed_in_are_refused(convex: Convex) -> None:
    """Both public functions refuse them first."""
    for call in (lambda: request(convex, ""), lambda: convex.query("requests:mayRequest")):
        with pytest.raises(FunctionFailed) as refusal:
            call()
        assert refusal.value.data == "not signed in"


def test_only_two_functions_are_public(convex: Convex) -> None:
    """Nobody forgives themselves."""
    public = {path for path, each in convex.functions.items() if each.visibility == "public"}
    assert public == {"requests:request", "requests:mayRequest"}
    with pytest.raises(FunctionFailed):
        convex.as_user("ada").mutation("requests:forgive", {"astronomer": ADA})


@pytest.mark.parametrize("wrong", [{"astronomer": 1.0}, {"target": 1.0}], ids=["who", "target"])
def test_requests_are_as_described(convex: Convex, wrong: dict[str, float]) -> None:
    """A request of another form cannot be stored."""
    right = {"astronomer": ADA, "target": "M31"}
    convex.insert("requests", right)
    with pytest.raises(FunctionFailed):
        convex.insert("requests", {**right, **wrong})
