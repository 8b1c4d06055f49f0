"""Workers that stay: as many as asked for, and none forgotten."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest

from runner.steps.warm import Warm


@dataclass
class Worker:
    """Counts nothing, does nothing; can be ended."""

    usable: bool = True
    closed: bool = False

    def close(self) -> None:
        """End it."""
        self.closed = True


@dataclass
class Works:
    """Makes workers, the second of which does not start."""

    fails: bool = False
    made: list[Worker] = field(default_factory=list[Worker])
    number: Iterator[int] = field(default_factory=count)

    def start(self) -> Worker:
        """Start one."""
        if next(self.number) > 0 and self.fails:
            raise OSError("no more of them")
        self.made.append(Worker())
        return self.made[-1]


def test_a_worker_is_asked_again() -> None:
    """One that was given back is taken before another one is started."""
    works = Works()
    warm = Warm(works.start)
    warm.prepare(2)
    first = warm.take()
    warm.give_back(first)
    assert warm.take() is first
    assert len(works.made) == 2


def test_one_that_is_spent_is_ended_and_replaced() -> None:
    """Whoever asks gets one that can be asked."""
    works = Works()
    warm = Warm(works.start)
    warm.prepare(1)
    works.made[0].usable = False
    assert warm.take() is works.made[1]
    assert works.made[0].closed


def test_when_one_does_not_start_the_others_are_not_forgotten() -> None:
    """They are ended with the rest."""
    works = Works(fails=True)
    warm = Warm(works.start)
    with pytest.raises(OSError, match="no more"):
        warm.prepare(2)
    warm.close()
    assert [worker.closed for worker in works.made] == [True]
