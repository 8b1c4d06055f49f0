# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Many bridges looked up at once, with their engineers and last grades."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Row = dict[str, Any]

MANY = 40
MOST = 200
ENGINEER = {"name": "Ada Holt", "phone": "+44 161 22"}


def look_up(convex: Convex, *ids: str) -> list[Row | None]:
    """Look up bridges."""
    return cast("list[Row | None]", convex.query("bridges:lookUp", {"ids": list(ids)}))


def build(convex: Convex, *names: str, **engineer: str) -> list[str]:
    """Store bridges, with an engineer where one is given, and return their ids."""
    return convex.insert_many("bridges", [{"name": name} | engineer for name in names])


def inspect(convex: Convex, bridge: str, *grades: tuple[float, float]) -> None:
    """Store inspections of a bridge, each by when it was and the grade given."""
    rows = [{"bridge": bridge, "at": float(at), "grade": float(grade)} for at, grade in grades]
    convex.insert_many("inspections", rows)


def entry(key: str, name: str, engineer: Row | None = None, grade: float | None = None) -> Row:
    """Make an entry."""
    return {"_id": key, "name": name, "engineer": engineer, "grade": grade}


@pytest.mark.parametrize("step", [1, -1], ids=["as_listed", "reversed"])
def test_entries_come_in_the_order_asked_for(convex: Convex, step: int) -> None:
    """Each text has its entry at its place, as often as it is repeated."""
    keys = build(convex, "Forth", "Tay", "Severn", "Clifton")
    bridges = dict(zip(keys, ("Forth", "Tay", "Severn", "Clifton"), strict=True))
    asked = [keys[n] for n in (2, 0, 3, 0, 0, 2)][::step]
    assert look_up(convex, *asked) == [entry(key, bridges[key]) for key in asked]
    assert look_up(convex) == []


def test_an_entry_shows_its_own_engineer(convex: Convex) -> None:
    """A bridge shows its engineer's name and phone; null where it has none, or had."""
    other = {"name": "Ib Mor", "phone": ""}
    ada, ib, gone = convex.insert_many("engineers", [ENGINEER, other, ENGINEER])
    (first,) = build(convex, "Forth", engineer=ada)
    (second,) = build(convex, "Tay", engineer=ib)
    (third,) = build(convex, "Severn", engineer=ada)
    (fourth,) = build(convex, "Clifton", engineer=gone)
    (fifth,) = build(convex, "Menai")
    convex.delete("engineers", gone)
    assert look_up(convex, fifth, third, second, fourth, first) == [
        entry(fifth, "Menai"),
        entry(third, "Severn", ENGINEER),
        entry(second, "Tay", other),
        entry(fourth, "Clifton"),
        entry(first, "Forth", ENGINEER),
    ]


def test_the_last_inspection_gives_the_grade(convex: Convex) -> None:
    """The grade is that of the bridge's latest inspection, in whatever order they were entered."""
    first, second, third, fourth = build(convex, "Forth", "Tay", "Severn", "Menai")
    inspect(convex, first, (10, 1), (40, 2.5), (-50, 3), (20, 4))
    inspect(convex, second, (90, 5))
    inspect(convex, third, (-20, 2), (-10, 0))
    expected = [
        entry(first, "Forth", grade=2.5),
        entry(second, "Tay", grade=5),
        entry(third, "Severn", grade=0),
        entry(fourth, "Menai"),
    ]
    assert look_up(convex, first, second, third, fourth) == expected


def test_what_is_no_bridge_is_null(convex: Convex) -> None:
    """Deleted bridges, ids of other tables and texts that are no ids give null at their place."""
    (engineer,) = convex.insert_many("engineers", [ENGINEER])
    kept, gone = build(convex, "Forth", "Tay")
    inspect(convex, kept, (1, 3))
    inspect(convex, gone, (1, 4))
    (inspection, _) = (row["_id"] for row in convex.table("inspections"))
    convex.delete("bridges", gone)
    there = entry(kept, "Forth", grade=3)
    wrong = [gone, engineer, inspection, "", "Forth", "toString", "__proto__", f"{kept} "]
    for text in wrong:
        assert look_up(convex, text, kept, text) == [None, there, None], text
    assert look_up(convex, *wrong) == [None] * len(wrong)


def test_each_document_is_read_once(convex: Convex) -> None:
    """Bridges asked for twenty times over, all with one engineer, are read once, and he too."""
    (engineer,) = convex.insert_many("engineers", [ENGINEER])
    keys = build(convex, "Forth", "Tay", "Severn", engineer=engineer)
    for number, key in enumerate(keys):
        inspect(convex, key, *((at, number) for at in range(MANY)))
    names = ["Forth", "Tay", "Severn"]
    expected = [entry(key, names[n], ENGINEER, n) for n, key in enumerate(keys)]
    convex.limit(documents_read=3 + 1 + 3)
    assert look_up(convex, *keys * 20) == expected * 20


def test_a_list_has_an_end(convex: Convex) -> None:
    """Two hundred texts are answered; one more is refused, also if all of them are the same."""
    keys = build(convex, *(f"No {n}" for n in range(MOST)))
    convex.insert("bridges", {"name": "Forth"})
    assert look_up(convex, *keys) == [entry(key, f"No {n}") for n, key in enumerate(keys)]
    for asked in ([*keys, keys[0]], [keys[0]] * (MOST + 1)):
        with pytest.raises(FunctionFailed) as failure:
            look_up(convex, *asked)
        assert failure.value.data == "too many bridges"


def test_documents_have_their_fields_and_links(convex: Convex) -> None:
    """Required fields are required, and links are ids of their own table."""
    (engineer,) = convex.insert_many("engineers", [ENGINEER])
    (bridge,) = build(convex, "Forth", engineer=engineer)
    inspection = {"bridge": bridge, "at": 1.0, "grade": 2.0}
    wrong: list[tuple[str, Row]] = [
        ("bridges", {"engineer": engineer}),
        ("bridges", {"name": "Tay", "engineer": None}),
        ("bridges", {"name": "Tay", "engineer": bridge}),
        *(("engineers", {key: text}) for key, text in ENGINEER.items()),
        *(("engineers", ENGINEER | {key: None}) for key in ENGINEER),
        *(("inspections", inspection | {key: None}) for key in inspection),
        *(
            ("inspections", {key: inspection[key] for key in inspection if key != missing})
            for missing in inspection
        ),
        ("inspections", inspection | {"bridge": engineer}),
    ]
    for table, row in wrong:
        with pytest.raises(FunctionFailed):
            convex.insert(table, row)


def test_texts_are_texts(convex: Convex) -> None:
    """A list that holds anything but texts is refused, and so is what is no list."""
    (bridge,) = build(convex, "Forth")
    for wrong in ([bridge, 5.0], [None], bridge, None):
        with pytest.raises(FunctionFailed):
            convex.query("bridges:lookUp", {"ids": wrong})
