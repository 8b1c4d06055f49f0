# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""A hive is forgotten in batches, one second apart, and nothing else with it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runner.grader import Convex

BATCH = 50


def hive(convex: Convex, name: str = "Linden") -> str:
    """Add a hive."""
    return convex.insert("hives", {"name": name, "forgetting": False})


def report(convex: Convex, hive_id: str, count: int) -> None:
    """Let a hive report samples."""
    samples = [
        {"hive": hive_id, "takenAt": float(n), "weightG": 31_000.0 + n} for n in range(count)
    ]
    convex.insert_many("samples", samples)


def samples(convex: Convex, hive_id: str) -> list[dict[str, Any]]:
    """Tell which samples of a hive are left."""
    return [sample for sample in convex.table("samples") if sample["hive"] == hive_id]


def seconds_of_work(convex: Convex) -> Iterator[None]:
    """Let the work go on to its end, a second at a time."""
    convex.settle()
    yield
    for _ in range(30):
        if all(job.state != "pending" for job in convex.scheduled()):
            return
        convex.clock.advance(1.0)
        yield
    raise AssertionError("the batches do not come to an end")


def finish(convex: Convex) -> None:
    """Let the work go on to its end."""
    for _ in seconds_of_work(convex):
        pass


def forget(convex: Convex, hive_id: str) -> list[int]:
    """Have a hive forgotten, and tell how many samples were gone after each second."""
    left = [len(samples(convex, hive_id))]
    convex.mutation("hives:forget", {"hive": hive_id})
    left += [len(samples(convex, hive_id)) for _ in seconds_of_work(convex)]
    return [before - after for before, after in itertools.pairwise(left)]


@pytest.mark.parametrize("count", [0, 1, 50, 51, 173])
def test_a_hive_and_all_its_samples_are_gone_at_last(convex: Convex, count: int) -> None:
    """When the work is done, no sample of the hive is left, nor the hive itself."""
    old = hive(convex)
    report(convex, old, count)
    assert convex.mutation("hives:forget", {"hive": old}) is None
    finish(convex)
    assert convex.table("samples") == []
    assert convex.table("hives") == []


def test_the_answer_comes_at_once(convex: Convex) -> None:
    """When `forget` answers, at most one batch has been deleted, and the hive is marked."""
    old = hive(convex)
    report(convex, old, 173)
    convex.mutation("hives:forget", {"hive": old})
    assert len(samples(convex, old)) >= 173 - BATCH
    assert [row["forgetting"] for row in convex.table("hives")] == [True]


@pytest.mark.parametrize("count", [50, 120])
def test_no_transaction_deletes_more_than_a_batch(convex: Convex, count: int) -> None:
    """At most 50 samples go in a second, and no more batches are made than are needed."""
    old = hive(convex)
    report(convex, old, count)
    deleted = forget(convex, old)
    assert sum(deleted) == count
    assert max(deleted) <= BATCH
    needed = -(-count // BATCH)
    assert needed - 1 <= len(convex.scheduled()) <= needed + 1


def test_batches_are_a_second_apart(convex: Convex) -> None:
    """Half a second after a batch the next one has not begun; a full second after, it has."""
    old = hive(convex)
    report(convex, old, 173)
    convex.mutation("hives:forget", {"hive": old})
    convex.settle()
    left = len(samples(convex, old))
    assert left >= 173 - BATCH
    convex.clock.advance(0.5)
    assert len(samples(convex, old)) == left
    convex.clock.advance(0.6)
    assert len(samples(convex, old)) == left - BATCH


def test_the_hive_is_marked_until_it_is_gone(convex: Convex) -> None:
    """While samples are left, the hive is there and marked as being forgotten."""
    old = hive(convex)
    report(convex, old, 173)
    convex.mutation("hives:forget", {"hive": old})
    convex.settle()
    while samples(convex, old):
        assert [row["forgetting"] for row in convex.table("hives")] == [True]
        convex.clock.advance(1.0)


def test_other_hives_are_not_touched(convex: Convex) -> None:
    """Another hive keeps its samples, reported before, in between and after, and itself."""
    first, old, last = (hive(convex, name) for name in ("Ash", "Linden", "Willow"))
    for count in (3, 40, 17):
        for each in (first, old, last):
            report(convex, each, count)
    kept = [row for row in convex.table("samples") if row["hive"] != old]
    convex.mutation("hives:forget", {"hive": old})
    finish(convex)
    assert convex.table("samples") == kept
    assert [(row["name"], row["forgetting"]) for row in convex.table("hives")] == [
        ("Ash", False),
        ("Willow", False),
    ]


def test_samples_reported_meanwhile_go_too(convex: Convex) -> None:
    """A sample that is reported while the hive is being forgotten is deleted as well."""
    old = hive(convex)
    report(convex, old, 120)
    convex.mutation("hives:forget", {"hive": old})
    convex.settle()
    report(convex, old, 7)
    finish(convex)
    assert convex.table("samples") == []
    assert convex.table("hives") == []


def test_asking_again_starts_no_second_chain(convex: Convex) -> None:
    """Asking three times deletes no more in a second than asking once."""
    old = hive(convex)
    report(convex, old, 173)
    for _ in range(2):
        convex.mutation("hives:forget", {"hive": old})
    assert max(forget(convex, old)) <= BATCH
    assert convex.table("hives") == []
    assert len(convex.scheduled()) <= 5
    assert {job.state for job in convex.scheduled()} <= {"success"}


def test_two_hives_are_forgotten_side_by_side(convex: Convex) -> None:
    """Two hives given up in the same moment are both forgotten, and a third stays."""
    linden, willow, ash = (hive(convex, name) for name in ("Linden", "Willow", "Ash"))
    for each in (linden, willow, ash):
        report(convex, each, 60)
    convex.mutation("hives:forget", {"hive": linden})
    convex.mutation("hives:forget", {"hive": willow})
    finish(convex)
    assert [row["name"] for row in convex.table("hives")] == ["Ash"]
    assert len(samples(convex, ash)) == len(convex.table("samples")) == 60


def test_a_hive_that_is_gone_is_no_error(convex: Convex) -> None:
    """Asking for a hive that is already gone answers null and leaves nothing to do."""
    old = hive(convex)
    convex.mutation("hives:forget", {"hive": old})
    finish(convex)
    done = len(convex.scheduled())
    assert convex.mutation("hives:forget", {"hive": old}) is None
    convex.settle()
    assert {job.state for job in convex.scheduled()[done:]} <= {"success"}
    assert convex.table("hives") == []


def test_more_than_a_transaction_may_read_is_forgotten(convex: Convex) -> None:
    """More samples than one transaction may read hinder neither their own hive nor another."""
    crowded, quiet = hive(convex, "Ash"), hive(convex)
    report(convex, crowded, 115)
    report(convex, quiet, 3)
    report(convex, crowded, 115)
    convex.limit(documents_read=200)
    convex.mutation("hives:forget", {"hive": quiet})
    finish(convex)
    assert [row["name"] for row in convex.table("hives")] == ["Ash"]
    convex.mutation("hives:forget", {"hive": crowded})
    finish(convex)
    assert convex.table("hives") == []
    assert convex.table("samples") == []


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        ("hives", {"name": 7.0}),
        ("hives", {"forgetting": "yes"}),
        ("samples", {"hive": "Linden"}),
        ("samples", {"takenAt": "noon"}),
        ("samples", {"weightG": "heavy"}),
        ("samples", {"spectrum": 7.0}),
    ],
)
def test_documents_are_as_described(convex: Convex, table: str, wrong: dict[str, Any]) -> None:
    """A document with a value of another kind cannot be stored."""
    old = hive(convex)
    right = {
        "hives": {"name": "Ash", "forgetting": False},
        "samples": {"hive": old, "takenAt": 1.0, "weightG": 1.0},
    }
    convex.insert(table, right[table])
    with pytest.raises(FunctionFailed):
        convex.insert(table, right[table] | wrong)


def test_only_forget_is_public(convex: Convex) -> None:
    """`forget` is the only function that the public can call."""
    public = [path for path, fn in convex.functions.items() if fn.visibility == "public"]
    assert public == ["hives:forget"]
