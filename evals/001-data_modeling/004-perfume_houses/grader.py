# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Perfumes that refer to their house and perfumer: found by reference, and never left dangling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

MANY = 200
AT_MOST = 60
"""Documents that one transaction may read where many are stored."""


def house(convex: Convex, name: str = "Houbigant") -> str:
    """Store a house."""
    return convex.insert("houses", {"name": name})


def perfumer(convex: Convex, name: str = "Paul Parquet") -> str:
    """Store a perfumer."""
    return convex.insert("perfumers", {"name": name})


def perfume(convex: Convex, of: str, nose: str | None = None, name: str = "Ambre") -> str:
    """Store a perfume past all functions."""
    return convex.insert("perfumes", {"name": name, "house": of, "perfumer": nose})


def gone(convex: Convex, table: str) -> str:
    """Tell the id of a document that is no longer there."""
    made = {"houses": house, "perfumers": perfumer}.get(table)
    identifier = perfume(convex, house(convex)) if made is None else made(convex)
    convex.delete(table, identifier)
    return identifier


def ask(convex: Convex, function: str, **args: object) -> object:
    """Call one of the queries."""
    arguments: Any = args
    return convex.query(f"perfumes:{function}", arguments)


def tell(convex: Convex, function: str, **args: object) -> object:
    """Call one of the mutations."""
    arguments: Any = args
    return convex.mutation(f"perfumes:{function}", arguments)


def shown(identifier: str, name: str, of: str, nose: str | None) -> dict[str, object]:
    """Say how a perfume is returned."""
    return {"perfume": identifier, "name": name, "house": of, "perfumer": nose}


def ids(found: object) -> list[str]:
    """Tell which perfumes were returned."""
    return [entry["perfume"] for entry in cast("list[dict[str, str]]", found)]


def state(convex: Convex) -> list[object]:
    """Tell everything that is stored."""
    return [convex.table(name) for name in ("houses", "perfumers", "perfumes")]


@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_a_perfume_is_stored_with_its_references(convex: Convex, *, known: bool) -> None:
    """A perfume is stored with its house and its perfumer or null, and its id is returned."""
    of, nose = house(convex), perfumer(convex) if known else None
    identifier = tell(convex, "add", name="Fougère Royale", house=of, perfumer=nose)
    (document,) = convex.table("perfumes")
    assert document == {
        "_id": identifier,
        "_creationTime": document["_creationTime"],
        "name": "Fougère Royale",
        "house": of,
        "perfumer": nose,
    }


def test_references_are_of_the_right_table(convex: Convex) -> None:
    """An id of another table, a name, or nothing at all is refused as a reference."""
    of, nose = house(convex), perfumer(convex)
    right = {"name": "Ambre", "house": of, "perfumer": nose}
    convex.insert("perfumes", right)
    for change in (
        {"house": nose},
        {"perfumer": of},
        {"house": None},
        {"house": "Houbigant"},
        {"perfumer": "Paul Parquet"},
    ):
        wrong: Any = right | change
        with pytest.raises(FunctionFailed):
            convex.insert("perfumes", wrong)
        with pytest.raises(FunctionFailed):
            tell(convex, "add", **wrong)
    with pytest.raises(FunctionFailed):
        convex.insert("perfumes", {"name": "Ambre", "house": of})
    with pytest.raises(FunctionFailed):
        ask(convex, "ofHouse", house=nose)
    assert len(convex.table("perfumes")) == 1


def test_what_is_gone_is_not_referred_to(convex: Convex) -> None:
    """Neither a new perfume nor an attribution may refer to what does not exist any more."""
    of, nose = house(convex), perfumer(convex)
    known = perfume(convex, of, nose)
    no_house, no_nose = gone(convex, "houses"), gone(convex, "perfumers")
    no_perfume = gone(convex, "perfumes")
    before = state(convex)
    assert tell(convex, "add", name="Ambre", house=no_house, perfumer=nose) is None
    assert tell(convex, "add", name="Ambre", house=no_house, perfumer=None) is None
    assert tell(convex, "add", name="Ambre", house=of, perfumer=no_nose) is None
    assert tell(convex, "attribute", perfume=known, perfumer=no_nose) is False
    assert tell(convex, "attribute", perfume=no_perfume, perfumer=nose) is False
    assert tell(convex, "attribute", perfume=no_perfume, perfumer=None) is False
    assert state(convex) == before


def test_perfumes_are_found_by_reference(convex: Convex) -> None:
    """Each list holds its own perfumes, with names for references, the first stored first."""
    old, new = house(convex, "Houbigant"), house(convex, "Coty")
    nose, other = perfumer(convex, "Parquet"), perfumer(convex, "Bienaimé")
    z = perfume(convex, old, other, "Z")
    a = perfume(convex, new, nose, "A")
    m = perfume(convex, old, nose, "M")
    b = perfume(convex, old, None, "B")
    assert ask(convex, "ofHouse", house=old) == [
        shown(z, "Z", "Houbigant", "Bienaimé"),
        shown(m, "M", "Houbigant", "Parquet"),
        shown(b, "B", "Houbigant", None),
    ]
    assert ask(convex, "ofPerfumer", perfumer=nose) == [
        shown(a, "A", "Coty", "Parquet"),
        shown(m, "M", "Houbigant", "Parquet"),
    ]
    assert ask(convex, "anonymous", limit=20.0) == [shown(b, "B", "Houbigant", None)]
    assert ask(convex, "ofHouse", house=house(convex)) == []
    assert ask(convex, "ofPerfumer", perfumer=perfumer(convex)) == []


def test_names_are_told_within_a_house(convex: Convex) -> None:
    """All perfumes of just that name in that house are found, and no others."""
    old, new = house(convex), house(convex, "Coty")
    first = perfume(convex, old, None, "Ambre")
    for name in ("Ambre ", "ambre", "Ambr", "Ambre Antique"):
        perfume(convex, old, None, name)
    perfume(convex, new, None, "Ambre")
    second = perfume(convex, old, perfumer(convex), "Ambre")
    assert ids(ask(convex, "named", house=old, name="Ambre")) == [first, second]
    assert ids(ask(convex, "named", house=new, name="ambre")) == []


def test_an_attribution_moves_a_perfume(convex: Convex) -> None:
    """An attributed perfume is found under its new perfumer only, or as anonymous."""
    of, nose, other = house(convex), perfumer(convex), perfumer(convex)
    moved, kept = perfume(convex, of, nose), perfume(convex, of, nose)
    assert tell(convex, "attribute", perfume=moved, perfumer=other) is True
    assert ids(ask(convex, "ofPerfumer", perfumer=nose)) == [kept]
    assert ids(ask(convex, "ofPerfumer", perfumer=other)) == [moved]
    assert tell(convex, "attribute", perfume=moved, perfumer=None) is True
    assert ids(ask(convex, "ofPerfumer", perfumer=other)) == []
    assert ids(ask(convex, "anonymous", limit=5.0)) == [moved]
    assert ids(ask(convex, "ofHouse", house=of)) == [moved, kept]


def test_a_house_goes_only_without_perfumes(convex: Convex) -> None:
    """A house is deleted once it has no perfume, whatever other houses have."""
    full, empty, third = house(convex), house(convex), house(convex)
    perfume(convex, full)
    perfume(convex, full, perfumer(convex))
    before = state(convex)
    assert tell(convex, "removeHouse", house=full) is False
    assert state(convex) == before
    assert tell(convex, "removeHouse", house=empty) is True
    assert {each["_id"] for each in convex.table("houses")} == {full, third}
    assert tell(convex, "removeHouse", house=empty) is False
    assert convex.table("perfumes") == before[2]


def test_perfumes_outlive_their_perfumer(convex: Convex) -> None:
    """A removed perfumer's perfumes all stay, as those of nobody known; others keep theirs."""
    of, nose, other = house(convex), perfumer(convex), perfumer(convex)
    mine = [perfume(convex, of, nose, f"N{number}") for number in range(3)]
    others = [perfume(convex, of, other), perfume(convex, of)]
    assert tell(convex, "removePerfumer", perfumer=nose) is True
    noses = {each["_id"]: each["perfumer"] for each in convex.table("perfumes")}
    assert noses == {**dict.fromkeys(mine), others[0]: other, others[1]: None}
    assert [each["_id"] for each in convex.table("perfumers")] == [other]
    assert tell(convex, "removePerfumer", perfumer=nose) is False


def test_others_are_not_read(convex: Convex) -> None:
    """Every call stays small while other houses, perfumers and the anonymous have many."""
    of, nose, crowded = house(convex), perfumer(convex), house(convex)
    known = perfume(convex, of, nose, "Quelques Fleurs")
    crowd: list[Any] = [
        {"name": "Quelques Fleurs", "house": crowded, "perfumer": prolific}
        for prolific in (None, perfumer(convex))
        for _ in range(MANY // 2)
    ]
    first, second, *_ = convex.insert_many("perfumes", crowd)
    last = perfume(convex, of, nose, "Idéal")
    empty = house(convex)
    convex.limit(documents_read=AT_MOST)
    assert ids(ask(convex, "ofHouse", house=of)) == [known, last]
    assert ids(ask(convex, "named", house=of, name="Quelques Fleurs")) == [known]
    assert ids(ask(convex, "ofPerfumer", perfumer=nose)) == [known, last]
    assert ids(ask(convex, "anonymous", limit=2.0)) == [first, second]
    assert tell(convex, "removeHouse", house=empty) is True
    assert tell(convex, "removeHouse", house=crowded) is False
    assert tell(convex, "removePerfumer", perfumer=nose) is True


def test_a_name_is_looked_up(convex: Convex) -> None:
    """A name is looked up among the perfumes of its house, which are not all read."""
    of = house(convex)
    others: list[Any] = [{"name": f"No. {n}", "house": of, "perfumer": None} for n in range(MANY)]
    convex.insert_many("perfumes", others)
    wanted = perfume(convex, of, None, "Ambre")
    convex.limit(documents_read=AT_MOST)
    assert ids(ask(convex, "named", house=of, name="Ambre")) == [wanted]
