# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Books of telegraph offices: how many telegrams wait, and of how many words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

Row = dict[str, Any]

MANY = 100
OFFICES = 12
AT_MOST = 50
"""Documents that one transaction may read where a crowd of many waits."""


def telegrams(*words: float) -> list[Row]:
    """Write telegrams of so many words."""
    return [{"addressee": f"Widow Quin {n}", "words": float(w)} for n, w in enumerate(words)]


def accept(convex: Convex, *words: float, office: str = "Valentia") -> list[str]:
    """Hand in telegrams of so many words at an office, in one call."""
    asked = {"office": office, "telegrams": telegrams(*words)}
    return cast("list[str]", convex.mutation("telegrams:accept", asked))


def deliver(convex: Convex, *ids: str) -> float:
    """Deliver telegrams in one call, and tell how many there were to deliver."""
    return cast("float", convex.mutation("telegrams:deliver", {"ids": list(ids)}))


def reroute(convex: Convex, telegram: str, office: str) -> object:
    """Send a telegram on to an office."""
    return convex.mutation("telegrams:reroute", {"id": telegram, "office": office})


def waiting(convex: Convex, office: str = "Valentia") -> object:
    """Ask what waits at an office."""
    return convex.query("telegrams:waiting", {"office": office})


def sums(*words: float) -> Row:
    """Count telegrams of so many words."""
    return {"telegrams": len(words), "words": sum(words)}


def rows(convex: Convex, office: str = "Valentia") -> list[float]:
    """Tell the words of each telegram in the table that waits at an office."""
    return [row["words"] for row in convex.table("telegrams") if row["office"] == office]


def test_each_office_counts_its_own(convex: Convex) -> None:
    """Telegrams are counted at exactly the office that accepted them, call after call."""
    accept(convex, 4, 2.5)
    accept(convex, 30, office="Valentia II")
    accept(convex, 7)
    accept(convex, 1, 1, office="valentia")
    assert waiting(convex) == sums(4, 2.5, 7)
    assert waiting(convex, "Valentia II") == sums(30)
    assert waiting(convex, "valentia") == sums(1, 1)
    assert waiting(convex, "Val") == sums()


def test_accepted_telegrams_are_stored(convex: Convex) -> None:
    """Each telegram of a call is in the table, and its id is returned in the order of the list."""
    ids = accept(convex, 9, 3, 5)
    stored = {row["_id"]: row for row in convex.table("telegrams")}
    assert len(stored) == 3
    for key, telegram in zip(ids, telegrams(9, 3, 5), strict=True):
        assert telegram.items() <= stored[key].items()
        assert stored[key]["office"] == "Valentia"


def test_several_accepted_at_once_are_all_counted(convex: Convex) -> None:
    """Of several telegrams in one call each is counted, at a new office and at a known one."""
    accept(convex, 5, 6, 7)
    assert waiting(convex) == sums(5, 6, 7)
    accept(convex, 1, 2, 3, 4)
    assert waiting(convex) == sums(5, 6, 7, 1, 2, 3, 4)
    assert accept(convex) == []
    assert waiting(convex) == sums(5, 6, 7, 1, 2, 3, 4)


def test_an_office_where_nothing_waits_has_zeros(convex: Convex) -> None:
    """Before the first telegram and after the last one an office has none, of no words."""
    assert waiting(convex) == sums()
    assert accept(convex) == []
    assert waiting(convex) == sums()
    assert deliver(convex, *accept(convex, 8, 9)) == 2
    assert waiting(convex) == sums()
    assert rows(convex) == []
    accept(convex, 3)
    assert waiting(convex) == sums(3)


def test_a_telegram_is_delivered_once(convex: Convex) -> None:
    """Telegrams of several offices go in one call; repeated and delivered ones count once."""
    one, two, three, four = accept(convex, 1, 2, 4, 8)
    far, near = accept(convex, 16, 32, office="Heart's Content")
    assert deliver(convex, two, far, one, two, two) == 3
    assert waiting(convex) == sums(4, 8)
    assert waiting(convex, "Heart's Content") == sums(32)
    assert deliver(convex, one, two, far) == 0
    assert deliver(convex) == 0
    assert deliver(convex, one, four, near) == 2
    assert waiting(convex) == sums(4)
    assert waiting(convex, "Heart's Content") == sums()
    assert [row["_id"] for row in convex.table("telegrams")] == [three]


def test_a_rerouted_telegram_waits_elsewhere(convex: Convex) -> None:
    """A telegram leaves the count of one office and enters that of the other."""
    one, two = accept(convex, 10, 20)
    assert reroute(convex, one, "Foilhommerum") is True
    assert (waiting(convex), waiting(convex, "Foilhommerum")) == (sums(20), sums(10))
    assert (rows(convex), rows(convex, "Foilhommerum")) == ([20], [10])
    assert reroute(convex, two, "Valentia") is True
    assert (waiting(convex), waiting(convex, "Foilhommerum")) == (sums(20), sums(10))
    assert deliver(convex, one) == 1
    assert (waiting(convex), waiting(convex, "Foilhommerum")) == (sums(20), sums())
    assert reroute(convex, one, "Valentia") is False
    assert (waiting(convex), waiting(convex, "Foilhommerum")) == (sums(20), sums())


@pytest.mark.parametrize("wrong", [0.0, -3.0])
def test_a_refused_call_counts_nothing(convex: Convex, wrong: float) -> None:
    """A telegram without words refuses the whole call: nothing of it is stored or counted."""
    accept(convex, 6)
    for words in ((wrong,), (4, wrong), (wrong, 4), (4, wrong, 5)):
        with pytest.raises(FunctionFailed) as failure:
            accept(convex, *words)
        assert failure.value.data == "no words"
    assert waiting(convex) == sums(6)
    assert rows(convex) == [6]
    accept(convex, 1)
    assert waiting(convex) == sums(6, 1)


def test_the_count_is_right_after_a_busy_day(convex: Convex) -> None:
    """However calls follow one another, the count is that of the rows, at every office."""
    offices = ["Valentia", "Foilhommerum", "Porthcurno"]
    ids: list[str] = []
    for step in range(6):
        office = offices[step % 3]
        ids += accept(convex, *range(1, 2 + step), office=office)
        reroute(convex, ids[-1], offices[(step + 1) % 3])
        deliver(convex, *ids[step :: 4 + step])
    for office in offices:
        assert waiting(convex, office) == sums(*rows(convex, office))
    assert sum(len(rows(convex, office)) for office in offices) > 3


def test_counting_reads_no_telegrams(convex: Convex) -> None:
    """What waits is told, and changed, where more telegrams and offices are than can be read."""
    one, two, three, *_ = accept(convex, *[2] * MANY)
    for office in ("Porthcurno", *(f"Station {n}" for n in range(OFFICES))):
        accept(convex, 7, office=office)
    convex.limit(documents_read=10)
    assert waiting(convex) == {"telegrams": MANY, "words": 2 * MANY}
    convex.limit(documents_read=AT_MOST)
    assert deliver(convex, one, two) == 2
    assert reroute(convex, three, "Porthcurno") is True
    accept(convex, 5, 5)
    assert waiting(convex) == {"telegrams": MANY - 1, "words": 2 * MANY + 4}
    assert waiting(convex, "Porthcurno") == sums(7, 2)


def test_a_telegram_has_an_addressee_and_words(convex: Convex) -> None:
    """Telegrams that lack something, or have more or other than that, are refused."""
    (whole,) = telegrams(3)
    wrong: list[Row] = [
        *({key: whole[key] for key in whole if key != missing} for missing in whole),
        whole | {"words": "three"},
        whole | {"urgent": True},
    ]
    for telegram in wrong:
        with pytest.raises(FunctionFailed):
            convex.mutation("telegrams:accept", {"office": "Valentia", "telegrams": [telegram]})
    row = whole | {"office": "Valentia"}
    for field in row:
        for bad in ({key: row[key] for key in row if key != field}, row | {field: None}):
            with pytest.raises(FunctionFailed):
                convex.insert("telegrams", bad)
    assert waiting(convex) == sums()


def test_arguments_have_their_types(convex: Convex) -> None:
    """Offices that are no text and ids that are none of telegrams are refused."""
    (telegram,) = accept(convex, 3)
    wrong: list[tuple[str, Row]] = [
        ("accept", {"office": 5.0, "telegrams": telegrams(3)}),
        ("deliver", {"ids": ["Valentia"]}),
        ("deliver", {"ids": telegram}),
        ("reroute", {"id": "Valentia", "office": "Valentia"}),
        ("reroute", {"id": telegram, "office": None}),
    ]
    for function, arguments in wrong:
        with pytest.raises(FunctionFailed):
            convex.mutation(f"telegrams:{function}", arguments)
    with pytest.raises(FunctionFailed):
        convex.query("telegrams:waiting", {"office": 5.0})
    assert waiting(convex) == sums(3)
