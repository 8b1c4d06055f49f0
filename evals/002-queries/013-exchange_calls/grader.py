# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""The call book of a telephone exchange: pages joined with callers, with a declared result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runner.grader import Convex

Row = dict[str, Any]

MANY = 60


def subscribe(convex: Convex, name: str = "Vera Lund", *, unlisted: bool = False) -> str:
    """Store a subscriber."""
    row = {"name": name, "number": f"{name} 5", "unlisted": unlisted}
    return convex.insert("subscribers", row)


def call(caller: str, at: float, exchange: str = "Norra Vasa", seconds: float = 60) -> Row:
    """Describe a call."""
    return {
        "exchange": exchange,
        "startedAt": float(at),
        "seconds": float(seconds),
        "caller": caller,
    }


def read(convex: Convex, size: int, cursor: str | None = None, **options: str | float) -> Row:
    """Read one page."""
    asked = {"numItems": float(size), "cursor": cursor} | options
    arguments = {"exchange": "Norra Vasa", "paginationOpts": asked}
    return cast("Row", convex.query("calls:page", arguments))


def starts(result: Row) -> list[float]:
    """Tell when the calls of a page started."""
    return [entry["startedAt"] for entry in result["page"]]


def parts(validator: object) -> Iterator[Row]:
    """Go through a validator and all that it is made of, in Convex's JSON."""
    if isinstance(validator, dict):
        inner = cast("Row", validator)
        if isinstance(inner.get("type"), str):
            yield inner
        for value in inner.values():
            yield from parts(value)
    elif isinstance(validator, list):
        for value in cast("list[object]", validator):
            yield from parts(value)


def variants(validator: Row) -> list[Row]:
    """Tell what a validator lets through, one kind of value each."""
    return validator["value"] if validator["type"] == "union" else [validator]


def kinds(validator: Row) -> set[str]:
    """Name the kinds of values that a validator lets through."""
    return {variant["type"] for variant in variants(validator)}


@pytest.mark.parametrize("order", [1, -1], ids=["as_listed", "reversed"])
def test_calls_come_newest_first_with_their_callers(convex: Convex, order: int) -> None:
    """Calls come by when they started, the newest first, each with its own caller."""
    vera, olle = subscribe(convex), subscribe(convex, "Olle Berg")
    rows = [call(vera, 50, seconds=7.5), call(olle, 40), call(vera, 0), call(olle, -20, seconds=0)]
    others = [call(vera, 45, "Norra"), call(olle, 60, "norra vasa")]
    convex.insert_many("calls", [others[0], *rows[::order], others[1]])
    ids = {row["startedAt"]: row["_id"] for row in convex.table("calls")}
    names = {vera: "Vera Lund", olle: "Olle Berg"}
    assert read(convex, 10)["page"] == [
        {
            "_id": ids[row["startedAt"]],
            "startedAt": row["startedAt"],
            "seconds": row["seconds"],
            "caller": {"name": names[row["caller"]], "number": f"{names[row['caller']]} 5"},
        }
        for row in rows
    ]


def test_unlisted_and_missing_callers_hide_no_call(convex: Convex) -> None:
    """An unlisted caller has no number, one who is gone is null, and their calls are listed."""
    listed, unlisted = subscribe(convex), subscribe(convex, "Eva Palm", unlisted=True)
    gone = subscribe(convex, "Olle Berg")
    rows = [call(caller, -n) for n, caller in enumerate((unlisted, gone, listed, gone))]
    convex.insert_many("calls", rows)
    convex.delete("subscribers", gone)
    assert [entry["caller"] for entry in read(convex, 10)["page"]] == [
        {"name": "Eva Palm", "number": None},
        None,
        {"name": "Vera Lund", "number": "Vera Lund 5"},
        None,
    ]


def test_pages_are_full_and_meet_every_call_once(convex: Convex) -> None:
    """Every page but the last is full, and together they list every call once, in order."""
    here, gone = subscribe(convex), subscribe(convex)
    rows = [call((here, gone)[n % 2], n * 7 % 11) for n in range(11)]
    convex.insert_many("calls", [*rows, *(call(here, n, "Norra") for n in range(11))])
    convex.delete("subscribers", gone)
    for size in (1, 3, 11, 40):
        result = read(convex, size)
        pages = [starts(result)]
        while not result["isDone"]:
            assert len(pages) <= len(rows), "the pages do not come to an end"
            result = read(convex, size, result["continueCursor"])
            pages.append(starts(result))
        assert [at for page in pages for at in page] == list(range(10, -1, -1))
        filled = [page for page in pages if page]
        assert {len(page) for page in filled[:-1]} <= {size}


def test_an_exchange_without_calls_is_one_empty_page(convex: Convex) -> None:
    """Where there are no calls the first page is empty, and the last."""
    convex.insert("calls", call(subscribe(convex), 1, "Norra"))
    result = read(convex, 5)
    assert (result["page"], result["isDone"]) == ([], True)


def test_a_page_stays_in_step_while_calls_are_added(convex: Convex) -> None:
    """Asked again up to where it ended, a page has what was added in between, and all it had."""
    caller = subscribe(convex)
    convex.insert_many("calls", [call(caller, 10 * n) for n in range(6)])
    first = read(convex, 3, id=1.0)
    assert starts(first) == [50, 40, 30]
    convex.insert_many("calls", [call(caller, 99), call(caller, 35), call(caller, 25)])
    again = read(convex, 3, endCursor=first["continueCursor"])
    assert starts(again) == [99, 50, 40, 35, 30]
    assert starts(read(convex, 3, again["continueCursor"])) == [25, 20, 10]


def test_a_page_that_grew_too_large_can_be_split(convex: Convex) -> None:
    """A page that has to be split says so, and says where; its halves have what it had."""
    caller = subscribe(convex)
    convex.insert_many("calls", [call(caller, n) for n in range(9)])
    whole = read(convex, 8, maximumRowsRead=6.0)
    assert whole["pageStatus"] == "SplitRequired"
    split, end = whole["splitCursor"], whole["continueCursor"]
    assert isinstance(split, str)
    upper = read(convex, 8, endCursor=split)
    lower = read(convex, 8, split, endCursor=end)
    assert starts(upper) + starts(lower) == starts(whole) == [8, 7, 6, 5, 4, 3]


def test_the_result_is_declared_to_the_last_field(convex: Convex) -> None:
    """What is returned is declared, entries and callers too, and none of it as just anything."""
    returns = convex.functions["calls:page"].returns
    assert returns is not None
    assert [part for part in parts(returns) if part["type"] in {"any", "record"}] == []
    result = {name: field["fieldType"] for name, field in returns["value"].items()}
    assert result["isDone"] == {"type": "boolean"}
    assert result["continueCursor"] == {"type": "string"}
    entry = result["page"]["value"]["value"]
    assert {name: kinds(field["fieldType"]) for name, field in entry.items()} == {
        "_id": {"id"},
        "startedAt": {"number"},
        "seconds": {"number"},
        "caller": {"object", "null"},
    }
    assert entry["_id"]["fieldType"]["tableName"] == "calls"
    callers = [one["value"] for one in variants(entry["caller"]["fieldType"]) if "value" in one]
    shown = {
        name: {kind for caller in callers for kind in kinds(caller[name]["fieldType"])}
        for name in callers[0]
    }
    assert shown == {"name": {"string"}, "number": {"string", "null"}}
    declared = [entry, *callers]
    assert not any(field["optional"] for fields in declared for field in fields.values())


def test_a_page_costs_what_it_holds(convex: Convex) -> None:
    """A page is read without reading other calls and other subscribers."""
    callers = convex.insert_many(
        "subscribers", [{"name": "Vera", "number": "5", "unlisted": False}] * MANY
    )
    convex.insert_many("calls", [call(caller, n) for n, caller in enumerate(callers)])
    convex.limit(documents_read=3 + 3 + 2)
    first = read(convex, 3)
    assert starts(first) == [MANY - 1, MANY - 2, MANY - 3]
    assert starts(read(convex, 3, first["continueCursor"])) == [MANY - 4, MANY - 5, MANY - 6]


def test_all_fields_are_required(convex: Convex) -> None:
    """Calls and subscribers that lack a field or have null for it are refused."""
    caller = subscribe(convex)
    made = convex.insert("calls", call(caller, 1))
    listed = {"name": "Vera", "number": "5", "unlisted": False}
    wrong = [("calls", call(made, 1))]
    for table, whole in (("calls", call(caller, 1)), ("subscribers", listed)):
        wrong += [(table, {key: whole[key] for key in whole if key != gone}) for gone in whole]
        wrong += [(table, whole | {key: None}) for key in whole]
    for table, row in wrong:
        with pytest.raises(FunctionFailed):
            convex.insert(table, row)


def test_arguments_have_their_types(convex: Convex) -> None:
    """An exchange that is no text, and options without a number of entries, are refused."""
    options = {"numItems": 3.0, "cursor": None}
    wrong: list[Row] = [
        {"paginationOpts": options},
        {"exchange": 5.0, "paginationOpts": options},
        {"exchange": "Norra Vasa"},
        {"exchange": "Norra Vasa", "paginationOpts": {"cursor": None}},
        {"exchange": "Norra Vasa", "paginationOpts": options | {"numItems": "3"}},
    ]
    for arguments in wrong:
        with pytest.raises(FunctionFailed):
            convex.query("calls:page", arguments)
