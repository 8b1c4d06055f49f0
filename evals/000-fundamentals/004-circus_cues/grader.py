# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Cues of a circus: each is given at its time, and not when it was called off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Cue = dict[str, Any]

HOUR = 3600.0
# A run may start a little after its time.
LATE_MS = 5000.0


def give_in(convex: Convex, seconds: float, act: str = "tightrope") -> str:
    """Store a cue that is due so many seconds from now."""
    return cast("str", convex.mutation("cues:giveIn", {"act": act, "seconds": seconds}))


def given(convex: Convex) -> list[str]:
    """Tell the acts whose cues were given, in the order in which they were."""
    cues: list[Cue] = [cue for cue in convex.table("cues") if cue["givenAt"] is not None]
    assert all(cue["dueAt"] - 1 <= cue["givenAt"] <= cue["dueAt"] + LATE_MS for cue in cues)
    return [cue["act"] for cue in sorted(cues, key=lambda cue: cue["givenAt"])]


def runs(convex: Convex) -> dict[str, list[str]]:
    """Tell the states of all runs, by the cue that they are for."""
    states: dict[str, list[str]] = {}
    for run in convex.scheduled():
        assert (run.path, set(run.args)) == ("cues:give", {"cue"})
        states.setdefault(run.args["cue"], []).append(run.state)
    return states


def refused(convex: Convex, function: str, args: dict[str, Any]) -> None:
    """Demand that a time is refused as past, and that nothing comes of it."""
    before = convex.table("cues"), convex.scheduled()
    with pytest.raises(FunctionFailed) as failed:
        convex.mutation(f"cues:{function}", args)
    assert failed.value.data == {"code": "past"}
    assert (convex.table("cues"), convex.scheduled()) == before


def test_now_is_right_after_the_mutation(convex: Convex) -> None:
    """A cue for now is given at once, by a run of its own."""
    before = convex.clock.now() * 1000
    cue = convex.mutation("cues:giveNow", {"act": "jugglers"})
    convex.settle()
    (stored,) = convex.table("cues")
    assert (stored["_id"], stored["act"]) == (cue, "jugglers")
    assert before - 1 <= cast("float", stored["dueAt"]) <= convex.clock.now() * 1000
    assert given(convex) == ["jugglers"]
    assert runs(convex) == {cue: ["success"]}


def test_later_is_so_many_seconds_from_now(convex: Convex) -> None:
    """A cue waits for its seconds, no shorter and no longer, also for days."""
    before = convex.clock.now() * 1000
    cues = [give_in(convex, seconds) for seconds in (90.0, 72 * HOUR, 0.0)]
    after = convex.clock.now() * 1000
    stored = convex.table("cues")
    assert [cue["_id"] for cue in stored] == cues
    for cue, seconds in zip(stored, (90, 72 * HOUR, 0), strict=True):
        assert before - 1 <= cast("float", cue["dueAt"]) - seconds * 1000 <= after + 1
    for wait, expected in ((80, 1), (20, 2), (71 * HOUR, 2), (HOUR, 3)):
        convex.clock.advance(wait)
        assert len(given(convex)) == expected
    assert runs(convex) == {cue: ["success"] for cue in cues}


def test_cues_are_given_at_their_times(convex: Convex) -> None:
    """Cues for given times wait for them, in the order of the times, whichever came first."""
    start = convex.clock.now()
    for act, hours in (("finale", 3), ("parade", 1), ("clowns", 2)):
        at = float(round((start + hours * HOUR) * 1000))
        convex.mutation("cues:giveAt", {"act": act, "at": at})
        assert convex.table("cues")[-1]["dueAt"] == at
    for hours, expected in ((0.9, []), (1.1, ["parade"]), (2.1, ["parade", "clowns"])):
        convex.clock.advance_to(start + hours * HOUR)
        assert given(convex) == expected
    convex.clock.advance(HOUR)
    assert given(convex) == ["parade", "clowns", "finale"]


def test_a_time_that_has_passed_is_refused(convex: Convex) -> None:
    """A cue cannot be due in the past: it is neither stored nor given."""
    give_in(convex, HOUR)
    refused(convex, "giveIn", {"act": "clowns", "seconds": -0.5})
    refused(convex, "giveAt", {"act": "clowns", "at": (convex.clock.now() - 60) * 1000})
    refused(convex, "giveAt", {"act": "clowns", "at": 0.0})


def test_a_cue_that_is_called_off_is_not_given(convex: Convex) -> None:
    """Its document is gone and its run cancelled; the cues beside it are given."""
    cues = [give_in(convex, HOUR, act) for act in ("parade", "clowns", "finale")]
    convex.clock.advance(HOUR / 2)
    assert convex.mutation("cues:callOff", {"cue": cues[1]}) is True
    assert [cue["act"] for cue in convex.table("cues")] == ["parade", "finale"]
    assert runs(convex)[cues[1]] == ["canceled"]
    convex.clock.advance(HOUR)
    assert sorted(given(convex)) == ["finale", "parade"]
    assert runs(convex) == {cues[0]: ["success"], cues[1]: ["canceled"], cues[2]: ["success"]}


def test_a_delayed_cue_is_given_later(convex: Convex) -> None:
    """It is delayed from when it was due, also twice, and forward too; one run at a time waits."""
    cue = give_in(convex, HOUR)
    due = cast("float", convex.table("cues")[0]["dueAt"])
    convex.clock.advance(HOUR / 2)
    for seconds in (2 * HOUR, -HOUR, HOUR / 2):
        due += seconds * 1000
        assert convex.mutation("cues:delay", {"cue": cue, "seconds": seconds}) is True
        assert convex.table("cues")[0]["dueAt"] == due
        assert runs(convex)[cue].count("pending") == 1
    convex.clock.advance_to(due / 1000 - 60)
    assert given(convex) == []
    convex.clock.advance_to(due / 1000 + 60)
    assert given(convex) == ["tightrope"]
    assert sorted(runs(convex)[cue]) == ["canceled", "canceled", "canceled", "success"]


def test_a_delay_into_the_past_is_refused(convex: Convex) -> None:
    """The cue stays as it is, and is given when it was due."""
    cue = give_in(convex, HOUR)
    convex.clock.advance(HOUR / 2)
    refused(convex, "delay", {"cue": cue, "seconds": -HOUR})
    convex.clock.advance(HOUR)
    assert given(convex) == ["tightrope"]
    assert runs(convex) == {cue: ["success"]}


def test_what_was_given_or_is_gone_cannot_be_changed(convex: Convex) -> None:
    """A cue that was given, and one that is gone, can neither be called off nor delayed."""
    done, gone = give_in(convex, 60.0), give_in(convex, HOUR)
    assert convex.mutation("cues:callOff", {"cue": gone}) is True
    convex.clock.advance(120)
    before = convex.table("cues"), convex.scheduled()
    for cue in (done, gone):
        assert convex.mutation("cues:callOff", {"cue": cue}) is False
        assert convex.mutation("cues:delay", {"cue": cue, "seconds": 60.0}) is False
        assert convex.mutation("cues:delay", {"cue": cue, "seconds": -HOUR}) is False
        assert convex.admin.mutation("cues:give", {"cue": cue}) is None
    assert (convex.table("cues"), convex.scheduled()) == before


def test_only_the_backend_gives_cues(convex: Convex) -> None:
    """The public stores, calls off and delays cues; the backend gives one whenever it says so."""
    names = {"giveNow", "giveIn", "giveAt", "callOff", "delay"}
    public = {path for path, found in convex.functions.items() if found.visibility == "public"}
    assert public == {f"cues:{name}" for name in names}
    cue = give_in(convex, HOUR)
    with pytest.raises(FunctionFailed):
        convex.mutation("cues:give", {"cue": cue})
    before = convex.clock.now() * 1000
    assert convex.admin.mutation("cues:give", {"cue": cue}) is None
    given_at = cast("float", convex.table("cues")[0]["givenAt"])
    assert before - 1 <= given_at <= convex.clock.now() * 1000 + 1
    assert dict(convex.crons) == {}


def test_values_of_other_types_are_refused(convex: Convex) -> None:
    """An act is a text, times and seconds are numbers, in arguments and in the table."""
    cue = give_in(convex, HOUR)
    for function, args in (
        ("giveNow", {"act": 7.0}),
        ("giveIn", {"act": "clowns", "seconds": "60"}),
        ("giveAt", {"act": "clowns", "at": "9e15"}),
        ("delay", {"cue": cue, "seconds": "60"}),
    ):
        with pytest.raises(FunctionFailed):
            convex.mutation(f"cues:{function}", args)
    (stored,) = convex.table("cues")
    document = {name: value for name, value in stored.items() if not name.startswith("_")}
    convex.insert("cues", document)
    for wrong in ({"act": 7.0}, {"dueAt": "noon"}, {"givenAt": "noon"}):
        with pytest.raises(FunctionFailed):
            convex.insert("cues", document | wrong)
