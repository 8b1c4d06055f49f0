# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A station's readings are corrected once each, as many in a transaction as fit."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

LEAST = 30
BY = 2_000_000
"""So much that a corrected reading cannot be taken for another."""


def station(convex: Convex, name: str = "Tarn") -> str:
    """Set up a station."""
    return convex.insert("stations", {"name": name, "correcting": False})


def measure(convex: Convex, station_id: str, sizes: list[int]) -> list[str]:
    """Let a station measure profiles with so many readings, and tell their ids."""
    profiles = convex.insert_many("profiles", [{"station": station_id}] * len(sizes))
    readings = [
        {"profile": profile, "depthMm": float(n)}
        for profile, size in zip(profiles, sizes, strict=True)
        for n in range(size)
    ]
    convex.insert_many("readings", readings)
    return profiles


def bound(convex: Convex) -> None:
    """Let a transaction do as much as the task allows."""
    convex.limit(documents_read=400, documents_written=100)


def correct(convex: Convex, station_id: str, by: float = BY) -> None:
    """Ask for a correction."""
    assert convex.mutation("stations:correct", {"station": station_id, "byMm": by}) is None


def depths(convex: Convex, profiles: list[str]) -> list[object]:
    """Tell the readings of profiles."""
    chosen = set(profiles)
    return [row["depthMm"] for row in convex.table("readings") if row["profile"] in chosen]


def corrected(convex: Convex) -> int:
    """Count the readings that were corrected; a profile of which only a part was is torn."""
    states: dict[object, list[bool]] = {}
    for row in convex.table("readings"):
        depth = row["depthMm"]
        assert isinstance(depth, float)
        states.setdefault(row["profile"], []).append(depth > BY / 2)
    assert all(len(set(state)) == 1 for state in states.values()), "a profile is torn"
    return sum(map(sum, states.values()))


def correcting(convex: Convex) -> list[object]:
    """Tell of each station whether it is being corrected."""
    return [row["correcting"] for row in convex.table("stations")]


def is_going_on(convex: Convex) -> bool:
    """Tell whether any work is left, none of which may have failed."""
    states = {job.state for job in convex.scheduled()}
    assert states <= {"pending", "success"}
    return "pending" in states


def finish(convex: Convex) -> list[int]:
    """Let the work go on, and tell how many readings were corrected by the end of each second."""
    convex.settle()
    counts = [corrected(convex)]
    while is_going_on(convex):
        assert len(counts) < 20, "the work does not come to an end"
        convex.clock.advance(1)
        counts.append(corrected(convex))
    # Time flows: work that was due while the readings were counted has been done since.
    return [*counts, corrected(convex)]


def mixed() -> list[int]:
    """Return sizes of profiles, large and small by chance."""
    chance = Random(11)  # noqa: S311 - not for secrets
    return chance.choices([1, 2, 19, 20], k=20)


@pytest.mark.parametrize(
    "sizes",
    [[20] * 9, [1] * 110, [20] * 5, mixed()],
    ids=["large", "small", "as_many_as_may_be_written", "mixed"],
)
def test_each_transaction_does_as_much_as_fits(convex: Convex, sizes: list[int]) -> None:
    """Within the budget at least 30 readings are corrected a second, and each only once."""
    tarn = station(convex)
    profiles = measure(convex, tarn, sizes)
    bound(convex)
    correct(convex, tarn)
    counts = finish(convex)
    total = sum(sizes)
    assert counts[-1] == total
    assert counts[0] >= LEAST
    assert all(later - earlier >= LEAST or later == total for earlier, later in pairwise(counts))
    assert depths(convex, profiles) == [BY + n for size in sizes for n in range(size)]
    assert correcting(convex) == [False]


def test_the_transactions_are_a_second_apart(convex: Convex) -> None:
    """Between two transactions nothing happens, and the station is being corrected."""
    tarn = station(convex)
    measure(convex, tarn, [20] * 9)
    bound(convex)
    correct(convex, tarn)
    convex.settle()
    first = corrected(convex)
    assert LEAST <= first <= 100
    assert correcting(convex) == [True]
    convex.clock.advance(0.5)
    assert corrected(convex) == first
    convex.clock.advance(0.6)
    assert first + LEAST <= corrected(convex) <= 180
    finish(convex)
    assert correcting(convex) == [False]


def test_what_is_measured_later_is_right(convex: Convex) -> None:
    """A profile that is stored while the work goes on is not changed, nor another station's."""
    tarn, firn = station(convex), station(convex, "Firn")
    old, other = measure(convex, tarn, [20] * 4), measure(convex, firn, [3])
    old += measure(convex, tarn, [20] * 4)
    convex.clock.advance(1)
    bound(convex)
    correct(convex, tarn)
    convex.clock.advance(0.5)
    new = measure(convex, tarn, [5, 1])
    assert finish(convex)[-1] == 160
    assert depths(convex, old) == [BY + n for n in range(20)] * 8
    assert depths(convex, other) == [0, 1, 2]
    assert depths(convex, new) == [0, 1, 2, 3, 4, 0]


def test_a_second_correction_waits_for_the_first(convex: Convex) -> None:
    """While one goes on, another is refused; afterwards it is added, to later profiles as well."""
    tarn, firn = station(convex), station(convex, "Firn")
    old, other = measure(convex, tarn, [20] * 6), measure(convex, firn, [2])
    correct(convex, tarn)
    convex.settle()
    with pytest.raises(FunctionFailed) as refusal:
        correct(convex, tarn)
    assert refusal.value.data == "busy"
    correct(convex, firn)
    finish(convex)
    assert correcting(convex) == [False, False]
    convex.clock.advance(1)
    new = measure(convex, tarn, [2])
    correct(convex, tarn, -0.5)
    finish(convex)
    assert depths(convex, old) == [BY + n - 0.5 for n in range(20)] * 6
    assert depths(convex, new) == [-0.5, 0.5]
    assert depths(convex, other) == [BY, BY + 1]


def test_little_work_is_done_at_once(convex: Convex) -> None:
    """A station without profiles, or with one, is not left as being corrected."""
    tarn, firn = station(convex), station(convex, "Firn")
    measure(convex, firn, [1])
    for each in (tarn, firn):
        correct(convex, each)
        finish(convex)
    assert corrected(convex) == 1
    assert correcting(convex) == [False, False]


def test_other_stations_are_not_read(convex: Convex) -> None:
    """However much other stations have measured, the work fits."""
    busy, tarn = station(convex, "Firn"), station(convex)
    measure(convex, busy, [1] * 70)
    profiles = measure(convex, tarn, [2])
    convex.limit(documents_read=60)
    correct(convex, tarn)
    finish(convex)
    assert depths(convex, profiles) == [BY, BY + 1]
    assert corrected(convex) == 2


def test_only_correct_is_public_and_refuses_what_is_gone(convex: Convex) -> None:
    """All work is done by mutations, one of them public; a station that is gone is refused."""
    public = [path for path, fn in convex.functions.items() if fn.visibility == "public"]
    assert public == ["stations:correct"]
    assert "action" not in {fn.kind for fn in convex.functions.values()}
    tarn = station(convex)
    convex.delete("stations", tarn)
    with pytest.raises(FunctionFailed) as refusal:
        correct(convex, tarn)
    assert refusal.value.data == "no station"
    with pytest.raises(FunctionFailed):
        convex.mutation("stations:correct", {"station": station(convex), "byMm": "1"})
    assert convex.scheduled() == []
