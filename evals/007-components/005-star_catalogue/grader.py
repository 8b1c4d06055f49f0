# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Stars whose documents change their form, by a migration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runner.grader import Convex

MANY = 320
AT_MOST = 230
"""Documents that one transaction may read or write, the component's own among them."""


def old(convex: Convex, *designations: str) -> list[str]:
    """Store stars of the old form."""
    return convex.insert_many("stars", [{"designation": text} for text in designations])


def migrate(convex: Convex) -> None:
    """Begin, and wait for the end."""
    assert convex.admin.mutation("stars:begin") is None
    convex.clock.advance(300)


def forms(convex: Convex) -> list[dict[str, object]]:
    """List the stars without their system fields."""
    return [
        {name: value for name, value in star.items() if not name.startswith("_")}
        for star in convex.table("stars")
    ]


def names(convex: Convex, stars: Sequence[str]) -> list[object]:
    """Read the names of stars."""
    return [convex.query("stars:name", {"star": star}) for star in stars]


def progress(convex: Convex) -> object:
    """Read how far the migration is."""
    return convex.admin.query("stars:progress")


def test_new_stars_have_the_new_form(convex: Convex) -> None:
    """A star that is added has both fields and no other."""
    star = convex.mutation("stars:add", {"catalogue": "HR", "entry": "424"})
    assert forms(convex) == [{"catalogue": "HR", "entry": "424"}]
    assert convex.table("stars")[0]["_id"] == star


def test_both_forms_have_a_name(convex: Convex) -> None:
    """The name does not depend on the form; without an entry it is the catalogue alone."""
    stars = old(convex, "NGC 6543 A", "Sirius", " x", "a  b")
    new = [("NGC", "6543 A"), ("Sirius", ""), ("", "x"), ("a", " b")]
    stars += convex.insert_many("stars", [{"catalogue": c, "entry": e} for c, e in new])
    assert names(convex, stars) == ["NGC 6543 A", "Sirius", " x", "a  b"] * 2
    convex.delete("stars", stars[0])
    assert names(convex, stars[:1]) == [None]


def test_old_stars_are_split(convex: Convex) -> None:
    """The first blank parts the catalogue from the entry, and the old field is gone."""
    stars = old(convex, "HR 424", "NGC 6543 A", "Sirius", "a  b", "M 31 ")
    migrate(convex)
    assert forms(convex) == [
        {"catalogue": "HR", "entry": "424"},
        {"catalogue": "NGC", "entry": "6543 A"},
        {"catalogue": "Sirius", "entry": ""},
        {"catalogue": "a", "entry": " b"},
        {"catalogue": "M", "entry": "31 "},
    ]
    assert [star["_id"] for star in convex.table("stars")] == stars
    assert names(convex, stars) == ["HR 424", "NGC 6543 A", "Sirius", "a  b", "M 31 "]


def test_new_stars_stay_as_they_are(convex: Convex) -> None:
    """A migration leaves stars of the new form alone."""
    star = {"catalogue": "NGC", "entry": "6543 A"}
    convex.insert("stars", star)
    old(convex, "HR 424")
    convex.insert("stars", {"catalogue": "HR 1", "entry": ""})
    before = [convex.table("stars")[n] for n in (0, 2)]
    migrate(convex)
    assert [convex.table("stars")[n] for n in (0, 2)] == before
    assert forms(convex)[1] == {"catalogue": "HR", "entry": "424"}


def test_many_stars_are_migrated_in_batches(convex: Convex) -> None:
    """More stars than a transaction may touch are all brought into the new form."""
    old(convex, *(f"HR {n}" for n in range(MANY)))
    convex.limit(documents_read=AT_MOST, documents_written=AT_MOST)
    migrate(convex)
    assert forms(convex) == [{"catalogue": "HR", "entry": str(n)} for n in range(MANY)]
    assert progress(convex) == {"seen": MANY, "done": True}


def test_progress_is_told(convex: Convex) -> None:
    """Nothing was seen before the beginning; at the end all are."""
    old(convex, "HR 1", "HR 2")
    convex.insert("stars", {"catalogue": "HR", "entry": "3"})
    assert progress(convex) == {"seen": 0, "done": False}
    migrate(convex)
    assert progress(convex) == {"seen": 3, "done": True}


def test_it_may_begin_again(convex: Convex) -> None:
    """A second beginning, during or after the migration, changes nothing."""
    old(convex, *(f"HR {n}" for n in range(150)))
    convex.admin.mutation("stars:begin")
    convex.admin.mutation("stars:begin")
    convex.clock.advance(300)
    migrated = convex.table("stars")
    assert forms(convex) == [{"catalogue": "HR", "entry": str(n)} for n in range(150)]
    migrate(convex)
    assert convex.table("stars") == migrated
    assert progress(convex) == {"seen": 150, "done": True}


def test_only_two_functions_are_public(convex: Convex) -> None:
    """Nobody outside begins a migration or asks about it."""
    public = {path for path, each in convex.functions.items() if each.visibility == "public"}
    assert public == {"stars:add", "stars:name"}


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"designation": 1.0},
        {"catalogue": "HR"},
        {"entry": "424"},
        {"designation": "HR 424", "catalogue": "HR", "entry": "424"},
        {"catalogue": "HR", "entry": 424.0},
    ],
    ids=["empty", "number", "no_entry", "no_catalogue", "both", "entry"],
)
def test_stars_have_one_of_two_forms(convex: Convex, wrong: dict[str, float | str]) -> None:
    """The schema takes either form whole, and nothing else."""
    convex.insert("stars", {"designation": "HR 424"})
    convex.insert("stars", {"catalogue": "HR", "entry": "424"})
    with pytest.raises(FunctionFailed):
        convex.insert("stars", wrong)


def test_what_is_done_stays_done(convex: Convex) -> None:
    """After the end, another beginning leaves the progress as it is at once."""
    old(convex, *(f"HR {n}" for n in range(250)))
    migrate(convex)
    assert convex.admin.mutation("stars:begin") is None
    assert progress(convex) == {"seen": 250, "done": True}
