# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Strokes of bells: moved from lists into a table, while both are written and read."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Document = dict[str, Any]

LONGEST = 8192
"""As many values as an array can hold."""
BATCH = 100
MOST = 50
MANY = 200

STROKE: Document = {"at": 5.0, "force": 0.5}
BELL: Document = {"name": "Gloriosa"}


def strokes(*times: float) -> list[Document]:
    """Make strokes of these moments, each of a force that tells it from the others."""
    return [{"at": float(at), "force": at / 4} for at in times]


def shuffled(count: int, first: int = 0) -> list[Document]:
    """Make strokes of consecutive moments, reported out of order."""
    times = list(range(first, first + count))
    Random(7).shuffle(times)  # noqa: S311 - not for secrets
    return strokes(*times)


def bell(convex: Convex, listed: list[Document] | None = None) -> str:
    """Store a bell: with a list as the former version did, or without."""
    return convex.insert("bells", BELL if listed is None else BELL | {"strokes": listed})


def own(convex: Convex, rung: str, given: list[Document]) -> None:
    """Store strokes as documents of their own."""
    convex.insert_many("strokes", [{"bell": rung} | stroke for stroke in given])


def ring(convex: Convex, rung: str, stroke: Document) -> object:
    """Report a stroke."""
    return convex.mutation("bells:ring", {"bell": rung} | stroke)


def latest(convex: Convex, rung: str, limit: float = MOST) -> object:
    """Ask for the latest strokes."""
    return convex.query("bells:latest", {"bell": rung, "limit": float(limit)})


def move(convex: Convex, rung: str) -> object:
    """Move a batch of strokes into the table."""
    return convex.admin.mutation("bells:move", {"bell": rung})


def plain(document: Document) -> Document:
    """Leave Convex's own fields out."""
    own_fields = ("_id", "_creationTime")
    return {name: value for name, value in document.items() if name not in own_fields}


def in_table(convex: Convex, rung: str) -> list[Document]:
    """Tell a bell's strokes that have documents, in the order of their moments."""
    found = [plain(row) for row in convex.table("strokes") if row["bell"] == rung]
    return sorted(({"at": row["at"], "force": row["force"]} for row in found), key=moment)


def moment(stroke: Document) -> float:
    """Tell when a stroke was."""
    return stroke["at"]


@pytest.mark.parametrize("listed", [[], [STROKE], None], ids=["empty", "old", "new"])
def test_old_bells_are_valid_as_they_are(convex: Convex, listed: list[Document] | None) -> None:
    """A bell with a list is accepted and read, and so is one without."""
    rung = bell(convex, listed)
    assert latest(convex, rung) == (listed or [])
    own(convex, rung, [STROKE | {"at": 6.0}])
    assert latest(convex, rung) == [STROKE | {"at": 6.0}, *(listed or [])]


def test_the_tables_admit_nothing_else(convex: Convex) -> None:
    """Bells and strokes that lack a field, have another, or a wrong value are refused."""
    rung = bell(convex)
    stroke = STROKE | {"bell": rung}
    wrong_bells = [{}, {"name": 1.0}, BELL | {"strokes": None}, BELL | {"count": 1.0}]
    wrong_lists: list[Any] = [[{"at": 1.0}], [{"force": 1.0}], [STROKE | {"bell": rung}], [1.0]]
    wrong_lists += [[STROKE | {"at": "1"}], [STROKE | {"force": None}]]
    wrong_bells += [BELL | {"strokes": listed} for listed in wrong_lists]
    wrong_strokes = [stroke | {"at": None}, stroke | {"force": "1"}, stroke | {"bell": "Gloriosa"}]
    wrong_strokes += [{k: v for k, v in stroke.items() if k != left_out} for left_out in stroke]
    wrong_strokes += [
        stroke | {"name": "Gloriosa"},
        stroke | {"bell": convex.insert("strokes", stroke)},
    ]
    wrong = [("bells", each) for each in wrong_bells] + [
        ("strokes", each) for each in wrong_strokes
    ]
    for table, document in wrong:
        with pytest.raises(FunctionFailed):
            convex.insert(table, document)
    assert [plain(each) for each in convex.table("bells")] == [BELL]
    assert [plain(each) for each in convex.table("strokes")] == [stroke]


def test_a_stroke_is_a_document_of_its_own(convex: Convex) -> None:
    """Ringing adds a document and changes none, whether the bell has a list or not."""
    old = bell(convex, [STROKE])
    new = convex.mutation("bells:cast", BELL)
    assert isinstance(new, str)
    before = convex.table("bells")
    assert [plain(each) for each in before] == [BELL | {"strokes": [STROKE]}, BELL]
    given = [(new, strokes(9)[0]), (old, strokes(2)[0]), (new, strokes(0)[0])]
    assert [ring(convex, rung, stroke) for rung, stroke in given] == [True] * 3
    rows = [plain(each) for each in convex.table("strokes")]
    assert rows == [{"bell": rung} | stroke for rung, stroke in given]
    assert convex.table("bells") == before


def test_a_full_list_is_no_limit(convex: Convex) -> None:
    """A bell whose list is full goes on ringing, and its list can be moved."""
    rung = bell(convex, strokes(*range(LONGEST)))
    new = strokes(LONGEST + 1, LONGEST, -1)
    assert [ring(convex, rung, stroke) for stroke in new] == [True] * len(new)
    expected = strokes(*range(LONGEST + 1, LONGEST - 4, -1))
    assert latest(convex, rung, 5) == expected
    assert move(convex, rung) == LONGEST - BATCH
    assert latest(convex, rung, 5) == expected
    assert len(convex.table("strokes")) == BATCH + len(new)


def test_the_latest_come_first(convex: Convex) -> None:
    """Strokes are ordered by their moment, whenever they were reported, of one bell only."""
    rung, other = bell(convex, strokes(30, 10, 60)), bell(convex, strokes(33))
    for stroke in strokes(40, 20, 70, 0):
        ring(convex, rung, stroke)
    ring(convex, other, strokes(99)[0])
    assert latest(convex, rung) == strokes(70, 60, 40, 30, 20, 10, 0)
    assert latest(convex, rung, 3) == strokes(70, 60, 40)
    assert latest(convex, rung, 1) == strokes(70)
    assert latest(convex, other) == strokes(99, 33)


def test_readers_do_not_notice_the_move(convex: Convex) -> None:
    """After each batch every stroke is there once, those too that were reported meanwhile."""
    listed = shuffled(2 * BATCH + 30)
    other = bell(convex, [STROKE])
    rung = bell(convex, listed)
    expected = sorted(listed, key=moment, reverse=True)
    left: list[object] = []
    for late in strokes(-5, 45.5, 1000, 120.5):
        ring(convex, rung, late)
        expected = sorted([*expected, late], key=moment, reverse=True)
        left.append(move(convex, rung))
        assert latest(convex, rung) == expected[:MOST]
        stored: Any = (convex.document("bells", rung) or {}).get("strokes", [])
        assert len(stored) == left[-1]
        assert sorted([*stored, *in_table(convex, rung)], key=moment) == expected[::-1]
    assert left == [BATCH + 30, 30, 0, 0]
    bells = [plain(each) for each in convex.table("bells")]
    assert bells == [BELL | {"strokes": [STROKE]}, BELL]
    assert in_table(convex, other) == []


def test_an_exhausted_list_is_gone(convex: Convex) -> None:
    """A list of just a batch, or an empty one, leaves no field behind; a longer one does."""
    full, empty, without = bell(convex, shuffled(BATCH)), bell(convex, []), bell(convex)
    more = bell(convex, shuffled(BATCH + 1))
    assert [move(convex, rung) for rung in (full, empty, without, more)] == [0, 0, 0, 1]
    bells = [plain(each) for each in convex.table("bells")]
    assert bells[:-1] == [BELL] * 3
    assert len(bells[-1]["strokes"]) == 1
    assert in_table(convex, full) == sorted(shuffled(BATCH), key=moment)


def test_a_bell_that_is_gone_has_no_strokes(convex: Convex) -> None:
    """Nothing is stored for it, read of it or moved."""
    rung, gone = bell(convex), bell(convex)
    own(convex, gone, [STROKE])
    convex.delete("bells", gone)
    assert [ring(convex, gone, strokes(8)[0]), ring(convex, rung, STROKE)] == [False, True]
    assert latest(convex, gone) == []
    assert move(convex, gone) == 0
    assert len(convex.table("strokes")) == len((gone, rung))


@pytest.mark.parametrize("wrong", [{"at": "5"}, {"force": None}, {"limit": "3"}, {"bell": "Maria"}])
def test_arguments_of_another_kind_are_refused(convex: Convex, wrong: Document) -> None:
    """They are refused for what they are, even where the bell is gone and nothing would happen."""
    gone = bell(convex)
    convex.delete("bells", gone)
    calls = [("ring", STROKE | {"bell": gone}), ("latest", {"bell": gone, "limit": 3.0})]
    for name, args in calls:
        kind = convex.query if name == "latest" else convex.mutation
        assert kind(f"bells:{name}", args) in (False, [])
        if wrong.keys() <= args.keys():
            with pytest.raises(FunctionFailed):
                kind(f"bells:{name}", args | wrong)


def test_the_table_is_not_read_through(convex: Convex) -> None:
    """However many strokes there are, a call reads no more than it returns."""
    rung, other = bell(convex, shuffled(BATCH + 1)), bell(convex)
    own(convex, rung, shuffled(MANY, first=MANY))
    own(convex, other, strokes(9))
    convex.limit(documents_read=15)
    assert latest(convex, rung, 4) == strokes(*range(2 * MANY - 1, 2 * MANY - 5, -1))
    assert latest(convex, other) == strokes(9)
    assert ring(convex, rung, strokes(999)[0]) is True
    assert move(convex, rung) == 1
    assert latest(convex, rung, 1) == strokes(999)


def test_only_the_backend_moves(convex: Convex) -> None:
    """Clients can cast, ring and read, and nothing else."""
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == {
        "bells:cast": "mutation",
        "bells:ring": "mutation",
        "bells:latest": "query",
    }
    assert convex.functions["bells:move"].kind == "mutation"
