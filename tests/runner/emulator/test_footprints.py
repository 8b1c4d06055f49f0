"""Footprints: what a call read and wrote, and which calls Convex would not run side by side."""

from collections.abc import Iterator

import pytest

from runner.backends.backend import Backend, Deployment
from runner.grading.fixtures.convex import Convex
from tests.runner.emulator.conftest import deploy_files, reset_deployment
from tests.support.texts import read_texts

pytestmark = pytest.mark.integration

TEXTS = read_texts(__file__)


@pytest.fixture(scope="module")
def deployment(embedded: Backend) -> Iterator[Deployment]:
    """A project with items and votes."""
    files = {"convex/schema.ts": TEXTS["schema"], "convex/votes.ts": TEXTS["votes"]}
    with deploy_files(embedded, files) as deployment:
        yield deployment


@pytest.fixture
def convex(deployment: Deployment) -> Iterator[Convex]:
    """The deployment after a reset."""
    with reset_deployment(deployment) as client:
        convex = Convex(client)
        convex.insert_many(
            "items", [{"group": group, "rank": rank} for group in "ab" for rank in (1, 2, 3)]
        )
        yield convex


def find_item(convex: Convex, group: str, rank: int) -> str:
    """Return the id of an item."""
    rows = convex.table("items")
    return next(row["_id"] for row in rows if (row["group"], row["rank"]) == (group, rank))


def test_only_calls_that_read_what_others_wrote_conflict(convex: Convex) -> None:
    """Votes on two items conflict only if a vote reads those of other items, too."""
    one, two = find_item(convex, "a", 1), find_item(convex, "a", 2)
    votes = {
        name: [convex.footprint(f"votes:{name}", {"item": item}) for item in (one, two, one)]
        for name in ("vote", "voteAfterAll", "voteBlindly")
    }
    conflicts = {
        name: [bool(convex.find_conflicts(first, other)) for other in (second, same)]
        for name, (first, second, same) in votes.items()
    }
    assert conflicts == {
        "vote": [False, True],
        "voteAfterAll": [True, True],
        "voteBlindly": [False, False],
    }


def test_a_footprint_tells_ranges_documents_and_sizes(convex: Convex) -> None:
    """A vote reads a range of one index, and writes one document."""
    item = find_item(convex, "a", 1)
    convex.footprint("votes:vote", {"item": item})
    footprint = convex.footprint("votes:vote", {"item": item})
    (read,) = footprint.reads
    assert (read.table, read.index, read.fields) == ("votes", "by_item", ("item",))
    assert read.lower == read.upper == (item,)
    (written,) = footprint.writes
    assert (written.table, written.id) == ("votes", convex.table("votes")[-1]["_id"])
    assert (footprint.documents_read, footprint.documents_written) == (1, 1)
    assert 0 < footprint.bytes_read < 200


@pytest.mark.parametrize(
    ("order", "rank", "conflicts"),
    [("asc", 0, True), ("asc", 5, False), ("desc", 5, True), ("desc", 0, False)],
)
def test_a_range_ends_behind_the_last_row_taken(
    convex: Convex, order: str, rank: int, *, conflicts: bool
) -> None:
    """The first row of a group is read: a new row before it conflicts, one behind it does not."""
    reader = convex.footprint("votes:first", {"group": "a", "order": order})
    writer = convex.footprint("votes:add", {"group": "a", "rank": rank})
    elsewhere = convex.footprint("votes:add", {"group": "b", "rank": rank})
    assert bool(convex.find_conflicts(reader, writer)) is conflicts
    assert convex.find_conflicts(reader, elsewhere) == []


def test_a_row_that_leaves_a_range_conflicts(convex: Convex) -> None:
    """The old version of a changed document counts, too; an empty range is read to its end."""
    reader = convex.footprint("votes:first", {"group": "a", "order": "asc"})
    item = find_item(convex, "a", 1)
    leaver = convex.footprint("votes:move", {"item": item, "rank": 9})
    assert convex.find_conflicts(reader, leaver) == [f"items {item} by by_group"]
    of_none = convex.footprint("votes:first", {"group": "c", "order": "desc"})
    newcomer = convex.footprint("votes:add", {"group": "c", "rank": 1})
    assert convex.find_conflicts(of_none, newcomer) != []


def test_pages_searches_and_failed_calls_have_footprints(convex: Convex) -> None:
    """A page is read up to its last row, a search as a whole; failed calls keep their reads."""
    opts = {"numItems": 2, "cursor": None}
    page = convex.footprint("votes:page", {"group": "a", "paginationOpts": opts}, kind="query")
    inside = convex.footprint("votes:add", {"group": "a", "rank": 1.5})
    behind = convex.footprint("votes:add", {"group": "a", "rank": 2.5})
    assert convex.find_conflicts(page, inside) != []
    assert convex.find_conflicts(page, behind) == []
    search = convex.footprint("votes:search", {"group": "zzz"})
    assert convex.find_conflicts(search, behind) != []
    item = find_item(convex, "a", 1)
    failed = convex.footprint("votes:outer", {"item": item})
    assert (len(failed.reads), failed.writes) == (1, ())
    assert convex.find_conflicts(failed, convex.footprint("votes:move", {"item": item, "rank": 7}))
