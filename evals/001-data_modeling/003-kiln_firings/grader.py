# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Firings with all that belongs to them in one document: refused, changed in part, summed up."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Document = dict[str, Any]

LEFT_OUT = object()

RAMP: Document = {"kind": "ramp", "toC": 1_240.0, "perHour": 150.0}
HOLD: Document = {"kind": "hold", "minutes": 20.0}
GAS: Document = {"gas": "propane", "fromC": 900.0, "toC": 1_240.0}
PLANNED: Document = {"kiln": "the large one", "atmosphere": "oxidation", "schedule": [RAMP, HOLD]}
PIECE: Document = {"glaze": "tenmoku", "coats": 2.0}

RIGHT_PLANS: dict[str, Document] = {
    "plain": {},
    "neutral": {"atmosphere": "neutral"},
    "gas": {"atmosphere": GAS},
    "cones": {"cones": {"target": "10"}},
    "both_cones": {"cones": {"target": "10", "guard": "11"}},
    "no_schedule": {"schedule": []},
    "hold_first": {"schedule": [HOLD, RAMP, RAMP, HOLD]},
}
WRONG_PLANS: dict[str, Document] = {
    "no_kiln": {"kiln": LEFT_OUT},
    "no_schedule": {"schedule": LEFT_OUT},
    "null_cones": {"cones": None},
    "null_guard": {"cones": {"target": "10", "guard": None}},
    "no_target": {"cones": {"guard": "11"}},
    "another_cone": {"cones": {"target": "10", "witness": "9"}},
    "unknown_atmosphere": {"atmosphere": "reduction"},
    "no_atmosphere": {"atmosphere": LEFT_OUT},
    "gas_without_its_end": {"atmosphere": {"gas": "propane", "fromC": 900.0}},
    "gas_with_more": {"atmosphere": GAS | {"bar": 2.0}},
    "one_segment_alone": {"schedule": RAMP},
    "unknown_segment": {"schedule": [{"kind": "soak", "minutes": 20.0}]},
    "ramp_with_minutes": {"schedule": [RAMP | {"minutes": 20.0}]},
    "hold_with_a_goal": {"schedule": [HOLD | {"toC": 900.0}]},
    "hold_like_a_ramp": {"schedule": [RAMP | {"kind": "hold"}]},
    "ramp_without_pace": {"schedule": [{"kind": "ramp", "toC": 900.0}]},
    "second_segment_wrong": {"schedule": [RAMP, {"kind": "hold", "minutes": "20"}]},
}
WRONG_SHELVES: dict[str, Any] = {
    "left_out": LEFT_OUT,
    "null": None,
    "list": [{"heightMm": 120.0, "pieces": {}}],
    "no_height": {"A1": {"pieces": {}}},
    "no_pieces": {"A1": {"heightMm": 120.0}},
    "more_on_a_shelf": {"A1": {"heightMm": 120.0, "pieces": {}, "depthMm": 400.0}},
    "list_of_pieces": {"A1": {"heightMm": 120.0, "pieces": [PIECE]}},
    "no_glaze": {"A1": {"heightMm": 120.0, "pieces": {"K1": {"coats": 1.0}}}},
    "coats_as_text": {"A1": {"heightMm": 120.0, "pieces": {"K1": PIECE | {"coats": "two"}}}},
    "more_of_a_piece": {"A1": {"heightMm": 120.0, "pieces": {"K1": PIECE | {"potter": "Lea"}}}},
    "second_shelf_wrong": {"A1": {"heightMm": 120.0, "pieces": {}}, "A2": PIECE},
}


def changed(document: Document, changes: Document) -> Document:
    """Change a document's fields, or leave them out."""
    return {name: value for name, value in (document | changes).items() if value is not LEFT_OUT}


def loaded() -> Document:
    """Make two shelves with three pieces."""
    return {
        "A1": {"heightMm": 120.0, "pieces": {"K1": PIECE, "K2": {"glaze": None, "coats": 0.0}}},
        "B2": {"heightMm": 300.0, "pieces": {"K1": {"glaze": "celadon", "coats": 3.0}}},
    }


def store(convex: Convex, **changes: object) -> str:
    """Store a firing with two shelves past all functions."""
    return convex.insert("firings", PLANNED | {"shelves": loaded()} | changes)


def gone(convex: Convex) -> str:
    """Tell the id of a firing that is no longer there."""
    firing = store(convex)
    convex.delete("firings", firing)
    return firing


def call(convex: Convex, function: str, firing: str, **args: object) -> object:
    """Change a firing."""
    arguments: Any = {"firing": firing, **args}
    return convex.mutation(f"firings:{function}", arguments)


def shelves(convex: Convex, firing: str) -> Document:
    """Tell the shelves of a firing, when nothing else of it has changed."""
    document = convex.document("firings", firing)
    assert document is not None
    assert {name: document[name] for name in PLANNED} == PLANNED
    return document["shelves"]


def summary(convex: Convex, firing: str) -> Document:
    """Sum a firing up, its glazes in the order of their names."""
    found = cast("Document", convex.query("firings:summary", {"firing": firing}))
    glazes = cast("list[Document]", found["glazes"])
    return found | {"glazes": sorted(glazes, key=itemgetter("glaze"))}


@pytest.mark.parametrize("changes", RIGHT_PLANS.values(), ids=RIGHT_PLANS)
def test_a_plan_is_stored(convex: Convex, changes: Document) -> None:
    """What is planned is stored as it is, with no shelves yet."""
    firing = convex.mutation("firings:plan", PLANNED | changes)
    (document,) = convex.table("firings")
    assert document == {
        "_id": firing,
        "_creationTime": document["_creationTime"],
        **PLANNED,
        **changes,
        "shelves": {},
    }


@pytest.mark.parametrize("changes", WRONG_PLANS.values(), ids=WRONG_PLANS)
def test_what_does_not_fit_is_refused(convex: Convex, changes: Document) -> None:
    """A plan that is wrong at any depth is refused by the function and by the database."""
    wrong = changed(PLANNED, changes)
    with pytest.raises(FunctionFailed):
        convex.mutation("firings:plan", wrong)
    with pytest.raises(FunctionFailed):
        convex.insert("firings", wrong | {"shelves": {}})
    store(convex)
    assert len(convex.table("firings")) == 1


@pytest.mark.parametrize("wrong", WRONG_SHELVES.values(), ids=WRONG_SHELVES)
def test_shelves_that_do_not_fit_are_refused(convex: Convex, wrong: object) -> None:
    """Shelves and pieces that are wrong at any depth are refused by the database."""
    store(convex, shelves={})
    store(convex, shelves=loaded())
    with pytest.raises(FunctionFailed):
        convex.insert("firings", changed(PLANNED, {"shelves": wrong}))
    assert len(convex.table("firings")) == 2


def test_a_shelf_is_added_or_its_height_changed(convex: Convex) -> None:
    """A new shelf is empty; a known one gets its height and keeps its pieces."""
    firing, expected = store(convex), loaded()
    assert call(convex, "setShelf", firing, shelf="C3", heightMm=80.5) is True
    expected["C3"] = {"heightMm": 80.5, "pieces": {}}
    assert shelves(convex, firing) == expected
    assert call(convex, "setShelf", firing, shelf="A1", heightMm=95.0) is True
    expected["A1"]["heightMm"] = 95.0
    assert shelves(convex, firing) == expected


def test_a_piece_is_placed_beside_the_others(convex: Convex) -> None:
    """A piece is added, or replaces the one of its mark, and all others stay."""
    other, firing, expected = store(convex), store(convex), loaded()
    new = {"glaze": "shino", "coats": 1.5}
    assert call(convex, "place", firing, shelf="A1", piece="K9", **new) is True
    expected["A1"]["pieces"]["K9"] = new
    assert shelves(convex, firing) == expected
    unglazed = {"glaze": None, "coats": 0.0}
    assert call(convex, "place", firing, shelf="B2", piece="K1", **unglazed) is True
    expected["B2"]["pieces"]["K1"] = unglazed
    assert shelves(convex, firing) == expected
    assert shelves(convex, other) == loaded()


def test_a_piece_that_is_taken_is_gone(convex: Convex) -> None:
    """Its mark is not there any more, on its shelf; the emptied shelf stays."""
    firing, expected = store(convex), loaded()
    assert call(convex, "take", firing, shelf="B2", piece="K1") is True
    del expected["B2"]["pieces"]["K1"]
    assert shelves(convex, firing) == expected
    assert call(convex, "take", firing, shelf="A1", piece="K2") is True
    del expected["A1"]["pieces"]["K2"]
    assert shelves(convex, firing) == expected
    assert call(convex, "take", firing, shelf="A1", piece="K2") is False


def test_what_is_not_there_is_told(convex: Convex) -> None:
    """No firing, no shelf, no piece: the answer is false and nothing changes."""
    firing, missing = store(convex), gone(convex)
    assert call(convex, "setShelf", missing, shelf="A1", heightMm=1.0) is False
    assert call(convex, "place", missing, shelf="A1", piece="K1", **PIECE) is False
    assert call(convex, "take", missing, shelf="A1", piece="K1") is False
    assert convex.query("firings:summary", {"firing": missing}) is None
    assert call(convex, "place", firing, shelf="C3", piece="K1", **PIECE) is False
    assert call(convex, "take", firing, shelf="C3", piece="K1") is False
    assert call(convex, "take", firing, shelf="A1", piece="K3") is False
    assert shelves(convex, firing) == loaded()


@pytest.mark.parametrize(
    ("schedule", "top", "minutes"),
    [
        ([], 20, 0),
        ([HOLD], 20, 20),
        ([{"kind": "ramp", "toC": 620.0, "perHour": 100.0}, HOLD], 620, 380),
        (
            [
                {"kind": "ramp", "toC": 1_220.0, "perHour": 200.0},
                HOLD,
                {"kind": "ramp", "toC": 1_000.0, "perHour": 440.0},
                {"kind": "hold", "minutes": 0.5},
                {"kind": "ramp", "toC": 1_100.0, "perHour": 50.0},
            ],
            1_220,
            360 + 20 + 30 + 0.5 + 120,
        ),
        ([{"kind": "ramp", "toC": -10.0, "perHour": 60.0}], 20, 30),
    ],
    ids=["nothing", "hold", "up", "up_down_up", "down"],
)
def test_the_heat_is_summed_up(
    convex: Convex, schedule: list[Document], top: float, minutes: float
) -> None:
    """The top and the time follow from ramps, up and down, and from holds."""
    found = summary(convex, store(convex, schedule=schedule))
    assert (found["topC"], found["minutes"]) == (top, pytest.approx(minutes))


def test_pieces_and_glazes_are_summed_up(convex: Convex) -> None:
    """Pieces of all shelves count, and coats of each glaze, whatever its script."""
    firing = store(convex)
    call(convex, "place", firing, shelf="B2", piece="K5", glaze="tenmoku", coats=1.5)
    call(convex, "place", firing, shelf="B2", piece="K6", glaze="\u5fd7\u91ce", coats=1.0)
    assert summary(convex, firing) == {
        "topC": 1_240,
        "minutes": pytest.approx(1_220 / 150 * 60 + 20),
        "pieces": 5,
        "glazes": [
            {"glaze": "celadon", "coats": 3},
            {"glaze": "tenmoku", "coats": 3.5},
            {"glaze": "\u5fd7\u91ce", "coats": 1},
        ],
    }
    empty = summary(convex, store(convex, shelves={}))
    assert (empty["pieces"], empty["glazes"]) == (0, [])
