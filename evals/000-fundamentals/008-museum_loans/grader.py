# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Records of loans come in as they are, and go out in the agreed form or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed, Int64

if TYPE_CHECKING:
    from runner.grader import Convex

Document = dict[str, Any]

LEFT_OUT = object()

RECORD: Document = {
    "title": "Astrolabe",
    "maker": "Georg Hartmann",
    "year": 1537.0,
    "state": "worn",
    "parts": [{"name": "rete", "count": 1.0}, {"name": "tympan", "count": 4.0}],
    "sizes": {"diameter cm": 13.5, "weight g": 612.0},
}
AGREED: dict[str, Document] = {
    "whole": RECORD,
    "unknown_maker": RECORD | {"maker": None},
    "without_year": {name: value for name, value in RECORD.items() if name != "year"},
    "without_parts": RECORD | {"parts": [], "state": "damaged"},
    "other_sizes": RECORD | {"sizes": {"h": 0.0}, "state": "sound"},
    "no_sizes": RECORD | {"sizes": {}},
}
CHANGES: dict[str, Document] = {
    "no_title": {"title": LEFT_OUT},
    "null_title": {"title": None},
    "no_maker": {"maker": LEFT_OUT},
    "number_as_maker": {"maker": 7.0},
    "null_year": {"year": None},
    "text_as_year": {"year": "1537"},
    "int64_as_year": {"year": Int64(1537)},
    "unknown_state": {"state": "lost"},
    "no_state": {"state": LEFT_OUT},
    "no_parts": {"parts": LEFT_OUT},
    "null_part": {"parts": [None]},
    "part_without_count": {"parts": [{"name": "rete"}]},
    "part_with_more": {"parts": [{"name": "rete", "count": 1.0, "metal": "brass"}]},
    "no_sizes": {"sizes": LEFT_OUT},
    "text_as_size": {"sizes": {"diameter cm": "13.5"}},
    "list_of_sizes": {"sizes": [13.5]},
    "unknown_field": {"owner": "a private collector"},
}
WRONG: dict[str, Any] = {
    name: {field: value for field, value in (RECORD | change).items() if value is not LEFT_OUT}
    for name, change in CHANGES.items()
} | {"null": None, "text": "Astrolabe", "list": [RECORD]}


def lend(convex: Convex, record: object, lender: str = "Nuremberg") -> str:
    """Store a loan past all functions."""
    loan: Any = {"lender": lender, "record": record, "insuredFor": 90_000.0, "accepted": False}
    return convex.insert("loans", loan)


def gone(convex: Convex) -> str:
    """Tell the id of a loan that is no longer there."""
    loan = lend(convex, RECORD)
    convex.delete("loans", loan)
    return loan


def stored(convex: Convex, loan: str) -> Document:
    """Tell what is stored of a loan."""
    document = convex.document("loans", loan)
    assert document is not None
    return document


def titles(convex: Convex, lender: str) -> object:
    """Ask for the titles of a lender's loans."""
    return convex.query("loans:titles", {"lender": lender})


def refused(convex: Convex, function: str, args: Document) -> None:
    """Demand that Convex refuses what a function returns."""
    call = convex.mutation if function == "accept" else convex.query
    with pytest.raises(FunctionFailed) as failed:
        call(f"loans:{function}", args)
    assert "ReturnsValidationError" in failed.value.message


@pytest.mark.parametrize(
    "record", [*AGREED.values(), *WRONG.values()], ids=[*AGREED, *WRONG.keys()]
)
def test_records_are_stored_as_they_come(convex: Convex, record: object) -> None:
    """A loan is stored, whatever its record is, and its id returned."""
    args: Any = {"lender": "Nuremberg", "record": record, "insuredFor": 1.5}
    loan = convex.mutation("loans:enter", args)
    assert isinstance(loan, str)
    document = stored(convex, loan)
    assert document == {
        "_id": loan,
        "_creationTime": document["_creationTime"],
        **args,
        "accepted": False,
    }


@pytest.mark.parametrize("wrong", [{"lender": 7.0}, {"insuredFor": "much"}], ids=str)
def test_only_records_are_of_any_form(convex: Convex, wrong: Document) -> None:
    """A lender that is no text and an insurance that is no number are not stored."""
    args: Document = {"lender": "Nuremberg", "record": RECORD, "insuredFor": 1.5}
    convex.mutation("loans:enter", args)
    with pytest.raises(FunctionFailed):
        convex.mutation("loans:enter", args | wrong)
    with pytest.raises(FunctionFailed):
        convex.insert("loans", {**args, "accepted": False, **wrong})
    assert len(convex.table("loans")) == 1


@pytest.mark.parametrize("record", AGREED.values(), ids=AGREED)
def test_agreed_records_go_out(convex: Convex, record: Document) -> None:
    """The public gets the document without the insurance, and the backend all of it."""
    loan = lend(convex, record)
    document = stored(convex, loan)
    assert convex.admin.query("loans:dossier", {"loan": loan}) == document
    del document["insuredFor"]
    assert convex.query("loans:get", {"loan": loan}) == document
    accepted = convex.mutation("loans:accept", {"loan": loan})
    assert accepted == {"loan": loan, "record": record}
    assert stored(convex, loan)["accepted"] is True


@pytest.mark.parametrize("record", WRONG.values(), ids=WRONG)
def test_other_records_do_not_go_out(convex: Convex, record: object) -> None:
    """They are refused by what the functions declare, and such a loan is not accepted."""
    loan = lend(convex, record)
    refused(convex, "get", {"loan": loan})
    refused(convex.admin, "dossier", {"loan": loan})
    refused(convex, "accept", {"loan": loan})
    assert stored(convex, loan)["accepted"] is False


@pytest.mark.parametrize("function", ["get", "dossier", "accept"])
def test_a_loan_that_is_gone_is_null(convex: Convex, function: str) -> None:
    """Reading or accepting a loan that is gone returns null, and writes nothing."""
    lend(convex, RECORD)
    before, loan = convex.table("loans"), {"loan": gone(convex)}
    call = convex.admin.mutation if function == "accept" else convex.admin.query
    assert call(f"loans:{function}", loan) is None
    assert convex.table("loans") == before


def test_titles_are_those_of_one_lender(convex: Convex) -> None:
    """They come in the order in which the loans were stored, whatever else a record holds."""
    records: list[Document] = [RECORD, {"title": ""}, RECORD | {"title": "Quadrant", "year": None}]
    loans = [(lend(convex, record), lend(convex, record, "Oxford"))[0] for record in records]
    assert titles(convex, "Nuremberg") == [
        {"loan": loan, "title": title}
        for loan, title in zip(loans, ("Astrolabe", "", "Quadrant"), strict=True)
    ]
    assert titles(convex, "Florence") == []


@pytest.mark.parametrize("title", [None, 7.0, ["Astrolabe"], LEFT_OUT], ids=repr)
def test_a_title_that_is_no_text_does_not_go_out(convex: Convex, title: object) -> None:
    """One such title makes the list of its lender fail, and no other."""
    record = {} if title is LEFT_OUT else RECORD | {"title": title}
    lend(convex, RECORD)
    lend(convex, record)
    lent = lend(convex, RECORD, "Oxford")
    refused(convex, "titles", {"lender": "Nuremberg"})
    assert titles(convex, "Oxford") == [{"loan": lent, "title": "Astrolabe"}]


def test_every_function_declares_what_it_returns(convex: Convex) -> None:
    """All five have a validator of what they return, that of a new loan being its id."""
    returns = {path: found.returns for path, found in convex.functions.items()}
    for name in ("enter", "get", "dossier", "titles", "accept"):
        assert returns.get(f"loans:{name}") is not None, name
    assert returns["loans:enter"] == {"type": "id", "tableName": "loans"}


def test_the_dossier_is_not_public(convex: Convex) -> None:
    """The public can call four functions, and not the one that tells the insurance."""
    names = {"enter": "mutation", "get": "query", "titles": "query", "accept": "mutation"}
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {f"loans:{name}": kind for name, kind in names.items()}
    loan = lend(convex, RECORD)
    with pytest.raises(FunctionFailed):
        convex.query("loans:dossier", {"loan": loan})
    dossier = cast("Document", convex.admin.query("loans:dossier", {"loan": loan}))
    assert dossier["insuredFor"] == 90_000
