# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Instruments of three kinds in one table: never mixed, found across kinds, changed in kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Document = dict[str, Any]

LEFT_OUT = object()
MANY = 200
AT_MOST = 60
"""Documents that one transaction may read where many are stored."""

COMMON: Document = {"inventory": "MI-0381", "acquired": 1_934.0}
VIOLIN: Document = {"kind": "string", "strings": 4.0, "tuning": ["G3", "D4", "A4", "E5"]}
OBOE: Document = {"kind": "wind", "bore": "conical", "reed": "double"}
DRUM: Document = {"kind": "percussion", "pitched": False, "head": "calfskin"}
UNTUNED: Document = {"kind": "string", "strings": 0.0, "tuning": []}
FIFE: Document = {"kind": "wind", "bore": "conical", "reed": None}
MARIMBA: Document = {"kind": "percussion", "pitched": True}

KINDS: dict[str, Document] = {
    "string": VIOLIN,
    "untuned": UNTUNED,
    "wind": OBOE,
    "single_reed": {"kind": "wind", "bore": "cylindrical", "reed": "single"},
    "no_reed": FIFE,
    "percussion": DRUM,
    "no_head": MARIMBA,
}
MIXES: dict[str, Document] = {
    "string_with_reed": VIOLIN | {"reed": None},
    "string_with_head": VIOLIN | {"head": "calfskin"},
    "string_without_tuning": {"kind": "string", "strings": 4.0},
    "string_with_null_tuning": VIOLIN | {"tuning": None},
    "wind_with_strings": OBOE | {"strings": 0.0},
    "wind_as_string": OBOE | {"kind": "string"},
    "wind_without_reed": {"kind": "wind", "bore": "conical"},
    "wind_without_bore": {"kind": "wind", "reed": None},
    "unknown_bore": OBOE | {"bore": "square"},
    "unknown_reed": OBOE | {"reed": "none"},
    "percussion_with_tuning": MARIMBA | {"tuning": []},
    "percussion_without_pitched": {"kind": "percussion", "head": "calfskin"},
    "null_head": MARIMBA | {"head": None},
    "all_three": VIOLIN | OBOE | DRUM,
    "no_kind": {"strings": 4.0, "tuning": []},
    "unknown_kind": {"kind": "keyboard"},
    "another_field": MARIMBA | {"maker": "Musser"},
}
LABELS: dict[str, str] = {
    "string": "4 strings: G3 D4 A4 E5",
    "untuned": "0 strings",
    "wind": "conical, double reed",
    "single_reed": "cylindrical, single reed",
    "no_reed": "conical, no reed",
    "percussion": "unpitched with head of calfskin",
    "no_head": "pitched",
}


def store(convex: Convex, kind: Document, **changes: object) -> str:
    """Store an instrument past all functions."""
    fields: Document = {**COMMON, **kind, **changes}
    return convex.insert("instruments", fields)


def gone(convex: Convex) -> str:
    """Tell the id of an instrument that is no longer there."""
    identifier = store(convex, VIOLIN)
    convex.delete("instruments", identifier)
    return identifier


def fields(convex: Convex, identifier: str) -> Document:
    """Tell what is stored, without Convex's own fields."""
    document = convex.document("instruments", identifier)
    assert document is not None
    return {name: value for name, value in document.items() if name not in {"_id", "_creationTime"}}


def call(convex: Convex, function: str, identifier: str, **args: object) -> object:
    """Change an instrument."""
    arguments: Any = {"instrument": identifier, **args}
    return convex.mutation(f"instruments:{function}", arguments)


def listed(convex: Convex, function: str, **args: object) -> list[str]:
    """Ask for a list of instruments, which come as they are stored, and tell their ids."""
    arguments: Any = args
    found: Any = convex.query(f"instruments:{function}", arguments)
    stored = {document["_id"]: document for document in convex.table("instruments")}
    assert found == [stored[each["_id"]] for each in found]
    return [each["_id"] for each in found]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_each_kind_is_stored(convex: Convex, kind: Document) -> None:
    """An instrument of any kind is stored as it was given, and its id returned."""
    identifier = convex.mutation("instruments:acquire", {"instrument": COMMON | kind})
    assert isinstance(identifier, str)
    assert fields(convex, identifier) == COMMON | kind


@pytest.mark.parametrize("mix", MIXES.values(), ids=MIXES)
def test_kinds_do_not_mix(convex: Convex, mix: Document) -> None:
    """What is of none of the kinds is refused by the database and by both functions."""
    identifier = store(convex, OBOE)
    with pytest.raises(FunctionFailed):
        store(convex, mix)
    with pytest.raises(FunctionFailed):
        convex.mutation("instruments:acquire", {"instrument": COMMON | mix})
    with pytest.raises(FunctionFailed):
        call(convex, "reclassify", identifier, **{"as": mix})
    assert fields(convex, identifier) == COMMON | OBOE
    assert len(convex.table("instruments")) == 1
    assert call(convex, "reclassify", identifier, **{"as": DRUM}) is True


@pytest.mark.parametrize("kind", [VIOLIN, OBOE, DRUM], ids=["string", "wind", "percussion"])
def test_every_instrument_has_a_number_and_a_year(convex: Convex, kind: Document) -> None:
    """Whatever its kind, neither can be left out, nor given again with a new kind."""
    for missing in COMMON:
        rest: Any = {name: COMMON[name] for name in COMMON if name != missing} | kind
        with pytest.raises(FunctionFailed):
            convex.insert("instruments", rest)
        with pytest.raises(FunctionFailed):
            convex.mutation("instruments:acquire", {"instrument": rest})
    identifier = store(convex, VIOLIN)
    with pytest.raises(FunctionFailed):
        call(convex, "reclassify", identifier, **{"as": COMMON | kind})
    assert call(convex, "reclassify", identifier, **{"as": kind}) is True
    assert len(convex.table("instruments")) == 1


@pytest.mark.parametrize("before", KINDS.values(), ids=KINDS)
def test_a_new_kind_leaves_nothing_of_the_old(convex: Convex, before: Document) -> None:
    """A reclassified instrument keeps number, year and id, and nothing of its former kind."""
    other, identifier = store(convex, before), store(convex, before)
    for after in (MARIMBA, OBOE, VIOLIN, UNTUNED, DRUM, MARIMBA):
        assert call(convex, "reclassify", identifier, **{"as": after}) is True
        assert fields(convex, identifier) == COMMON | after
    assert fields(convex, other) == COMMON | before
    assert call(convex, "reclassify", gone(convex), **{"as": OBOE}) is False


def test_only_strings_are_tuned(convex: Convex) -> None:
    """A string instrument gets its tuning; other kinds, and what is gone, get none."""
    violin, others = store(convex, VIOLIN), [store(convex, OBOE), store(convex, MARIMBA)]
    assert call(convex, "retune", violin, tuning=["A3", "E4"]) is True
    assert fields(convex, violin) == COMMON | VIOLIN | {"tuning": ["A3", "E4"]}
    assert [call(convex, "retune", other, tuning=["A3"]) for other in others] == [False, False]
    assert [fields(convex, other) for other in others] == [COMMON | OBOE, COMMON | MARIMBA]
    assert call(convex, "retune", gone(convex), tuning=[]) is False


@pytest.mark.parametrize("name", KINDS)
def test_a_label_tells_the_kind(convex: Convex, name: str) -> None:
    """The label of each kind is made of its own fields."""
    query = {"instrument": store(convex, KINDS[name])}
    assert convex.query("instruments:label", query) == LABELS[name]
    assert convex.query("instruments:label", {"instrument": gone(convex)}) is None


def test_a_kind_comes_by_year(convex: Convex) -> None:
    """A kind comes by the year of acquisition, then in the order of storing."""
    late, early, same = (store(convex, OBOE, acquired=year) for year in (1990.0, 1901.0, 1990.0))
    drum = store(convex, DRUM, acquired=1950.0)
    violin = store(convex, VIOLIN)
    fife = store(convex, FIFE, acquired=-400.0)
    assert listed(convex, "ofKind", kind="wind") == [fife, early, late, same]
    assert listed(convex, "ofKind", kind="string") == [violin]
    call(convex, "reclassify", drum, **{"as": OBOE})
    assert listed(convex, "ofKind", kind="percussion") == []
    assert listed(convex, "ofKind", kind="wind") == [fife, early, drum, late, same]
    with pytest.raises(FunctionFailed):
        listed(convex, "ofKind", kind="keyboard")


def test_strings_are_found_by_their_number(convex: Convex) -> None:
    """Just the string instruments with so many strings are found."""
    six, four = store(convex, VIOLIN, strings=6.0), store(convex, VIOLIN)
    again = store(convex, VIOLIN, strings=6.0, acquired=1700.0)
    for kind in (OBOE, MARIMBA):
        store(convex, kind)
    assert listed(convex, "withStrings", strings=6.0) == [six, again]
    assert listed(convex, "withStrings", strings=4.0) == [four]
    assert listed(convex, "withStrings", strings=5.0) == []
    assert listed(convex, "withStrings", strings=0.0) == []


def test_others_are_not_read(convex: Convex) -> None:
    """A few are found among many of another kind, or with another number of strings."""
    lute, drum = store(convex, VIOLIN, strings=13.0), store(convex, DRUM)
    crowd: list[Any] = [COMMON | VIOLIN | {"acquired": 1500.0 + n} for n in range(MANY)]
    convex.insert_many("instruments", crowd)
    theorbo, gong = store(convex, VIOLIN, strings=13.0), store(convex, MARIMBA)
    convex.limit(documents_read=AT_MOST)
    assert listed(convex, "withStrings", strings=13.0) == [lute, theorbo]
    assert listed(convex, "ofKind", kind="percussion") == [drum, gong]
    assert listed(convex, "ofKind", kind="wind") == []
