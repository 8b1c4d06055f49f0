# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A guide of radio programmes that is asked for a minute, and does not look at the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Row = dict[str, Any]

MANY = 100

MINUTE_MS = 60_000.0
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

# A minute of the year 2046, and its moment.
NOON = 40_000_020.0
NOON_MS = NOON * MINUTE_MS


def broadcast(title: str, starts: float, lasts: float, station: str = "Hilversum") -> Row:
    """Describe a broadcast by its start, in minutes after noon, and its length in minutes."""
    starts_at = NOON_MS + starts * MINUTE_MS
    ends_at = starts_at + lasts * MINUTE_MS
    return {"station": station, "title": title, "startsAt": starts_at, "endsAt": ends_at}


def heard(quality: float, minutes: float, station: str = "Hilversum") -> Row:
    """Describe a report by when it was heard, in minutes after noon."""
    return {"station": station, "quality": quality, "heardAt": NOON_MS + minutes * MINUTE_MS}


def ask(convex: Convex, function: str, minute: float = 0, **more: str | float) -> Any:  # noqa: ANN401 - what functions return
    """Ask for Hilversum at a minute after noon."""
    asked = {"station": "Hilversum", "minute": NOON + minute} | more
    return convex.query(f"guide:{function}", asked)


def coming(convex: Convex, minute: float = 0, **more: str | float) -> dict[str, float]:
    """Tell the titles that come, in order, and in how many minutes they start."""
    rows = cast("list[Row]", ask(convex, "comingUp", minute, **more))
    return {row["title"]: row["startsInMs"] / MINUTE_MS for row in rows}


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_what_runs_is_on_the_air(convex: Convex, order: int) -> None:
    """From its first moment to before its last a broadcast is on the air, else there is silence."""
    rows = [
        broadcast("News", -30, 30),
        broadcast("Concert", 0, 90),
        broadcast("Chess", 120, 2.5),
        broadcast("Mass", -900, 2000, station="Hilversum II"),
    ]
    convex.insert_many("broadcasts", rows[::order])
    expected: dict[float, tuple[str, float, float] | None] = {
        -31: None,
        -30: ("News", 0, 30),
        -1: ("News", 29, 1),
        0: ("Concert", 0, 90),
        89: ("Concert", 89, 1),
        90: None,
        119: None,
        122: ("Chess", 2, 0.5),
        123: None,
        9000: None,
    }
    for minute, entry in expected.items():
        shown = entry and {
            "title": entry[0],
            "elapsedMs": entry[1] * MINUTE_MS,
            "remainingMs": entry[2] * MINUTE_MS,
        }
        assert ask(convex, "onAir", minute) == shown, minute
    assert ask(convex, "onAir", 119, station="Hilversum II")["title"] == "Mass"
    assert ask(convex, "onAir", station="hilversum") is None


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_broadcasts_to_come_are_counted_from_the_moment(convex: Convex, order: int) -> None:
    """What starts after the moment, within a day, comes with the time until then, in order."""
    rows = [
        broadcast("News", 0, 30),
        broadcast("Concert", 30.5, 30),
        broadcast("Chess", 61, 9),
        broadcast("Weather", 24 * 60 - 0.5, 0.5),
        broadcast("Morning", 24 * 60, 10),
        broadcast("Mass", 40, 2000, station="Hilversum II"),
    ]
    convex.insert_many("broadcasts", rows[::order])
    assert coming(convex) == {"Concert": 30.5, "Chess": 61, "Weather": 24 * 60 - 0.5}
    assert list(coming(convex)) == ["Concert", "Chess", "Weather"]
    assert list(coming(convex, -1)) == ["News", "Concert", "Chess"]
    assert coming(convex, 61) == {"Weather": 23 * 60 - 1.5, "Morning": 23 * 60 - 1}
    assert coming(convex, 39, station="Hilversum II") == {"Mass": 1}
    assert coming(convex, 24 * 60) == {}


def test_the_next_few_come(convex: Convex) -> None:
    """At most `limit` broadcasts come, the earliest; 5 if it is left out, and never over 20."""
    convex.insert_many("broadcasts", [broadcast(f"Part {n}", n, 1) for n in range(22, 0, -1)])
    parts = [f"Part {n}" for n in range(1, 23)]
    assert list(coming(convex)) == parts[:5]
    for limit, expected in ((1.0, 1), (6.0, 6), (90.0, 20)):
        assert list(coming(convex, limit=limit)) == parts[:expected]


def test_reception_is_that_of_the_hour_before(convex: Convex) -> None:
    """Reports from an hour before the moment, up to but not at it, count, of the station only."""
    rows = [heard(1, -60), heard(4, -0.5), heard(2.5, -30), heard(99, 0), heard(99, -60.5)]
    others = [heard(50, -10, station) for station in ("Hilversum II", "hilversum")]
    convex.insert_many("reports", [*others, *rows])
    assert ask(convex, "reception") == {"reports": 3, "quality": 2.5}
    assert ask(convex, "reception", 1) == {"reports": 3, "quality": (4 + 2.5 + 99) / 3}
    assert ask(convex, "reception", 61) == {"reports": 0, "quality": None}
    assert ask(convex, "reception", station="Hilversum II") == {"reports": 1, "quality": 50}


def test_a_report_is_of_the_servers_time(convex: Convex) -> None:
    """A report is heard when the server stores it, and counts in the hour after that."""
    convex.clock.advance_to(NOON_MS / 1000)
    key = convex.mutation("guide:report", {"station": "Hilversum", "quality": 4.5})
    (row,) = convex.table("reports")
    assert (row["_id"], row["station"], row["quality"]) == (key, "Hilversum", 4.5)
    assert NOON_MS <= row["heardAt"] < NOON_MS + MINUTE_MS
    assert [ask(convex, "reception", minute)["reports"] for minute in (0, 1, 60, 61)] == [
        0,
        1,
        1,
        0,
    ]
    with pytest.raises(FunctionFailed):
        convex.mutation("guide:report", {"station": "Hilversum", "quality": 1.0, "heardAt": 0.0})


def test_answers_stay_the_same_while_time_goes_on(convex: Convex) -> None:
    """Asked long before its minute, within it and long after, each question has one answer."""
    convex.insert_many("broadcasts", [broadcast("News", -30, 60), broadcast("Chess", 50, 9)])
    convex.insert_many("reports", [heard(3, -20), heard(5, -0.25)])
    answers: list[list[Any]] = []
    for moment in (NOON_MS - 2 * DAY_MS, NOON_MS - 10 * MINUTE_MS, NOON_MS, NOON_MS + 2 * DAY_MS):
        convex.clock.advance_to(moment / 1000)
        answers.append([ask(convex, name) for name in ("onAir", "comingUp", "reception")])
    assert answers == [
        [
            {"title": "News", "elapsedMs": 30 * MINUTE_MS, "remainingMs": 30 * MINUTE_MS},
            [{"title": "Chess", "startsInMs": 50 * MINUTE_MS}],
            {"reports": 2, "quality": 4},
        ]
    ] * len(answers)


@pytest.mark.parametrize("function", ["onAir", "comingUp", "reception"])
def test_a_question_without_its_minute_is_refused(convex: Convex, function: str) -> None:
    """No question is answered that does not say for which minute, or says it by a text."""
    ask(convex, function)
    for wrong in ({}, {"minute": None}, {"minute": "noon"}):
        with pytest.raises(FunctionFailed):
            convex.query(f"guide:{function}", {"station": "Hilversum"} | wrong)


def test_only_what_the_answer_is_about_is_read(convex: Convex) -> None:
    """Answers are found among more broadcasts and reports than can be read."""
    days = [broadcast(f"Day {n}", (n - MANY / 2) * 1440, 1440) for n in range(MANY)]
    hours = [heard(n, (n - MANY / 2) * 45) for n in range(MANY)]
    convex.insert_many("broadcasts", days)
    convex.insert_many("reports", hours)
    convex.limit(documents_read=3)
    assert ask(convex, "onAir")["title"] == f"Day {MANY / 2:g}"
    assert list(coming(convex, -1, limit=1.0)) == [f"Day {MANY / 2:g}"]
    assert ask(convex, "reception") == {"reports": 1, "quality": MANY / 2 - 1}
    assert ask(convex, "onAir", -80 * 1440) is None
    assert ask(convex, "onAir", 80 * 1440) is None


def test_all_fields_are_required(convex: Convex) -> None:
    """Broadcasts and reports that lack a field, or have null for it, are refused."""
    for table, whole in (("broadcasts", broadcast("News", 0, 30)), ("reports", heard(3, 0))):
        convex.insert(table, whole)
        for missing in whole:
            lacking = {key: whole[key] for key in whole if key != missing}
            for wrong in (lacking, whole | {missing: None}):
                with pytest.raises(FunctionFailed):
                    convex.insert(table, wrong)


def test_arguments_have_their_types(convex: Convex) -> None:
    """Stations that are no text, and limits and qualities that are no numbers, are refused."""
    wrong: list[tuple[str, Row]] = [
        *((name, {"station": 5.0}) for name in ("onAir", "comingUp", "reception")),
        ("comingUp", {"limit": "5"}),
    ]
    for function, arguments in wrong:
        with pytest.raises(FunctionFailed):
            ask(convex, function, **arguments)
    for report in ({"station": "Hilversum", "quality": "good"}, {"station": None, "quality": 1.0}):
        with pytest.raises(FunctionFailed):
            convex.mutation("guide:report", report)
    assert convex.table("reports") == []
