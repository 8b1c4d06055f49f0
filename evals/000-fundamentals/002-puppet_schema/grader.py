# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The schema of a puppet theatre: what it lets in, what it refuses, and its indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Document = dict[str, Any]

LEFT_OUT = object()

PUPPET: Document = {"number": "M-017", "kind": "marionette", "strings": 9.0, "carver": "I. Bohm"}


def repair(convex: Convex) -> Document:
    """Make a repair of a puppet of its own, which fits the schema."""
    return {
        "puppet": convex.insert("puppets", PUPPET),
        "day": "2024-03-09",
        "parts": ["left knee", "control bar"],
        "costCents": 4250.0,
    }


def changed(document: Document, changes: Document) -> Document:
    """Change a document's fields, or leave them out."""
    return {name: value for name, value in (document | changes).items() if value is not LEFT_OUT}


def kept(convex: Convex, table: str, document: Document) -> Document:
    """Store a document, and tell what is stored of it besides the system's own fields."""
    stored = convex.document(table, convex.insert(table, document))
    assert stored is not None
    return {name: value for name, value in stored.items() if not name.startswith("_")}


def refuse(convex: Convex, table: str, document: Document, changes: Document) -> None:
    """Demand that a document is refused for its changes: without them it is let in."""
    convex.insert(table, document)
    with pytest.raises(FunctionFailed):
        convex.insert(table, changed(document, changes))


def test_puppets_that_fit_are_stored_as_they_are(convex: Convex) -> None:
    """Each kind of puppet can be stored, with strings or without, with a carver or with none."""
    variants: list[Document] = [
        *({"kind": kind} for kind in ("marionette", "glove", "rod", "shadow")),
        {"strings": 0.0},
        {"strings": LEFT_OUT},
        {"carver": None},
        {"carver": "", "strings": LEFT_OUT},
    ]
    for variant in variants:
        document = changed(PUPPET, variant)
        assert kept(convex, "puppets", document) == document


def test_repairs_that_fit_are_stored_as_they_are(convex: Convex) -> None:
    """A repair can be stored with parts and without, and a puppet can have several."""
    document = repair(convex)
    variants: list[Document] = [{}, {"parts": []}, {"costCents": 0.5}]
    for variant in variants:
        assert kept(convex, "repairs", document | variant) == document | variant


@pytest.mark.parametrize(
    "changes",
    [
        {"number": LEFT_OUT},
        {"number": 17.0},
        {"kind": LEFT_OUT},
        {"kind": "ventriloquist"},
        {"kind": None},
        {"strings": None},
        {"strings": "nine"},
        {"carver": LEFT_OUT},
        {"carver": 3.0},
        {"createdAt": 1_700_000_000_000.0},
    ],
    ids=[
        "no_number",
        "number_as_number",
        "no_kind",
        "unknown_kind",
        "null_kind",
        "null_strings",
        "text_as_strings",
        "no_carver",
        "number_as_carver",
        "unknown_field",
    ],
)
def test_puppets_that_do_not_fit_are_refused(convex: Convex, changes: Document) -> None:
    """A puppet with a wrong, a missing or an unknown field is refused."""
    refuse(convex, "puppets", PUPPET, changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"puppet": LEFT_OUT},
        {"puppet": "M-017"},
        {"day": LEFT_OUT},
        {"day": 1_709_942_400_000.0},
        {"parts": LEFT_OUT},
        {"parts": "left knee"},
        {"parts": [3.0]},
        {"costCents": LEFT_OUT},
        {"costCents": "4250"},
        {"carver": None},
    ],
    ids=[
        "no_puppet",
        "text_as_puppet",
        "no_day",
        "number_as_day",
        "no_parts",
        "text_as_parts",
        "number_as_part",
        "no_cost",
        "text_as_cost",
        "field_of_the_other_table",
    ],
)
def test_repairs_that_do_not_fit_are_refused(convex: Convex, changes: Document) -> None:
    """A repair with a wrong, a missing or an unknown field is refused."""
    refuse(convex, "repairs", repair(convex), changes)


def test_a_repair_belongs_to_a_puppet(convex: Convex) -> None:
    """The id of a document of another table is refused as a puppet."""
    document = repair(convex)
    other = convex.insert("repairs", document)
    refuse(convex, "repairs", document, {"puppet": other})


def test_the_indexes_are_those_that_the_questions_need(convex: Convex) -> None:
    """There are three indexes: by number, by kind and number, by puppet and day."""
    found = {
        name: sorted(index.fields for index in table.indexes)
        for name, table in convex.schema.tables.items()
    }
    assert found == {
        "puppets": [("kind", "number"), ("number",)],
        "repairs": [("puppet", "day")],
    }


def test_there_is_nothing_else(convex: Convex) -> None:
    """There are two tables without other kinds of indexes, and no functions."""
    tables = convex.schema.tables
    assert set(tables) == {"puppets", "repairs"}
    assert not any(table.search_indexes or table.vector_indexes for table in tables.values())
    assert dict(convex.functions) == {}
