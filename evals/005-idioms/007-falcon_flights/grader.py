# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Falconers' birds and flights: a flight belongs to whoever owns its bird."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

NOT_SIGNED_IN = "not signed in"
NO_SUCH_FLIGHT = "no such flight"
NO_SUCH_BIRD = "no such bird"
MANY = 120
AT_MOST = 60
"""Documents that one transaction may read where many are stored."""


def add(falconer: Convex, name: str = "Gaia") -> str:
    """Add a bird."""
    return cast("str", falconer.mutation("birds:add", {"name": name}))


def log(falconer: Convex, bird: str, metres: float = 120) -> str:
    """Log a flight."""
    return cast("str", falconer.mutation("flights:log", {"bird": bird, "metres": metres}))


def flights(falconer: Convex, bird: str) -> object:
    """Read a bird's flights."""
    return falconer.query("flights:ofBird", {"bird": bird})


def change(falconer: Convex, function: str, **args: str | float) -> None:
    """Call a mutation that returns null."""
    assert falconer.mutation(function, args) is None


def refused(falconer: Convex, function: str, **args: str | float) -> object:
    """Demand that a call is refused, and tell the error's data."""
    call = falconer.query if function in {"birds:mine", "flights:ofBird"} else falconer.mutation
    with pytest.raises(FunctionFailed) as failed:
        call(function, args)
    return failed.value.data


def with_bird(falconer: Convex, bird: str) -> list[object]:
    """Have everything refused that needs no more than a bird, and tell the errors' data."""
    return [
        refused(falconer, "birds:release", bird=bird),
        refused(falconer, "flights:log", bird=bird, metres=1),
        refused(falconer, "flights:ofBird", bird=bird),
    ]


def everything(caller: Convex, bird: str, flight: str) -> list[object]:
    """Have all seven functions refused, and tell the errors' data."""
    return [
        *with_bird(caller, bird),
        refused(caller, "flights:correct", flight=flight, metres=1),
        refused(caller, "flights:reassign", flight=flight, bird=bird),
        refused(caller, "birds:add", name="Gaia"),
        refused(caller, "birds:mine"),
    ]


def stored(convex: Convex) -> object:
    """Look up all that is stored."""
    return convex.table("birds"), convex.table("flights")


def test_birds_and_flights_are_recorded(convex: Convex) -> None:
    """A falconer sees their own birds and each one's flights, the newest first."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    first, _, second = add(ada), add(bo, "Hugin"), add(ada, "Munin")
    assert ada.query("birds:mine") == [
        {"_id": second, "name": "Munin"},
        {"_id": first, "name": "Gaia"},
    ]
    log(ada, second)
    logged = convex.insert_many("flights", [{"bird": first, "metres": n} for n in range(21)])
    logged.append(log(ada, first, 21))
    expected = [{"_id": logged[metres], "metres": metres} for metres in range(21, 1, -1)]
    assert flights(ada, first) == expected
    change(ada, "flights:correct", flight=logged[21], metres=0.5)
    assert flights(ada, first) == [{"_id": logged[21], "metres": 0.5}, *expected[1:]]
    functions = {path for path, each in convex.functions.items() if each.visibility == "public"}
    expected_birds = {f"birds:{name}" for name in ("add", "mine", "release")}
    names = ("log", "ofBird", "correct", "reassign")
    assert functions == expected_birds | {f"flights:{name}" for name in names}


def test_anonymous_callers_are_refused(convex: Convex) -> None:
    """All seven functions demand somebody who is signed in, whatever they are called with."""
    ada = convex.as_user("ada")
    bird = add(ada)
    flight = log(ada, bird)
    before = stored(convex)
    assert everything(convex, bird, flight) == [NOT_SIGNED_IN] * 7
    assert stored(convex) == before
    convex.delete("flights", flight)
    convex.delete("birds", bird)
    assert everything(convex, bird, flight) == [NOT_SIGNED_IN] * 7


def test_birds_of_others_are_not_there(convex: Convex) -> None:
    """Others' birds, and deleted ones, are refused alike, also for the same name elsewhere."""
    ada = convex.as_user("ada")
    bird, gone = add(ada), add(convex.as_user("bo"))
    convex.delete("birds", gone)
    before = stored(convex)
    for other in (convex.as_user("bo"), convex.as_user("ada", issuer="https://other.test")):
        assert with_bird(other, bird) == [NO_SUCH_BIRD] * 3
        assert with_bird(other, gone) == [NO_SUCH_BIRD] * 3
        assert other.query("birds:mine") == []
    assert stored(convex) == before


def test_flights_of_others_cannot_be_changed(convex: Convex) -> None:
    """Others' flights, deleted ones and those of deleted birds are refused alike."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    flight, orphan, gone = (log(ada, add(ada)) for _ in range(3))
    own = add(bo)
    convex.delete("flights", gone)
    convex.delete("birds", cast("str", convex.table("flights")[1]["bird"]))
    before = stored(convex)
    for caller, found in ((bo, flight), (bo, orphan), (bo, gone), (ada, orphan), (ada, gone)):
        assert refused(caller, "flights:correct", flight=found, metres=1) == NO_SUCH_FLIGHT
        assert refused(caller, "flights:reassign", flight=found, bird=own) == NO_SUCH_FLIGHT
    assert stored(convex) == before


def test_both_birds_of_a_reassigned_flight_are_checked(convex: Convex) -> None:
    """A flight moves between birds of one falconer only, and cannot be given or taken."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    near, far, foreign = add(ada), add(ada), add(bo)
    flight, theirs = log(ada, near), log(bo, foreign)
    before = stored(convex)
    assert refused(ada, "flights:reassign", flight=flight, bird=foreign) == NO_SUCH_BIRD
    assert refused(ada, "flights:reassign", flight=theirs, bird=near) == NO_SUCH_FLIGHT
    assert refused(ada, "flights:reassign", flight=theirs, bird=foreign) == NO_SUCH_FLIGHT
    assert stored(convex) == before
    change(ada, "flights:reassign", flight=flight, bird=far)
    change(ada, "flights:reassign", flight=flight, bird=far)
    moved = [{"_id": flight, "metres": 120}]
    assert (flights(ada, near), flights(ada, far)) == ([], moved)
    convex.delete("birds", near)
    assert refused(ada, "flights:reassign", flight=flight, bird=near) == NO_SUCH_BIRD


def test_a_released_bird_takes_its_flights_along(convex: Convex) -> None:
    """A bird and its flights are deleted; other birds' flights stay."""
    ada = convex.as_user("ada")
    gone, kept = add(ada), add(ada, "Munin")
    convex.insert_many("flights", [{"bird": gone, "metres": 7.0}] * 30)
    flight = log(ada, kept)
    change(ada, "birds:release", bird=gone)
    assert [found["_id"] for found in convex.table("flights")] == [flight]
    assert [found["_id"] for found in convex.table("birds")] == [kept]
    assert with_bird(ada, gone) == [NO_SUCH_BIRD] * 3


def test_what_others_have_is_not_read(convex: Convex) -> None:
    """All calls work while others have more birds and flights than may be read."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    crowd = {"name": "Gaia", "owner": "https://users.test|bo"}
    birds = convex.insert_many("birds", [crowd] * MANY)
    convex.insert_many("flights", [{"bird": bird, "metres": 1.0} for bird in birds])
    convex.limit(documents_read=AT_MOST)
    bird = add(ada)
    flight = log(ada, bird)
    assert ada.query("birds:mine") == [{"_id": bird, "name": "Gaia"}]
    assert flights(ada, bird) == [{"_id": flight, "metres": 120}]
    assert flights(bo, birds[0]) != []
    change(ada, "birds:release", bird=bird)
    assert len(cast("list[Any]", convex.table("flights"))) == MANY


def test_an_owner_cannot_be_named(convex: Convex) -> None:
    """A call that says whose a bird or a flight is, is refused."""
    ada = convex.as_user("ada")
    bird = add(ada)
    flight = log(ada, bird)
    for function, args in {
        "birds:add": {"name": "Gaia"},
        "birds:release": {"bird": bird},
        "flights:log": {"bird": bird, "metres": 5},
        "flights:correct": {"flight": flight, "metres": 5},
        "flights:reassign": {"flight": flight, "bird": bird},
    }.items():
        refused(ada, function, owner="https://users.test|bo", **args)
    assert ada.query("birds:mine") == [{"_id": bird, "name": "Gaia"}]


@pytest.mark.parametrize("wrong", [{"name": 1.0}, {"owner": 1.0}], ids=["name", "owner"])
def test_birds_are_as_described(convex: Convex, wrong: dict[str, float]) -> None:
    """A bird whose name or owner is no text cannot be stored."""
    right = {"name": "Gaia", "owner": "https://users.test|ada"}
    convex.insert("birds", right)
    with pytest.raises(FunctionFailed):
        convex.insert("birds", {**right, **wrong})
