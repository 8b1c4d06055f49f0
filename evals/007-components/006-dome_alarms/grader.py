# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Alarms that observers set at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

MINUTE = 60
ADA = "https://users.test|ada"


def set_alarm(observer: Convex, alarm: str = "focus", minutes: float = 20) -> None:
    """Set an alarm."""
    args: dict[str, str | float] = {"alarm": alarm, "minutes": minutes}
    assert observer.mutation("alarms:set", args) is None


def unset(observer: Convex, alarm: str = "focus") -> object:
    """Take an alarm back."""
    return observer.mutation("alarms:unset", {"alarm": alarm})


def mine(observer: Convex) -> object:
    """List the caller's alarms."""
    return observer.query("alarms:mine")


def rings(convex: Convex, observer: str = "ada") -> list[object]:
    """List the alarms that rang for somebody, oldest first."""
    own = ADA.removesuffix("ada") + observer
    return [ring["alarm"] for ring in convex.table("rings") if ring["observer"] == own]


def test_an_alarm_rings_again_and_again(convex: Convex) -> None:
    """It rings when its minutes have passed, and each time that they have passed again."""
    set_alarm(convex.as_user("ada"))
    convex.clock.advance(19 * MINUTE)
    assert rings(convex) == []
    convex.clock.advance(2 * MINUTE)
    assert rings(convex) == ["focus"]
    convex.clock.advance(40 * MINUTE)
    assert rings(convex) == ["focus"] * 3


def test_alarms_ring_by_themselves(convex: Convex) -> None:
    """Each alarm of an observer has a time of its own."""
    ada = convex.as_user("ada")
    set_alarm(ada, "focus", 10)
    set_alarm(ada, "tea", 25)
    convex.clock.advance(31 * MINUTE)
    assert rings(convex) == ["focus", "focus", "tea", "focus"]


def test_alarms_are_listed_by_name(convex: Convex) -> None:
    """The caller's alarms come sorted, those of others do not come."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    for alarm, minutes in (("tea", 90), ("focus", 1440), ("guide", 1)):
        set_alarm(ada, alarm, minutes)
    set_alarm(bo, "dome", 5)
    assert mine(ada) == [
        {"alarm": "focus", "minutes": 1440},
        {"alarm": "guide", "minutes": 1},
        {"alarm": "tea", "minutes": 90},
    ]
    assert mine(bo) == [{"alarm": "dome", "minutes": 5}]
    assert mine(convex.as_user("cy")) == []


def test_an_alarm_is_replaced(convex: Convex) -> None:
    """Set again, it begins anew and rings by its new time only."""
    ada = convex.as_user("ada")
    set_alarm(ada, minutes=10)
    convex.clock.advance(9 * MINUTE)
    set_alarm(ada, minutes=30)
    assert mine(ada) == [{"alarm": "focus", "minutes": 30}]
    convex.clock.advance(29 * MINUTE)
    assert rings(convex) == []
    convex.clock.advance(2 * MINUTE)
    assert rings(convex) == ["focus"]


def test_an_alarm_is_taken_back(convex: Convex) -> None:
    """It rings no more, others go on, and it may be set again."""
    ada = convex.as_user("ada")
    set_alarm(ada, "focus", 10)
    set_alarm(ada, "tea", 10)
    convex.clock.advance(11 * MINUTE)
    assert (unset(ada), unset(ada)) == (True, False)
    assert mine(ada) == [{"alarm": "tea", "minutes": 10}]
    convex.clock.advance(10 * MINUTE)
    assert sorted(map(str, rings(convex))) == ["focus", "tea", "tea"]
    set_alarm(ada, "focus", 5)
    convex.clock.advance(6 * MINUTE)
    assert rings(convex).count("focus") == 2


def test_observers_may_use_the_same_names(convex: Convex) -> None:
    """An alarm of the same name of somebody else is another alarm."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    set_alarm(ada, minutes=10)
    set_alarm(bo, minutes=30)
    assert (mine(ada), mine(bo)) == (
        [{"alarm": "focus", "minutes": 10}],
        [{"alarm": "focus", "minutes": 30}],
    )
    assert unset(bo) is True
    convex.clock.advance(31 * MINUTE)
    assert (rings(convex, "ada"), rings(convex, "bo")) == (["focus"] * 3, [])


def test_names_may_hold_anything(convex: Convex) -> None:
    """Names with signs in them, and an empty one, are names like others."""
    ada = convex.as_user("ada")
    names = ["", "a b", "a/b", "focus:2", "ø"]
    for name in names:
        set_alarm(ada, name, 10)
    convex.clock.advance(11 * MINUTE)
    assert sorted(map(str, rings(convex))) == names
    assert [unset(ada, name) for name in names] == [True] * 5


@pytest.mark.parametrize("minutes", [0, -5, 0.5, 2.5, 1440.5, 1441])
def test_other_times_are_refused(convex: Convex, minutes: float) -> None:
    """A time that is no whole number from 1 to 1440 leaves the alarm as it was."""
    ada = convex.as_user("ada")
    set_alarm(ada, minutes=1440)
    with pytest.raises(FunctionFailed) as refusal:
        set_alarm(ada, minutes=minutes)
    assert refusal.value.data == "no such time"
    assert mine(ada) == [{"alarm": "focus", "minutes": 1440}]


def test_callers_who_are_not_signed_in_are_refused(convex: Convex) -> None:
    """All three public functions refuse them first."""
    for call in (lambda: set_alarm(convex, minutes=0), lambda: unset(convex), lambda: mine(convex)):
        with pytest.raises(FunctionFailed) as refusal:
            call()
        assert refusal.value.data == "not signed in"
    convex.clock.advance(21 * MINUTE)
    assert convex.table("rings") == []


def test_alarms_of_others_are_not_read(convex: Convex) -> None:
    """Many observers with alarms make nothing slow."""
    for n in range(45):
        set_alarm(convex.as_user(f"observer {n}"))
    ada = convex.as_user("ada")
    convex.limit(documents_read=30)
    set_alarm(ada)
    set_alarm(ada, minutes=10)
    assert mine(ada) == [{"alarm": "focus", "minutes": 10}]
    assert unset(ada) is True


def test_nobody_rings_from_outside(convex: Convex) -> None:
    """The mutation of an alarm is internal."""
    public = {path for path, each in convex.functions.items() if each.visibility == "public"}
    assert public == {"alarms:set", "alarms:unset", "alarms:mine"}
    convex.admin.mutation("alarms:ring", {"observer": ADA, "alarm": "focus"})
    assert rings(convex) == ["focus"]


@pytest.mark.parametrize("wrong", [{"observer": 1.0}, {"alarm": 1.0}], ids=["observer", "alarm"])
def test_rings_are_as_described(convex: Convex, wrong: dict[str, float]) -> None:
    """A ring of another form cannot be stored."""
    right = {"observer": ADA, "alarm": "focus"}
    convex.insert("rings", right)
    with pytest.raises(FunctionFailed):
        convex.insert("rings", {**right, **wrong})


def test_names_do_not_run_into_one_another(convex: Convex) -> None:
    """An observer and a name together are not another observer and another name."""
    for sign in ":/|-_ ,.":
        ada, other = convex.as_user("ada"), convex.as_user(f"ada{sign}b")
        set_alarm(ada, f"b{sign}c", 10)
        set_alarm(other, "c", 30)
        assert unset(ada, f"b{sign}c") is True
        assert mine(other) == [{"alarm": "c", "minutes": 30}]
