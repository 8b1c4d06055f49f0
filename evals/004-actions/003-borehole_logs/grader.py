# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Logs of boreholes, fetched from a service and taken over as a whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

SERVICE = "https://logs.drilling.test/holes/"
PUBLIC = {"boreholes:copy": "action", "boreholes:log": "query"}
OLD = [{"fromM": 0.0, "toM": 3.5, "rock": "gravel"}, {"fromM": 3.5, "toM": 40.0, "rock": "schist"}]
NEW = [
    {"fromM": 0.0, "toM": 2.25, "rock": "till"},
    {"fromM": 2.25, "toM": 11.0, "rock": "gneiss"},
    {"fromM": 100.0, "toM": 180.5, "rock": "skarn with magnetite"},
]
WRONG: dict[str, object] = {
    "no_list": {"intervals": NEW},
    "null": None,
    "text_as_entry": [*NEW, "granite"],
    "null_as_entry": [*NEW, None],
    "no_start": [*NEW, {"toM": 300, "rock": "granite"}],
    "no_end": [*NEW, {"fromM": 200, "rock": "granite"}],
    "no_rock": [*NEW, {"fromM": 200, "toM": 300}],
    "depth_as_text": [*NEW, {"fromM": 200, "toM": "300", "rock": "granite"}],
    "rock_as_number": [*NEW, {"fromM": 200, "toM": 300, "rock": 7}],
    "upside_down": [*NEW, {"fromM": 300, "toM": 200, "rock": "granite"}],
    "of_no_length": [*NEW, {"fromM": 200, "toM": 200, "rock": "granite"}],
    "overlaps_the_next": [{"fromM": 90, "toM": 100.5, "rock": "granite"}, *NEW],
    "overlaps_one_before": [*NEW, {"fromM": 10.75, "toM": 12, "rock": "granite"}],
    "within_another": [*NEW, {"fromM": 120, "toM": 121, "rock": "granite"}],
    "around_another": [*NEW, {"fromM": 90, "toM": 200, "rock": "granite"}],
    "same_twice": [*NEW, NEW[1]],
    "beside_the_first": [*NEW, {"fromM": 0, "toM": 1, "rock": "granite"}],
}


def keep(convex: Convex, hole: str, intervals: list[dict[str, Any]]) -> None:
    """Store a log without the service, the deepest interval first."""
    convex.insert_many("intervals", [{"hole": hole, **each} for each in reversed(intervals)])


def copy(convex: Convex, hole: str, log: object) -> object:
    """Copy a hole's log, of which the service has this one."""
    convex.stub_fetch(SERVICE + hole, method="GET", json=log)
    if log is None:
        convex.stub_fetch(SERVICE + hole, method="GET", body="null")
    return convex.action("boreholes:copy", {"hole": hole})


def log_of(convex: Convex, hole: str) -> object:
    """Read a hole's log."""
    return convex.query("boreholes:log", {"hole": hole})


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
def test_a_log_is_taken_over(convex: Convex, order: list[int]) -> None:
    """Every interval is stored for its hole, whatever the order of the reply, and read in order."""
    assert copy(convex, "DD-17", [NEW[n] for n in order]) == 3
    assert log_of(convex, "DD-17") == NEW
    rows = [
        {name: row[name] for name in row if name[0] != "_"} for row in convex.table("intervals")
    ]
    assert sorted(rows, key=lambda row: row["fromM"]) == [{"hole": "DD-17", **each} for each in NEW]
    (fetch,) = convex.fetches()
    assert (fetch.method, fetch.url) == ("GET", SERVICE + "DD-17")


def test_a_new_log_takes_the_place_of_the_old(convex: Convex) -> None:
    """What was stored for the hole is gone, also when the new log is shorter, the same or empty."""
    keep(convex, "DD-17", OLD)
    for log in (NEW, NEW, OLD, NEW[2:], []):
        assert copy(convex, "DD-17", log) == len(log)
        assert log_of(convex, "DD-17") == log
        assert len(convex.table("intervals")) == len(log)


def test_other_holes_are_untouched(convex: Convex) -> None:
    """Holes with a similar name keep their logs, and do not mix with this one's."""
    for hole in ("DD-1", "DD-17", "DD-170", "dd-17"):
        keep(convex, hole, OLD)
    copy(convex, "DD-17", NEW)
    logs = {hole: log_of(convex, hole) for hole in ("DD-1", "DD-17", "DD-170", "dd-17", "DD-9")}
    assert logs == {"DD-1": OLD, "DD-17": NEW, "DD-170": OLD, "dd-17": OLD, "DD-9": []}


def test_more_than_the_task_names_is_ignored(convex: Convex) -> None:
    """Further fields of an entry are neither refused nor stored."""
    copy(convex, "DD-17", [{"hole": "XX", "logger": {"name": "Ida"}, **each} for each in NEW])
    assert log_of(convex, "DD-17") == NEW
    assert {row["hole"] for row in convex.table("intervals")} == {"DD-17"}


@pytest.mark.parametrize("log", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_log_changes_nothing(convex: Convex, log: object) -> None:
    """A log that is wrong in one place is refused as a whole, and the old one stays."""
    keep(convex, "DD-17", OLD)
    before = convex.table("intervals")
    with pytest.raises(FunctionFailed) as refusal:
        copy(convex, "DD-17", log)
    assert (refusal.value.data, convex.table("intervals")) == ("wrong log", before)


@pytest.mark.parametrize(
    "reply",
    [{"fail": True}, {"status": 500, "json": NEW}, {"status": 404, "json": []}, {"body": "<p>"}],
    ids=["no_connection", "server_error", "not_found", "no_json"],
)
def test_without_a_log_nothing_changes(convex: Convex, reply: dict[str, Any]) -> None:
    """When no log comes, that is said, and the old one stays."""
    keep(convex, "DD-17", OLD)
    before = convex.table("intervals")
    convex.stub_fetch(SERVICE + "DD-17", **reply)
    with pytest.raises(FunctionFailed) as refusal:
        convex.action("boreholes:copy", {"hole": "DD-17"})
    assert (refusal.value.data, convex.table("intervals")) == ("no log", before)


@pytest.mark.parametrize("refused", [0, 1, 2], ids=["first", "middle", "last"])
def test_what_the_database_refuses_changes_nothing(convex: Convex, refused: int) -> None:
    """If one interval is too long for a document, none is stored and none of the old is lost."""
    keep(convex, "DD-17", OLD)
    before = convex.table("intervals")
    log = [
        {**each, "rock": "ore" * 400_000} if n == refused else each for n, each in enumerate(NEW)
    ]
    with pytest.raises(FunctionFailed):
        copy(convex, "DD-17", log)
    assert convex.table("intervals") == before


def test_only_copying_and_reading_are_public(convex: Convex) -> None:
    """Nothing that writes what its caller says is open to the public."""
    public = {path: fn.kind for path, fn in convex.functions.items() if fn.visibility == "public"}
    assert public == PUBLIC


def test_other_holes_are_not_read(convex: Convex) -> None:
    """What is read for one hole does not depend on how many intervals other holes have."""
    others = [{"hole": f"AA-{number}", **each} for number in range(60) for each in OLD]
    convex.insert_many("intervals", others)
    keep(convex, "DD-17", OLD)
    convex.limit(documents_read=30)
    assert copy(convex, "DD-17", NEW) == 3
    assert (log_of(convex, "DD-17"), log_of(convex, "AA-7")) == (NEW, OLD)


def test_a_hole_is_a_text(convex: Convex) -> None:
    """A hole that is no text is refused, and nobody is asked for it."""
    convex.stub_fetch(SERVICE + "*", json=NEW)
    for call, function in ((convex.action, "copy"), (convex.query, "log")):
        with pytest.raises(FunctionFailed):
            call(f"boreholes:{function}", {"hole": 17.0})
    assert convex.fetches() == []


@pytest.mark.parametrize("wrong", [{"hole": 17.0}, {"fromM": "0"}, {"toM": "9"}, {"rock": 7.0}])
def test_intervals_are_as_described(convex: Convex, wrong: dict[str, Any]) -> None:
    """An interval of which a field is of another kind cannot be stored."""
    right = {"hole": "DD-17", **OLD[0]}
    convex.insert("intervals", right)
    with pytest.raises(FunctionFailed):
        convex.insert("intervals", {**right, **wrong})
