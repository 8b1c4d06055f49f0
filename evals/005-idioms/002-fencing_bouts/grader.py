# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A fencing club's ranking: reports by anybody, confirmations by the backend alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

DAY_S = 24 * 60 * 60
MANY = 120
AT_MOST = 60
"""Documents that one transaction may read where many are stored."""

PUBLIC = {
    "fencers:enrol": "mutation",
    "fencers:ranking": "query",
    "bouts:report": "mutation",
    "bouts:withdraw": "mutation",
}
CLOSED = {
    "fencers:correct": "mutation",
    "bouts:confirm": "mutation",
    "bouts:pending": "query",
}


def enrol(convex: Convex, name: str) -> str:
    """Enrol a fencer."""
    return cast("str", convex.mutation("fencers:enrol", {"name": name}))


def report(convex: Convex, winner: str, loser: str) -> str:
    """Report a bout."""
    return cast("str", convex.mutation("bouts:report", {"winner": winner, "loser": loser}))


def ratings(convex: Convex) -> list[Any]:
    """Look up the ratings of all fencers, the first who was enrolled first."""
    return [fencer["rating"] for fencer in convex.table("fencers")]


def states(convex: Convex) -> list[Any]:
    """Look up the states of all bouts."""
    return [bout["state"] for bout in convex.table("bouts")]


def test_what_is_public_and_what_is_not(convex: Convex) -> None:
    """Four functions are public, three are internal, each of its kind and in its module."""
    found = {(path, each.kind, each.visibility) for path, each in convex.functions.items()}
    public = {(path, kind, "public") for path, kind in PUBLIC.items()}
    assert found == public | {(path, kind, "internal") for path, kind in CLOSED.items()}


def test_closed_functions_refuse_callers_from_outside(convex: Convex) -> None:
    """Strangers and signed-in users cannot confirm, correct or see what is pending."""
    ada, bo = enrol(convex, "Ada"), enrol(convex, "Bo")
    bout = report(convex, ada, bo)
    for caller in (convex, convex.as_user("ada")):
        for path, args in {
            "bouts:confirm": {"bout": bout},
            "fencers:correct": {"fencer": ada, "rating": 3000},
        }.items():
            with pytest.raises(FunctionFailed):
                caller.mutation(path, args)
        with pytest.raises(FunctionFailed):
            caller.query("bouts:pending")
    assert (ratings(convex), states(convex)) == ([1000, 1000], ["reported"])


def test_a_bout_is_confirmed_after_a_day(convex: Convex) -> None:
    """Points move when 24 hours have passed, not before; from the loser to the winner."""
    ada, bo, _ = enrol(convex, "Ada"), enrol(convex, "Bo"), enrol(convex, "Cy")
    convex.clock.advance(1)
    report(convex, bo, ada)
    convex.clock.advance(DAY_S - 60)
    assert (ratings(convex), states(convex)) == ([1000, 1000, 1000], ["reported"])
    convex.clock.advance(61)
    assert (ratings(convex), states(convex)) == ([990, 1010, 1000], ["confirmed"])


def test_a_withdrawn_bout_is_never_confirmed(convex: Convex) -> None:
    """Only a reported bout can be withdrawn; then it moves no points and breaks nothing."""
    ada, bo = enrol(convex, "Ada"), enrol(convex, "Bo")
    gone, kept = report(convex, ada, bo), report(convex, bo, ada)
    assert convex.mutation("bouts:withdraw", {"bout": gone}) is True
    assert convex.mutation("bouts:withdraw", {"bout": gone}) is False
    convex.clock.advance(DAY_S + 1)
    assert convex.admin.mutation("bouts:confirm", {"bout": gone}) is None
    assert convex.mutation("bouts:withdraw", {"bout": kept}) is False
    assert (ratings(convex), states(convex)) == ([990, 1010], ["confirmed"])


def test_a_bout_counts_once(convex: Convex) -> None:
    """Staff who confirm a bout early, and again, move its points one time."""
    ada, bo = enrol(convex, "Ada"), enrol(convex, "Bo")
    bout = report(convex, ada, bo)
    for _ in range(2):
        assert convex.admin.mutation("bouts:confirm", {"bout": bout}) is None
    convex.clock.advance(DAY_S + 1)
    assert (ratings(convex), states(convex)) == ([1010, 990], ["confirmed"])


def test_a_fencer_does_not_win_against_themselves(convex: Convex) -> None:
    """Such a report is refused with its reason, and nothing is written."""
    ada = enrol(convex, "Ada")
    with pytest.raises(FunctionFailed) as refused:
        report(convex, ada, ada)
    assert refused.value.data == "same fencer"
    assert (convex.table("bouts"), convex.scheduled()) == ([], [])


def test_the_ranking_and_the_pending_bouts(convex: Convex) -> None:
    """Ten fencers with the highest rating first, and twenty bouts with the oldest first."""
    fencers = [enrol(convex, name) for name in "ABCDEFGHIJKL"]
    for n, fencer in enumerate(fencers):
        rating = 1000 + (n * 5) % 12
        args = {"fencer": fencer, "rating": rating}
        assert convex.admin.mutation("fencers:correct", args) is None
    ranked = sorted(range(12), key=lambda n: -((n * 5) % 12))
    assert convex.query("fencers:ranking") == [
        {"_id": fencers[n], "name": "ABCDEFGHIJKL"[n], "rating": 1000 + (n * 5) % 12}
        for n in ranked[:10]
    ]
    pair = {"winner": fencers[0], "loser": fencers[1]}
    confirmed, reported = (pair | {"state": state} for state in ("confirmed", "reported"))
    bouts = convex.insert_many("bouts", [confirmed] * 3 + [reported] * 22)
    assert convex.admin.query("bouts:pending") == [{"_id": id_} | pair for id_ in bouts[3:23]]


def test_large_tables_are_not_read_through(convex: Convex) -> None:
    """The ranking and what is pending work with more fencers and bouts than can be read."""
    ada, bo = convex.insert_many(
        "fencers", [{"name": "F", "rating": float(n)} for n in range(MANY)]
    )[-2:]
    pair = {"winner": ada, "loser": bo}
    convex.insert_many("bouts", [pair | {"state": "confirmed"}] * MANY)
    bout = report(convex, ada, bo)
    convex.limit(documents_read=AT_MOST)
    assert cast("list[Any]", convex.query("fencers:ranking"))[0]["_id"] == bo
    assert convex.admin.query("bouts:pending") == [{"_id": bout} | pair]


def test_other_arguments_are_refused(convex: Convex) -> None:
    """Nobody enrols with a rating of their own, or reports a bout that is confirmed already."""
    ada, bo = enrol(convex, "Ada"), enrol(convex, "Bo")
    with pytest.raises(FunctionFailed):
        convex.mutation("fencers:enrol", {"name": "Cy", "rating": 3000})
    with pytest.raises(FunctionFailed):
        convex.mutation("bouts:report", {"winner": ada, "loser": bo, "state": "confirmed"})
    bout = report(convex, ada, bo)
    with pytest.raises(FunctionFailed):
        convex.admin.mutation("bouts:confirm", {"bout": bout, "rating": 3000.0})
    assert (ratings(convex), states(convex)) == ([1000, 1000], ["reported"])


@pytest.mark.parametrize("wrong", [{"name": 7.0}, {"rating": "high"}], ids=["name", "rating"])
def test_fencers_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """A fencer whose name is no text, or whose rating is no number, cannot be stored."""
    convex.insert("fencers", {"name": "Ada", "rating": 1000.0})
    with pytest.raises(FunctionFailed):
        convex.insert("fencers", {"name": "Ada", "rating": 1000.0, **wrong})
