"""Threads: places that are given in order, and work for one event loop."""

import asyncio
import threading
from concurrent.futures import CancelledError

import pytest

from runner.loop_thread import LoopThread
from runner.places import AttemptPlaces

pytestmark = pytest.mark.unit


def test_places_are_given_in_order_and_not_lost_with_those_who_go() -> None:
    """An attempt that is cancelled while it waits, or as it gets its place, keeps no place."""

    async def take() -> None:
        answers = AttemptPlaces(lambda: 1)
        await answers.take()
        order: list[int] = []

        async def wait(number: int) -> None:
            await answers.take()
            order.append(number)

        waiting = [asyncio.create_task(wait(number)) for number in range(4)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        answers.leave()
        waiting[1].cancel()
        await asyncio.gather(*waiting[:2], return_exceptions=True)
        await waiting[2]
        assert order == [2], "there is one place only"
        async with answers.hold(over_limit=True):
            pass
        await asyncio.sleep(0)
        assert order == [2], "an answer from before takes a place over the limit"
        answers.leave()
        await waiting[3]
        assert order == [2, 3]

    asyncio.run(take())


def test_a_limit_that_grows_counts_at_the_next_change() -> None:
    """As soon as one attempt leaves, all attempts get places that the new limit allows."""

    async def take() -> None:
        limit = 1
        places = AttemptPlaces(lambda: limit)
        await places.take()
        waiting = [asyncio.create_task(places.take()) for _ in range(4)]
        await asyncio.sleep(0)
        limit = 3
        places.leave()
        await asyncio.sleep(0)
        assert [task.done() for task in waiting] == [True, True, True, False]
        places.leave()
        await waiting[3]

    asyncio.run(take())


_PATIENCE_S = 30.0


async def get_thread_name() -> str:
    """Return the name of the thread that this runs in."""
    return threading.current_thread().name


def test_work_is_done_in_the_thread() -> None:
    """Callers get results and errors of what they gave, whether they wait or not."""

    async def fail() -> None:
        raise ValueError("of the work")

    with LoopThread("looping") as thread:
        assert thread.run(get_thread_name()) == "looping"
        assert thread.submit(get_thread_name()).result(_PATIENCE_S) == "looping"
        with pytest.raises(ValueError, match="of the work"):
            thread.run(fail())


def test_the_end_cancels_work_and_then_cleans_up() -> None:
    """Waiting threads get CancelledError, and the thread ends; it can be entered again."""
    steps: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            steps.append("cancelled")

    async def finish() -> None:
        steps.append("at the end")

    thread = LoopThread("looping", at_end=finish)
    for _ in range(2):
        with thread:
            future = thread.submit(work())
            thread.run(get_thread_name())
        with pytest.raises(CancelledError):
            future.result(_PATIENCE_S)
        assert "looping" not in {each.name for each in threading.enumerate()}
    assert steps == ["cancelled", "at the end"] * 2


def test_an_error_at_the_end_leaves_no_thread() -> None:
    """The caller gets the error."""

    async def fail() -> None:
        raise OSError("a connection does not close")

    with pytest.raises(OSError, match="does not close"), LoopThread("looping", at_end=fail):
        pass
    assert "looping" not in {each.name for each in threading.enumerate()}
