# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Mirrors that are coated step by step, by a workflow."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

CHAMBER = "https://chamber.mirrors.test/coat"
MINUTE = 60
HOUR = 3600
MIRRORS = 14
"""The package scatters waiting times by half: of so many mirrors some wait longer than others."""


def begin(convex: Convex, name: str = "M1") -> str:
    """Begin with a mirror."""
    return cast("str", convex.mutation("coatings:begin", {"name": name}))


def wash(convex: Convex, name: str = "M1") -> str:
    """Begin with a mirror, and go on until it waits."""
    mirror = begin(convex, name)
    convex.clock.advance(21 * MINUTE)
    return mirror


def approve(convex: Convex, mirror: str, by: str = "ada") -> object:
    """Approve of a mirror."""
    return convex.mutation("coatings:approve", {"mirror": mirror, "by": by})


def show(convex: Convex, mirror: str) -> dict[str, object]:
    """Show a mirror."""
    return cast("dict[str, object]", convex.query("coatings:show", {"mirror": mirror}))


def stage(convex: Convex, mirror: str) -> object:
    """Tell a mirror's stage."""
    return show(convex, mirror)["stage"]


def test_a_mirror_is_washed_first(convex: Convex) -> None:
    """For twenty minutes it is washing, and then it waits."""
    mirror = begin(convex)
    expected = {"name": "M1", "stage": "washing", "approvedBy": None, "nanometres": None}
    assert show(convex, mirror) == expected
    convex.clock.advance(19 * MINUTE)
    assert show(convex, mirror) == expected
    convex.clock.advance(2 * MINUTE)
    assert show(convex, mirror) == {**expected, "stage": "waiting"}


def test_it_waits_for_the_approval(convex: Convex) -> None:
    """Without an approval nothing is coated, for days."""
    convex.stub_fetch(CHAMBER, json={"nanometres": 90})
    mirror = wash(convex)
    convex.clock.advance(60 * HOUR)
    assert stage(convex, mirror) == "waiting"
    assert convex.fetches() == []


def test_an_approved_mirror_becomes_ready(convex: Convex) -> None:
    """It is coated by one request, cools for two hours, and is ready."""
    convex.stub_fetch(CHAMBER, method="POST", json={"nanometres": 90.5, "pressure": 1})
    mirror = wash(convex)
    assert approve(convex, mirror) is True
    convex.clock.advance(MINUTE)
    cooling = {"name": "M1", "stage": "cooling", "approvedBy": "ada", "nanometres": 90.5}
    assert show(convex, mirror) == cooling
    (fetch,) = convex.fetches()
    assert (fetch.method, json.loads(fetch.body)) == ("POST", {"mirror": "M1"})
    convex.clock.advance(118 * MINUTE)
    assert show(convex, mirror) == cooling
    convex.clock.advance(3 * MINUTE)
    assert show(convex, mirror) == {**cooling, "stage": "ready"}
    convex.clock.advance(HOUR)
    assert len(convex.fetches()) == 1


def test_approvals_at_other_times_do_nothing(convex: Convex) -> None:
    """Too early, a second time, or after the end an approval is refused."""
    convex.stub_fetch(CHAMBER, json={"nanometres": 90})
    mirror = begin(convex)
    assert approve(convex, mirror) is False
    convex.clock.advance(21 * MINUTE)
    assert stage(convex, mirror) == "waiting"
    assert (approve(convex, mirror), approve(convex, mirror, "bo")) == (True, False)
    convex.clock.advance(MINUTE)
    assert approve(convex, mirror, "bo") is False
    convex.clock.advance(3 * HOUR)
    assert approve(convex, mirror, "bo") is False
    assert show(convex, mirror)["approvedBy"] == "ada"
    assert len(convex.fetches()) == 1


def test_mirrors_do_not_wait_for_each_other(convex: Convex) -> None:
    """An approval concerns one mirror."""
    convex.stub_fetch(CHAMBER, json={"nanometres": 90})
    first, second = begin(convex, "M1"), begin(convex, "M2")
    convex.clock.advance(21 * MINUTE)
    approve(convex, second)
    convex.clock.advance(3 * HOUR)
    assert (stage(convex, first), stage(convex, second)) == ("waiting", "ready")
    approve(convex, first)
    convex.clock.advance(3 * HOUR)
    assert stage(convex, first) == "ready"
    bodies = [json.loads(fetch.body) for fetch in convex.fetches()]
    assert bodies == [{"mirror": "M2"}, {"mirror": "M1"}]


def test_a_mirror_is_coated_in_its_stage(convex: Convex) -> None:
    """While the chamber works the mirror is coating, without nanometres, and takes no approval."""
    convex.stub_fetch(CHAMBER, json={"nanometres": 90}, after=30)
    mirror = wash(convex)
    approve(convex, mirror)
    convex.clock.advance(20)
    assert len(convex.fetches()) == 1
    coating = {"name": "M1", "stage": "coating", "approvedBy": "ada", "nanometres": None}
    assert show(convex, mirror) == coating
    assert approve(convex, mirror, "bo") is False
    convex.clock.advance(20)
    assert show(convex, mirror) == {**coating, "stage": "cooling", "nanometres": 90}
    assert len(convex.fetches()) == 1


def test_a_mirror_is_gone_while_it_is_coated(convex: Convex) -> None:
    """The end of its coating stores nothing, and another mirror goes on."""
    convex.stub_fetch(CHAMBER, json={"nanometres": 90}, after=30)
    gone, other_mirror = begin(convex, "M1"), begin(convex, "M2")
    convex.clock.advance(21 * MINUTE)
    assert (approve(convex, gone), approve(convex, other_mirror)) == (True, True)
    convex.clock.advance(20)
    convex.delete("mirrors", gone)
    convex.clock.advance(3 * HOUR)
    (stored,) = convex.table("mirrors")
    assert (stored["_id"], stored["stage"]) == (other_mirror, "ready")


def test_no_second_attempt_comes_late(convex: Convex) -> None:
    """Of many mirrors each is tried again within half a minute, and two minutes after that."""
    convex.stub_fetch(CHAMBER, status=500)
    mirrors = [begin(convex, f"M{n}") for n in range(MIRRORS)]
    convex.clock.advance(21 * MINUTE)
    assert [approve(convex, mirror) for mirror in mirrors] == [True] * MIRRORS
    convex.clock.advance(31)
    assert len(convex.fetches()) >= 2 * MIRRORS
    convex.clock.advance(2 * MINUTE)
    assert len(convex.fetches()) == 3 * MIRRORS


def test_a_third_attempt_may_succeed(convex: Convex) -> None:
    """Two failures are tried again soon, and the washing is not repeated."""
    convex.stub_fetch(CHAMBER, json={"nanometres": 88})
    convex.stub_fetch(CHAMBER, status=500, times=2)
    mirror = wash(convex)
    approve(convex, mirror)
    convex.clock.advance(31)
    assert len(convex.fetches()) >= 2
    convex.clock.advance(2 * MINUTE)
    assert len(convex.fetches()) == 3
    assert (stage(convex, mirror), show(convex, mirror)["nanometres"]) == ("cooling", 88)
    convex.clock.advance(2 * HOUR)
    assert stage(convex, mirror) == "ready"


@pytest.mark.parametrize(
    "reply",
    [
        {"status": 503, "json": {"nanometres": 90}},
        {"status": 201, "json": {"nanometres": 90}},
        {"json": {"nanometres": "90"}},
    ],
    ids=["error", "other_status", "text"],
)
def test_three_failures_are_the_end(convex: Convex, reply: dict[str, Any]) -> None:
    """After the third attempt the mirror has failed, whatever was wrong."""
    convex.stub_fetch(CHAMBER, **reply)
    mirror = wash(convex)
    approve(convex, mirror)
    convex.clock.advance(5 * HOUR)
    expected = {"name": "M1", "stage": "failed", "approvedBy": "ada", "nanometres": None}
    assert show(convex, mirror) == expected
    assert len(convex.fetches()) == 3
    assert approve(convex, mirror) is False


def test_a_mirror_that_is_gone_is_not_there(convex: Convex) -> None:
    """It is neither shown nor approved of, and its workflow stores nothing."""
    mirror, other = begin(convex), begin(convex, "M2")
    convex.delete("mirrors", mirror)
    convex.clock.advance(21 * MINUTE)
    assert convex.query("coatings:show", {"mirror": mirror}) is None
    assert approve(convex, mirror) is False
    (stored,) = convex.table("mirrors")
    assert (stored["_id"], stored["stage"]) == (other, "waiting")


def test_only_three_functions_are_public(convex: Convex) -> None:
    """The workflow and its steps cannot be called from outside."""
    public = {path for path, each in convex.functions.items() if each.visibility == "public"}
    assert public == {"coatings:begin", "coatings:approve", "coatings:show"}


@pytest.mark.parametrize(
    "wrong",
    [{"name": 1.0}, {"stage": "lost"}, {"approvedBy": 1.0}, {"nanometres": "90"}],
    ids=["name", "stage", "approvedBy", "nanometres"],
)
def test_mirrors_are_as_described(convex: Convex, wrong: dict[str, float | str]) -> None:
    """A mirror of another form cannot be stored."""
    convex.stub_fetch(CHAMBER, json={"nanometres": 90})
    mirror = wash(convex)
    approve(convex, mirror)
    convex.clock.advance(3 * HOUR)
    # A copy, because an answer may have more fields than the task names.
    (stored,) = convex.table("mirrors")
    right = {field: value for field, value in stored.items() if not field.startswith("_")}
    convex.insert("mirrors", right)
    with pytest.raises(FunctionFailed):
        convex.insert("mirrors", {**right, **wrong})
