# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A theatre's costumes are created, read, replaced, changed and removed, or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Costume = dict[str, Any]

CLOAK: Costume = {"tag": "K-1", "piece": "cloak", "chestCm": 104.0, "lining": "red silk"}
DRESS: Costume = {"tag": "K-2", "piece": "dress", "chestCm": 88.5}


def create(convex: Convex, description: Costume, lent_to: str | None = None) -> str:
    """Create a costume, and lend it if somebody is named."""
    costume = cast("str", convex.mutation("costumes:create", description))
    if lent_to is not None:
        change(convex, costume, {"lentTo": lent_to})
    return costume


def change(convex: Convex, costume: str, changes: Costume) -> None:
    """Change a costume."""
    args = {"costume": costume, "changes": changes}
    assert convex.mutation("costumes:change", args) is None


def read(convex: Convex, costume: str) -> Costume:
    """Read a costume, which has to be what is stored."""
    document = cast("Costume", convex.query("costumes:read", {"costume": costume}))
    assert document == convex.document("costumes", costume)
    return document


def fields(convex: Convex, costume: str) -> Costume:
    """Read a costume, without the system's own fields."""
    document = read(convex, costume)
    return {name: value for name, value in document.items() if not name.startswith("_")}


def refused(convex: Convex, function: str, args: Costume) -> object:
    """Demand that a call is refused and changes nothing, and tell the error's data."""
    before = convex.table("costumes")
    with pytest.raises(FunctionFailed) as failed:
        (convex.query if function == "read" else convex.mutation)(f"costumes:{function}", args)
    assert convex.table("costumes") == before
    return failed.value.data


def refusals(convex: Convex, costume: str, wrong: Costume) -> list[object]:
    """Have a wrong description refused by `create`, `replace` and `change`; tell the data."""
    return [
        refused(convex, "create", CLOAK | {"tag": "K-9"} | wrong),
        refused(convex, "replace", {"costume": costume, **CLOAK, **wrong}),
        refused(convex, "change", {"costume": costume, "changes": wrong}),
    ]


def test_a_created_costume_can_be_read(convex: Convex) -> None:
    """It has what was given, and is in the house."""
    cloak, dress = create(convex, CLOAK), create(convex, DRESS)
    assert fields(convex, cloak) == CLOAK | {"lentTo": None}
    assert fields(convex, dress) == DRESS | {"lentTo": None}
    assert [document["_id"] for document in convex.table("costumes")] == [cloak, dress]


@pytest.mark.parametrize("lent_to", [None, "touring company"], ids=["in_the_house", "lent"])
@pytest.mark.parametrize(("before", "after"), [(CLOAK, DRESS), (DRESS, CLOAK)])
def test_a_replaced_costume_has_what_is_given(
    convex: Convex, before: Costume, after: Costume, lent_to: str | None
) -> None:
    """Nothing of the old description is left; who has it, its id and its age stay."""
    costume = create(convex, before, lent_to)
    other = create(convex, before | {"tag": "K-3"})
    old, beside = read(convex, costume), read(convex, other)
    assert convex.mutation("costumes:replace", {"costume": costume, **after}) is None
    assert fields(convex, costume) == after | {"lentTo": lent_to}
    assert read(convex, costume)["_creationTime"] == old["_creationTime"]
    assert read(convex, other) == beside


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tag": "K-7"},
        {"piece": ""},
        {"chestCm": 0.5},
        {"lining": "blue wool"},
        {"lining": ""},
        {"lentTo": "museum"},
        {"lentTo": None},
        {"tag": "K-7", "chestCm": 96.0, "lining": "linen", "lentTo": "museum"},
    ],
    ids=str,
)
@pytest.mark.parametrize("costume", [CLOAK, DRESS], ids=["with_lining", "without"])
def test_a_change_leaves_what_it_does_not_name(
    convex: Convex, costume: Costume, changes: Costume
) -> None:
    """What is given takes the place of what is stored, and everything else stays."""
    changed = create(convex, costume, "touring company")
    other = create(convex, costume | {"tag": "K-3"})
    old, beside = read(convex, changed), read(convex, other)
    change(convex, changed, changes)
    assert fields(convex, changed) == costume | {"lentTo": "touring company"} | changes
    assert read(convex, changed)["_creationTime"] == old["_creationTime"]
    assert read(convex, other) == beside


def test_a_lining_can_be_taken_out(convex: Convex) -> None:
    """Null removes the lining, also together with other changes, and where there is none."""
    cloak, dress = create(convex, CLOAK), create(convex, DRESS)
    change(convex, dress, {"lining": None})
    assert fields(convex, dress) == DRESS | {"lentTo": None}
    change(convex, cloak, {"lining": None, "piece": "cape"})
    assert fields(convex, cloak) == {
        "tag": "K-1",
        "piece": "cape",
        "chestCm": 104,
        "lentTo": None,
    }


def test_a_removed_costume_is_gone(convex: Convex) -> None:
    """It is returned as it was; the others stay, and its tag can be used again."""
    cloak, dress = create(convex, CLOAK), create(convex, DRESS)
    document = read(convex, cloak)
    assert convex.mutation("costumes:remove", {"costume": cloak}) == document
    assert [left["_id"] for left in convex.table("costumes")] == [dress]
    change(convex, dress, {"tag": "K-1"})


def test_a_lent_costume_is_not_removed(convex: Convex) -> None:
    """It is refused with who has it, and accepted when the costume is back."""
    cloak = create(convex, CLOAK, "museum")
    assert refused(convex, "remove", {"costume": cloak}) == {"code": "lent", "to": "museum"}
    change(convex, cloak, {"lentTo": ""})
    assert refused(convex, "remove", {"costume": cloak}) == {"code": "lent", "to": ""}
    change(convex, cloak, {"lentTo": None})
    convex.mutation("costumes:remove", {"costume": cloak})
    assert convex.table("costumes") == []


def test_a_costume_that_is_gone_is_not_found(convex: Convex) -> None:
    """Reading, replacing, changing and removing it are refused with its id, whatever is given."""
    create(convex, DRESS)
    gone = create(convex, CLOAK, "museum")
    convex.delete("costumes", gone)
    not_found = {"code": "not_found", "costume": gone}
    assert refused(convex, "read", {"costume": gone}) == not_found
    assert refused(convex, "remove", {"costume": gone}) == not_found
    for wrong in ({}, {"tag": ""}, {"chestCm": 0.0}, {"tag": "K-2"}):
        changes = {"costume": gone, "changes": wrong}
        assert refused(convex, "change", changes) == not_found
        assert refused(convex, "replace", {"costume": gone, **CLOAK, **wrong}) == not_found


def test_wrong_values_are_refused(convex: Convex) -> None:
    """Empty tags and chests that are not greater than 0 are refused with the field, tags first."""
    cloak = create(convex, CLOAK)
    create(convex, DRESS)
    tag, chest = ({"code": "invalid", "field": field} for field in ("tag", "chestCm"))
    assert refusals(convex, cloak, {"tag": ""}) == [tag] * 3
    assert refusals(convex, cloak, {"tag": "", "chestCm": 0.0}) == [tag] * 3
    assert refusals(convex, cloak, {"chestCm": 0.0}) == [chest] * 3
    assert refusals(convex, cloak, {"chestCm": -3.5}) == [chest] * 3
    assert refusals(convex, cloak, {"chestCm": 0.0, "tag": "K-2"}) == [chest] * 3


def test_no_two_costumes_have_the_same_tag(convex: Convex) -> None:
    """A tag is refused with the costume that has it, but for that costume itself."""
    cloak, dress = create(convex, CLOAK), create(convex, DRESS)
    taken = {"code": "tag_taken", "tag": "K-2", "costume": dress}
    assert refusals(convex, cloak, {"tag": "K-2"}) == [taken] * 3
    change(convex, dress, {"tag": "K-2", "piece": "gown"})
    assert convex.mutation("costumes:replace", {"costume": cloak, **CLOAK}) is None
    change(convex, dress, {"tag": "K-8"})
    change(convex, cloak, {"tag": "K-2"})
    assert [costume["tag"] for costume in convex.table("costumes")] == ["K-2", "K-8"]


def test_arguments_that_are_not_described_are_refused(convex: Convex) -> None:
    """Fields of other types, missing ones and unknown ones are refused."""
    cloak = create(convex, CLOAK)
    for wrong in ({"colour": "red"}, {"piece": None}, {"chestCm": "104"}, {"tag": 1.0}):
        refusals(convex, cloak, wrong)
    refused(convex, "create", CLOAK | {"tag": "K-9", "lentTo": "museum"})
    refused(convex, "create", {"tag": "K-9", "chestCm": 90.0})
    refused(convex, "replace", {"costume": cloak, **CLOAK, "lining": None})
    refused(convex, "replace", {"costume": cloak, "tag": "K-1", "chestCm": 90.0})


@pytest.mark.parametrize(
    "wrong",
    [{"tag": 1.0}, {"piece": None}, {"chestCm": "104"}, {"lining": None}, {"lentTo": 7.0}],
    ids=str,
)
def test_the_table_is_as_described(convex: Convex, wrong: Costume) -> None:
    """A costume with a field of another type cannot be stored."""
    costume = CLOAK | {"lentTo": None}
    convex.insert("costumes", costume)
    with pytest.raises(FunctionFailed):
        convex.insert("costumes", costume | wrong)
