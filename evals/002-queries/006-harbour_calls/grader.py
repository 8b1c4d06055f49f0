# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The arrivals board: calls with their ships, owners and agents, whatever of these is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Row = dict[str, Any]

AGENT = {"name": "Wessel & Co", "phone": "+47 51 55 01"}

MANY = 100
AT_MOST = 60
"""Documents that one transaction may read where a crowd of many is stored."""


def arrivals(
    convex: Convex, begin: float = 0.0, harbour: str = "Skudenes", **limit: float
) -> list[Row]:
    """Ask for the board of a harbour, from the beginning unless told otherwise."""
    asked = {"harbour": harbour, "from": begin} | limit
    return cast("list[Row]", convex.query("calls:arrivals", asked))


def announce(convex: Convex, imo: str, due_at: float, harbour: str = "Skudenes") -> str:
    """Store a call."""
    return convex.insert("calls", {"harbour": harbour, "dueAt": due_at, "imo": imo})


def due(rows: list[Row]) -> list[float]:
    """Tell when the ships on a board are due."""
    return [row["dueAt"] for row in rows]


def fleet(convex: Convex) -> dict[str, str]:
    """Register ships with and without owner and agent, and return the ids of what is linked."""
    agent = convex.insert("agents", AGENT)
    with_agent = convex.insert("owners", {"name": "Holm", "agent": agent})
    without = convex.insert("owners", {"name": "Berg", "agent": None})
    convex.insert_many(
        "ships",
        [
            {"imo": "9000003", "name": "Vega"},
            {"imo": "9000002", "name": "Terna", "owner": without},
            {"imo": "9000001", "name": "Alke", "owner": with_agent},
        ],
    )
    return {"agent": agent, "with_agent": with_agent, "without": without}


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_each_call_shows_its_ship_with_owner_and_agent(convex: Convex, order: int) -> None:
    """A call leads to its own ship, that ship's owner and that owner's agent, and shows no more."""
    expected: list[Row] = []
    linked = [("7", "Alke", "Holm", "Wessel"), ("8", "Terna", "Berg", "Lie"), ("9", "Vega")]
    for imo, name, *others in linked[::order]:
        ship: Row = {"imo": imo, "name": name}
        shown: Row = {"name": name, "owner": None}
        if others:
            agent = {"name": others[1], "phone": f"+47 {imo}"}
            held = {"name": others[0], "agent": convex.insert("agents", agent)}
            ship["owner"] = convex.insert("owners", held)
            shown["owner"] = {"name": others[0], "agent": agent}
        convex.insert("ships", ship)
        call = announce(convex, imo, float(imo))
        expected.append({"_id": call, "dueAt": float(imo), "imo": imo, "ship": shown})
    assert arrivals(convex) == expected[::order]


def test_a_ship_that_calls_twice_is_shown_twice(convex: Convex) -> None:
    """Ships that call again, and owners of several ships, are shown with every call."""
    ids = fleet(convex)
    convex.insert("ships", {"imo": "9000004", "name": "Lom", "owner": ids["with_agent"]})
    for due_at, imo in enumerate(["9000001", "9000004", "9000001"]):
        announce(convex, imo, due_at)
    owner = {"name": "Holm", "agent": AGENT}
    alke, lom = {"name": "Alke", "owner": owner}, {"name": "Lom", "owner": owner}
    assert [row["ship"] for row in arrivals(convex)] == [alke, lom, alke]


def test_missing_links_are_null(convex: Convex) -> None:
    """Ships that are not registered, and owners and agents that there never were, are null."""
    fleet(convex)
    for due_at, imo in enumerate(["9000009", "9000003", "9000002", "9000001", "90000", ""]):
        announce(convex, imo, due_at)
    assert [row["ship"] for row in arrivals(convex)] == [
        None,
        {"name": "Vega", "owner": None},
        {"name": "Terna", "owner": {"name": "Berg", "agent": None}},
        {"name": "Alke", "owner": {"name": "Holm", "agent": AGENT}},
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("table", "gone", "shown"),
    [
        ("owners", "with_agent", {"name": "Alke", "owner": None}),
        ("agents", "agent", {"name": "Alke", "owner": {"name": "Holm", "agent": None}}),
    ],
)
def test_deleted_owners_and_agents_are_null(
    convex: Convex, table: str, gone: str, shown: Row
) -> None:
    """When an owner or agent was deleted, the call stays on the board, without them."""
    ids = fleet(convex)
    for due_at, imo in enumerate(["9000002", "9000001"]):
        announce(convex, imo, due_at)
    convex.delete(table, ids[gone])
    terna = {"name": "Terna", "owner": {"name": "Berg", "agent": None}}
    assert [row["ship"] for row in arrivals(convex)] == [terna, shown]


def test_the_board_begins_at_a_moment(convex: Convex) -> None:
    """Calls due at the moment or later come, the earliest first, however they were stored."""
    for due_at in (30.0, 10.0, 0.0, 20.0, -10.0):
        announce(convex, "9000001", due_at)
    assert due(arrivals(convex)) == [0, 10, 20, 30]
    assert due(arrivals(convex, 10.0)) == [10, 20, 30]
    assert due(arrivals(convex, 10.5)) == [20, 30]
    assert due(arrivals(convex, -10.0)) == [-10, 0, 10, 20, 30]
    assert arrivals(convex, 31.0) == []


def test_other_harbours_are_left_out(convex: Convex) -> None:
    """A board shows the calls of exactly its own harbour."""
    for due_at, harbour in enumerate(["Skudenes", "Skudeneshavn", "skudenes", "Kopervik"]):
        announce(convex, "9000001", due_at, harbour)
    assert [due(arrivals(convex, harbour=harbour)) for harbour in ("Skudenes", "Kopervik", "")] == [
        [0],
        [3],
        [],
    ]


def test_the_limit_keeps_the_earliest(convex: Convex) -> None:
    """At most `limit` calls come, the earliest, and those whose ship is unknown count too."""
    calls: list[Row] = [
        {"harbour": "Skudenes", "dueAt": float(n * 7 % 60), "imo": f"90000{n % 4:02}"}
        for n in range(60)
    ]
    fleet(convex)
    convex.insert_many("calls", calls)
    assert due(arrivals(convex)) == list(range(10))
    for limit, expected in ((1.0, 1), (11.0, 11), (400.0, 50)):
        assert due(arrivals(convex, limit=limit)) == list(range(expected))


@pytest.mark.parametrize(
    ("table", "document"),
    [
        ("ships", {"imo": "8000000", "name": "Sula"}),
        ("owners", {"name": "Berg", "agent": None}),
        ("agents", {"name": "Lie & Co", "phone": ""}),
        ("calls", {"harbour": "Skudenes", "dueAt": -1.0, "imo": "9000001"}),
    ],
    ids=["ships", "owners", "agents", "calls"],
)
def test_only_what_is_shown_is_read(convex: Convex, table: str, document: Row) -> None:
    """A board is made without reading the calls, ships, owners and agents that it does not show."""
    convex.insert_many(table, [document] * MANY)
    fleet(convex)
    for due_at in range(4):
        announce(convex, "9000001", due_at)
    convex.limit(documents_read=AT_MOST)
    alke = {"name": "Alke", "owner": {"name": "Holm", "agent": AGENT}}
    assert [row["ship"] for row in arrivals(convex)] == [alke] * 4


def test_links_are_ids_of_their_table(convex: Convex) -> None:
    """A ship's owner is an owner's id or left out, an owner's agent is an agent's id or null."""
    ids = fleet(convex)
    for wrong in (ids["agent"], None, "Holm"):
        with pytest.raises(FunctionFailed):
            convex.insert("ships", {"imo": "1", "name": "Alke", "owner": wrong})
    for wrong in ({"agent": ids["without"]}, {"agent": "Wessel"}, {}):
        with pytest.raises(FunctionFailed):
            convex.insert("owners", {"name": "Holm"} | wrong)


@pytest.mark.parametrize(
    ("table", "whole"),
    [
        ("calls", {"harbour": "Skudenes", "dueAt": 1.0, "imo": "9000001"}),
        ("ships", {"imo": "9000001", "name": "Alke"}),
        ("owners", {"name": "Holm", "agent": None}),
        ("agents", AGENT),
    ],
    ids=["calls", "ships", "owners", "agents"],
)
def test_fields_are_there_and_of_their_kind(convex: Convex, table: str, whole: Row) -> None:
    """Documents that lack a field, or have a value of another kind, are refused."""
    convex.insert(table, whole)
    for field in whole:
        for wrong in ({key: whole[key] for key in whole if key != field}, whole | {field: True}):
            with pytest.raises(FunctionFailed):
                convex.insert(table, wrong)


def test_arguments_have_their_kinds(convex: Convex) -> None:
    """A harbour that is no text, and a time or limit that is no number, are refused."""
    asked: Row = {"harbour": "Skudenes", "from": 0.0, "limit": 2.0}
    assert convex.query("calls:arrivals", asked) == []
    for field in asked:
        with pytest.raises(FunctionFailed):
            convex.query("calls:arrivals", asked | {field: True})
