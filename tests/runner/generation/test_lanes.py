"""How lanes adapt, wait their turn, and survive cancellation."""

import asyncio

from runner.generation import Budget, Lanes, generate
from runner.generation.lanes import Lane
from tests.runner.generation.conftest import QUICK, model, running
from tests.runner.generation.provider import Provider, Rule, Script, Step, serving


def test_no_more_than_the_limit_are_in_flight() -> None:
    """The provider never sees more requests at once than the lane lets through."""
    provider = Provider(Script(default=Step(delay_s=0.05)))

    async def work() -> None:
        async with serving(provider) as address:
            lanes = Lanes(3)
            entry = model(address)
            asked = [{"role": "user", "content": "Go."}]
            await asyncio.gather(
                *(generate(entry, asked, lanes=lanes, budget=Budget()) for _ in range(12))
            )

    running(work)
    assert len(provider.requests) == 12
    assert provider.most_in_flight == 3


def test_a_refusal_shrinks_that_providers_lane_only() -> None:
    """One provider is limited; the other goes on as before."""
    limited = Step(kind="status", status=429, headers={"Retry-After": "0.05"})
    strict = Provider(Script(rules=(Rule(match="", steps=(limited,) * 4),)))
    easy = Provider(Script())

    async def work() -> None:
        async with serving(strict) as first, serving(easy) as second:
            lanes = Lanes(16)
            asked = [{"role": "user", "content": "Go."}]
            results = await asyncio.gather(
                *(
                    generate(model(base), asked, lanes=lanes, budget=Budget(), patience=QUICK)
                    for base in [first, second] * 16
                )
            )
            assert all(result.reply == "An answer." for result in results)
            assert lanes.lane(first, 1).limit < 16
            assert lanes.lane(second, 1).limit == 16

    running(work)


def test_refusals_in_one_burst_halve_the_lane_once() -> None:
    """Requests that were in flight together say one thing, however many they are."""

    async def work() -> None:
        lane = Lane(16, 16)
        async with asyncio.TaskGroup() as group:
            barrier = asyncio.Barrier(16)

            async def refused() -> None:
                async with lane.slot() as slot:
                    await barrier.wait()
                    lane.refused(slot, None)

            for _ in range(16):
                group.create_task(refused())
        assert lane.limit == 8

    asyncio.run(work())


def test_successes_widen_the_lane_again_up_to_its_ceiling() -> None:
    """One more at once for each lane's worth of successes."""
    lane = Lane(4, 6)
    for _ in range(5):
        lane.succeeded()
    assert lane.limit == 5
    for _ in range(100):
        lane.succeeded()
    assert lane.limit == 6


def test_waiters_are_served_in_the_order_they_came() -> None:
    """First come, first served."""
    order: list[int] = []

    async def work() -> None:
        lane = Lane(1, 1)

        async def one(number: int) -> None:
            async with lane.slot():
                order.append(number)
                await asyncio.sleep(0)

        await asyncio.gather(*(one(number) for number in range(20)))

    asyncio.run(work())
    assert order == list(range(20))


def test_cancelled_waiters_leave_no_hole() -> None:
    """However waits are cancelled, also at the moment a place is given, all places come back."""

    async def work() -> None:
        lane = Lane(2, 2)

        async def hold() -> None:
            async with lane.slot():
                await asyncio.sleep(0.001)

        tasks = [asyncio.create_task(hold()) for _ in range(60)]
        for number, task in enumerate(tasks):
            if number % 3 == 0:
                task.cancel()
            await asyncio.sleep(0.0005 if number % 2 else 0)
        await asyncio.gather(*tasks, return_exceptions=True)
        assert lane.busy == 0
        async with lane.slot(), lane.slot():
            assert lane.busy == 2

    asyncio.run(work())


def test_all_waiters_cancelled_at_once_end_quietly() -> None:
    """Ctrl-C cancels everybody together: none may trip over another, and the lane still works."""

    async def work() -> None:
        lane = Lane(1, 1)

        async def wait() -> None:
            async with lane.slot():
                await asyncio.sleep(3600)

        tasks = [asyncio.create_task(wait()) for _ in range(20)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(one) for one in ended} == {asyncio.CancelledError}
        assert lane.busy == 0
        async with lane.slot():
            assert lane.busy == 1

    running(work)
