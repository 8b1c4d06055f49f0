# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Spectra of minerals, searched by how alike they are."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex, Source

ASKED = [1.0, 2.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0]
CROWD = 70
NOTHING: dict[str, object] = {}
NO_LIMIT: dict[str, object] = {"limit": 0.0}
NO_INSTRUMENTS: dict[str, object] = {"instruments": []}
LIMITS: dict[str, tuple[dict[str, float], int]] = {
    "left_out": ({}, 10),
    "one": ({"limit": 1.0}, 1),
    "more_than_usual": ({"limit": 12.0}, 12),
    "greatest": ({"limit": 50.0}, 50),
}


def spectrum(unlike: float, instrument: str = "Raman A") -> dict[str, Any]:
    """Describe a spectrum that is the less alike to what is asked, the greater the number is."""
    return {
        "mineral": f"mineral {unlike:g}",
        "instrument": instrument,
        "peaks": [*ASKED[:7], float(unlike)],
    }


def score(unlike: float) -> float:
    """Compute the cosine between what is asked and a spectrum."""
    length = sum(peak * peak for peak in ASKED)
    return length / (sqrt(length) * sqrt(length + unlike * unlike))


def keep(convex: Convex, *unlike: float, instrument: str = "Raman A") -> dict[float, str]:
    """Store spectra, and return their ids by how unlike they are."""
    documents = [spectrum(each, instrument) for each in unlike]
    return dict(zip(unlike, convex.insert_many("spectra", documents), strict=True))


def similar(convex: Convex, **arguments: object) -> list[dict[str, Any]]:
    """Search for what is alike."""
    asked = cast("dict[str, Any]", {"peaks": ASKED, **arguments})
    return cast("list[dict[str, Any]]", convex.action("spectra:similar", asked))


def minerals(convex: Convex, **arguments: object) -> list[str]:
    """Search for what is alike, and tell the minerals."""
    return [row["mineral"] for row in similar(convex, **arguments)]


@pytest.mark.parametrize(
    "order", [[0.5, 1, 2, 4], [4, 2, 1, 0.5], [2, 0.5, 4, 1]], ids=["best_first", "last", "mixed"]
)
def test_the_most_alike_come_first(convex: Convex, order: list[float]) -> None:
    """Spectra come in the order of their score, in whatever order they were stored."""
    ids = keep(convex, *order)
    found = similar(convex)
    assert found == [
        {
            "_id": ids[unlike],
            "mineral": f"mineral {unlike:g}",
            "instrument": "Raman A",
            "score": pytest.approx(score(unlike), abs=1e-4),
        }
        for unlike in sorted(order)
    ]


def test_an_empty_laboratory(convex: Convex) -> None:
    """Where there is no spectrum none is found, and that is no error."""
    assert similar(convex) == []
    assert similar(convex, instruments=["Raman A"]) == []


def test_only_the_given_instruments_count(convex: Convex) -> None:
    """One instrument or several narrow the search, in capitals or not is not the same."""
    for unlike, instrument in enumerate(["Raman A", "raman a", "Raman", "XRD", "FTIR"]):
        keep(convex, unlike + 1, instrument=instrument)
    assert minerals(convex) == [f"mineral {n}" for n in (1, 2, 3, 4, 5)]
    for instruments, expected in (
        (["Raman"], [3]),
        (["raman a", "FTIR"], [2, 5]),
        (["XRD", "Raman A", "FTIR", "XRD"], [1, 4, 5]),
        (["XRD", "LIBS"], [4]),
        (["LIBS"], []),
        ([], []),
        ([""], []),
        ([*(f"XRD {n}" for n in range(19)), "XRD"], [4]),
    ):
        assert minerals(convex, instruments=instruments) == [f"mineral {n}" for n in expected]


@pytest.mark.parametrize("crowd_first", [True, False], ids=["crowd_first", "crowd_last"])
def test_other_instruments_take_no_places(convex: Convex, *, crowd_first: bool) -> None:
    """What counts is found, however many spectra of other instruments are more alike."""
    crowd = [spectrum(n / 100, "XRD") for n in range(CROWD)]
    wanted = [spectrum(5, "FTIR"), spectrum(3, "Raman A")]
    convex.insert_many("spectra", crowd + wanted if crowd_first else wanted + crowd)
    assert minerals(convex, instruments=["Raman A", "FTIR"]) == ["mineral 3", "mineral 5"]
    assert minerals(convex, instruments=["FTIR"], limit=1.0) == ["mineral 5"]


@pytest.mark.parametrize(("arguments", "expected"), LIMITS.values(), ids=LIMITS.keys())
def test_results_are_limited(convex: Convex, arguments: dict[str, float], expected: int) -> None:
    """There are as many results as asked for, 10 if it is left out, and they are the best."""
    keep(convex, *(n / 10 for n in reversed(range(CROWD))))
    assert minerals(convex, **arguments) == [f"mineral {n / 10:g}" for n in range(expected)]
    assert len(minerals(convex, instruments=["Raman A", "XRD"], **arguments)) == expected


@pytest.mark.parametrize("limit", [0.0, -1.0, 2.5, 51.0, 257.0])
def test_other_limits_are_refused(convex: Convex, limit: float) -> None:
    """A limit that is no whole number from 1 to 50 is refused by name."""
    keep(convex, 1)
    for more in (NOTHING, NO_INSTRUMENTS):
        with pytest.raises(FunctionFailed) as refusal:
            similar(convex, limit=limit, **more)
        assert refusal.value.data == "bad limit"


@pytest.mark.parametrize("peaks", [[], ASKED[:7], [*ASKED, 1.0]], ids=["none", "seven", "nine"])
def test_other_numbers_of_peaks_are_refused(convex: Convex, peaks: list[float]) -> None:
    """Peaks that are not 8 are refused by name, whatever else is wrong."""
    keep(convex, 1)
    for more in (NOTHING, NO_LIMIT, NO_INSTRUMENTS):
        with pytest.raises(FunctionFailed) as refusal:
            similar(convex, peaks=peaks, **more)
        assert refusal.value.data == "bad peaks"


@pytest.mark.parametrize(
    "gone",
    [[2], [0], [1], [0, 2], [0, 1, 2]],
    ids=["best", "in_between", "least", "two", "all"],
)
def test_deleted_spectra_are_left_out(convex: Convex, gone: list[int]) -> None:
    """What was deleted after the search is left out; the others keep their order and scores."""
    ids = list(keep(convex, 1, 2, 3).values())
    hits = [{"_id": ids[n], "score": value} for n, value in ((2, 0.9), (0, 0.7), (1, 0.25))]
    for n in gone:
        convex.delete("spectra", ids[n])
    expected = [
        {"_id": ids[n], "mineral": f"mineral {n + 1}", "instrument": "Raman A", "score": value}
        for n, value in ((2, 0.9), (0, 0.7), (1, 0.25))
        if n not in gone
    ]
    assert convex.admin.query("spectra:describe", {"hits": hits}) == expected
    assert len(similar(convex)) == len(expected)


def test_the_vector_index_knows_the_instrument(convex: Convex, source: Source) -> None:
    """The search stands on one index over 8 peaks that can be narrowed; nothing else is read."""
    (index,) = convex.schema.tables["spectra"].vector_indexes
    assert (index.vector_field, index.dimensions) == ("peaks", 8)
    assert "instrument" in index.filter_fields
    assert [call for call in source.calls("query") if call.string(0) == "spectra"] == []


def test_only_the_search_is_public(convex: Convex) -> None:
    """The public can search; describing is internal."""
    found = convex.functions
    public = {path: fn.kind for path, fn in found.items() if fn.visibility == "public"}
    assert public == {"spectra:similar": "action"}
    assert found["spectra:describe"].kind == "query"


def test_arguments_are_as_described(convex: Convex) -> None:
    """Peaks and limits that are no numbers, and instruments that are no texts, are refused."""
    keep(convex, 1)
    wrong: list[dict[str, object]] = [
        {"peaks": [*ASKED[:7], "1"]},
        {"limit": "3"},
        {"instruments": [3.0]},
    ]
    for changes in wrong:
        with pytest.raises(FunctionFailed):
            similar(convex, **changes)


def test_hits_are_as_described(convex: Convex) -> None:
    """A hit has the id of a spectrum, a number as score, and nothing besides."""
    (spectrum_id,) = keep(convex, 1).values()
    hit: dict[str, Any] = {"_id": spectrum_id, "score": 0.5}
    assert len(cast("list[object]", convex.admin.query("spectra:describe", {"hits": [hit]}))) == 1
    for wrong in ({"_id": "17"}, {"score": "0.5"}, {"mineral": "opal"}):
        with pytest.raises(FunctionFailed):
            convex.admin.query("spectra:describe", {"hits": [{**hit, **wrong}]})
