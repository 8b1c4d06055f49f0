# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Tide readings of one station between two times, however many others there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Source

Reading = dict[str, Any]

MANY = 200
AT_MOST = 50
"""Documents that one transaction may read where a crowd of many is stored."""
DAY = 86_400_000.0


def station(convex: Convex, name: str) -> str:
    """Add a station."""
    return convex.insert("stations", {"name": name})


def record(convex: Convex, gauge: str, *times: float) -> None:
    """Record a reading at each of the times, through the model's function, in the given order."""
    for taken_at in times:
        convex.mutation(
            "readings:record", {"station": gauge, "takenAt": taken_at, "levelMm": taken_at / 10}
        )


def between(convex: Convex, gauge: str, start: float, end: float) -> list[Reading]:
    """Ask for the readings of a station between two times."""
    arguments = {"station": gauge, "from": start, "to": end}
    return cast("list[Reading]", convex.query("readings:between", arguments))


def times(readings: list[Reading]) -> list[float]:
    """Tell when the readings were taken."""
    return [reading["takenAt"] for reading in readings]


def crowd(convex: Convex, gauge: str, start: float) -> None:
    """Store more readings for a station, from a time on, than one transaction may then read."""
    readings = [{"station": gauge, "takenAt": start + n, "levelMm": 0.0} for n in range(MANY)]
    convex.insert_many("readings", readings)
    convex.limit(documents_read=AT_MOST)


def test_a_recorded_reading_is_stored(convex: Convex) -> None:
    """A reading is stored with what was recorded, and its id is returned."""
    gauge = station(convex, "Skagen")
    plain = convex.mutation(
        "readings:record", {"station": gauge, "takenAt": 5_000.0, "levelMm": -312.5}
    )
    traced = convex.mutation(
        "readings:record",
        {"station": gauge, "takenAt": 6_000.0, "levelMm": 0.0, "trace": "a;b;c"},
    )
    first, second = convex.table("readings")
    assert [plain, traced] == [first["_id"], second["_id"]]
    assert (gauge, 5_000, -312.5) == (first["station"], first["takenAt"], first["levelMm"])
    assert "trace" not in first
    assert second["trace"] == "a;b;c"


def test_a_reading_belongs_to_a_station(convex: Convex) -> None:
    """The id of something that is no station is refused as a station."""
    gauge = station(convex, "Skagen")
    reading = convex.insert("readings", {"station": gauge, "takenAt": 1.0, "levelMm": 1.0})
    with pytest.raises(FunctionFailed):
        record(convex, reading, 2.0)
    with pytest.raises(FunctionFailed):
        convex.insert("readings", {"station": reading, "takenAt": 2.0, "levelMm": 1.0})
    with pytest.raises(FunctionFailed):
        convex.insert("stations", {"name": 7.0})
    assert len(convex.table("readings")) == 1


@pytest.mark.parametrize("wrong", [{"takenAt": "noon"}, {"levelMm": "high"}, {"trace": 7.0}])
def test_readings_are_as_described(convex: Convex, wrong: dict[str, str | float]) -> None:
    """A time or level that is no number, or a trace that is no text, is refused and not stored."""
    reading = {"station": station(convex, "Skagen"), "takenAt": 1.0, "levelMm": 1.0}
    convex.mutation("readings:record", reading)
    with pytest.raises(FunctionFailed):
        convex.mutation("readings:record", reading | wrong)
    with pytest.raises(FunctionFailed):
        convex.insert("readings", reading | wrong)
    assert len(convex.table("readings")) == 1


def test_questions_are_as_described(convex: Convex) -> None:
    """What is no station, or no time, cannot be asked for."""
    gauge = station(convex, "Skagen")
    record(convex, gauge, 1.0)
    (reading,) = between(convex, gauge, 0.0, 2.0)
    with pytest.raises(FunctionFailed):
        between(convex, reading["_id"], 0.0, 2.0)
    with pytest.raises(FunctionFailed):
        convex.query("readings:latest", {"station": reading["_id"]})
    for wrong in ({"from": "morning"}, {"to": "noon"}):
        with pytest.raises(FunctionFailed):
            convex.query("readings:between", {"station": gauge, "from": 0.0, "to": 2.0} | wrong)


def test_readings_come_earliest_first(convex: Convex) -> None:
    """Readings that arrive out of order come back in the order in which they were taken."""
    gauge = station(convex, "Skagen")
    record(convex, gauge, 40.0, 10.0, 30.0, 50.0, 20.0)
    assert times(between(convex, gauge, 0.0, 100.0)) == [10, 20, 30, 40, 50]


def test_readings_come_as_stored(convex: Convex) -> None:
    """A reading comes back whole, with its id, its trace and the time it was stored."""
    gauge = station(convex, "Skagen")
    convex.insert(
        "readings", {"station": gauge, "takenAt": 10.0, "levelMm": 421.5, "trace": "a;b;c"}
    )
    assert between(convex, gauge, 0.0, 100.0) == convex.table("readings")


def test_the_first_moment_counts_and_the_last_does_not(convex: Convex) -> None:
    """A reading at `from` is returned, one at `to` is not."""
    gauge = station(convex, "Skagen")
    record(convex, gauge, 99.0, 100.0, 101.0, 199.0, 200.0, 201.0)
    assert times(between(convex, gauge, 100.0, 200.0)) == [100, 101, 199]
    assert times(between(convex, gauge, 100.0, 100.0)) == []
    assert times(between(convex, gauge, 200.0, 100.0)) == []


def test_times_before_the_epoch_count_too(convex: Convex) -> None:
    """Old series, digitised from paper, lie before the epoch."""
    gauge = station(convex, "Brest")
    record(convex, gauge, DAY, -DAY, 0.0, -3 * DAY, -2 * DAY)
    assert times(between(convex, gauge, -2 * DAY, DAY)) == [-2 * DAY, -DAY, 0]


def test_stations_do_not_mix(convex: Convex) -> None:
    """Readings of other stations are left out, also where their times are the same."""
    west, east = station(convex, "West pier"), station(convex, "East pier")
    for taken_at in (30.0, 10.0, 20.0):
        record(convex, east, taken_at, taken_at + 1)
        record(convex, west, taken_at)
    assert times(between(convex, west, 0.0, 100.0)) == [10, 20, 30]
    assert times(between(convex, east, 0.0, 30.0)) == [10, 11, 20, 21]
    assert between(convex, station(convex, "New pier"), 0.0, 100.0) == []


def test_the_latest_reading_is_the_one_taken_last(convex: Convex) -> None:
    """The latest reading is the one taken last, whichever arrived last."""
    west, east = station(convex, "West pier"), station(convex, "East pier")
    record(convex, west, 20.0, 70.0, 30.0)
    record(convex, east, 90.0, 10.0)
    latest = cast("Reading", convex.query("readings:latest", {"station": west}))
    assert (west, 70) == (latest["station"], latest["takenAt"])


def test_a_new_station_has_no_latest_reading(convex: Convex) -> None:
    """A station without readings has null for its latest."""
    west, east = station(convex, "West pier"), station(convex, "East pier")
    record(convex, east, 10.0)
    assert convex.query("readings:latest", {"station": west}) is None


def test_a_call_costs_what_it_returns(convex: Convex) -> None:
    """A call does not read what its station has at other times, nor what other stations have."""
    crowded, quiet = station(convex, "Skagen"), station(convex, "Brest")
    crowd(convex, crowded, DAY)
    record(convex, crowded, 0.0, 2 * DAY)
    record(convex, quiet, DAY + 1)
    assert times(between(convex, crowded, 2 * DAY, 3 * DAY)) == [2 * DAY], "earlier readings read"
    assert times(between(convex, crowded, 0.0, DAY)) == [0], "later readings read"
    assert times(between(convex, quiet, DAY, 2 * DAY)) == [DAY + 1], "other stations read"
    latest = cast("Reading", convex.query("readings:latest", {"station": crowded}))
    assert latest["takenAt"] == 2 * DAY


def test_an_index_leads_to_a_station_and_then_to_a_time(convex: Convex) -> None:
    """An index of the readings has the station first and the time second."""
    indexes = [index.fields[:2] for index in convex.schema.tables["readings"].indexes]
    assert ("station", "takenAt") in [tuple(fields) for fields in indexes]


def test_nothing_is_read_only_to_be_dropped(source: Source) -> None:
    """The readings are selected by the index, not by a filter over what was read."""
    assert source.calls("filter") == []
