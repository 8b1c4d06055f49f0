"""The arrivals board: calls with their ships, owners and agents, whatever of these is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Source

Row = dict[str, Any]

AGENT = {"name": "Wessel & Co", "phone": "+47 51 55 01"}

# Read once for each of thirty calls, these are more than one transaction may read.
LARGE_NAME = "Aurora" * 100_000
MANY_CALLS = 30


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


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(None, 10), (1.0, 1), (11.0, 11), (400.0, 50)],
    ids=["left_out", "one", "more_than_usual", "too_many"],
)
def test_the_limit_keeps_the_earliest(convex: Convex, limit: float | None, expected: int) -> None:
    """At most `limit` calls come, the earliest, and those whose ship is unknown count too."""
    calls: list[Row] = [
        {"harbour": "Skudenes", "dueAt": float(n * 7 % 60), "imo": f"90000{n % 4:02}"}
        for n in range(60)
    ]
    fleet(convex)
    convex.insert_many("calls", calls)
    found = arrivals(convex) if limit is None else arrivals(convex, limit=limit)
    assert due(found) == list(range(expected))


@pytest.mark.parametrize(
    ("table", "document"),
    [
        ("ships", {"imo": "8000000", "name": LARGE_NAME}),
        ("owners", {"name": LARGE_NAME, "agent": None}),
        ("agents", {"name": LARGE_NAME, "phone": ""}),
    ],
    ids=["ships", "owners", "agents"],
)
def test_nobody_else_is_read_to_find_what_is_linked(
    convex: Convex, table: str, document: Row
) -> None:
    """Links are followed without reading other ships, owners and agents for every call."""
    convex.insert(table, document)
    fleet(convex)
    for due_at in range(MANY_CALLS):
        announce(convex, "9000001", due_at)
    alke = {"name": "Alke", "owner": {"name": "Holm", "agent": AGENT}}
    assert [row["ship"] for row in arrivals(convex, limit=50.0)] == [alke] * MANY_CALLS


def test_registers_are_not_read_whole(source: Source) -> None:
    """Ships, owners and agents are got by id or by an index, never by going through their table."""
    for name in ("collect", "filter", "take", "paginate", "first", "unique"):
        for call in source.calls(name):
            if call.table in {"ships", "owners", "agents"}:
                assert "withIndex" in call.chain, f"{call.path}:{call.line} reads {call.table}"


def test_links_are_ids_of_their_table(convex: Convex) -> None:
    """A ship's owner is an owner's id or left out, an owner's agent is an agent's id or null."""
    ids = fleet(convex)
    for wrong in (ids["agent"], None, "Holm"):
        with pytest.raises(FunctionFailed):
            convex.insert("ships", {"imo": "1", "name": "Alke", "owner": wrong})
    for wrong in ({"agent": ids["without"]}, {"agent": "Wessel"}, {}):
        with pytest.raises(FunctionFailed):
            convex.insert("owners", {"name": "Holm"} | wrong)
