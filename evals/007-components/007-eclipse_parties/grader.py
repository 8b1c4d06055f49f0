# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Parties that watch an eclipse, and who is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

ADA = "https://users.test|ada"
BO = "https://users.test|bo"
HEARTBEAT = 8
GONE = 25
"""Seconds after which a user without heartbeats is offline for sure."""


def open_party(host: Convex, title: str = "Totality") -> str:
    """Open a party."""
    return cast("str", host.mutation("parties:open", {"title": title}))


def beat(user: Convex, party: str, session: str = "window") -> dict[str, str]:
    """Send a heartbeat."""
    args = {"party": party, "session": session}
    return cast("dict[str, str]", user.mutation("parties:heartbeat", args))


def watchers(convex: Convex, tokens: dict[str, str]) -> list[tuple[object, object]]:
    """List who is there, with nothing but the two fields."""
    args = {"roomToken": tokens["roomToken"]}
    users = cast("list[dict[str, object]]", convex.query("parties:watchers", args))
    assert all(set(each) == {"user", "online"} for each in users)
    return [(each["user"], each["online"]) for each in users]


def leave(convex: Convex, tokens: dict[str, str]) -> None:
    """Leave by a session's token."""
    args = {"sessionToken": tokens["sessionToken"]}
    assert convex.mutation("parties:leave", args) is None


def test_a_party_is_stored(convex: Convex) -> None:
    """A party belongs to who opened it."""
    party = open_party(convex.as_user("ada"), "Corona")
    (stored,) = convex.table("parties")
    assert (stored["_id"], stored["title"], stored["host"]) == (party, "Corona", ADA)


def test_heartbeats_keep_users_online(convex: Convex) -> None:
    """Who goes on is online; who stops is offline after a while, and comes back."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    party = open_party(ada)
    tokens = beat(ada, party)
    assert set(tokens) == {"roomToken", "sessionToken"}
    beat(bo, party)
    assert sorted(watchers(convex, tokens)) == [(ADA, True), (BO, True)]
    convex.clock.advance(2 * HEARTBEAT)
    assert sorted(watchers(convex, tokens)) == [(ADA, True), (BO, True)]
    beat(bo, party)
    convex.clock.advance(6)
    assert watchers(convex, tokens) == [(BO, True), (ADA, False)]
    beat(ada, party)
    assert sorted(watchers(convex, tokens)) == [(ADA, True), (BO, True)]
    convex.clock.advance(GONE)
    assert sorted(watchers(convex, tokens)) == [(ADA, False), (BO, False)]


def test_the_last_window_counts(convex: Convex) -> None:
    """A user with two windows is online until both are gone."""
    ada = convex.as_user("ada")
    party = open_party(ada)
    first, second = beat(ada, party, "one"), beat(ada, party, "two")
    leave(convex, first)
    assert watchers(convex, second) == [(ADA, True)]
    leave(convex, second)
    assert watchers(convex, second) == [(ADA, False)]
    leave(convex, second)


def test_sessions_of_others_are_others(convex: Convex) -> None:
    """Equal texts of sessions, of two users or in two parties, do not meet."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    party, other = open_party(ada), open_party(ada, "Corona")
    own, foreign, elsewhere = beat(ada, party), beat(bo, party), beat(ada, other)
    assert len({each["sessionToken"] for each in (own, foreign, elsewhere)}) == 3
    leave(convex, own)
    assert watchers(convex, own) == [(BO, True), (ADA, False)]
    assert watchers(convex, elsewhere) == [(ADA, True)]


def test_unknown_tokens_are_harmless(convex: Convex) -> None:
    """A token that nobody gave out shows nobody and ends nothing."""
    tokens = beat(convex.as_user("ada"), open_party(convex.as_user("ada")))
    assert convex.query("parties:watchers", {"roomToken": "none"}) == []
    assert convex.mutation("parties:leave", {"sessionToken": "none"}) is None
    assert watchers(convex, tokens) == [(ADA, True)]


def test_the_own_parties_are_listed(convex: Convex) -> None:
    """The titles are those of parties in which the caller is online at this moment."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    titles = ["Totality", "Corona", "Shadow"]
    parties = [open_party(bo, title) for title in titles]
    tokens = [beat(ada, party) for party in parties]
    assert ada.query("parties:mine") == ["Corona", "Shadow", "Totality"]
    leave(convex, tokens[2])
    assert ada.query("parties:mine") == ["Corona", "Totality"]
    assert bo.query("parties:mine") == []
    convex.clock.advance(GONE)
    assert ada.query("parties:mine") == []


def test_a_party_is_closed_by_its_host(convex: Convex) -> None:
    """It is deleted with its room; others may not close it, and nobody does twice."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    party, kept = open_party(ada), open_party(ada, "Corona")
    tokens, other = beat(bo, party), beat(bo, kept)
    with pytest.raises(FunctionFailed) as refusal:
        bo.mutation("parties:close", {"party": party})
    assert refusal.value.data == "not your party"
    assert watchers(convex, tokens) == [(BO, True)]
    assert ada.mutation("parties:close", {"party": party}) is None
    assert watchers(convex, tokens) == []
    assert watchers(convex, other) == [(BO, True)]
    assert bo.query("parties:mine") == ["Corona"]
    assert [stored["_id"] for stored in convex.table("parties")] == [kept]
    for caller in (ada, bo):
        with pytest.raises(FunctionFailed) as refusal:
            caller.mutation("parties:close", {"party": party})
        assert refusal.value.data == "no such party"
        with pytest.raises(FunctionFailed) as refusal:
            beat(caller, party)
        assert refusal.value.data == "no such party"


def test_callers_who_are_not_signed_in_are_refused(convex: Convex) -> None:
    """Four functions demand somebody who is signed in, also for a closed party."""
    ada = convex.as_user("ada")
    party = open_party(ada)
    ada.mutation("parties:close", {"party": party})
    calls = [
        lambda: open_party(convex),
        lambda: beat(convex, party),
        lambda: convex.query("parties:mine"),
        lambda: convex.mutation("parties:close", {"party": party}),
    ]
    for call in calls:
        with pytest.raises(FunctionFailed) as refusal:
            call()
        assert refusal.value.data == "not signed in"
    assert convex.table("parties") == []


def test_nobody_is_seen_in_another_name(convex: Convex) -> None:
    """A heartbeat that names a user is refused."""
    ada = convex.as_user("ada")
    party = open_party(ada)
    with pytest.raises(FunctionFailed):
        ada.mutation("parties:heartbeat", {"party": party, "session": "window", "user": BO})
    public = {path for path, each in convex.functions.items() if each.visibility == "public"}
    names = ("open", "heartbeat", "watchers", "leave", "mine", "close")
    assert public == {f"parties:{name}" for name in names}


@pytest.mark.parametrize("wrong", [{"title": 1.0}, {"host": 1.0}], ids=["title", "host"])
def test_parties_are_as_described(convex: Convex, wrong: dict[str, float]) -> None:
    """A party of another form cannot be stored."""
    right = {"title": "Totality", "host": ADA}
    convex.insert("parties", right)
    with pytest.raises(FunctionFailed):
        convex.insert("parties", {**right, **wrong})
