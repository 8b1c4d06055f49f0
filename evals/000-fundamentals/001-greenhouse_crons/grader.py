# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The greenhouses' routine, watched for weeks of simulated time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runner.grader import Convex

JOBS = {
    "check vents": ("greenhouse:record", {"task": "check vents", "house": "north"}),
    "water seedlings": ("greenhouse:record", {"task": "water seedlings", "house": "south"}),
    "rinse tanks": ("greenhouse:record", {"task": "rinse tanks", "house": "north"}),
    "survey crops": ("greenhouse:survey", {"house": "south"}),
}
INTERVAL = timedelta(hours=7)


def moment(unix: float) -> datetime:
    """Return a time of the deployment's clock."""
    return datetime.fromtimestamp(unix, UTC)


def minutes(start: datetime, end: datetime, hour: int, minute: int) -> Iterator[datetime]:
    """Yield this time of each day between two moments."""
    day = start.replace(hour=hour, minute=minute, second=0, microsecond=0)
    while day <= end:
        if day > start:
            yield day
        day += timedelta(days=1)


def watch(
    convex: Convex, task: str, house: str, *, days: int
) -> tuple[datetime, list[datetime], datetime]:
    """Let days pass; return the begin, when a task was recorded for its house, and the end.

    Times are to the minute.
    """
    begin = moment(convex.clock.now())
    convex.clock.advance(timedelta(days=days).total_seconds())
    end = moment(convex.clock.now())
    recorded = [event for event in convex.table("events") if event["task"] == task]
    assert {event["house"] for event in recorded} <= {house}
    times = [moment(event["at"] / 1000).replace(second=0, microsecond=0) for event in recorded]
    return begin, [time for time in times if time > begin], end


def test_the_four_jobs_have_their_names_functions_and_arguments(convex: Convex) -> None:
    """There are exactly four jobs, each with its function and its arguments."""
    found = {name: (cron.path, cron.args) for name, cron in convex.crons.items()}
    assert found == JOBS


def test_vents_are_checked_every_7_hours(convex: Convex) -> None:
    """For four days, checks of the vents are 7 hours apart, over midnight too."""
    begin, checks, end = watch(convex, "check vents", "north", days=4)
    assert len(checks) >= (end - begin) // INTERVAL - 1
    assert {later - earlier for earlier, later in pairwise(checks)} == {INTERVAL}


def test_seedlings_are_watered_every_day(convex: Convex) -> None:
    """Each day at 04:45 UTC the seedlings are watered, once."""
    begin, waterings, end = watch(convex, "water seedlings", "south", days=4)
    assert waterings == list(minutes(begin, end, 4, 45))


def test_tanks_are_rinsed_on_mondays(convex: Convex) -> None:
    """Each Monday at 22:10 UTC the tanks are rinsed, and on no other day."""
    begin, rinses, end = watch(convex, "rinse tanks", "north", days=15)
    assert rinses == [day for day in minutes(begin, end, 22, 10) if day.weekday() == 0]


def test_crops_are_surveyed_twice_a_month(convex: Convex) -> None:
    """On the 1st and the 15th at 05:20 UTC the crops are surveyed, and on no other day."""
    begin, surveys, end = watch(convex, "survey", "south", days=32)
    assert surveys == [day for day in minutes(begin, end, 5, 20) if day.day in {1, 15}]


def test_nothing_can_be_called_from_outside(convex: Convex) -> None:
    """Nobody on the internet can write events or start a survey."""
    event = {"task": "flood", "house": "north"}
    with pytest.raises(FunctionFailed):
        convex.mutation("greenhouse:record", event)
    with pytest.raises(FunctionFailed):
        convex.action("greenhouse:survey", {"house": "north"})
    assert all(event["task"] != "flood" for event in convex.table("events"))
    assert {found.visibility for found in convex.functions.values()} == {"internal"}


def test_the_backend_records_events(convex: Convex) -> None:
    """An event is recorded with its task, its house and the present time."""
    before = convex.clock.now()
    assert convex.admin.mutation("greenhouse:record", {"task": "prune", "house": "north"}) is None
    (event,) = (event for event in convex.table("events") if event["task"] == "prune")
    assert event["house"] == "north"
    assert before * 1000 - 1 <= event["at"] <= convex.clock.now() * 1000 + 1


def test_a_survey_is_recorded(convex: Convex) -> None:
    """A survey is recorded as an event of the house it was made in."""
    assert convex.admin.action("greenhouse:survey", {"house": "east"}) is None
    (event,) = (event for event in convex.table("events") if event["house"] == "east")
    assert event["task"] == "survey"


def test_functions_refuse_other_arguments(convex: Convex) -> None:
    """A house that is no text, a missing task and an argument too many are refused."""
    refused: list[dict[str, str | float]] = [
        {"task": "prune"},
        {"house": "north"},
        {"task": "prune", "house": 1.0},
        {"task": 1.0, "house": "north"},
    ]
    for args in refused:
        with pytest.raises(FunctionFailed):
            convex.admin.mutation("greenhouse:record", args)
    for house in ({"house": "north", "task": "survey"}, {"house": 1.0}):
        with pytest.raises(FunctionFailed):
            convex.admin.action("greenhouse:survey", house)


@pytest.mark.parametrize("wrong", [{"task": 1.0}, {"house": 1.0}, {"at": "noon"}])
def test_events_are_as_described(convex: Convex, wrong: dict[str, str | float]) -> None:
    """An event whose task or house is no text, or whose time is no number, cannot be stored."""
    event = {"task": "prune", "house": "north", "at": 0.0}
    convex.insert("events", event)
    with pytest.raises(FunctionFailed):
        convex.insert("events", event | wrong)
