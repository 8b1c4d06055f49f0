# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Plates that a scanner reads, by way of a workpool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

SCANNER = "https://scanner.sky.test/plates/"
ATTEMPTS = 4
PLATES = 30
AN_HOUR = 3600


def answer(
    convex: Convex,
    name: str = "*",
    *,
    after: float = 0,
    **reply: Any,  # noqa: ANN401 - as stub_fetch
) -> None:
    """Have the scanner answer, so many seconds after it was asked."""
    convex.stub_fetch(SCANNER + name, method="GET", after=after, **reply)


def submit(convex: Convex, *names: str) -> list[str]:
    """Submit plates."""
    return cast("list[str]", convex.mutation("plates:submit", {"names": list(names)}))


def report(convex: Convex) -> object:
    """Read the report."""
    return convex.query("plates:report")


def state(convex: Convex, plate: str) -> object:
    """Look up a plate's state."""
    stored = convex.document("plates", plate)
    return stored and stored["state"]


def copy(convex: Convex, plate: str) -> dict[str, Any]:
    """Copy the fields of a plate, of which an answer may have more than the task names."""
    stored = convex.document("plates", plate)
    assert stored is not None
    return {field: value for field, value in stored.items() if not field.startswith("_")}


def asked(convex: Convex) -> list[str]:
    """List what the scanner was asked for."""
    return [fetch.url.removeprefix(SCANNER) for fetch in convex.fetches()]


def test_plates_are_scanned(convex: Convex) -> None:
    """Each plate is scanned once and gets its own number of stars."""
    answer(convex, "A", json={"stars": 12})
    answer(convex, "B%2F2%20c", json={"stars": 0, "sky": "clear"})
    plates = submit(convex, "A", "B/2 c")
    convex.clock.advance(60)
    assert report(convex) == [
        {"name": "B/2 c", "state": "scanned", "stars": 0},
        {"name": "A", "state": "scanned", "stars": 12},
    ]
    assert [stored["_id"] for stored in convex.table("plates")] == plates
    assert sorted(asked(convex)) == ["A", "B%2F2%20c"]


def test_submitted_plates_wait(convex: Convex) -> None:
    """The scan is no part of the mutation that submits the plates."""
    answer(convex, json={"stars": 1})
    submit(convex)
    assert report(convex) == []
    answer(convex, status=500)
    submit(convex, "A")
    assert report(convex) == [{"name": "A", "state": "waiting", "stars": None}]


@pytest.mark.parametrize(
    "reply",
    [
        {"status": 500, "json": {"stars": 3}},
        {"status": 201, "json": {"stars": 3}},
        {"json": {"stars": "3"}},
        {"json": {}},
        {"body": "<h1>"},
        {"fail": True},
    ],
    ids=["error", "other_status", "text", "no_stars", "no_json", "no_reply"],
)
def test_failing_scans_are_tried_four_times(convex: Convex, reply: dict[str, Any]) -> None:
    """Whatever is wrong, there are four attempts, and then the plate has failed."""
    answer(convex, **reply)
    (plate,) = submit(convex, "A")
    convex.clock.advance(AN_HOUR)
    assert asked(convex) == ["A"] * ATTEMPTS
    assert state(convex, plate) == "failed"
    assert report(convex) == [{"name": "A", "state": "failed", "stars": None}]


def test_the_last_attempt_may_succeed(convex: Convex) -> None:
    """Three failures are forgotten when the fourth attempt succeeds."""
    answer(convex, json={"stars": 7})
    answer(convex, status=503, times=3)
    submit(convex, "A")
    convex.clock.advance(AN_HOUR)
    assert report(convex) == [{"name": "A", "state": "scanned", "stars": 7}]
    assert len(asked(convex)) == ATTEMPTS


def test_waiting_times_grow(convex: Convex) -> None:
    """The second attempt comes soon, the last one only after more than four seconds."""
    answer(convex, status=500)
    submit(convex, "A")
    convex.clock.advance(4)
    early = len(asked(convex))
    convex.clock.advance(AN_HOUR)
    assert 2 <= early < ATTEMPTS
    assert len(asked(convex)) == ATTEMPTS


def test_waiting_times_grow_threefold(convex: Convex) -> None:
    """Of many plates some have their last attempt later than by twofold times, none by fourfold."""
    # The package scatters each time by half of it: 1, 2 and 4 seconds are 10.5 at most, 1, 3 and 9
    # are 13 on average and 19.5 at most, 1, 4 and 16 are 21 on average.
    answer(convex, status=500)
    for plate in range(PLATES):
        submit(convex, f"{plate}")
    convex.clock.advance(12)
    early = len(asked(convex))
    convex.clock.advance(10)
    assert early < len(asked(convex)) == ATTEMPTS * PLATES


def test_one_failure_does_not_concern_other_plates(convex: Convex) -> None:
    """Plates are scanned by themselves."""
    answer(convex, json={"stars": 2})
    answer(convex, "B", status=500)
    submit(convex, "A", "B", "C")
    convex.clock.advance(AN_HOUR)
    rows = cast("list[dict[str, object]]", report(convex))
    states = [plate["state"] for plate in rows]
    assert states == ["scanned", "failed", "scanned"]


def test_a_stopped_plate_stays_stopped(convex: Convex) -> None:
    """Its scan is given up, and what was under way changes nothing."""
    answer(convex, status=500)
    stopped, other = submit(convex, "A", "B")
    convex.clock.advance(1)
    assert convex.mutation("plates:stop", {"plate": stopped}) is True
    before = asked(convex).count("A")
    answer(convex, json={"stars": 9})
    convex.clock.advance(AN_HOUR)
    assert asked(convex).count("A") <= before + 1
    assert (state(convex, stopped), state(convex, other)) == ("stopped", "scanned")
    assert convex.mutation("plates:stop", {"plate": stopped}) is False


def test_a_stopped_scan_is_given_up(convex: Convex) -> None:
    """A scan that fails again and again is not tried any more."""
    answer(convex, status=500)
    (plate,) = submit(convex, "A")
    convex.clock.advance(1)
    convex.mutation("plates:stop", {"plate": plate})
    convex.clock.advance(AN_HOUR)
    assert len(asked(convex)) < ATTEMPTS
    assert state(convex, plate) == "stopped"


@pytest.mark.parametrize(
    "reply", [{"json": {"stars": 9}}, {"status": 500}], ids=["success", "failure"]
)
def test_a_plate_is_stopped_while_its_scan_runs(convex: Convex, reply: dict[str, Any]) -> None:
    """However that scan ends, the plate stays stopped, has no stars, and is not tried again."""
    answer(convex, after=5, **reply)
    (plate,) = submit(convex, "A")
    convex.clock.advance(3)
    assert (asked(convex), state(convex, plate)) == (["A"], "waiting")
    assert convex.mutation("plates:stop", {"plate": plate}) is True
    assert state(convex, plate) == "stopped"
    convex.clock.advance(AN_HOUR)
    assert report(convex) == [{"name": "A", "state": "stopped", "stars": None}]
    assert asked(convex) == ["A"]


def test_a_plate_is_stopped_during_its_last_attempt(convex: Convex) -> None:
    """The plate stays stopped, though no attempt is left to give up."""
    answer(convex, status=500, after=60)
    answer(convex, status=500, times=ATTEMPTS - 1)
    (plate,) = submit(convex, "A")
    convex.clock.advance(40)
    assert (len(asked(convex)), state(convex, plate)) == (ATTEMPTS, "waiting")
    assert convex.mutation("plates:stop", {"plate": plate}) is True
    convex.clock.advance(AN_HOUR)
    assert state(convex, plate) == "stopped"


def test_a_plate_is_deleted_while_its_scan_runs(convex: Convex) -> None:
    """The plate is not stored again, and other plates go on."""
    answer(convex, json={"stars": 2}, after=5)
    gone, other_plate = submit(convex, "A", "B")
    convex.clock.advance(3)
    assert sorted(asked(convex)) == ["A", "B"]
    convex.delete("plates", gone)
    convex.clock.advance(AN_HOUR)
    assert [stored["_id"] for stored in convex.table("plates")] == [other_plate]
    assert state(convex, other_plate) == "scanned"


def test_ended_plates_cannot_be_stopped(convex: Convex) -> None:
    """Scanned and failed plates stay as they are, and a plate that is gone is none."""
    answer(convex, json={"stars": 2})
    answer(convex, "B", status=500)
    scanned, failed, gone = submit(convex, "A", "B", "C")
    convex.delete("plates", gone)
    convex.clock.advance(AN_HOUR)
    for plate in (scanned, failed, gone):
        assert convex.mutation("plates:stop", {"plate": plate}) is False
    assert (state(convex, scanned), state(convex, failed)) == ("scanned", "failed")
    assert len(convex.table("plates")) == 2


def test_a_deleted_plate_is_not_stored_again(convex: Convex) -> None:
    """A callback for a plate that is gone does nothing, and others go on."""
    answer(convex, json={"stars": 2})
    gone, other_plate = submit(convex, "A", "B")
    convex.delete("plates", gone)
    convex.clock.advance(AN_HOUR)
    assert [stored["_id"] for stored in convex.table("plates")] == [other_plate]
    assert state(convex, other_plate) == "scanned"


def test_the_newest_plates_are_reported(convex: Convex) -> None:
    """The report has the fifty newest, and reads no more."""
    answer(convex, status=500)
    (plate,) = submit(convex, "A")
    assert convex.mutation("plates:stop", {"plate": plate}) is True
    convex.clock.advance(AN_HOUR)
    stopped = copy(convex, plate)
    convex.insert_many("plates", [{**stopped, "name": f"plate {n}"} for n in range(130)])
    convex.limit(documents_read=80)
    names = [plate["name"] for plate in cast("list[dict[str, object]]", report(convex))]
    assert names == [f"plate {n}" for n in range(129, 79, -1)]


def test_only_three_functions_are_public(convex: Convex) -> None:
    """The scan and its callback cannot be called from outside."""
    public = {path for path, each in convex.functions.items() if each.visibility == "public"}
    assert public == {"plates:submit", "plates:stop", "plates:report"}
    assert convex.functions["plates:scan"].kind == "action"


@pytest.mark.parametrize(
    "wrong",
    [{"name": 1.0}, {"state": "lost"}, {"stars": "many"}],
    ids=["name", "state", "stars"],
)
def test_plates_are_as_described(convex: Convex, wrong: dict[str, float | str]) -> None:
    """A plate of another form cannot be stored."""
    answer(convex, json={"stars": 3})
    (plate,) = submit(convex, "A")
    convex.clock.advance(AN_HOUR)
    right = copy(convex, plate)
    convex.insert("plates", right)
    with pytest.raises(FunctionFailed):
        convex.insert("plates", {**right, **wrong})
