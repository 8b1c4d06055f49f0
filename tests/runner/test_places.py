"""Places are given in order, and never more of them than the limit of the moment."""

import asyncio

import pytest

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
        answers.take_now()
        answers.leave()
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
