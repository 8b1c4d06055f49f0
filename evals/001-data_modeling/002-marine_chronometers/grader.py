# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Chronometers with every kind of scalar: stored, compared and computed with exactly."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed, Int64

if TYPE_CHECKING:
    from runner.grader import Convex

Document = dict[str, Any]

LEFT_OUT = object()
LARGEST = 2**63 - 1
INEXACT = 2**53 + 1
"""The smallest whole number that a floating-point number cannot hold."""
ENGRAVED = b"\x00\xffLongines\x80\n"
MANY = 200
AT_MOST = 80
"""Documents that one transaction may read where many are stored."""

OTHER_KINDS: dict[str, Document] = {
    "number_as_serial": {"serial": 17.0},
    "text_as_maker": {"maker": "Le Roy"},
    "null_as_maker": {"maker": None},
    "number_as_beats": {"beats": 17.0},
    "text_as_beats": {"beats": "17"},
    "int64_as_rate": {"rate": Int64(1)},
    "null_as_rate": {"rate": None},
    "text_as_seal": {"seal": "AP8="},
    "list_as_seal": {"seal": [0.0, 255.0]},
    "number_as_running": {"running": 1.0},
    "null_as_running": {"running": None},
    "int64_as_servicedAt": {"servicedAt": Int64(0)},
    "false_as_servicedAt": {"servicedAt": False},
    **{f"no_{name}": {name: LEFT_OUT} for name in ("maker", "beats", "seal", "servicedAt")},
    "another_field": {"weight": 4.0},
}


def chronometer(convex: Convex, **changes: object) -> Document:
    """Make a chronometer as described, but for the changes."""
    fields: Document = {
        "serial": "S-204",
        "maker": convex.insert("makers", {"name": "Le Roy"}),
        "beats": Int64(432_000),
        "rate": -0.35,
        "seal": ENGRAVED,
        "running": True,
        "servicedAt": None,
    }
    return {name: value for name, value in (fields | changes).items() if value is not LEFT_OUT}


def store(convex: Convex, **changes: object) -> str:
    """Store a chronometer past all functions."""
    return convex.insert("chronometers", chronometer(convex, **changes))


def gone(convex: Convex) -> str:
    """Tell the id of a chronometer that is no longer there."""
    identifier = store(convex)
    convex.delete("chronometers", identifier)
    return identifier


def beats(convex: Convex, identifier: str) -> int:
    """Tell the beats as they are stored."""
    document = convex.document("chronometers", identifier)
    assert document is not None
    return document["beats"]


def count(convex: Convex, identifier: str, by: int) -> object:
    """Add beats."""
    return convex.mutation("chronometers:count", {"chronometer": identifier, "by": Int64(by)})


def age(convex: Convex, identifier: str, per_second: int) -> object:
    """Ask how long the beats took."""
    args: Any = {"chronometer": identifier, "perSecond": Int64(per_second)}
    return convex.query("chronometers:age", args)


def with_seal(convex: Convex, seal: bytes) -> object:
    """Ask for the chronometers with a seal."""
    return convex.query("chronometers:withSeal", {"seal": seal})


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"beats": Int64(INEXACT), "running": False, "servicedAt": 0.0},
        {"beats": Int64(LARGEST), "rate": 0.1 + 0.2, "servicedAt": -86_400_000.0},
        {"beats": Int64(0), "rate": 0.0, "seal": b"", "serial": ""},
        {"seal": bytes(range(256)) * 16},
    ],
    ids=["plain", "inexact", "largest", "empty", "long"],
)
def test_what_is_registered_comes_back(convex: Convex, changes: Document) -> None:
    """A registered chronometer is stored, and comes back to the last digit and byte."""
    expected = chronometer(convex, **changes)
    identifier = convex.mutation("chronometers:register", expected)
    (document,) = convex.table("chronometers")
    assert identifier == document["_id"]
    assert document == {
        "_id": identifier,
        "_creationTime": document["_creationTime"],
        **expected,
    }
    returned = cast("Document", convex.query("chronometers:get", {"chronometer": identifier}))
    assert returned == document
    assert type(returned["beats"]) is type(Int64(0)), "the beats came back as another kind"


@pytest.mark.parametrize("rate", [-0.0, math.inf, -math.inf, math.nan], ids=repr)
def test_every_floating_point_number_is_a_rate(convex: Convex, rate: float) -> None:
    """A negative zero, the infinities and not-a-number come back as what they are."""
    args = chronometer(convex, rate=rate)
    identifier = convex.mutation("chronometers:register", args)
    returned = cast("Document", convex.query("chronometers:get", {"chronometer": identifier}))
    assert repr(returned["rate"]) == repr(rate)


@pytest.mark.parametrize("changes", OTHER_KINDS.values(), ids=OTHER_KINDS)
def test_values_of_another_kind_are_refused(convex: Convex, changes: Document) -> None:
    """A value of another kind is refused by the database and by the function."""
    convex.insert("chronometers", chronometer(convex))
    wrong = chronometer(convex, **changes)
    with pytest.raises(FunctionFailed):
        convex.insert("chronometers", wrong)
    with pytest.raises(FunctionFailed):
        convex.mutation("chronometers:register", wrong)
    assert len(convex.table("chronometers")) == 1


def test_a_maker_is_a_maker(convex: Convex) -> None:
    """The id of a chronometer is refused as a maker, and a maker's as a chronometer."""
    wrong = chronometer(convex, maker=store(convex))
    with pytest.raises(FunctionFailed):
        convex.insert("chronometers", wrong)
    with pytest.raises(FunctionFailed):
        convex.mutation("chronometers:register", wrong)
    maker = convex.insert("makers", {"name": "Berthoud"})
    with pytest.raises(FunctionFailed):
        convex.query("chronometers:get", {"chronometer": maker})


@pytest.mark.parametrize(
    ("start", "by"),
    [(10, 32), (10, -3), (2**53, 1), (INEXACT, INEXACT), (LARGEST, -1), (LARGEST - 7, 7), (5, 0)],
)
def test_beats_are_added_exactly(convex: Convex, start: int, by: int) -> None:
    """Beats are added and taken away to the last digit, and no other chronometer's."""
    other, identifier = store(convex), store(convex, beats=Int64(start))
    new = count(convex, identifier, by)
    assert (new, type(new)) == (start + by, type(Int64(0)))
    assert beats(convex, identifier) == start + by
    assert beats(convex, other) == 432_000


def test_a_count_that_cannot_be_stored_fails(convex: Convex) -> None:
    """More than 64 bits, another kind of number, or no chronometer: nothing changes."""
    identifier = store(convex, beats=Int64(LARGEST))
    with pytest.raises(FunctionFailed):
        count(convex, identifier, 1)
    with pytest.raises(FunctionFailed):
        convex.mutation("chronometers:count", {"chronometer": identifier, "by": -1.0})
    with pytest.raises(FunctionFailed):
        count(convex, gone(convex), 1)
    assert beats(convex, identifier) == LARGEST


@pytest.mark.parametrize(
    ("stored", "per_second", "days", "seconds"),
    [
        (0, 4, 0, 0),
        (3, 4, 0, 0.75),
        (4 * 86_400 - 1, 4, 0, 86_399.75),
        (4 * 86_400, 4, 1, 0),
        (2**60 + 3, 8, 2**60 // 691_200, (2**60 % 691_200 + 3) / 8),
        (LARGEST, 1, LARGEST // 86_400, LARGEST % 86_400),
        (2**53 + 1, 32_768, 3_181_457, 22_144 + 1 / 32_768),
    ],
)
def test_beats_become_days_and_seconds(
    convex: Convex, stored: int, per_second: int, days: int, seconds: float
) -> None:
    """Days are whole and exact, seconds have their fraction, each in its kind of number."""
    took = cast("Document", age(convex, store(convex, beats=Int64(stored)), per_second))
    assert took == {"days": days, "seconds": seconds}
    assert [type(took["days"]), type(took["seconds"])] == [type(Int64(0)), float]


def test_seals_are_compared_byte_by_byte(convex: Convex) -> None:
    """A seal is told by its bytes: not by its length, its beginning, or its text."""
    seals = [ENGRAVED, ENGRAVED[:-1], ENGRAVED + b"\x00", b"", b"\x80", b"\x81"]
    stored = [store(convex, seal=seal) for seal in seals]
    for identifier, seal in zip(stored, seals, strict=True):
        asked = [{"chronometer": identifier, "seal": other} for other in seals]
        sealed = [convex.query("chronometers:isSealed", args) for args in asked]
        assert sealed == [other == seal for other in seals]
        assert with_seal(convex, seal) == [identifier]
    assert with_seal(convex, b"\x00") == []


def test_those_with_a_seal_are_found_among_many(convex: Convex) -> None:
    """The chronometers with a seal come in the order of storing, however many others there are."""
    first = store(convex, serial="Z", beats=Int64(9))
    others = chronometer(convex, seal=b"\x00\xfe")
    convex.insert_many("chronometers", [others] * MANY)
    second = store(convex, serial="A", beats=Int64(1))
    convex.limit(documents_read=AT_MOST)
    assert with_seal(convex, ENGRAVED) == [first, second]


def test_a_chronometer_that_is_gone_is_told(convex: Convex) -> None:
    """What is gone has no document and no age, and is not sealed."""
    identifier = gone(convex)
    assert convex.query("chronometers:get", {"chronometer": identifier}) is None
    assert age(convex, identifier, 4) is None
    args = {"chronometer": identifier, "seal": ENGRAVED}
    assert convex.query("chronometers:isSealed", args) is False


def test_every_function_says_what_it_takes_and_returns(convex: Convex) -> None:
    """Arguments and returns are declared everywhere, and nowhere as a value of any kind."""
    names = ("register", "get", "count", "age", "isSealed", "withSeal")
    functions = [convex.functions[f"chronometers:{name}"] for name in names]
    assert {function.visibility for function in functions} == {"public"}
    declared = [validator for each in functions for validator in (each.args, each.returns)]
    assert None not in declared
    tables = [table.validator for table in convex.schema.tables.values()]
    assert '"any"' not in json.dumps([declared, tables])
    assert [functions[place].returns for place in (0, 2, 4)] == [
        {"type": "id", "tableName": "chronometers"},
        {"type": "bigint"},
        {"type": "boolean"},
    ]
