"""What a budget allows, over real requests whose cost is known."""

import asyncio

import pytest

from runner.errors import BudgetSpentError, UnknownPriceError
from runner.generation import Budget, Lanes, generate
from tests.runner.generation.conftest import asked, model, running
from tests.runner.generation.provider import Provider, Script, Step, serving

DEAR = {"input": 0, "output": 1000}
"""A dollar per thousand tokens, which is also the most that the scripted model may write."""


def test_no_request_is_made_that_could_exceed_the_budget() -> None:
    """Of twenty requests at once, as many go out as two dollars surely pay for."""
    usage = {"prompt_tokens": 10, "completion_tokens": 500, "total_tokens": 510}
    provider = Provider(Script(default=Step(usage=usage)))
    budget = Budget(2.0)

    async def work() -> None:
        async with serving(provider) as address:
            entry = model(address, price=DEAR)
            question = [{"role": "user", "content": "Go."}]
            results = await asyncio.gather(
                *(generate(entry, question, lanes=Lanes(), budget=budget) for _ in range(20)),
                return_exceptions=True,
            )
        refused = [result for result in results if isinstance(result, BaseException)]
        assert {type(error) for error in refused} == {BudgetSpentError}
        assert len(refused) == 17

    running(work)
    assert len(provider.requests) == 3
    assert budget.spent_usd == pytest.approx(1.5)


def test_requests_under_way_are_waited_for_before_a_budget_is_called_spent() -> None:
    """What is set aside for them mostly comes back."""

    async def work() -> None:
        budget = Budget(1.0)

        async def cheap() -> None:
            async with budget.reserve(0.8) as reservation:
                await asyncio.sleep(0.01)
                reservation.settle(0.1)

        await asyncio.gather(cheap(), cheap(), cheap())
        assert budget.spent_usd == pytest.approx(0.3)

    asyncio.run(work())


def test_cancelled_requests_count_as_spent_and_free_their_reservation() -> None:
    """They may have been billed; the others go on."""

    async def work() -> None:
        budget = Budget(2.0)

        async def endless() -> None:
            async with budget.reserve(1.5):
                await asyncio.sleep(60)

        task = asyncio.create_task(endless())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        async with budget.reserve(0.4) as reservation:
            reservation.settle(0.0)
        assert budget.spent_usd == pytest.approx(1.5)

    asyncio.run(work())


def test_a_budget_without_a_price_is_refused() -> None:
    """The message names the model and what to write where."""
    with pytest.raises(UnknownPriceError, match=r"local/scripted.*models\.toml"):
        asked(Step(), budget=Budget(1.0))


def test_a_registry_price_makes_an_estimated_cost() -> None:
    """Input, cached input and output each at their price per million."""
    usage = {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "total_tokens": 1100,
        "prompt_tokens_details": {"cached_tokens": 400},
    }
    price = {"input": 10, "cached_input": 1, "output": 100}
    generated, _ = asked(Step(usage=usage), price=price)
    assert generated.generation is not None
    assert generated.generation.cost_usd == pytest.approx(0.006 + 0.0004 + 0.01)
    assert generated.generation.cost_basis == "estimated"
