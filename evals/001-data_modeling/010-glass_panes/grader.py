# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Panes found by their workshop's region and their title, whatever was changed before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

SHOWN = 20
LARGEST_WORKSHOP = 200
ROOM = 60
"""Documents that one transaction may read where many are stored."""
EVER = (-10_000.0, 10_000.0)


def found(convex: Convex, region: str, name: str = "Lamb") -> str:
    """Store a workshop."""
    workshop = convex.mutation("panes:found", {"name": name, "region": region})
    assert isinstance(workshop, str)
    return workshop


def enter(convex: Convex, workshop: str, *panes: tuple[str, float]) -> list[str]:
    """Store panes of a workshop."""
    listed: Any = [{"title": title, "year": float(year)} for title, year in panes]
    ids: Any = convex.mutation("panes:enter", {"workshop": workshop, "panes": listed})
    return ids


def rename(convex: Convex, pane: str, title: str) -> object:
    """Give a pane another title."""
    return convex.mutation("panes:rename", {"pane": pane, "title": title})


def attribute(convex: Convex, pane: str, workshop: str) -> object:
    """Give a pane to a workshop."""
    return convex.mutation("panes:attribute", {"pane": pane, "workshop": workshop})


def relocate(convex: Convex, workshop: str, region: str) -> object:
    """Bring a workshop into a region, at once and with all of its panes."""
    answer = convex.mutation("panes:relocate", {"workshop": workshop, "region": region})
    assert convex.scheduled() == [], "something is left to be done later"
    return answer


def in_region(convex: Convex, region: str, years: tuple[float, float] = EVER) -> list[str]:
    """Tell the titles of the panes found in a region."""
    args = {"region": region, "from": years[0], "to": years[1]}
    panes: Any = convex.query("panes:inRegion", args)
    return [pane["title"] for pane in panes]


def titled(convex: Convex, start: str) -> list[str]:
    """Tell the titles of the panes found by the beginning of a title."""
    panes: Any = convex.query("panes:titled", {"start": start})
    return [pane["title"] for pane in panes]


def regions(convex: Convex) -> dict[str, list[str]]:
    """Tell the panes of each region that the tests use."""
    return {region: in_region(convex, region) for region in ("Kent", "Wales", "York")}


def test_panes_are_returned_by_four_fields(convex: Convex) -> None:
    """What is stored comes back as it was given, without fields that are only for finding it."""
    lamb = found(convex, "Kent")
    ids = enter(convex, lamb, ("Jonah And The Whale", 1190), ("Noah", 1220.5))
    shown = [
        {"pane": ids[0], "workshop": lamb, "title": "Jonah And The Whale", "year": 1190},
        {"pane": ids[1], "workshop": lamb, "title": "Noah", "year": 1220.5},
    ]
    years = {"from": 1190.0, "to": 1221.0}
    assert convex.query("panes:inRegion", {"region": "Kent"} | years) == shown
    assert convex.query("panes:titled", {"start": "jonah a"}) == shown[:1]
    assert convex.query("panes:titled", {"start": "NOAH"}) == shown[1:]
    stored = [[row[name] for name in ("_id", "workshop", "title")] for row in convex.table("panes")]
    assert stored == [[ids[0], lamb, "Jonah And The Whale"], [ids[1], lamb, "Noah"]]
    assert enter(convex, lamb) == []
    assert [(row["name"], row["region"]) for row in convex.table("workshops")] == [("Lamb", "Kent")]


def test_a_region_is_searched_by_years(convex: Convex) -> None:
    """Panes of all of its workshops come by year, the first of a year first, twenty at most."""
    one, other, elsewhere = found(convex, "Kent"), found(convex, "Kent"), found(convex, "kent")
    enter(convex, one, ("d", 1300), ("b", 1200), ("e", 1400))
    enter(convex, elsewhere, ("x", 1250))
    enter(convex, other, ("c", 1250), ("a", 1200), ("z", 1300))
    assert in_region(convex, "Kent") == ["b", "a", "c", "d", "z", "e"]
    assert in_region(convex, "Kent", (1200, 1300)) == ["b", "a", "c"]
    assert in_region(convex, "Kent", (1201, 1301)) == ["c", "d", "z"]
    assert in_region(convex, "kent") == ["x"]
    assert in_region(convex, "Ken") == []
    enter(convex, one, *[(f"late {n}", 1500 + n) for n in range(SHOWN)])
    late = [f"late {n}" for n in range(SHOWN - 6)]
    assert in_region(convex, "Kent") == ["b", "a", "c", "d", "z", "e", *late]


def test_capitals_do_not_matter_in_titles(convex: Convex) -> None:
    """Titles are found by their beginning, and ordered as if all letters were small."""
    lamb, owen = found(convex, "Kent"), found(convex, "Wales")
    titles = ["MOON 2", "Moses", "moon", "Noah", "Moon 10", "moonlight", "mop", "MOO", "zMoon"]
    enter(convex, lamb, *[(title, 1300 - n) for n, title in enumerate(titles)])
    enter(convex, owen, ("MOON", 1100), ("Moon 2", 1100))
    moons = ["moon", "MOON", "Moon 10", "MOON 2", "Moon 2", "moonlight"]
    assert titled(convex, "moon") == moons
    assert titled(convex, "MoOn") == moons
    assert titled(convex, "moo") == ["MOO", *moons]
    assert titled(convex, "Moon 2") == ["MOON 2", "Moon 2"]
    assert titled(convex, "M")[-2:] == ["mop", "Moses"]
    assert titled(convex, "moonlights") == []
    enter(convex, owen, *[(f"star {chr(ord('Z') - n)}", 1300 + n) for n in range(SHOWN + 2)])
    assert titled(convex, "STAR") == [f"star {chr(ord('E') + n)}" for n in range(SHOWN)]


def test_a_renamed_pane_is_found_by_its_new_title(convex: Convex) -> None:
    """The former title finds it no more; it stays where and what it was otherwise."""
    lamb = found(convex, "Kent")
    ids = enter(convex, lamb, ("Ruth", 1300), ("Rachel", 1200))
    assert rename(convex, ids[0], "Judith") is True
    assert [titled(convex, start) for start in ("r", "judith", "Ju")] == [
        ["Rachel"],
        ["Judith"],
        ["Judith"],
    ]
    assert rename(convex, ids[1], "RACHEL") is True
    assert titled(convex, "rach") == ["RACHEL"]
    assert in_region(convex, "Kent") == ["RACHEL", "Judith"]
    convex.delete("panes", ids[0])
    assert rename(convex, ids[0], "Ruth") is False
    assert titled(convex, "ruth") == []


def test_a_pane_goes_to_the_region_of_its_new_workshop(convex: Convex) -> None:
    """A pane that is attributed anew is found in that workshop's region, and moves with it."""
    lamb, owen = found(convex, "Kent"), found(convex, "Wales")
    first, second = enter(convex, lamb, ("first", 1300), ("second", 1301))
    assert attribute(convex, first, owen) is True
    assert regions(convex) == {"Kent": ["second"], "Wales": ["first"], "York": []}
    assert [row["workshop"] for row in convex.table("panes")] == [owen, lamb]
    assert relocate(convex, lamb, "York") is True
    assert regions(convex) == {"Kent": [], "Wales": ["first"], "York": ["second"]}
    assert relocate(convex, owen, "Kent") is True
    assert regions(convex) == {"Kent": ["first"], "Wales": [], "York": ["second"]}
    assert attribute(convex, second, owen) is True
    assert regions(convex) == {"Kent": ["first", "second"], "Wales": [], "York": []}
    assert titled(convex, "first") == ["first"]


def test_panes_move_with_their_workshop(convex: Convex) -> None:
    """A workshop takes all of its panes along, those too that come later, and no others."""
    lamb, owen = found(convex, "Kent"), found(convex, "Kent")
    enter(convex, lamb, ("a", 1300), ("b", 1290))
    enter(convex, owen, ("c", 1295))
    assert relocate(convex, lamb, "York") is True
    enter(convex, lamb, ("d", 1280))
    assert regions(convex) == {"Kent": ["c"], "Wales": [], "York": ["d", "b", "a"]}
    assert [row["region"] for row in convex.table("workshops")] == ["York", "Kent"]
    assert relocate(convex, lamb, "Wales") is True
    assert relocate(convex, found(convex, "York"), "Kent") is True
    assert regions(convex) == {"Kent": ["c"], "Wales": ["d", "b", "a"], "York": []}


def test_what_is_gone_changes_nothing(convex: Convex) -> None:
    """A workshop or pane that does not exist any more is told of, and nothing is stored."""
    lamb, gone = found(convex, "Kent"), found(convex, "Wales")
    pane, lost = enter(convex, lamb, ("pane", 1300), ("lost", 1300))
    convex.delete("workshops", gone)
    convex.delete("panes", lost)
    before = convex.table("panes"), convex.table("workshops")
    assert enter(convex, gone, ("new", 1300)) is None
    assert attribute(convex, pane, gone) is False
    assert attribute(convex, lost, lamb) is False
    assert relocate(convex, gone, "Kent") is False
    assert (convex.table("panes"), convex.table("workshops")) == before
    assert attribute(convex, pane, lamb) is True
    for wrong in ((pane, pane), (lamb, lamb)):
        with pytest.raises(FunctionFailed):
            attribute(convex, *wrong)


def test_values_of_another_kind_are_refused(convex: Convex) -> None:
    """The tables refuse them, and the functions do so even where nothing would be done."""
    lamb, gone = found(convex, "Kent"), found(convex, "Kent")
    (lost,) = enter(convex, lamb, ("lost", 1300))
    rows = {table: convex.table(table)[0] for table in ("workshops", "panes")}
    wrong: dict[str, Any] = {"name": 1.0, "region": None, "title": 1.0, "year": "1300"}
    for table, row in rows.items():
        fields = {name: value for name, value in row.items() if name[0] != "_"}
        convex.insert(table, fields)
        for name in ({*wrong, "workshop"} & {*fields}) - (
            {"region"} if table == "panes" else set()
        ):
            with pytest.raises(FunctionFailed):
                convex.insert(table, fields | {name: wrong.get(name, row["_id"])})
    convex.delete("workshops", gone)
    convex.delete("panes", lost)
    pane = {"title": "lost", "year": 1300.0}
    calls: list[tuple[str, Any]] = [
        ("enter", {"workshop": gone, "panes": [pane | {"title": 1.0}]}),
        ("enter", {"workshop": gone, "panes": [pane | {"year": "1300"}]}),
        ("enter", {"workshop": gone, "panes": [1.0]}),
        ("enter", {"workshop": gone, "panes": pane}),
        ("rename", {"pane": lost, "title": None}),
        ("relocate", {"workshop": gone, "region": 1.0}),
    ]
    for name, args in calls:
        with pytest.raises(FunctionFailed):
            convex.mutation(f"panes:{name}", args)
    asked: dict[str, Any] = {"region": "York", "from": 1.0, "to": 2.0}
    for name in asked:
        with pytest.raises(FunctionFailed):
            convex.query("panes:inRegion", asked | {name: None})


def test_few_are_read_among_many(convex: Convex) -> None:
    """Neither finding nor changing reads panes and workshops that have nothing to do with it."""
    crowd = [(f"Crowd {n}", 1000.0 + n) for n in range(LARGEST_WORKSHOP)]
    full = found(convex, "Kent")
    enter(convex, full, *crowd)
    for n in range(ROOM + 10):
        found(convex, "Kent", f"workshop {n}")
    lamb, owen = found(convex, "Kent"), found(convex, "Wales")
    pane, other = enter(convex, lamb, ("Dance", 1350), ("Cross", 1350))
    convex.limit(documents_read=ROOM)
    assert in_region(convex, "Kent", (1350, 1351)) == ["Dance", "Cross"]
    assert in_region(convex, "Kent", (1100, 1400)) == [f"Crowd {100 + n}" for n in range(SHOWN)]
    assert titled(convex, "dance") == ["Dance"]
    assert titled(convex, "crowd 1")[:4] == ["Crowd 1", "Crowd 10", "Crowd 100", "Crowd 101"]
    assert enter(convex, owen, ("Lion", 1400)) is not None
    assert [rename(convex, pane, "Ruth"), attribute(convex, other, full)] == [True, True]
    assert relocate(convex, lamb, "York") is True
    assert [in_region(convex, "York"), in_region(convex, "Wales")] == [["Ruth"], ["Lion"]]


def test_the_largest_workshop_moves_at_once(convex: Convex) -> None:
    """All 200 panes are in the new region as soon as the workshop is."""
    full = found(convex, "Kent")
    enter(convex, full, *[(f"Crowd {n}", 1000.0 + n) for n in range(LARGEST_WORKSHOP)])
    assert relocate(convex, full, "York") is True
    assert in_region(convex, "Kent") == []
    assert in_region(convex, "York", (1199, 2000)) == ["Crowd 199"]
    assert in_region(convex, "York") == [f"Crowd {n}" for n in range(SHOWN)]
