"""The limits of a budget, over real requests with a known cost."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from records.shapes.registry import Limits
from runner.errors import UnknownPriceError
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs import Budget, compute_most_input
from runner.models.tokens import count_tokens
from tests.runner.models import asking
from tests.runner.models.provider import Step, serve_provider

pytestmark = pytest.mark.unit


def test_requests_under_way_are_waited_for_before_a_budget_is_called_spent() -> None:
    """Most of the money that is set aside for the requests comes back."""

    async def work() -> None:
        budget = Budget(1.0)

        async def spend_little() -> None:
            async with budget.reserve(lambda: 0.8) as reservation:
                await asyncio.sleep(0.01)
                reservation.spent = 0.1

        await asyncio.gather(spend_little(), spend_little(), spend_little())
        assert budget.spent_usd == pytest.approx(0.3)

    asyncio.run(work())


def test_cancelled_requests_count_as_spent_and_free_their_reservation() -> None:
    """Cancelled requests may have been billed; the other requests continue."""

    async def work() -> None:
        budget = Budget(2.0)

        async def wait_long() -> None:
            async with budget.reserve(lambda: 1.5):
                await asyncio.sleep(60)

        task = asyncio.create_task(wait_long())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        async with budget.reserve(lambda: 0.4) as reservation:
            reservation.spent = 0.0
        assert budget.spent_usd == pytest.approx(1.5)

    asyncio.run(work())


def test_a_budget_without_a_price_is_refused() -> None:
    """The message names the model, the option and the file."""
    with pytest.raises(UnknownPriceError, match=r"local/scripted.*--price.*models\.toml"):
        asking.ask_provider(Step(), budget=Budget(1.0))


@pytest.mark.integration
def test_a_registry_price_makes_an_estimated_cost() -> None:
    """Input, cached input and output each at their price per million."""
    usage = {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "total_tokens": 1100,
        "prompt_tokens_details": {"cached_tokens": 400},
    }
    price = {"input": 10, "cached_input": 1, "output": 100}
    generated, _ = asking.ask_provider(Step(usage=usage), price=price)
    generation = asking.get_generation(generated)
    assert generation.cost_usd == pytest.approx(0.006 + 0.0004 + 0.01)
    assert generation.cost_basis == "estimated"


ALLOWED = 1000
"""Tokens that the scripted model may write."""
DOLLAR = 1e6 / ALLOWED
"""A price per million tokens by which a reply at the limit costs a dollar."""


def _make_usage(output: int) -> dict[str, int]:
    return {"prompt_tokens": 10, "completion_tokens": output, "total_tokens": 10 + output}


def _compute_bill(request: dict[str, Any]) -> float:
    """Return the bill in dollars of a provider that bills the full limit wherever it can."""
    step: Step = request["step"]
    if step.kind == "status" and step.status not in {408, 502, 504}:
        return 0.0
    if step.kind == "wrong_type":
        return 0.0  # a page in place of a reply: no model was asked
    if step.kind == "reset" and request["reused"]:
        return 0.0  # the step closes a kept connection: no program took the request
    if step.kind == "answer" and step.report_usage and step.usage:
        return step.usage["total_tokens"] * DOLLAR / 1e6
    (question,) = request["messages"]
    return (len(question["content"].encode()) + request["max_tokens"]) * DOLLAR / 1e6


ANSWERS = st.builds(
    Step,
    usage=st.integers(1, ALLOWED).map(_make_usage),
    report_usage=st.booleans(),
    text=st.sampled_from(["An answer.", ""]),
)
TROUBLES = st.sampled_from(
    [
        Step(kind="reset"),
        Step(kind="reset_midway", repeat=50),
        Step(kind="end_midway", repeat=50),
        Step(kind="malformed", repeat=50),
        Step(kind="wrong_type"),
        Step(kind="hang"),
        Step(kind="hang_midway", repeat=50),
        Step(kind="error_in_stream", repeat=50, body='{"error": {"message": "busy", "code": 503}}'),
        *(
            Step(kind="status", status=status)
            for status in (401, 404, 408, 429, 500, 502, 503, 504)
        ),
    ]
)


async def _spend(address: str, budget: Budget, *, concurrency: int, cancelled: bool) -> None:
    """Ask twelve times, or until the budget is spent; some requests are cancelled on their way."""
    entry = asking.make_model(
        address,
        timeout_s=0.4,
        limits=Limits(timeout_s=0.4, max_output_tokens=ALLOWED),
        price={"input": DOLLAR, "output": DOLLAR},
    )
    queues = ProviderQueues(concurrency, pace=asking.ENDURING)
    tasks = [
        asyncio.create_task(asking.ask_model(entry, "Schreib es schön.", queues, budget))
        for _ in range(12)
    ]
    if cancelled:
        await asyncio.sleep(0.05)
        for task in tasks[::3]:
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.integration
@given(
    steps=st.lists(st.one_of(ANSWERS, TROUBLES), max_size=20),
    then=ANSWERS,
    limit=st.floats(0.5, 12),
    concurrency=st.sampled_from([1, 4, 32]),
    cancelled=st.lists(st.booleans(), min_size=1, max_size=3),
)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_no_more_is_billed_than_the_budget(
    steps: Sequence[Step], then: Step, limit: float, concurrency: int, cancelled: Sequence[bool]
) -> None:
    """The bill stays within the budget for any answers, also over a stop and a resume."""
    provider = asking.make_provider(*steps, then)

    async def work() -> None:
        spent = 0.0
        async with serve_provider(provider) as address:
            for stopped in cancelled:
                budget = Budget(limit, spent)
                await _spend(address, budget, concurrency=concurrency, cancelled=stopped)
                spent = budget.spent_usd
        assert sum(map(_compute_bill, provider.requests)) <= spent + 1e-6 <= limit + 1e-5

    asking.run_in_loop(work)


@given(st.text(max_size=2000))
def test_the_estimate_of_a_prompt_is_never_below_its_tokens(text: str) -> None:
    """A token has at least one byte in every vocabulary."""
    assert compute_most_input([{"role": "user", "content": text}]) >= count_tokens(text)
