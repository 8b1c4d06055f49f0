# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Search in a catalogue of shipwreck finds, narrowed by wreck, material and loan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from runner.grader import Convex, Source

Find = dict[str, Any]

CROWD = 120


def find(description: str, **changes: str | bool) -> Find:
    """Describe a find of the Vasa, of wood and in the house, but for the changes."""
    fields: Find = {
        "description": description,
        "wreck": "Vasa",
        "material": "wood",
        "onLoan": False,
    }
    return fields | changes


def search(convex: Convex, text: str, **arguments: str | bool | float) -> list[str]:
    """Search the Vasa's finds, and tell the descriptions found, sorted."""
    found = convex.query("finds:search", {"text": text, "wreck": "Vasa"} | arguments)
    return sorted(row["description"] for row in cast("list[Find]", found))


def test_a_word_of_the_description_finds_it(convex: Convex) -> None:
    """Finds whose description has the word are found; a part within a word is not the word."""
    descriptions = ["Carved lion of oak", "Oak barrel lid", "Pewter tankard", "Cloak pin"]
    convex.insert_many("finds", [find(description) for description in descriptions])
    assert search(convex, "oak") == ["Carved lion of oak", "Oak barrel lid"]
    assert search(convex, "OAK") == ["Carved lion of oak", "Oak barrel lid"]
    assert search(convex, "sextant") == []


def test_any_of_the_words_suffices(convex: Convex) -> None:
    """With several words, a find that has any of them matches."""
    convex.insert_many("finds", [find("Carved lion"), find("Pewter tankard"), find("Leather shoe")])
    assert search(convex, "tankard lion") == ["Carved lion", "Pewter tankard"]


def test_the_last_word_may_be_unfinished(convex: Convex) -> None:
    """The beginning of a word is enough for the last word typed."""
    convex.insert_many("finds", [find("Amphora with lid"), find("Ramp of a gun deck")])
    assert search(convex, "amph") == ["Amphora with lid"]


def test_finds_come_as_stored(convex: Convex) -> None:
    """A find comes back whole, with its id."""
    convex.insert_many("finds", [find("Oak barrel lid", onLoan=True), find("Pewter tankard")])
    found = convex.query("finds:search", {"text": "barrel", "wreck": "Vasa"})
    assert found == [row for row in convex.table("finds") if "barrel" in row["description"]]


@pytest.mark.parametrize("text", ["", "   ", "\n\t "], ids=["empty", "spaces", "line_break"])
def test_blank_text_finds_nothing(convex: Convex, text: str) -> None:
    """Text of nothing but white space finds nothing, and is no error."""
    convex.insert_many("finds", [find("Oak barrel lid")])
    assert search(convex, text) == []


def test_only_the_asked_wreck_is_searched(convex: Convex) -> None:
    """Finds of other wrecks are left out, also where their name begins the same."""
    convex.insert_many(
        "finds",
        [
            find("Oak mast", wreck="Vasa II"),
            find("Oak keel"),
            find("Oak rudder", wreck="vasa"),
            find("Oak rib", wreck="Mary Rose"),
        ],
    )
    assert search(convex, "oak") == ["Oak keel"]
    assert search(convex, "oak", wreck="Mary Rose") == ["Oak rib"]


def test_material_narrows_only_when_given(convex: Convex) -> None:
    """Without a material finds of every material match; with one, only those of it."""
    convex.insert_many(
        "finds",
        [find("Small bowl"), find("Large bowl", material="pewter"), find("Bowl", material="")],
    )
    assert search(convex, "bowl") == ["Bowl", "Large bowl", "Small bowl"]
    assert search(convex, "bowl", material="pewter") == ["Large bowl"]
    assert search(convex, "bowl", material="glass") == []
    assert search(convex, "bowl", material="") == ["Bowl"]


def test_not_on_loan_is_a_condition_too(convex: Convex) -> None:
    """`onLoan` false leaves out what is on loan; left out, it leaves out nothing."""
    convex.insert_many("finds", [find("Small bowl"), find("Large bowl", onLoan=True)])
    assert search(convex, "bowl") == ["Large bowl", "Small bowl"]
    assert search(convex, "bowl", onLoan=True) == ["Large bowl"]
    assert search(convex, "bowl", onLoan=False) == ["Small bowl"]


def test_conditions_add_up(convex: Convex) -> None:
    """With all conditions given, only finds that meet all of them match."""
    convex.insert_many(
        "finds",
        [
            find(
                f"Bowl {material} {wreck} {on_loan}", material=material, wreck=wreck, onLoan=on_loan
            )
            for material in ("wood", "pewter")
            for wreck in ("Vasa", "Mary Rose")
            for on_loan in (True, False)
        ],
    )
    assert search(convex, "bowl", material="pewter", onLoan=False) == ["Bowl pewter Vasa False"]
    assert search(convex, "bowl", material="wood", onLoan=True) == ["Bowl wood Vasa True"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [({}, 10), ({"limit": 1.0}, 1), ({"limit": 25.0}, 25), ({"limit": 1000.0}, 50)],
    ids=["left_out", "one", "more_than_usual", "too_many"],
)
def test_results_are_limited(convex: Convex, arguments: dict[str, float], expected: int) -> None:
    """There are at most `limit` results, 10 if it is left out, and never more than 50."""
    convex.insert_many("finds", [find(f"Nail {number}") for number in range(CROWD)])
    assert expected == len(search(convex, "nail", **arguments))


def test_fewer_finds_than_the_limit_are_all_returned(convex: Convex) -> None:
    """Where fewer finds match than the limit, all of them are returned."""
    convex.insert_many("finds", [find(f"Nail {number}") for number in range(3)])
    assert search(convex, "nail", limit=50.0) == ["Nail 0", "Nail 1", "Nail 2"]


@pytest.mark.parametrize("order", ["crowd_first", "crowd_last"])
@pytest.mark.parametrize(
    "other",
    [{"wreck": "Mary Rose"}, {"material": "iron"}, {"onLoan": True}],
    ids=["other_wreck", "other_material", "other_loan"],
)
def test_others_do_not_take_the_places(
    convex: Convex, other: dict[str, str | bool], order: str
) -> None:
    """A find is found, whatever number of other finds match the words better."""
    crowd = [find("Nail, nail, nail", **other) for _ in range(CROWD)]
    wanted = [find("Bent nail from the rudder of the ship, found apart from the others")]
    convex.insert_many("finds", crowd + wanted if order == "crowd_first" else wanted + crowd)
    found = search(convex, "nail", material="wood", onLoan=False, limit=5.0)
    assert found == [wanted[0]["description"]]


def test_the_search_index_knows_every_condition(convex: Convex) -> None:
    """A search index on the description has the wreck, the material and the loan to filter by."""
    conditions = {"wreck", "material", "onLoan"}
    indexes = convex.schema.tables["finds"].search_indexes
    searched = [index for index in indexes if index.search_field == "description"]
    assert any(conditions <= set(index.filter_fields) for index in searched)


def test_nothing_is_filtered_after_the_search(source: Source) -> None:
    """The conditions are part of the search, not a filter over its results."""
    assert source.calls("filter") == []
