"""How queues adapt, wait their turn, and survive cancellation."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from socket import socket

import pytest
from aiohttp import web

from records.shapes.attempt import FaultClass
from records.shapes.registry import Limits, ModelEntry
from runner.models.ask import GenerationResult
from runner.models.concurrency.provider_queue import ProviderQueue, ProviderQueues
from runner.models.faults.circuit_breaker import Pace
from tests.runner.models.asking import (
    ENDURING,
    ask_at,
    ask_model,
    count_causes,
    make_model,
    make_provider,
    run_in_loop,
)
from tests.runner.models.provider import Provider, Rule, Script, Step, serve_provider

pytestmark = pytest.mark.integration

HASTY = Pace(first_s=0.01, longest_s=0.4, endurance=0.01)
"""The pace of the queues in a hundredth of the time: limits are borne for 0.9 s."""

DAY = Step(kind="status", status=429, headers={"Retry-After": "86400"})
WRONG_KEY = Step(kind="status", status=401, body='{"error": {"message": "wrong key"}}')


def _make_model(address: str, start: int, text: str) -> ModelEntry:
    limits = Limits(concurrency=start, max_output_tokens=1000)
    return make_model(address, slug=f"local/{text.lower().strip('.')}", limits=limits)


async def _ask_many(
    addresses: Sequence[str], queues: ProviderQueues, *, start: int = 16, text: str = "Go."
) -> list[GenerationResult]:
    """Ask all addresses at the same time."""
    entries = (_make_model(address, start, text) for address in addresses)
    return await asyncio.gather(*(ask_model(entry, text, queues) for entry in entries))


def _ask_often(
    provider: Provider, queues: ProviderQueues, count: int, *, start: int = 16
) -> Counter[FaultClass | None]:
    """Ask a provider ``count`` questions at once; return the causes of the results."""

    async def ask(address: str) -> list[GenerationResult]:
        asking = _ask_many([address] * count, queues, start=start)
        return await asyncio.wait_for(asking, 60)

    return count_causes(ask_at(provider, ask))


def _count_unasked(results: Sequence[GenerationResult]) -> int:
    return sum(
        result.fault is not None and "not asked" in result.fault.evidence for result in results
    )


def test_no_more_than_the_limit_are_in_flight() -> None:
    """The provider never sees more requests at once than the queue lets through."""
    provider = Provider(Script(default=Step(delay_s=0.05)))
    _ask_often(provider, ProviderQueues(3), 12)
    assert len(provider.requests) == 12
    assert provider.most_in_flight == 3


def test_a_refusal_shrinks_that_providers_lane_only() -> None:
    """The limited provider gets fewer requests; the other continues as before."""
    limited = Step(kind="status", status=429, headers={"Retry-After": "0.05"})
    strict = make_provider(*[limited] * 4, Step())
    easy = Provider(Script())

    async def work() -> None:
        async with serve_provider(strict) as first, serve_provider(easy) as second:
            queues = ProviderQueues(16, pace=ENDURING)
            entries = map(make_model, [first, second] * 16)
            results = await asyncio.gather(*(ask_model(each, "Go.", queues) for each in entries))
            assert all(result.reply == "An answer." for result in results)
            assert queues.find_queue(make_model(first)).limit < 16
            assert queues.find_queue(make_model(second)).limit == 16

    run_in_loop(work)


def test_waiters_are_served_in_the_order_they_came() -> None:
    """The longest waiting request gets the next place."""
    order: list[int] = []

    async def work() -> None:
        queue = ProviderQueue(1, 1)

        async def take_turn(number: int) -> None:
            async with queue.take_slot():
                order.append(number)
                await asyncio.sleep(0)

        await asyncio.gather(*(take_turn(number) for number in range(20)))

    asyncio.run(work())
    assert order == list(range(20))


def test_cancelled_waiters_leave_no_hole() -> None:
    """However waits are cancelled, also at the moment a place is given, all places come back."""

    async def work() -> None:
        queue = ProviderQueue(2, 2)

        async def hold() -> None:
            async with queue.take_slot():
                await asyncio.sleep(0.001)

        tasks = [asyncio.create_task(hold()) for _ in range(60)]
        for number, task in enumerate(tasks):
            if number % 3 == 0:
                task.cancel()
            await asyncio.sleep(0.0005 if number % 2 else 0)
        await asyncio.gather(*tasks, return_exceptions=True)
        assert queue.busy == 0
        async with queue.take_slot(), queue.take_slot():
            assert queue.busy == 2

    asyncio.run(work())


def test_all_waiters_cancelled_at_once_end_quietly() -> None:
    """Ctrl-C cancels everybody together: none may trip over another, and the queue still works."""

    async def work() -> None:
        queue = ProviderQueue(1, 1)

        async def wait() -> None:
            async with queue.take_slot():
                await asyncio.sleep(3600)

        tasks = [asyncio.create_task(wait()) for _ in range(20)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        errors = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(error) for error in errors} == {asyncio.CancelledError}
        assert queue.busy == 0
        async with queue.take_slot():
            assert queue.busy == 1

    run_in_loop(work)


def test_an_address_where_nobody_listens_is_given_up_on() -> None:
    """The address gets single requests with growing pauses, while a server may be starting."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    heard: list[str] = []

    async def work() -> None:
        queues = ProviderQueues(8, noted=heard.append, pace=HASTY)
        results = await _ask_many([f"http://127.0.0.1:{port}/v1"] * 70, queues)
        assert count_causes(results) == {FaultClass.CONNECTION_LOST: 70}
        assert _count_unasked(results) >= 40

    run_in_loop(work)
    (line,) = heard
    assert f"127.0.0.1:{port}" in line


def test_a_provider_that_recovers_is_asked_for_everything() -> None:
    """Two refused logins are a doubt, and the request that tests it lets all others through."""
    provider = make_provider(WRONG_KEY, WRONG_KEY, Step())
    causes = _ask_often(provider, ProviderQueues(1, pace=HASTY), 20)
    assert causes == {FaultClass.AUTHENTICATION: 2, None: 18}
    assert len(provider.requests) == 20


def test_a_retry_after_of_a_day_is_waited_for_no_longer_than_a_lane_pauses() -> None:
    """The attempt ends at once; the queue pauses for its own longest time, and then asks again."""
    provider = make_provider(DAY, Step())
    causes = _ask_often(provider, ProviderQueues(1, pace=HASTY), 10)
    assert causes == {FaultClass.RATE_LIMITED: 1, None: 9}
    first, second = (request["at"] for request in provider.requests[:2])
    assert second - first >= 0.4


@pytest.mark.parametrize(
    "headers", [{"Retry-After": "86400"}, {"Retry-After": "0.3"}, {}], ids=["day", "30 s", "none"]
)
def test_a_limit_that_never_ends_ends_the_asking(headers: dict[str, str]) -> None:
    """All seventy attempts end together, long before each has used up its own tries."""
    limited = Step(kind="status", status=429, headers=headers)
    provider = Provider(Script(default=limited))
    heard: list[str] = []

    queues = ProviderQueues(16, noted=heard.append, pace=HASTY)
    results = ask_at(
        provider, lambda address: asyncio.wait_for(_ask_many([address] * 70, queues), 60)
    )
    assert count_causes(results) == {FaultClass.RATE_LIMITED: 70}
    assert _count_unasked(results) >= 10
    assert len(heard) == 1
    assert len(provider.requests) < 70


def test_a_dead_and_a_limiting_provider_never_hold_up_a_good_one() -> None:
    """The good provider's replies are all there while the limiting provider's queue pauses."""
    dead, limiting = Provider(Script(default=WRONG_KEY)), Provider(Script(default=DAY))
    good = Provider(Script(default=Step(delay_s=0.05)))

    async def work() -> None:
        async with (
            serve_provider(dead) as dead_address,
            serve_provider(limiting) as limiting_address,
            serve_provider(good) as good_address,
        ):
            queues = ProviderQueues(4, pace=Pace(longest_s=3600, endurance=1000))
            waiting = asyncio.create_task(_ask_many([limiting_address] * 20, queues))
            results = await _ask_many([dead_address, good_address] * 20, queues)
            assert count_causes(results[1::2]) == {None: 20}
            assert count_causes(results[::2]) == {FaultClass.AUTHENTICATION: 20}
            assert not waiting.done()
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    run_in_loop(work)
    assert good.most_in_flight == 4


class OneStream(Provider):
    """A server that ends the stream it is writing when another request comes."""

    streaming: web.Request | None = None

    async def _answer(self, request: web.Request, step: Step) -> web.StreamResponse:
        if self.streaming is not None and self.streaming.transport is not None:
            self.streaming.transport.abort()
        self.streaming = request
        try:
            return await super()._answer(request, step)
        finally:
            if self.streaming is request:
                self.streaming = None


def test_a_server_that_bears_one_stream_is_asked_one_at_a_time() -> None:
    """Two requests at once are tried, lose a connection, and are never tried again."""
    provider = OneStream(Script(default=Step(repeat=20, piece_delay_s=0.005)))

    async def work(address: str) -> None:
        queues = ProviderQueues(pace=HASTY)
        results = await _ask_many([address] * 12, queues, start=1)
        assert count_causes(results) == {None: 12}
        assert queues.find_queue(make_model(address)).limit == 1

    ask_at(provider, work)
    assert provider.most_in_flight == 2
    assert len(provider.requests) <= 12 + 2


def test_a_connection_lost_alone_narrows_no_queue() -> None:
    """A prompt or a pause may be its cause; only one that is lost beside others shows a limit."""
    provider = make_provider(Step(), Step(kind="reset"), Step(kind="reset"), Step())

    async def work(address: str) -> None:
        queues = ProviderQueues(16, pace=HASTY)
        for _ in range(2):
            await ask_model(_make_model(address, 16, "Go."), queues=queues)
        assert queues.find_queue(make_model(address)).limit == 16

    ask_at(provider, work)


class HoldingProvider(Provider):
    """A server that holds its replies from the seventh on until four requests are in flight."""

    def __init__(self, script: Script) -> None:
        """Answer by ``script``."""
        super().__init__(script)
        self._answered_at_once = 6
        self._four_in_flight = asyncio.Event()

    async def _answer(self, request: web.Request, step: Step) -> web.StreamResponse:
        if self.in_flight >= 4:
            self._four_in_flight.set()
        if self._answered_at_once:
            self._answered_at_once -= 1
        else:
            await asyncio.wait_for(self._four_in_flight.wait(), 60)
        return await super()._answer(request, step)


def test_a_server_that_bears_many_is_found_out() -> None:
    """A queue that begins with one request doubles while the text comes quicker.

    The first reply of each limit is not measured. Two replies at limit 2 have fifty times the text
    of the two at limit 1, so they are quicker on a slow machine too.
    """
    steps = (Step(), Step(delay_s=0.2), Step(delay_s=0.2))
    provider = HoldingProvider(Script(rules=(Rule(match="", steps=steps, then=Step(repeat=50)),)))

    assert _ask_often(provider, ProviderQueues(pace=HASTY), 20, start=1) == {None: 20}
    assert provider.most_in_flight >= 4


def test_a_ceiling_holds_for_a_lane_that_grows_by_measure() -> None:
    """``--concurrency 2`` is the most, also where more requests would be quicker."""
    provider = Provider(Script(default=Step(delay_s=0.05)))
    _ask_often(provider, ProviderQueues(2, pace=HASTY), 20, start=1)
    assert provider.most_in_flight == 2
