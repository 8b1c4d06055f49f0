# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Carpets in an old and a new form: both valid, read alike, and brought into the new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Source

Document = dict[str, Any]

FOUND = 10
BATCH = 50
MANY = 200
READ_FOR_A_LIST = 60
READ_FOR_A_BATCH = 160
"""Documents that one transaction may read where many are stored; a batch reads its own 50."""

OLD: Document = {"knotter": "Shirin", "width": 140.0}
NUMBERED: Document = OLD | {"loomNumber": 7.0}
INCHES: Document = {"value": 55.5, "unit": "in"}
NEW: Document = {"knotter": "Parvin", "weave": "mixed", "width": INCHES}
REFUSED: dict[str, Document] = {
    "unknown_weave": {"weave": "knotted"},
    "null_weave": {"weave": None},
    "width_as_text": {"width": "140"},
    "null_width": {"width": None},
    "unknown_unit": {"width": {"value": 1.0, "unit": "ft"}},
    "no_unit": {"width": {"value": 1.0}},
    "more_in_the_width": {"width": INCHES | {"exact": True}},
    "null_loom": {"loomNumber": None},
    "loom_as_text": {"loomNumber": "7"},
    "number_as_knotter": {"knotter": 3.0},
    "another_field": {"dyer": "Nasrin"},
}


def shown(carpet: str, form: Document) -> Document:
    """Say how a carpet of either form is returned."""
    width = form["width"]
    return {
        "carpet": carpet,
        "knotter": form["knotter"],
        "weave": form.get("weave", "pile"),
        "width": width if isinstance(width, dict) else {"value": width, "unit": "cm"},
    }


def stored(convex: Convex) -> list[Document]:
    """Tell all carpets as they are stored, without Convex's own fields."""
    own = {"_id", "_creationTime"}
    return [
        {name: value for name, value in carpet.items() if name not in own}
        for carpet in convex.table("carpets")
    ]


def modern(form: Document) -> Document:
    """Say how a carpet of either form is stored in the new one."""
    return {name: value for name, value in shown("", form).items() if name != "carpet"}


def of_weave(convex: Convex, weave: str) -> list[Document]:
    """Ask for the first carpets of a weave."""
    found: Any = convex.query("carpets:ofWeave", {"weave": weave})
    return found


def upgrade(convex: Convex) -> object:
    """Bring a batch into the new form."""
    return convex.admin.mutation("carpets:upgrade")


def resize(convex: Convex, carpet: str, width: object) -> object:
    """Change a carpet's width."""
    args: Any = {"carpet": carpet, "width": width}
    return convex.mutation("carpets:resize", args)


@pytest.mark.parametrize(
    "form",
    [OLD, NUMBERED, NEW, NEW | {"weave": "flat"}, NEW | {"width": {"value": 0.0, "unit": "cm"}}],
    ids=["old", "old_numbered", "new", "flat", "zero"],
)
def test_both_forms_are_valid_and_read_alike(convex: Convex, form: Document) -> None:
    """A document of either form is accepted as it is, and read in the new form."""
    carpet = convex.insert("carpets", form)
    assert convex.query("carpets:get", {"carpet": carpet}) == shown(carpet, form)
    assert of_weave(convex, form.get("weave", "pile")) == [shown(carpet, form)]
    assert stored(convex) == [form], "reading has changed the document"
    convex.delete("carpets", carpet)
    assert convex.query("carpets:get", {"carpet": carpet}) is None


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_neither_form_admits_anything_else(convex: Convex, change: Document) -> None:
    """What fits neither form is refused by the database and by the function that adds."""
    for form in (OLD, NEW):
        with pytest.raises(FunctionFailed):
            convex.insert("carpets", form | change)
        with pytest.raises(FunctionFailed):
            convex.mutation("carpets:add", form | change)
        convex.mutation("carpets:add", form)
    assert len(stored(convex)) == len((OLD, NEW))


@pytest.mark.parametrize("missing", ["knotter", "width"])
def test_what_was_required_is_still_required(convex: Convex, missing: str) -> None:
    """The knotter and the width cannot be left out."""
    for form in (OLD, NEW):
        rest = {name: value for name, value in form.items() if name != missing}
        with pytest.raises(FunctionFailed):
            convex.insert("carpets", rest)
        with pytest.raises(FunctionFailed):
            convex.mutation("carpets:add", rest)
        convex.insert("carpets", form)
    assert stored(convex) == [OLD, NEW]


@pytest.mark.parametrize(
    "given",
    [OLD, NEW, OLD | {"weave": "flat"}, {"knotter": "", "width": INCHES}, OLD | {"width": 0.0}],
    ids=["old_client", "new_client", "old_width", "no_weave", "zero"],
)
def test_whatever_is_added_is_of_the_new_form(convex: Convex, given: Document) -> None:
    """Old and new clients both add carpets, which are stored in the new form."""
    carpet = convex.mutation("carpets:add", given)
    assert isinstance(carpet, str)
    assert stored(convex) == [modern(given)]
    assert convex.query("carpets:get", {"carpet": carpet}) == shown(carpet, given)


@pytest.mark.parametrize("width", [90.5, INCHES], ids=["centimetres", "inches"])
@pytest.mark.parametrize("form", [OLD, NUMBERED, NEW], ids=["old", "old_numbered", "new"])
def test_a_resized_carpet_is_of_the_new_form(convex: Convex, form: Document, width: object) -> None:
    """A carpet that is resized is in the new form, and only its width has changed."""
    other, carpet = convex.insert("carpets", form), convex.insert("carpets", form)
    assert resize(convex, carpet, width) is True
    assert stored(convex) == [form, modern(form | {"width": width})]
    convex.delete("carpets", other)
    assert resize(convex, other, width) is False


def test_a_weave_has_carpets_of_both_forms(convex: Convex) -> None:
    """The first ten of a weave come in the order of storing, old ones as pile."""
    pile, flat = NEW | {"weave": "pile"}, NEW | {"weave": "flat"}
    forms = [flat, pile, NUMBERED, pile, flat, *[pile, OLD] * 6]
    carpets = [(convex.insert("carpets", form), form) for form in forms]
    piles = [shown(carpet, form) for carpet, form in carpets if form is not flat]
    assert of_weave(convex, "pile") == piles[:FOUND]
    assert of_weave(convex, "flat") == [shown(carpets[0][0], flat), shown(carpets[4][0], flat)]
    assert of_weave(convex, "mixed") == []
    with pytest.raises(FunctionFailed):
        of_weave(convex, "knotted")
    convex.clear()
    olds = [shown(convex.insert("carpets", OLD), OLD) for _ in range(FOUND + 2)]
    convex.insert("carpets", pile)
    assert of_weave(convex, "pile") == olds[:FOUND]


def test_an_upgrade_changes_nothing_for_readers(convex: Convex) -> None:
    """Old documents come into the new form, with their ids and order; new ones stay."""
    forms = [NEW, OLD, NUMBERED, NEW | {"weave": "pile"}, OLD | {"width": 0.0}]
    for form in forms:
        convex.insert("carpets", form)
    before = of_weave(convex, "pile"), of_weave(convex, "mixed")
    system = [(each["_id"], each["_creationTime"]) for each in convex.table("carpets")]
    assert [upgrade(convex), upgrade(convex)] == [3, 0]
    assert stored(convex) == [modern(form) for form in forms]
    assert [(each["_id"], each["_creationTime"]) for each in convex.table("carpets")] == system
    assert (of_weave(convex, "pile"), of_weave(convex, "mixed")) == before


def test_few_are_read_among_many(convex: Convex) -> None:
    """Lists and batches do not read what they neither return nor change."""
    convex.insert_many("carpets", [NEW] * MANY)
    convex.insert_many("carpets", [NUMBERED] * (BATCH + 2))
    convex.limit(documents_read=READ_FOR_A_LIST)
    assert len(of_weave(convex, "pile")) == FOUND
    assert len(of_weave(convex, "mixed")) == FOUND
    assert of_weave(convex, "flat") == []
    convex.limit(documents_read=READ_FOR_A_BATCH)
    assert [upgrade(convex), upgrade(convex), upgrade(convex)] == [BATCH, 2, 0]
    assert stored(convex) == [NEW] * MANY + [modern(OLD)] * (BATCH + 2)


def test_the_upgrade_is_not_public(convex: Convex) -> None:
    """Clients can add, read and resize, and nothing else."""
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {
        "carpets:add": "mutation",
        "carpets:get": "query",
        "carpets:ofWeave": "query",
        "carpets:resize": "mutation",
    }


def test_weaves_and_units_are_listed_once(source: Source) -> None:
    """The schema and the arguments share one list of weaves and one of units."""
    texts = [(node.text or b"").strip(b"\"'`") for node in source.nodes("string")]
    assert {text: texts.count(text) for text in (b"mixed", b"in")} == {b"mixed": 1, b"in": 1}
