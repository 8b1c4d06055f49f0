"""Threads give work to one event loop, and nothing of it is left at the end."""

import asyncio
import threading
from concurrent.futures import CancelledError

import pytest

from runner.loop_thread import LoopThread

pytestmark = pytest.mark.unit

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
