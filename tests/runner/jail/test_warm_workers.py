"""Workers that stay: as few as possible, and none forgotten."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest

from runner.jail.warm_workers import Warm

pytestmark = pytest.mark.unit


@dataclass
class Worker:
    """A worker without work, which can be ended."""

    usable: bool = True
    closed: int = 0

    def close(self) -> None:
        """End the worker."""
        self.closed += 1


class KindOfWorker(Worker):
    """A worker of one of several kinds."""

    def __init__(self, kind: str) -> None:
        """Start the worker."""
        super().__init__()
        self.kind = kind


@dataclass
class Works:
    """Starts workers; the first ``fail`` of them do not start."""

    fail: int = 0
    made: list[Worker] = field(default_factory=list[Worker])
    number: Iterator[int] = field(default_factory=count)

    def start(self) -> Worker:
        """Start a worker."""
        if next(self.number) < self.fail:
            raise OSError("no more of them")
        self.made.append(Worker())
        return self.made[-1]


def test_a_worker_is_asked_again() -> None:
    """A worker that came back is lent before another worker is started."""
    works = Works()
    warm = Warm(works.start)
    warm.prepare()
    with warm.lend() as first:
        pass
    with warm.lend() as second:
        assert second is first
    assert len(works.made) == 1


def test_one_that_is_spent_is_ended_and_replaced() -> None:
    """A borrower gets a usable worker."""
    works = Works()
    warm = Warm(works.start)
    warm.prepare()
    works.made[0].usable = False
    with warm.lend() as worker:
        assert worker is works.made[1]
    assert works.made[0].closed == 1


def test_a_second_caller_waits_for_the_first() -> None:
    """A second worker is not started for a moment's wait."""
    works = Works()
    warm = Warm(works.start, wait_s=30)
    with warm.lend() as first:
        got: list[Worker] = []

        def ask() -> None:
            with warm.lend() as worker:
                got.append(worker)

        other = threading.Thread(target=ask)
        other.start()
        other.join(0.2)
        assert not got
    other.join()
    assert got == [first]


def test_after_some_patience_another_one_is_started() -> None:
    """A worker that is busy for long makes no borrower wait."""
    works = Works()
    warm = Warm(works.start, wait_s=0.01)
    with warm:
        with warm.lend() as first, warm.lend() as second:
            assert first is not second
        assert [worker.closed for worker in works.made] == [0, 0]
    assert [worker.closed for worker in works.made] == [1, 1]


def test_kinds_are_kept_apart_and_the_oldest_is_ended() -> None:
    """A borrower gets a worker of the kind it asked for; more than two idle ones are too many."""
    warm = Warm(KindOfWorker, wait_s=0, most_idle=2)
    lent: list[KindOfWorker] = []
    for kind in ("a", "b", "a", "c"):
        with warm.lend(kind) as worker:
            lent.append(worker)
    assert [worker.kind for worker in lent] == ["a", "b", "a", "c"]
    assert lent[2] is lent[0]
    assert [worker.closed for worker in lent] == [0, 1, 0, 0]


def test_a_failing_model_is_not_asked_again() -> None:
    """The failed worker is ended at once, and the next worker is new."""
    works = Works()
    warm = Warm(works.start)
    with pytest.raises(TimeoutError), warm.lend():
        raise TimeoutError
    assert works.made[0].closed
    with warm.lend() as worker:
        assert worker is works.made[1]


def test_one_that_does_not_start_is_not_waited_for() -> None:
    """The next worker is started at once."""
    works = Works(fail=1)
    warm = Warm(works.start, wait_s=600)
    with pytest.raises(OSError, match="no more"):
        warm.prepare()
    warm.prepare()
    assert len(works.made) == 1
