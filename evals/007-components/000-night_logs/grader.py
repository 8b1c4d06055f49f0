# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Two logbooks of an observatory: one component, installed twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

BOOKS = ("dome", "spectrograph")
ADA = "https://users.test|ada"


def note(caller: Convex, book: str, text: str, hour: float = 3) -> str:
    """Write an entry."""
    entry = {"book": book, "note": text, "hour": hour}
    return cast("str", caller.mutation("nights:note", entry))


def notes(caller: Convex, book: str) -> list[object]:
    """Read the caller's notes in a logbook."""
    entries = cast("list[dict[str, object]]", caller.query("nights:mine", {"book": book}))
    return [entry["note"] for entry in entries]


def strike(caller: Convex, book: str, entry: str) -> object:
    """Strike an entry."""
    return caller.mutation("nights:strike", {"book": book, "id": entry})


def test_the_newest_entries_of_the_caller_are_read(convex: Convex) -> None:
    """Of many entries the caller's ten newest come, the newest first, with their two fields."""
    ada = convex.as_user("ada")
    for hour in range(12):
        note(ada, "dome", f"note {hour}", hour)
        note(convex.as_user("bo"), "dome", "other", hour)
    expected = [{"note": f"note {hour}", "hour": hour} for hour in range(11, 1, -1)]
    assert ada.query("nights:mine", {"book": "dome"}) == expected


def test_the_logbooks_are_apart(convex: Convex) -> None:
    """An entry of one logbook is stored in its instance and nowhere else."""
    ada = convex.as_user("ada")
    entry = note(ada, "dome", "clouds", 22)
    assert notes(ada, "spectrograph") == []
    (stored,) = convex.component("dome").table("entries")
    assert stored["_id"] == entry
    assert (stored["author"], stored["note"], stored["hour"]) == (ADA, "clouds", 22)
    assert convex.component("spectrograph").table("entries") == []
    assert dict(convex.schema.tables) == {}


def test_only_their_author_strikes_entries(convex: Convex) -> None:
    """An entry goes when its author strikes it from its logbook, and stays otherwise."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    first, second = note(ada, "dome", "first"), note(ada, "dome", "second")
    assert strike(bo, "dome", first) is False
    assert notes(ada, "dome") == ["second", "first"]
    assert strike(ada, "dome", first) is True
    assert strike(ada, "dome", first) is False
    assert notes(ada, "dome") == ["second"]
    assert strike(ada, "dome", second) is True
    assert convex.component("dome").table("entries") == []


@pytest.mark.parametrize("text", ["", "none", "x" * 32], ids=["empty", "short", "long"])
def test_texts_that_are_no_ids_strike_nothing(convex: Convex, text: str) -> None:
    """A text that is no id is no failure."""
    ada = convex.as_user("ada")
    note(ada, "dome", "kept")
    assert strike(ada, "dome", text) is False
    assert notes(ada, "dome") == ["kept"]


def test_a_file_is_no_entry(convex: Convex) -> None:
    """An id of another table strikes nothing."""
    file = convex.store(b"plate")
    assert strike(convex.as_user("ada"), "dome", file) is False
    assert [stored.id for stored in convex.files()] == [file]


def test_a_note_for_both_is_in_both(convex: Convex) -> None:
    """The same entry is written into both logbooks."""
    ada = convex.as_user("ada")
    for hour in (0, 9.5, 23):
        assert ada.mutation("nights:noteBoth", {"note": f"at {hour}", "hour": hour}) is None
    for book in BOOKS:
        assert notes(ada, book) == ["at 23", "at 9.5", "at 0"]


@pytest.mark.parametrize("hour", [-1, 23.5, 24])
def test_a_wrong_hour_is_in_neither(convex: Convex, hour: float) -> None:
    """A refused note for both is written nowhere; a note for one takes any hour."""
    ada = convex.as_user("ada")
    with pytest.raises(FunctionFailed) as refusal:
        ada.mutation("nights:noteBoth", {"note": "wrong", "hour": hour})
    assert refusal.value.data == "no such hour"
    for book in BOOKS:
        assert notes(ada, book) == []
    note(ada, "dome", "single", hour)
    assert notes(ada, "dome") == ["single"]


def test_callers_who_are_not_signed_in_are_refused(convex: Convex) -> None:
    """All four functions refuse them, and nothing is written."""
    entry = note(convex.as_user("ada"), "dome", "kept")
    calls = [
        lambda: note(convex, "dome", "new"),
        lambda: convex.query("nights:mine", {"book": "dome"}),
        lambda: strike(convex, "dome", entry),
        lambda: convex.mutation("nights:noteBoth", {"note": "new", "hour": 99}),
    ]
    for call in calls:
        with pytest.raises(FunctionFailed) as refusal:
            call()
        assert refusal.value.data == "not signed in"
    (stored,) = convex.component("dome").table("entries")
    assert stored["note"] == "kept"
    assert convex.component("spectrograph").table("entries") == []


def test_other_logbooks_are_refused(convex: Convex) -> None:
    """There are two names of logbooks; no function takes another."""
    ada = convex.as_user("ada")
    for book in ("logbook", "", "Dome"):
        with pytest.raises(FunctionFailed):
            note(ada, book, "wrong")
        with pytest.raises(FunctionFailed):
            notes(ada, book)
        with pytest.raises(FunctionFailed):
            strike(ada, book, "none")


def test_entries_of_others_are_not_read(convex: Convex) -> None:
    """A logbook with many entries of others is read within narrow limits."""
    dome = convex.component("dome")
    crowd = {"author": "https://users.test|bo", "note": "other", "hour": 1.0}
    note(convex.as_user("ada"), "dome", "own")
    dome.insert_many("entries", [crowd] * 120)
    convex.limit(documents_read=40)
    assert notes(convex.as_user("ada"), "dome") == ["own"]


def test_the_component_has_its_functions(convex: Convex) -> None:
    """The three functions of the component are public there, and no functions of the app."""
    inside = {
        path: function.kind
        for path, function in convex.component("dome").functions.items()
        if function.visibility == "public"
    }
    assert inside == {
        "entries:write": "mutation",
        "entries:latest": "query",
        "entries:strike": "mutation",
    }
    app = {path for path, function in convex.functions.items() if function.visibility == "public"}
    assert app == {"nights:note", "nights:mine", "nights:strike", "nights:noteBoth"}


@pytest.mark.parametrize(
    "wrong",
    [{"author": 1.0}, {"note": 1.0}, {"hour": "3"}, {"moon": "full"}],
    ids=["author", "note", "hour", "more"],
)
def test_entries_are_as_described(convex: Convex, wrong: dict[str, float | str]) -> None:
    """An entry of another form cannot be stored or written."""
    right = {"author": ADA, "note": "clear", "hour": 3.0}
    dome = convex.component("dome")
    dome.insert("entries", right)
    with pytest.raises(FunctionFailed):
        dome.insert("entries", {**right, **wrong})
    with pytest.raises(FunctionFailed):
        dome.mutation("entries:write", {**right, **wrong})
