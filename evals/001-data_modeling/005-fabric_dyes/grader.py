# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Trials of dyes on fabrics: each pair once, found from both sides and by the pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

MANY = 200
AT_MOST = 90
"""Documents that one transaction may read where many are stored."""
SHOWN = 20
LARGEST_FABRIC = 100


def fabric(convex: Convex, name: str = "linen") -> str:
    """Store a fabric."""
    return convex.insert("fabrics", {"name": name})


def dye(convex: Convex, name: str = "madder") -> str:
    """Store a dye."""
    return convex.insert("dyes", {"name": name})


def record(convex: Convex, cloth: str, colour: str, minutes: float = 40.0) -> object:
    """Record a trial."""
    args = {"fabric": cloth, "dye": colour, "minutes": minutes}
    return convex.mutation("trials:record", args)


def forget(convex: Convex, cloth: str, colour: str) -> object:
    """Forget a trial."""
    return convex.mutation("trials:forget", {"fabric": cloth, "dye": colour})


def is_tried(convex: Convex, cloth: str, colour: str) -> object:
    """Ask whether there is a trial."""
    return convex.query("trials:isTried", {"fabric": cloth, "dye": colour})


def dyes_of(convex: Convex, cloth: str) -> object:
    """Ask for a fabric's dyes."""
    return convex.query("trials:dyesOf", {"fabric": cloth})


def fabrics_of(convex: Convex, colour: str) -> object:
    """Ask for a dye's fabrics."""
    return convex.query("trials:fabricsOf", {"dye": colour})


def common(convex: Convex, one: str, other: str) -> list[str]:
    """Ask for the dyes of both fabrics, sorted."""
    found: Any = convex.query("trials:common", {"one": one, "other": other})
    return sorted(found)


def pairs(convex: Convex) -> list[tuple[str, str, float]]:
    """Tell the stored trials, oldest first."""
    trials = convex.table("trials")
    return [(trial["fabric"], trial["dye"], trial["minutes"]) for trial in trials]


def crowd(convex: Convex, colour: str) -> None:
    """Store many fabrics' trials of one dye past all functions, and bound what is read."""
    cloths = convex.insert_many("fabrics", [{"name": f"cloth {n}"} for n in range(MANY)])
    trials: list[Any] = [{"fabric": cloth, "dye": colour, "minutes": 1.0} for cloth in cloths]
    convex.insert_many("trials", trials)
    convex.limit(documents_read=AT_MOST)


def test_a_pair_is_stored_once(convex: Convex) -> None:
    """Recording a pair again changes its minutes and gives the same trial."""
    linen, silk, madder, weld = fabric(convex), fabric(convex), dye(convex), dye(convex)
    first = record(convex, linen, madder, 40.0)
    others = [record(convex, linen, weld, 15.0), record(convex, silk, madder, 60.0)]
    again = record(convex, linen, madder, 55.5)
    assert [trial["_id"] for trial in convex.table("trials")] == [first, *others]
    assert again == first
    assert pairs(convex) == [(linen, madder, 55.5), (linen, weld, 15.0), (silk, madder, 60.0)]


def test_a_trial_is_of_a_fabric_and_a_dye(convex: Convex) -> None:
    """The ids of the two cannot be exchanged, by a function or past them."""
    linen, madder = fabric(convex), dye(convex)
    record(convex, linen, madder)
    with pytest.raises(FunctionFailed):
        record(convex, madder, linen)
    for cloth, colour in ((madder, madder), (linen, linen), ("linen", madder)):
        with pytest.raises(FunctionFailed):
            convex.insert("trials", {"fabric": cloth, "dye": colour, "minutes": 1.0})
    assert (dyes_of(convex, linen), common(convex, linen, linen)) != ([], [])
    with pytest.raises(FunctionFailed):
        dyes_of(convex, madder)
    with pytest.raises(FunctionFailed):
        fabrics_of(convex, linen)
    for one, other in ((madder, linen), (linen, madder)):
        with pytest.raises(FunctionFailed):
            common(convex, one, other)
    assert pairs(convex) == [(linen, madder, 40)]


def test_what_is_gone_is_not_tried(convex: Convex) -> None:
    """No trial is stored or changed where the fabric or the dye is gone."""
    linen, silk, madder, weld = fabric(convex), fabric(convex), dye(convex), dye(convex)
    record(convex, linen, weld)
    record(convex, silk, madder)
    convex.delete("fabrics", silk)
    convex.delete("dyes", weld)
    assert record(convex, silk, weld, 5.0) is None
    assert record(convex, linen, weld, 5.0) is None
    assert record(convex, silk, madder, 5.0) is None
    assert pairs(convex) == [(linen, weld, 40), (silk, madder, 40)]


def test_a_fabric_knows_its_dyes(convex: Convex) -> None:
    """They come in the order in which they were first recorded, without those that are gone."""
    linen, silk = fabric(convex), fabric(convex)
    names = ["woad", "annatto", "madder", "kermes"]
    dyes = [dye(convex, name) for name in sorted(names)]
    by_name = dict(zip(sorted(names), dyes, strict=True))
    for place, name in enumerate(names):
        record(convex, linen, by_name[name], 10.0 * place)
        record(convex, silk, by_name[name], 7.0)
    record(convex, linen, by_name["woad"], 99.0)
    convex.delete("dyes", by_name["madder"])
    assert dyes_of(convex, linen) == [
        {"dye": by_name["woad"], "name": "woad", "minutes": 99},
        {"dye": by_name["annatto"], "name": "annatto", "minutes": 10},
        {"dye": by_name["kermes"], "name": "kermes", "minutes": 30},
    ]
    assert dyes_of(convex, fabric(convex)) == []


def test_a_dye_knows_its_newest_fabrics(convex: Convex) -> None:
    """The 20 recorded last come, the last first; changed minutes make no trial newer."""
    madder, weld = dye(convex), dye(convex)
    names = [f"cloth {(7 * n) % 23}" for n in range(SHOWN + 3)]
    cloths = {name: fabric(convex, name) for name in sorted(names)}
    for name in names:
        record(convex, cloths[name], madder, 3.0)
        record(convex, cloths[name], weld, 3.0)
    for name in (names[0], names[10]):
        record(convex, cloths[name], madder, 8.0)
    expected = [
        {"fabric": cloths[name], "name": name, "minutes": 8 if name == names[10] else 3}
        for name in reversed(names[3:])
    ]
    assert fabrics_of(convex, madder) == expected
    assert fabrics_of(convex, dye(convex)) == []


def test_a_forgotten_pair_is_gone(convex: Convex) -> None:
    """Only that pair is forgotten, from both sides, and can be recorded anew as the newest."""
    linen, silk, madder, weld = fabric(convex), fabric(convex), dye(convex), dye(convex)
    for cloth, colour in ((linen, madder), (linen, weld), (silk, madder)):
        record(convex, cloth, colour)
    assert forget(convex, silk, weld) is False
    assert forget(convex, linen, madder) is True
    assert forget(convex, linen, madder) is False
    assert pairs(convex) == [(linen, weld, 40), (silk, madder, 40)]
    tried = [
        is_tried(convex, cloth, colour) for cloth in (linen, silk) for colour in (madder, weld)
    ]
    assert tried == [False, True, True, False]
    record(convex, linen, madder, 1.0)
    assert pairs(convex)[-1] == (linen, madder, 1)
    assert is_tried(convex, linen, madder) is True


def test_common_dyes_are_those_of_both(convex: Convex) -> None:
    """A dye is common when both fabrics were tried with it; a fabric has all with itself."""
    linen, silk, wool = fabric(convex), fabric(convex), fabric(convex)
    a, b, c, d = (dye(convex) for _ in range(4))
    for cloth, colours in ((linen, (a, b, c)), (silk, (d, c, b)), (wool, (d,))):
        for colour in colours:
            record(convex, cloth, colour)
    assert common(convex, linen, silk) == sorted([b, c])
    assert common(convex, silk, linen) == sorted([b, c])
    assert common(convex, linen, wool) == []
    assert common(convex, linen, linen) == sorted([a, b, c])


def test_a_fabric_goes_with_its_trials(convex: Convex) -> None:
    """A removed fabric leaves no trial behind, and takes none of another fabric."""
    linen, silk, madder, weld = fabric(convex), fabric(convex), dye(convex), dye(convex)
    for cloth, colour in ((linen, madder), (silk, madder), (linen, weld)):
        record(convex, cloth, colour)
    assert convex.mutation("trials:removeFabric", {"fabric": linen}) == 2
    assert pairs(convex) == [(silk, madder, 40)]
    assert [each["_id"] for each in convex.table("fabrics")] == [silk]
    assert len(convex.table("dyes")) == 2
    assert convex.mutation("trials:removeFabric", {"fabric": linen}) is None
    assert convex.mutation("trials:removeFabric", {"fabric": fabric(convex)}) == 0


def test_others_are_not_read(convex: Convex) -> None:
    """No call reads the many trials that a dye has with other fabrics."""
    linen, silk, madder = fabric(convex, "linen"), fabric(convex, "silk"), dye(convex)
    crowd(convex, madder)
    record(convex, linen, madder, 2.0)
    record(convex, linen, madder, 3.0)
    assert is_tried(convex, linen, madder) is True
    assert is_tried(convex, silk, madder) is False
    assert dyes_of(convex, linen) == [{"dye": madder, "name": "madder", "minutes": 3}]
    newest: Any = fabrics_of(convex, madder)
    assert [len(newest), newest[0]["name"], newest[1]["name"]] == [SHOWN, "linen", "cloth 199"]
    assert common(convex, linen, silk) == []
    assert forget(convex, linen, madder) is True
    assert convex.mutation("trials:removeFabric", {"fabric": silk}) == 0


def test_a_pair_is_looked_up(convex: Convex) -> None:
    """Whether a pair was tried is found without the other trials of its fabric."""
    linen, madder, weld = fabric(convex), dye(convex), dye(convex)
    colours = convex.insert_many("dyes", [{"name": f"dye {n}"} for n in range(LARGEST_FABRIC - 1)])
    trials: list[Any] = [{"fabric": linen, "dye": each, "minutes": 1.0} for each in colours]
    convex.insert_many("trials", trials)
    record(convex, linen, madder)
    convex.limit(documents_read=LARGEST_FABRIC // 5)
    assert is_tried(convex, linen, madder) is True
    assert is_tried(convex, linen, weld) is False
    assert record(convex, linen, madder, 2.0) == convex.table("trials")[-1]["_id"]
    assert len(convex.table("trials")) == LARGEST_FABRIC
