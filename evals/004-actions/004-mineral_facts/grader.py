# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A handbook of minerals behind a slow service, whose answers are kept for a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

BEFORE = "https://handbook.minerals.test/facts?name="
HOUR_MS = 3_600_000.0
MINUTE_MS = 60_000.0
QUARTZ = {"formula": "SiO2", "hardness": 7.0}
OPAL = {"formula": "SiO2·nH2O", "hardness": 5.5}


def facts(convex: Convex, name: str) -> object:
    """Ask for a mineral's facts."""
    return convex.action("minerals:facts", {"name": name})


def fetched(convex: Convex, name: str) -> tuple[object, float]:
    """Ask for a mineral's facts, and tell when they were fetched too."""
    answer = facts(convex, name)
    assert isinstance(answer, dict)
    fetched_at = cast("dict[str, object]", answer)["fetchedAt"]
    assert isinstance(fetched_at, float)
    return cast("object", answer), fetched_at


def answering(convex: Convex, body: object) -> None:
    """Let the service answer every question so."""
    convex.stub_fetch(BEFORE + "*", method="GET", json=body)


def now_ms(convex: Convex) -> float:
    """Tell the deployment's time."""
    return convex.clock.now() * 1000


def store(convex: Convex, name: str, *, age_ms: float, hardness: float = 5.5) -> dict[str, Any]:
    """Store facts without any function, and return what a caller may see of them."""
    kept: dict[str, Any] = {**OPAL, "hardness": hardness, "fetchedAt": now_ms(convex) - age_ms}
    convex.insert("facts", {"name": name, **kept})
    return kept


def keep(convex: Convex, name: str, fetched_at: float, hardness: float = 7.0) -> None:
    """Hand an answer to the mutation that stores, as an action does."""
    answer = {"name": name, **QUARTZ, "hardness": hardness, "fetchedAt": fetched_at}
    assert convex.admin.mutation("minerals:keep", answer) is None


def rows(convex: Convex) -> list[dict[str, Any]]:
    """Return what is stored, without the system's fields, sorted by name."""
    stored = [
        {name: value for name, value in row.items() if not name.startswith("_")}
        for row in convex.table("facts")
    ]
    return sorted(stored, key=lambda row: str(row["name"]))


def test_an_unknown_mineral_is_fetched_and_stored(convex: Convex) -> None:
    """Where nothing is stored the service is asked, and its answer stored with the time."""
    answering(convex, {**QUARTZ, "streak": "white"})
    before = now_ms(convex)
    answer, at = fetched(convex, "Quartz")
    assert before - 1 <= at <= now_ms(convex) + 1
    assert answer == {**QUARTZ, "fetchedAt": at}
    assert rows(convex) == [{"name": "Quartz", **QUARTZ, "fetchedAt": at}]
    assert len(convex.fetches()) == 1


@pytest.mark.parametrize(
    "age_ms",
    [0.0, 12 * HOUR_MS, 24 * HOUR_MS - MINUTE_MS],
    ids=["now", "half_a_day", "almost_a_day"],
)
def test_fresh_facts_are_not_fetched_again(convex: Convex, age_ms: float) -> None:
    """Facts of less than a day are returned as they are stored, and nobody is asked."""
    answering(convex, QUARTZ)
    kept = store(convex, "Opal", age_ms=age_ms)
    before = convex.table("facts")
    assert facts(convex, "Opal") == kept
    assert (convex.fetches(), convex.table("facts")) == ([], before)


@pytest.mark.parametrize("age_ms", [24 * HOUR_MS, 400 * 24 * HOUR_MS], ids=["a_day", "a_year"])
def test_stale_facts_are_replaced(convex: Convex, age_ms: float) -> None:
    """After a day the service is asked once more, and its answer takes the old one's place."""
    answering(convex, QUARTZ)
    old = store(convex, "Opal", age_ms=age_ms)
    fresh, at = fetched(convex, "Opal")
    assert fresh == {**QUARTZ, "fetchedAt": at}
    assert at >= old["fetchedAt"] + age_ms
    assert rows(convex) == [{"name": "Opal", **QUARTZ, "fetchedAt": at}]
    assert facts(convex, "Opal") == fresh
    assert len(convex.fetches()) == 1


def test_what_was_fetched_grows_old(convex: Convex) -> None:
    """An answer serves for a day from when it was fetched, however often it is asked for."""
    answering(convex, QUARTZ)
    first, first_at = fetched(convex, "Quartz")
    for _ in range(2):
        convex.clock.advance(11.9 * 3600)
        assert facts(convex, "Quartz") == first
    convex.clock.advance(0.3 * 3600)
    _, second_at = fetched(convex, "Quartz")
    assert second_at > first_at + 24 * HOUR_MS
    assert (len(convex.fetches()), len(rows(convex))) == (2, 1)


@pytest.mark.parametrize(
    "reply",
    [
        {"fail": True},
        {"status": 500, "json": QUARTZ},
        {"status": 404, "json": QUARTZ},
        {"body": "<p>Closed</p>"},
        {"body": "null"},
        {"json": {"formula": "SiO2"}},
        {"json": {"formula": "SiO2", "hardness": "7"}},
        {"json": {"hardness": 7}},
    ],
    ids=[
        "no_connection",
        "server_error",
        "not_found",
        "no_json",
        "null",
        "no_hardness",
        "hardness_as_text",
        "no_formula",
    ],
)
def test_without_an_answer_the_old_one_serves(convex: Convex, reply: dict[str, Any]) -> None:
    """If the service fails, old facts are better than none; they stay, and it is asked again."""
    convex.stub_fetch(BEFORE + "*", **reply)
    old = store(convex, "Opal", age_ms=30 * 24 * HOUR_MS)
    before = convex.table("facts")
    assert [facts(convex, name) for name in ("Opal", "Quartz", "Opal")] == [old, None, old]
    assert (convex.table("facts"), len(convex.fetches())) == (before, 3)


@pytest.mark.parametrize("name", ["Opal & chalcedony", "Cronstedtite-2H₂", "100%?#=+/"])
def test_the_service_is_asked_for_this_mineral(convex: Convex, name: str) -> None:
    """The name is percent-encoded as the value of one parameter."""
    answering(convex, QUARTZ)
    facts(convex, name)
    (fetch,) = convex.fetches()
    value = fetch.url.removeprefix(BEFORE)
    assert (fetch.method, unquote(value)) == ("GET", name)
    assert not set(value) & set("&?#=+ ")


def test_minerals_do_not_mix(convex: Convex) -> None:
    """Each mineral has facts of its own; names are compared exactly."""
    kept = {
        name: store(convex, name, age_ms=HOUR_MS, hardness=hardness)
        for name, hardness in {"Opal": 5.5, "opal": 5.75, "Opaline": 6.0}.items()
    }
    assert {name: facts(convex, name) for name in kept} == kept
    assert {name: convex.query("minerals:known", {"name": name}) for name in kept} == kept
    keep(convex, "opal", now_ms(convex))
    assert [row["hardness"] for row in rows(convex)] == [5.5, 6.0, 7.0]


def test_facts_are_known_however_old(convex: Convex) -> None:
    """The query tells what is stored at any age, null where nothing is, and asks nobody."""
    old = store(convex, "Opal", age_ms=900 * 24 * HOUR_MS)
    assert convex.query("minerals:known", {"name": "Opal"}) == old
    assert convex.query("minerals:known", {"name": "Quartz"}) is None
    assert convex.fetches() == []


@pytest.mark.parametrize("stale", [False, True], ids=["nothing_stored", "stale"])
def test_calls_at_the_same_time_keep_one_document(convex: Convex, *, stale: bool) -> None:
    """Whoever found nothing, or something old, and comes to store it, adds no second document."""
    if stale:
        store(convex, "Quartz", age_ms=48 * HOUR_MS)
    moment = now_ms(convex)
    for late, hardness in enumerate((6.5, 7.0, 7.25)):
        keep(convex, "Quartz", moment + late, hardness=hardness)
    expected = {"name": "Quartz", **QUARTZ, "hardness": 7.25, "fetchedAt": moment + 2}
    assert rows(convex) == [expected]


@pytest.mark.parametrize("earlier_ms", [0.0, 1.0, HOUR_MS], ids=["same_time", "just", "long_ago"])
def test_an_earlier_answer_does_not_replace_a_later_one(convex: Convex, earlier_ms: float) -> None:
    """An answer that took longer on its way changes nothing where a later one is stored."""
    moment = now_ms(convex)
    keep(convex, "Quartz", moment, hardness=7.0)
    before = convex.table("facts")
    keep(convex, "Quartz", moment - earlier_ms, hardness=1.0)
    assert convex.table("facts") == before


def test_only_the_mutation_writes_and_it_is_closed(convex: Convex) -> None:
    """Two functions are public, and `keep` alone writes."""
    found = convex.functions
    public = {path: fn.kind for path, fn in found.items() if fn.visibility == "public"}
    assert public == {"minerals:facts": "action", "minerals:known": "query"}
    assert [path for path, fn in found.items() if fn.kind == "mutation"] == ["minerals:keep"]
    with pytest.raises(FunctionFailed):
        convex.mutation("minerals:keep", {"name": "Opal", **OPAL, "fetchedAt": 0.0})
    assert convex.table("facts") == []


def test_other_minerals_are_not_read(convex: Convex) -> None:
    """What a call reads does not depend on how many other minerals are stored."""
    others = [{"name": f"Mineral {n}", **OPAL, "fetchedAt": 0.0} for n in range(120)]
    convex.insert_many("facts", others)
    convex.limit(documents_read=30)
    answering(convex, QUARTZ)
    for name in ("Quartz", "Mineral 3", "Mineral 119"):
        answer, at = fetched(convex, name)
        assert answer == {**QUARTZ, "fetchedAt": at}
        assert convex.query("minerals:known", {"name": name}) == answer
    assert len(convex.table("facts")) == 121


KINDS: list[dict[str, Any]] = [
    {"name": 7.0},
    {"formula": 7.0},
    {"hardness": "7"},
    {"fetchedAt": "0"},
]


@pytest.mark.parametrize("wrong", KINDS, ids=["name", "formula", "hardness", "fetched_at"])
def test_facts_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """Facts of which a field is of another kind are neither stored nor taken by `keep`."""
    right: dict[str, Any] = {"name": "Quartz", **QUARTZ, "fetchedAt": 1.0}
    convex.insert("facts", right)
    with pytest.raises(FunctionFailed):
        convex.insert("facts", {**right, **wrong})
    with pytest.raises(FunctionFailed):
        convex.admin.mutation("minerals:keep", {**right, "fetchedAt": 0.0, **wrong})


def test_a_name_is_a_text(convex: Convex) -> None:
    """A name that is no text is refused, and nobody is asked for it."""
    answering(convex, QUARTZ)
    for call, function in ((convex.action, "facts"), (convex.query, "known")):
        with pytest.raises(FunctionFailed):
            call(f"minerals:{function}", {"name": 7.0})
    assert convex.fetches() == []
