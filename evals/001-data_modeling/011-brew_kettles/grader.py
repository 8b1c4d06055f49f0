# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Kettles: what is measured every second is kept apart from the scripts that nobody reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Entry = dict[str, Any]

LONG = 5_000
TOO_MANY = 19
READABLE = 60_000
"""Bytes: twelve long scripts, which stand for the 16 MiB that a call can read."""


def install(convex: Convex, name: str, script: str = "heat") -> str:
    """Install a kettle."""
    kettle = convex.mutation("kettles:install", {"name": name, "script": script})
    assert isinstance(kettle, str)
    return kettle


def board(convex: Convex) -> Any:  # noqa: ANN401 - compared as a whole
    """Read the board."""
    return convex.query("kettles:board")


def entry(kettle: str, name: str, last: Entry | None = None, script: str = "heat") -> Entry:
    """Say how a kettle stands on the board."""
    shown = last or {"celsius": 0, "litres": 0, "measuredAt": None}
    return {"kettle": kettle, "name": name, "scriptLength": len(script)} | shown


def measurement(kettle: str, celsius: float, at: float) -> Entry:
    """Say what was measured; the litres are ten times the degrees."""
    return {"kettle": kettle, "celsius": float(celsius), "litres": 10.0 * celsius, "at": float(at)}


def measured(celsius: float, at: float) -> Entry:
    """Say how a measurement stands on the board."""
    return {"celsius": celsius, "litres": 10 * celsius, "measuredAt": at}


def measure(convex: Convex, *measurements: Entry) -> object:
    """Report measurements."""
    return convex.mutation("kettles:measure", {"measurements": list(measurements)})


def script(convex: Convex, kettle: str) -> object:
    """Read a script."""
    return convex.query("kettles:script", {"kettle": kettle})


def rewrite(convex: Convex, kettle: str, text: str) -> object:
    """Give a kettle another script."""
    return convex.mutation("kettles:rewrite", {"kettle": kettle, "script": text})


def rename(convex: Convex, kettle: str, name: str) -> object:
    """Give a kettle another name."""
    return convex.mutation("kettles:rename", {"kettle": kettle, "name": name})


def scrap(convex: Convex, kettle: str) -> object:
    """Remove a kettle."""
    return convex.mutation("kettles:scrap", {"kettle": kettle})


def stored(convex: Convex) -> list[str]:
    """Tell all documents of all tables, as texts."""
    tables = sorted(convex.schema.tables)
    return [json.dumps(row, default=repr) for name in tables for row in convex.table(name)]


def holding(convex: Convex, text: str) -> list[str]:
    """Tell the documents in which a text stands."""
    return [row for row in stored(convex) if text in row]


def test_the_board_shows_all_kettles(convex: Convex) -> None:
    """Kettles come in the order of installing, at first without any measurement."""
    assert board(convex) == []
    mash = install(convex, "Mash", "heat 63; wait 45")
    copper = install(convex, "Copper", "")
    another = install(convex, "Mash")
    assert len({mash, copper, another}) == len((mash, copper, another))
    assert board(convex) == [
        entry(mash, "Mash", script="heat 63; wait 45"),
        entry(copper, "Copper", script=""),
        entry(another, "Mash"),
    ]


def test_the_latest_measurement_counts(convex: Convex) -> None:
    """Measurements that are late, repeated or of a kettle that is gone are left out."""
    mash, copper, gone = (install(convex, name) for name in ("Mash", "Copper", "Gone"))
    scrap(convex, gone)
    assert measure(convex) == 0
    assert measure(convex, measurement(mash, 20, -5), measurement(copper, 7, 0)) == 2
    assert board(convex)[0] == entry(mash, "Mash", measured(20, -5))
    assert measure(convex, measurement(mash, 30, 0), measurement(copper, 8, 0)) == 1
    given = [
        (mash, 40, 8),
        (mash, 41, 8),
        (gone, 1, 9),
        (mash, 0, 9),
        (mash, 42, 3),
        (copper, 9, 1),
    ]
    assert measure(convex, *[measurement(*each) for each in given]) == 3
    latest = [
        entry(mash, "Mash", measured(0, 9)),
        entry(copper, "Copper", measured(9, 1)),
    ]
    assert board(convex) == latest
    assert measure(convex, measurement(mash, 50, 9), measurement(mash, 50, 1)) == 0
    assert board(convex) == latest


def test_a_script_is_rewritten(convex: Convex) -> None:
    """Each kettle has its own script; the board shows its length, and measurements stay."""
    mash, copper = install(convex, "Mash", "heat 63"), install(convex, "Copper", "heat 63")
    measure(convex, measurement(mash, 20, 5))
    assert [script(convex, mash), script(convex, copper)] == ["heat 63", "heat 63"]
    for text in ("boil; hop; boil", "", "cool"):
        assert rewrite(convex, mash, text) is True
        assert [script(convex, mash), script(convex, copper)] == [text, "heat 63"]
        assert board(convex) == [
            entry(mash, "Mash", measured(20, 5), text),
            entry(copper, "Copper", script="heat 63"),
        ]
    assert holding(convex, "boil") == []


def test_a_kettle_is_renamed(convex: Convex) -> None:
    """Its name changes, and nothing else."""
    mash, copper = install(convex, "Mash"), install(convex, "Copper")
    measure(convex, measurement(mash, 20, 5))
    assert rename(convex, mash, "Tun") is True
    assert board(convex) == [entry(mash, "Tun", measured(20, 5)), entry(copper, "Copper")]
    assert script(convex, mash) == "heat"


def test_scripts_are_not_written_with_measurements(convex: Convex) -> None:
    """Measuring and renaming leave the documents as they are in which scripts stand."""
    mash = install(convex, "Mash", "heat 63; wait 45")
    before = holding(convex, "heat 63; wait 45")
    assert before != []
    assert measure(convex, measurement(mash, 20, 5)) == 1
    assert rename(convex, mash, "Tun") is True
    assert board(convex) == [entry(mash, "Tun", measured(20, 5), "heat 63; wait 45")]
    assert holding(convex, "heat 63; wait 45") == before


def test_nothing_is_kept_of_a_scrapped_kettle(convex: Convex) -> None:
    """It is gone from the board and from every table; other kettles stay as they are."""
    mash = install(convex, "Mash", "heat 63")
    measure(convex, measurement(mash, 20, 5))
    before = stored(convex)
    copper = install(convex, "Copper", "boil; hop")
    measure(convex, measurement(copper, 98, 5))
    rewrite(convex, copper, "boil; hop; boil")
    assert scrap(convex, copper) is True
    assert stored(convex) == before
    assert board(convex) == [entry(mash, "Mash", measured(20, 5), "heat 63")]
    assert script(convex, mash) == "heat 63"


def test_a_scrapped_kettle_is_gone(convex: Convex) -> None:
    """Nothing can be read of it or done with it."""
    mash, gone = install(convex, "Mash"), install(convex, "Gone")
    assert scrap(convex, gone) is True
    before = stored(convex)
    assert scrap(convex, gone) is False
    assert script(convex, gone) is None
    assert [rewrite(convex, gone, "boil"), rename(convex, gone, "Tun")] == [False, False]
    assert measure(convex, measurement(gone, 20, 5)) == 0
    assert stored(convex) == before
    assert [rewrite(convex, mash, "boil"), rename(convex, mash, "Tun")] == [True, True]


def test_arguments_of_another_kind_are_refused(convex: Convex) -> None:
    """They are refused for what they are, even where the kettle is gone."""
    gone = install(convex, "Gone")
    scrap(convex, gone)
    given = measurement(gone, 20, 5)
    wrong: list[Any] = [given | {name: "5"} for name in ("celsius", "litres", "at")]
    for each in [[each] for each in wrong] + [[given | {"name": "Gone"}], [None], given]:
        with pytest.raises(FunctionFailed):
            convex.mutation("kettles:measure", {"measurements": each})
    calls: list[tuple[str, Any]] = [
        ("install", {"name": 1.0, "script": "heat"}),
        ("install", {"name": "Mash", "script": ["heat"]}),
        ("rewrite", {"kettle": gone, "script": ["boil"]}),
        ("rename", {"kettle": gone, "name": 1.0}),
    ]
    for name, args in calls:
        with pytest.raises(FunctionFailed):
            convex.mutation(f"kettles:{name}", args)
    assert stored(convex) == []


def test_long_scripts_are_not_read_for_the_board(convex: Convex) -> None:
    """The board and a round of measurements work where all scripts together are beyond a call."""
    text = "x" * LONG
    kettles = [install(convex, f"kettle {n}", text) for n in range(TOO_MANY)]
    convex.limit(bytes_read=READABLE)
    assert measure(convex, *[measurement(kettle, 20, 5) for kettle in kettles]) == TOO_MANY
    assert board(convex) == [
        entry(kettle, f"kettle {n}", measured(20, 5), text) for n, kettle in enumerate(kettles)
    ]
    assert script(convex, kettles[3]) == text
    assert rewrite(convex, kettles[3], text[1:]) is True
    assert [each["scriptLength"] for each in board(convex)[2:5]] == [LONG, LONG - 1, LONG]
    assert scrap(convex, kettles[0]) is True
    assert len(board(convex)) == TOO_MANY - 1
