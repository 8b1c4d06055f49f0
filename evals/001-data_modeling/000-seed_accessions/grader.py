# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Documents that fit the seed library's schema are stored as they are; all others are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed, Int64

if TYPE_CHECKING:
    from runner.grader import Convex

LEFT_OUT = object()
MORE_THAN_A_FLOAT_HOLDS = Int64(2**53 + 1)


def accession(convex: Convex, **changes: object) -> dict[str, Any]:
    """Make an accession that fits the schema, but for the changes."""
    fields: dict[str, Any] = {
        "label": "Dactylorhiza maculata, upper bog",
        "germination": 0.62,
        "viable": True,
        "seedCount": Int64(48_000),
        "packetDigest": b"\x00\xff\x10packet",
        "shelf": convex.insert("shelves", {"code": "C-14"}),
        "parent": None,
        "status": "stored",
        "climate": {"temperatureC": -18.5, "sealed": True},
        "synonyms": ["Orchis maculata"],
        "germinationByYear": {},
        "origin": {"kind": "collected", "place": "upper bog"},
    }
    return changed(fields, changes)


def changed(document: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Change a document's fields, or leave them out."""
    return {name: value for name, value in (document | changes).items() if value is not LEFT_OUT}


def stored(convex: Convex, **changes: object) -> dict[str, Any]:
    """Store an accession with the changes and read it back."""
    identifier = convex.insert("accessions", accession(convex, **changes))
    document = convex.document("accessions", identifier)
    assert document is not None
    return document


def refuse(convex: Convex, **changes: object) -> None:
    """Demand that an accession with the changes is refused, and that without them it is not."""
    document = accession(convex)
    convex.insert("accessions", document)
    with pytest.raises(FunctionFailed):
        convex.insert("accessions", changed(document, changes))


def test_every_kind_of_value_comes_back_as_it_was_stored(convex: Convex) -> None:
    """Text, numbers, booleans, bytes, lists, mappings and objects come back as they were stored."""
    expected = accession(
        convex,
        collectedAt=1_689_012_345_678.0,
        climate={"temperatureC": -18.5, "sealed": False, "jar": "amber"},
        germinationByYear={"2019": 0.71, "2023": 0.4},
    )
    document = convex.document("accessions", convex.insert("accessions", expected))
    assert document is not None
    assert expected == {name: document[name] for name in expected}


def test_counts_beyond_floating_point_are_exact(convex: Convex) -> None:
    """A seed count of 2^53 + 1 keeps its last digit, and a negative one is whole too."""
    assert stored(convex, seedCount=MORE_THAN_A_FLOAT_HOLDS)["seedCount"] == 2**53 + 1
    assert stored(convex, seedCount=Int64(-(2**63)))["seedCount"] == -(2**63)


def test_a_floating_point_seed_count_is_refused(convex: Convex) -> None:
    """A floating-point number is no seed count, even when it is whole."""
    refuse(convex, seedCount=48_000.0)


def test_a_64_bit_number_is_no_measurement(convex: Convex) -> None:
    """A 64-bit whole number is refused where a floating-point number is asked for."""
    refuse(convex, germination=Int64(1))


@pytest.mark.parametrize("length", [0, 32, 4096])
def test_digests_are_bytes(convex: Convex, length: int) -> None:
    """Raw bytes of any length are stored as bytes."""
    digest = bytes(n % 256 for n in range(length))
    assert stored(convex, packetDigest=digest)["packetDigest"] == digest


def test_a_digest_as_text_is_refused(convex: Convex) -> None:
    """Text is refused where raw bytes are asked for."""
    refuse(convex, packetDigest="AP8QcGFja2V0")


def test_parent_may_be_null_or_an_accession(convex: Convex) -> None:
    """The parent is null or an accession."""
    first = stored(convex, parent=None)
    assert first["parent"] is None
    assert stored(convex, parent=first["_id"])["parent"] == first["_id"]


def test_parent_is_always_present(convex: Convex) -> None:
    """Leaving the parent out is refused: not known is said as null."""
    refuse(convex, parent=LEFT_OUT)


def test_collection_time_may_be_left_out(convex: Convex) -> None:
    """The time of collection may be left out, and is then not there."""
    assert "collectedAt" not in stored(convex)
    assert stored(convex, collectedAt=0.0)["collectedAt"] == 0


def test_collection_time_is_never_null(convex: Convex) -> None:
    """Null is refused for the time of collection: not known is said by leaving it out."""
    refuse(convex, collectedAt=None)


def test_a_jar_may_be_left_out_but_is_never_null(convex: Convex) -> None:
    """The jar inside the climate may be left out, and null is refused for it."""
    assert "jar" not in stored(convex)["climate"]
    refuse(convex, climate={"temperatureC": 4.0, "sealed": True, "jar": None})


@pytest.mark.parametrize("status", ["drying", "stored", "withdrawn"])
def test_each_listed_status_is_stored(convex: Convex, status: str) -> None:
    """Each of the three statuses is stored."""
    assert stored(convex, status=status)["status"] == status


@pytest.mark.parametrize(
    "status", ["lost", "Stored", "", None], ids=["lost", "capital", "empty", "null"]
)
def test_an_unlisted_status_is_refused(convex: Convex, status: str | None) -> None:
    """Any status but the three is refused."""
    refuse(convex, status=status)


def test_references_point_to_their_own_table(convex: Convex) -> None:
    """An accession's id is refused as a shelf, and a shelf's id as a parent."""
    other = stored(convex)
    refuse(convex, shelf=other["_id"])
    refuse(convex, parent=other["shelf"])


def test_text_that_is_no_id_is_refused_as_a_shelf(convex: Convex) -> None:
    """A shelf's code is refused where a reference to the shelf is asked for."""
    refuse(convex, shelf="C-14")


@pytest.mark.parametrize(
    "origin",
    [
        {"kind": "collected", "place": "dune slack"},
        {"kind": "donated", "donor": "R. Okafor"},
        {"kind": "donated", "donor": "R. Okafor", "letter": b"%PDF"},
    ],
    ids=["collected", "donated", "donated_with_letter"],
)
def test_both_origins_are_stored(convex: Convex, origin: dict[str, Any]) -> None:
    """Collected and donated seed are both stored, the latter with or without a letter."""
    assert stored(convex, origin=origin)["origin"] == origin


@pytest.mark.parametrize(
    "origin",
    [
        {"kind": "collected", "donor": "R. Okafor"},
        {"kind": "donated", "place": "dune slack"},
        {"kind": "collected", "place": "dune slack", "donor": "R. Okafor"},
        {"kind": "donated", "donor": "R. Okafor", "letter": None},
        {"kind": "bought", "place": "market"},
        {"place": "dune slack"},
    ],
    ids=["no_place", "no_donor", "both", "null_letter", "other_kind", "no_kind"],
)
def test_the_two_origins_do_not_mix(convex: Convex, origin: dict[str, Any]) -> None:
    """An origin that is neither of the two shapes is refused."""
    refuse(convex, origin=origin)


def test_years_are_not_known_in_advance(convex: Convex) -> None:
    """Any year may be a key of the germination by year."""
    shares = {str(year): year / 4000 for year in range(1950, 1990)}
    assert stored(convex, germinationByYear=shares)["germinationByYear"] == shares


@pytest.mark.parametrize(
    "changes",
    [
        {"germinationByYear": {"2019": "high"}},
        {"germinationByYear": [0.5]},
        {"synonyms": "Orchis maculata"},
        {"synonyms": ["Orchis maculata", 7.0]},
        {"viable": "yes"},
        {"viable": None},
        {"label": 12.0},
        {"germination": "0.62"},
        {"climate": "cold"},
        {"climate": {"temperatureC": 4.0}},
        {"climate": {"temperatureC": "4", "sealed": True}},
        {"origin": {"kind": "collected", "place": 7.0}},
        {"origin": {"kind": "donated", "donor": 7.0}},
    ],
    ids=[
        "share_as_text",
        "shares_as_list",
        "synonyms_as_text",
        "number_among_synonyms",
        "viable_as_text",
        "viable_as_null",
        "label_as_number",
        "germination_as_text",
        "climate_as_text",
        "climate_without_sealed",
        "temperature_as_text",
        "place_as_number",
        "donor_as_number",
    ],
)
def test_values_of_another_kind_are_refused(convex: Convex, changes: dict[str, Any]) -> None:
    """A value of another kind than described is refused."""
    refuse(convex, **changes)


@pytest.mark.parametrize(
    "field",
    [
        "label",
        "germination",
        "viable",
        "seedCount",
        "packetDigest",
        "shelf",
        "status",
        "climate",
        "synonyms",
        "germinationByYear",
        "origin",
    ],
)
def test_required_fields_cannot_be_left_out(convex: Convex, field: str) -> None:
    """An accession without a required field is refused."""
    refuse(convex, **{field: LEFT_OUT})


@pytest.mark.parametrize(
    "changes",
    [
        {"notes": "found behind the radiator"},
        {"climate": {"temperatureC": 4.0, "sealed": True, "humidity": 0.3}},
    ],
    ids=["at_the_top", "inside_the_climate"],
)
def test_fields_that_are_not_named_are_refused(convex: Convex, changes: dict[str, Any]) -> None:
    """A field that the description does not name is refused, also inside an object."""
    refuse(convex, **changes)


def test_shelves_hold_a_code(convex: Convex) -> None:
    """A shelf holds a code, and nothing else."""
    convex.insert("shelves", {"code": "A-1"})
    for document in ({}, {"code": 1.0}, {"code": "A-1", "room": "cellar"}):
        with pytest.raises(FunctionFailed):
            convex.insert("shelves", document)
    assert [shelf["code"] for shelf in convex.table("shelves")] == ["A-1"]
