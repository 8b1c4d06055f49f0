# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Alert levels of volcanoes, sent by a webhook that repeats itself and overtakes itself."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Response, Source

KEY = "basalt & ash"
ALERT: dict[str, Any] = {"event": "e-1", "volcano": "Katla", "level": "yellow", "sequence": 4}
LEVELS = ("green", "yellow", "orange", "red")
WRONG = {
    "no_event": {"event": None},
    "empty_event": {"event": ""},
    "event_as_number": {"event": 1},
    "empty_volcano": {"volcano": ""},
    "volcano_as_list": {"volcano": ["Katla"]},
    "unknown_level": {"level": "blue"},
    "level_in_capitals": {"level": "Red"},
    "no_level": {"level": None},
    "sequence_as_text": {"sequence": "4"},
    "negative": {"sequence": -1},
    "half": {"sequence": 4.5},
    "no_sequence": {"sequence": None},
}


def send(convex: Convex, body: object, key: str | None = KEY) -> Response:
    """Send the webhook as the observatory does."""
    convex.set_env("OBSERVATORY_KEY", KEY)
    headers = {} if key is None else {"X-Observatory-Key": key}
    return convex.http("POST", "/alerts", json=body, headers=headers)


def outcome(convex: Convex, **changes: object) -> object:
    """Send an alert that is understood, and tell its outcome."""
    answer = send(convex, {**ALERT, **changes})
    assert answer.status == 200
    body = answer.json()
    assert set(body) == {"outcome"}
    return body["outcome"]


def receive(convex: Convex, **changes: object) -> object:
    """Hand an event to the mutation, as an HTTP action does."""
    arguments: dict[str, Any] = {**ALERT, **changes}
    return convex.admin.mutation("alerts:receive", arguments)


def level(convex: Convex, volcano: str = "Katla") -> object:
    """Ask for a volcano's level."""
    return convex.query("alerts:level", {"volcano": volcano})


def sequences(convex: Convex, volcano: str = "Katla") -> list[object]:
    """Tell the sequences of a volcano's changes, in the order in which they took effect."""
    return [row["sequence"] for row in convex.table("changes") if row["volcano"] == volcano]


def stored(convex: Convex, table: str) -> list[dict[str, Any]]:
    """Return what a table holds, without the system's fields."""
    return [
        {name: value for name, value in row.items() if not name.startswith("_")}
        for row in convex.table(table)
    ]


def test_an_event_takes_effect(convex: Convex) -> None:
    """The first event of a volcano sets its level, and is kept with the change."""
    assert level(convex) is None
    assert outcome(convex, name="Hekla", sequence=0) == "applied"
    assert level(convex) == {"level": "yellow", "sequence": 0}
    change = {"level": "yellow", "sequence": 0}
    assert stored(convex, "volcanoes") == [{"name": "Katla", **change}]
    assert stored(convex, "changes") == [{"volcano": "Katla", **change}]
    assert stored(convex, "events") == [{"event": "e-1"}]


def test_a_repeated_event_changes_nothing(convex: Convex) -> None:
    """The same event has effect once, also much later, and whatever it says the second time."""
    assert outcome(convex) == "applied"
    assert outcome(convex, event="e-2", level="red", sequence=5) == "applied"
    tables = ("volcanoes", "events", "changes")
    before = [convex.table(table) for table in tables]
    for changes in ({}, {"sequence": 9}, {"volcano": "Hekla"}, {"event": "e-2"}):
        assert outcome(convex, **changes) == "repeated"
    assert [convex.table(table) for table in tables] == before


@pytest.mark.parametrize("sequence", [4, 3, 0], ids=["same", "one_less", "first"])
def test_an_older_event_is_outdated(convex: Convex, sequence: int) -> None:
    """What is no newer than what is known does not take effect, but was received."""
    assert outcome(convex) == "applied"
    assert outcome(convex, event="late", level="red", sequence=sequence) == "outdated"
    assert level(convex) == {"level": "yellow", "sequence": 4}
    assert sequences(convex) == [4]
    assert outcome(convex, event="late", level="red", sequence=99) == "repeated"
    assert [row["event"] for row in convex.table("events")] == ["e-1", "late"]


def test_the_level_never_goes_backwards(convex: Convex) -> None:
    """Three events end in the newest level in whatever order they come, each sent twice."""
    for number, order in enumerate(permutations(range(3))):
        volcano = f"Volcano {number}"
        for n in (*order, *order):
            receive(convex, event=f"{number}/{n}", volcano=volcano, level=LEVELS[n], sequence=n)
        rising = [n for place, n in enumerate(order) if n == max(order[: place + 1])]
        assert level(convex, volcano) == {"level": "orange", "sequence": 2}
        assert sequences(convex, volcano) == rising
    assert len(convex.table("volcanoes")) == 6


def test_volcanoes_have_sequences_of_their_own(convex: Convex) -> None:
    """A volcano is compared with itself only; names are compared exactly."""
    names = ["Katla", "katla", "Katla II", "Hekla"]
    for n, volcano in enumerate(names):
        changes = {"event": f"e {volcano}", "volcano": volcano, "level": LEVELS[n]}
        assert outcome(convex, **changes, sequence=10 - n) == "applied"
    found = [level(convex, volcano) for volcano in names]
    assert found == [{"level": LEVELS[n], "sequence": 10 - n} for n in range(4)]


def test_the_mutation_decides_alone(convex: Convex) -> None:
    """Requests that come at the same moment and call the mutation in turn have effect once."""
    assert [receive(convex) for _ in range(3)] == ["applied", "repeated", "repeated"]
    assert [receive(convex, event=f"f-{n}", sequence=5 - n) for n in range(3)] == [
        "applied",
        "outdated",
        "outdated",
    ]
    assert (level(convex), sequences(convex)) == ({"level": "yellow", "sequence": 5}, [4, 5])
    assert len(convex.table("volcanoes")) == 1


@pytest.mark.parametrize("key", [None, "", "basalt", KEY + "!", KEY.upper()])
def test_without_the_key_nothing_is_taken(convex: Convex, key: str | None) -> None:
    """Whoever does not have the key is refused, with a good body and with a bad one."""
    bodies: tuple[object, ...] = (ALERT, {**ALERT, "level": "blue"}, "alert")
    for body in bodies:
        assert send(convex, body, key).status == 401
    assert stored(convex, "events") == []
    assert outcome(convex) == "applied"


@pytest.mark.parametrize("key", [None, "", "undefined"])
def test_without_the_variable_nobody_has_the_key(convex: Convex, key: str | None) -> None:
    """Where no key is set, or an empty one, nobody is let in."""
    headers = {} if key is None else {"X-Observatory-Key": key}
    assert convex.http("POST", "/alerts", json=ALERT, headers=headers).status == 401
    convex.set_env("OBSERVATORY_KEY", "")
    assert convex.http("POST", "/alerts", json=ALERT, headers=headers).status == 401
    assert stored(convex, "events") == []


@pytest.mark.parametrize("changes", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_body_is_refused(convex: Convex, changes: dict[str, Any]) -> None:
    """A body that is not as agreed is refused and not remembered: mended, it counts."""
    body = {**ALERT, **changes}
    assert send(convex, body).status == 400
    assert (
        send(convex, {name: value for name, value in body.items() if value is not None}).status
        == 400
    )
    assert stored(convex, "events") == stored(convex, "changes") == []
    assert outcome(convex) == "applied"


@pytest.mark.parametrize("body", ["", "{", "null", "[]", '"alert"', "4"])
def test_what_is_no_object_is_refused(convex: Convex, body: str) -> None:
    """A body that is no JSON, or no object, is refused as well."""
    convex.set_env("OBSERVATORY_KEY", KEY)
    answer = convex.http("POST", "/alerts", body=body, headers={"X-Observatory-Key": KEY})
    assert answer.status == 400


def test_one_closed_mutation_writes(convex: Convex, source: Source) -> None:
    """`receive` is internal and the only mutation, and the route calls nothing else."""
    found = convex.functions
    public = [path for path, fn in found.items() if fn.visibility == "public" and fn.kind != "http"]
    assert public == ["alerts:level"]
    assert [path for path, fn in found.items() if fn.kind == "mutation"] == ["alerts:receive"]
    assert len(source.calls("runMutation")) == 1
    assert source.calls("runQuery") == []
    with pytest.raises(FunctionFailed):
        convex.mutation("alerts:receive", ALERT)


def test_other_events_and_volcanoes_are_not_read(convex: Convex) -> None:
    """What a call reads does not depend on how many events, changes and volcanoes there are."""
    names = [f"Volcano {n}" for n in range(60)]
    state: dict[str, Any] = {"level": "green", "sequence": 1.0}
    convex.insert_many("events", [{"event": name} for name in names])
    convex.insert_many("volcanoes", [{"name": name, **state} for name in names])
    convex.insert_many("changes", [{"volcano": name, **state} for name in names])
    convex.limit(documents_read=30)
    outcomes = [
        outcome(convex),
        outcome(convex),
        outcome(convex, event="Volcano 59"),
        outcome(convex, event="e-2", volcano="Volcano 59", sequence=0),
        outcome(convex, event="e-3", volcano="Volcano 58", sequence=2),
    ]
    assert outcomes == ["applied", "repeated", "repeated", "outdated", "applied"]
    assert level(convex, "Volcano 58") == {"level": "yellow", "sequence": 2}


@pytest.mark.parametrize("table", ["volcanoes", "changes"])
@pytest.mark.parametrize("wrong", [{"level": "blue"}, {"sequence": "4"}], ids=["level", "sequence"])
def test_tables_are_as_described(convex: Convex, table: str, wrong: dict[str, str]) -> None:
    """A level that is none of the four, or a sequence that is no number, cannot be stored."""
    volcano = {"name" if table == "volcanoes" else "volcano": "Katla"}
    convex.insert(table, {**volcano, "level": "red", "sequence": 4.0})
    with pytest.raises(FunctionFailed):
        convex.insert(table, {**volcano, "level": "red", "sequence": 4.0, **wrong})


def test_arguments_are_as_described(convex: Convex) -> None:
    """Arguments of another kind are refused, also where the event would have no effect."""
    assert receive(convex) == "applied"
    wrong: list[dict[str, Any]] = [{"sequence": "3"}, {"level": "blue"}, {"volcano": 3.0}]
    for changes in wrong:
        with pytest.raises(FunctionFailed):
            receive(convex, **{"event": "e-2", "sequence": 3.0, **changes})
    with pytest.raises(FunctionFailed):
        convex.query("alerts:level", {"volcano": 3.0})
