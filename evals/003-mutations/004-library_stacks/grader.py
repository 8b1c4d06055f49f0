# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Shelves and rooms of a library are cleared with all that hangs on them, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

TABLES = ("rooms", "shelves", "books", "notes")
LAYOUT = {"Attic": [2, 0, 3], "Cellar": [1, 2]}
"""How many books stand on each shelf of a room."""

Stacks = dict[str, list[str]]


def furnish(convex: Convex, lent: tuple[str, ...] = ()) -> Stacks:
    """Fill both rooms by turns, with a note to each book, and tell each room's shelves."""
    rooms = convex.insert_many("rooms", [{"name": name} for name in LAYOUT])
    stacks: Stacks = {room: [] for room in rooms}
    for place in range(3):
        for room, (name, shelves) in zip(rooms, LAYOUT.items(), strict=True):
            if place >= len(shelves):
                continue
            shelf = convex.insert("shelves", {"room": room, "label": f"{name} {place}"})
            stacks[room].append(shelf)
            titles = [f"{name} {place}.{n}" for n in range(shelves[place])]
            shelved = [{"shelf": shelf, "title": t, "lent": t in lent} for t in titles]
            books = convex.insert_many("books", shelved)
            convex.insert_many("notes", [{"text": f"On {t}"} for t in titles])
            notes = zip(titles, books, strict=True)
            convex.insert_many("notes", [{"text": f"In {t}", "book": b} for t, b in notes])
    return stacks


def everything(convex: Convex) -> dict[str, list[dict[str, Any]]]:
    """Tell all that is stored."""
    return {table: convex.table(table) for table in TABLES}


def gone(convex: Convex, before: dict[str, list[dict[str, Any]]]) -> dict[str, set[str]]:
    """Tell the names of what was deleted; whatever is left must be as it was, but for notes."""
    after = everything(convex)
    names = {"rooms": "name", "shelves": "label", "books": "title", "notes": "text"}
    for table in ("rooms", "shelves", "books"):
        assert [row for row in before[table] if row in after[table]] == after[table]
    return {
        table: {row[name] for row in before[table]} - {row[name] for row in after[table]}
        for table, name in names.items()
    }


def test_a_shelf_goes_with_its_books(convex: Convex) -> None:
    """The shelf and the books on it are deleted, and nothing else is."""
    attic, _ = furnish(convex).values()
    before = everything(convex)
    result = convex.mutation("stacks:clearShelf", {"shelf": attic[2]})
    assert result == {"shelves": 1, "books": 3}
    assert gone(convex, before) == {
        "rooms": set(),
        "shelves": {"Attic 2"},
        "books": {"Attic 2.0", "Attic 2.1", "Attic 2.2"},
        "notes": set(),
    }


def test_a_room_goes_with_its_shelves_and_their_books(convex: Convex) -> None:
    """The room and what hangs on it are deleted two levels down; the other room stays."""
    attic, _ = furnish(convex)
    before = everything(convex)
    result = convex.mutation("stacks:clearRoom", {"room": attic})
    assert result == {"shelves": 3, "books": 5}
    assert convex.scheduled() == []
    assert gone(convex, before) == {
        "rooms": {"Attic"},
        "shelves": {"Attic 0", "Attic 1", "Attic 2"},
        "books": {"Attic 0.0", "Attic 0.1", "Attic 2.0", "Attic 2.1", "Attic 2.2"},
        "notes": set(),
    }


@pytest.mark.parametrize("whole", [False, True], ids=["shelf", "room"])
def test_notes_lose_the_book_that_is_gone(convex: Convex, whole: bool) -> None:  # noqa: FBT001
    """Notes to a deleted book keep their text and have no book; all others are as they were."""
    room, shelves = list(furnish(convex).items())[1]
    cleared = [shelf for shelf in shelves if whole or shelf == shelves[1]]
    for book in convex.table("books"):
        if book["title"] == "Cellar 1.0":
            convex.insert("notes", {"text": "Another", "book": book["_id"]})
    gone_books = {row["_id"] for row in convex.table("books") if row["shelf"] in cleared}
    expected = [
        {name: value for name, value in note.items() if value not in gone_books}
        for note in convex.table("notes")
    ]
    if whole:
        convex.mutation("stacks:clearRoom", {"room": room})
    else:
        convex.mutation("stacks:clearShelf", {"shelf": shelves[1]})
    assert convex.table("notes") == expected
    assert sum("book" in note for note in expected) == 8 - len(gone_books)


def test_lent_books_keep_everything_where_it_is(convex: Convex) -> None:
    """If books are lent they are counted and nothing changes; elsewhere they do not matter."""
    stacks = furnish(convex, lent=("Attic 0.1", "Attic 2.0", "Attic 2.2"))
    attic, cellar = stacks
    before = everything(convex)
    for function, arguments, lent in (
        ("clearRoom", {"room": attic}, 3),
        ("clearShelf", {"shelf": stacks[attic][0]}, 1),
        ("clearShelf", {"shelf": stacks[attic][2]}, 2),
    ):
        with pytest.raises(FunctionFailed) as refusal:
            convex.mutation(f"stacks:{function}", arguments)
        assert refusal.value.data == {"code": "LENT", "books": lent}
        assert everything(convex) == before
    empty = convex.mutation("stacks:clearShelf", {"shelf": stacks[attic][1]})
    assert empty == {"shelves": 1, "books": 0}
    assert convex.mutation("stacks:clearRoom", {"room": cellar}) == {"shelves": 2, "books": 3}


def test_what_is_empty_or_gone_is_no_error(convex: Convex) -> None:
    """An empty room is deleted alone; what is already gone counts as nothing."""
    room = convex.insert("rooms", {"name": "Annex"})
    assert convex.mutation("stacks:clearRoom", {"room": room}) == {"shelves": 0, "books": 0}
    assert convex.table("rooms") == []
    nothing = {"shelves": 0, "books": 0}
    assert convex.mutation("stacks:clearRoom", {"room": room}) == nothing
    shelf = furnish(convex).popitem()[1][0]
    assert convex.mutation("stacks:clearShelf", {"shelf": shelf}) == {"shelves": 1, "books": 1}
    before = everything(convex)
    assert convex.mutation("stacks:clearShelf", {"shelf": shelf}) == nothing
    assert everything(convex) == before


def test_the_rest_of_the_library_is_not_read(convex: Convex) -> None:
    """However many shelves, books and notes there are elsewhere, a room is cleared."""
    (far,) = convex.insert_many("rooms", [{"name": "Far away"}])
    crowd = convex.insert_many("shelves", [{"room": far, "label": "far"}] * 90)
    books = [{"shelf": crowd[n], "title": "far", "lent": True} for n in range(90)]
    noted = [{"text": "far", "book": book} for book in convex.insert_many("books", books)]
    convex.insert_many("notes", [*noted, *[{"text": "loose"}] * 90])
    _, cellar = furnish(convex)
    convex.limit(documents_read=80)
    assert convex.mutation("stacks:clearRoom", {"room": cellar}) == {"shelves": 2, "books": 3}


def test_only_two_mutations_are_public(convex: Convex) -> None:
    """The public can clear a shelf or a room, each by one mutation, and nothing else."""
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {"stacks:clearShelf": "mutation", "stacks:clearRoom": "mutation"}
    attic, _ = furnish(convex)
    for arguments in ({"shelf": attic}, {}):
        with pytest.raises(FunctionFailed):
            convex.mutation("stacks:clearShelf", arguments)
    assert len(convex.table("rooms")) == 2
