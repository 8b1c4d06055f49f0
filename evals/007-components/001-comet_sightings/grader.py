# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Sightings of comets, counted and ranked by an aggregate."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

MANY = 90
AT_MOST = 45
"""Documents that one transaction may read, the component's own among them."""


def add(convex: Convex, magnitude: float, constellation: str = "Lyra") -> str:
    """Report a sighting."""
    sighting = {"constellation": constellation, "magnitude": magnitude, "observer": "ada"}
    return cast("str", convex.mutation("sightings:add", sighting))


def add_all(convex: Convex, *magnitudes: float) -> list[str]:
    """Report sightings in Lyra."""
    return [add(convex, magnitude) for magnitude in magnitudes]


def correct(convex: Convex, sighting: str, magnitude: float, constellation: str = "Lyra") -> object:
    """Correct a sighting."""
    changes = {"sighting": sighting, "magnitude": magnitude, "constellation": constellation}
    return convex.mutation("sightings:correct", changes)


def summary(convex: Convex, constellation: str = "Lyra") -> object:
    """Read the summary of a constellation."""
    return convex.query("sightings:summary", {"constellation": constellation})


def place(convex: Convex, sighting: str) -> object:
    """Read a sighting's place."""
    return convex.query("sightings:place", {"sighting": sighting})


def at_place(convex: Convex, n: float, constellation: str = "Lyra") -> object:
    """Read the sighting at a position."""
    return convex.query("sightings:atPlace", {"constellation": constellation, "n": n})


def fainter(convex: Convex, magnitude: float) -> object:
    """Count what is fainter in Lyra."""
    args = {"constellation": "Lyra", "magnitude": magnitude}
    return convex.query("sightings:fainter", args)


def test_sightings_are_stored(convex: Convex) -> None:
    """A sighting is stored as it was reported."""
    sighting = add(convex, 4.5)
    (stored,) = convex.table("sightings")
    fields = {"_id": sighting, "constellation": "Lyra", "magnitude": 4.5, "observer": "ada"}
    assert {name: stored[name] for name in fields} == fields


def test_a_constellation_is_summed_up(convex: Convex) -> None:
    """Count, mean and brightest are those of one constellation alone."""
    add_all(convex, 4, -1, 6)
    add(convex, -9, "Orion")
    assert summary(convex) == {"count": 3, "mean": 3, "brightest": -1}
    assert summary(convex, "Orion") == {"count": 1, "mean": -9, "brightest": -9}
    assert summary(convex, "Draco") == {"count": 0, "mean": None, "brightest": None}


def test_fainter_sightings_are_counted(convex: Convex) -> None:
    """Sightings of exactly this magnitude are not fainter."""
    add_all(convex, 2, 3, 3, 5)
    add(convex, 9, "Orion")
    counts = [fainter(convex, magnitude) for magnitude in (1, 2, 2.5, 3, 5)]
    assert counts == [4, 3, 3, 1, 0]


def test_equal_magnitudes_share_a_place(convex: Convex) -> None:
    """The place counts what is brighter in the same constellation."""
    add(convex, 1, "Orion")
    sightings = add_all(convex, 5, 3, 2, 3)
    assert [place(convex, sighting) for sighting in sightings] == [4, 2, 1, 2]


def test_each_position_has_one_sighting(convex: Convex) -> None:
    """The positions go from the brightest to the faintest; outside there is nothing."""
    sightings = add_all(convex, 5, 3, 2, 3)
    add(convex, 1, "Orion")
    found = [cast("dict[str, object]", at_place(convex, n)) for n in (1, 2, 3, 4)]
    assert found[0] == {"_id": sightings[2], "magnitude": 2, "observer": "ada"}
    assert found[3] == {"_id": sightings[0], "magnitude": 5, "observer": "ada"}
    assert {cast("str", each["_id"]) for each in found} == set(sightings)
    assert [at_place(convex, n) for n in (0, -1, 5)] == [None] * 3
    assert at_place(convex, 1, "Draco") is None


def test_a_correction_counts(convex: Convex) -> None:
    """A corrected sighting counts with its new magnitude, and not with the old one."""
    first, second = add_all(convex, 4, 6)
    assert correct(convex, second, 1) is None
    assert summary(convex) == {"count": 2, "mean": 2.5, "brightest": 1}
    assert (place(convex, second), place(convex, first)) == (1, 2)
    stored = convex.document("sightings", second)
    assert stored is not None
    assert (stored["magnitude"], stored["observer"]) == (1, "ada")


def test_a_correction_moves_to_another_constellation(convex: Convex) -> None:
    """The sighting leaves the counts of one constellation and joins those of the other."""
    first, second = add_all(convex, 4, 6)
    add(convex, 7, "Orion")
    assert correct(convex, second, 6, "Orion") is None
    assert summary(convex) == {"count": 1, "mean": 4, "brightest": 4}
    assert summary(convex, "Orion") == {"count": 2, "mean": 6.5, "brightest": 6}
    assert (place(convex, first), place(convex, second)) == (1, 1)


def test_a_withdrawn_sighting_does_not_count(convex: Convex) -> None:
    """It is deleted, and nothing counts it any more."""
    first, second = add_all(convex, 4, 6)
    assert convex.mutation("sightings:withdraw", {"sighting": first}) is True
    assert summary(convex) == {"count": 1, "mean": 6, "brightest": 6}
    assert place(convex, second) == 1
    assert [stored["_id"] for stored in convex.table("sightings")] == [second]


def test_what_is_gone_is_told(convex: Convex) -> None:
    """A sighting that is gone has no place, and is neither corrected nor withdrawn."""
    gone, kept = add_all(convex, 4, 6)
    convex.mutation("sightings:withdraw", {"sighting": gone})
    assert place(convex, gone) is None
    assert convex.mutation("sightings:withdraw", {"sighting": gone}) is False
    with pytest.raises(FunctionFailed) as refusal:
        correct(convex, gone, 1)
    assert refusal.value.data == "no such sighting"
    assert summary(convex) == {"count": 1, "mean": 6, "brightest": 6}
    assert place(convex, kept) == 1


def test_sightings_are_not_read_through(convex: Convex) -> None:
    """All functions work where a constellation has more sightings than may be read."""
    sightings = add_all(convex, *range(MANY))
    convex.limit(documents_read=AT_MOST)
    assert summary(convex) == {"count": MANY, "mean": (MANY - 1) / 2, "brightest": 0}
    assert fainter(convex, MANY / 3) == MANY - MANY / 3 - 1
    assert place(convex, sightings[70]) == 71
    middle = cast("dict[str, object]", at_place(convex, 50))
    assert middle["_id"] == sightings[49]
    correct(convex, sightings[0], MANY)
    convex.mutation("sightings:withdraw", {"sighting": sightings[1]})
    assert place(convex, sightings[2]) == 1
    add(convex, -5)
    assert place(convex, sightings[2]) == 2


@pytest.mark.parametrize(
    "wrong",
    [{"constellation": 1.0}, {"magnitude": "4"}, {"observer": 1.0}],
    ids=["constellation", "magnitude", "observer"],
)
def test_sightings_are_as_described(convex: Convex, wrong: dict[str, float | str]) -> None:
    """A sighting of another form can neither be stored nor reported."""
    right = {"constellation": "Lyra", "magnitude": 4.0, "observer": "ada"}
    convex.insert("sightings", right)
    with pytest.raises(FunctionFailed):
        convex.insert("sightings", {**right, **wrong})
    with pytest.raises(FunctionFailed):
        convex.mutation("sightings:add", {**right, **wrong})
