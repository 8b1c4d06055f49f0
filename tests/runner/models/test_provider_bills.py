"""A provider with a bill: records never show less, and show the same sum as the budget."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from records.shapes.registry import Limits
from runner.models.ask import GenerationResult
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs import Budget
from tests.runner.models.conftest import (
    ENDURING,
    ask_at,
    ask_model,
    get_generation,
    make_model,
    make_provider,
)
from tests.runner.models.provider import Step
from tests.runner.models.requests.wire_forms import (
    DONE,
    make_chunk,
    make_event_step,
    make_text_chunk,
)

pytestmark = pytest.mark.integration

ALLOWED: Final = 1000
"""Tokens that the model may write by the limit that is sent."""

DOLLAR: Final = 1000.0
"""Dollars per million tokens: a thousand tokens cost a dollar."""

PROMPT: Final = "Count the bees."


@dataclass(frozen=True, slots=True)
class Billed:
    """A step of the provider, and the dollars that it bills for it."""

    step: Step
    usd: float
    reports: bool
    """True if the provider reports usage that its bill follows from."""


@st.composite
def draw_usage(draw: st.DrawFn, into: int, out: int, cached: int, thought: int) -> dict[str, Any]:
    """Return a report of these tokens in one of the forms that providers use."""
    beside = draw(st.booleans())
    apart = draw(st.booleans())
    usage: dict[str, Any] = {
        "prompt_tokens": into - cached if beside else into,
        "completion_tokens": out - thought if apart else out,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": thought},
    }
    if beside or apart or draw(st.booleans()):
        usage["total_tokens"] = into + out
    return usage


@st.composite
def draw_answer(draw: st.DrawFn) -> Billed:
    """Return a reply that comes to its end, in one of the ways to bill and to report it."""
    into, cached = draw(st.integers(20, 300)), draw(st.integers(0, 15))
    # Some servers ignore the limit that was sent.
    out = draw(st.integers(1, ALLOWED) | st.integers(ALLOWED, 5 * ALLOWED))
    thought = draw(st.integers(0, out - 1))
    tokens_usd = (into + out) * DOLLAR / 1e6
    usage = draw(draw_usage(into, out, cached, thought))
    usd = tokens_usd
    form = draw(st.sampled_from(["tokens", "cost", "zero", "own key", "own key, bill unknown"]))
    if form == "cost":
        usd = usage["cost"] = draw(st.floats(0.0001, 3))
    elif form == "zero":
        usage["cost"] = 0
    elif form.startswith("own key"):
        fee = draw(st.sampled_from([0, 0.01]))
        usage |= {"cost": fee, "is_byok": True}
        upstream = tokens_usd
        if form == "own key":
            upstream = draw(st.floats(0.0001, 3))
            usage["cost_details"] = {"upstream_inference_cost": upstream}
        usd = fee + upstream
    end = make_chunk(finish="stop")
    last: dict[str, Any] = {"choices": [], "usage": usage}
    position = draw(st.sampled_from(["last", "choice", "every piece", "zeros after"]))
    if position == "choice":
        end["choices"][0]["usage"] = usage
        return Billed(make_event_step(make_text_chunk("An answer."), end, DONE), usd, reports=True)
    zeros = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    less = {"prompt_tokens": into, "completion_tokens": 1, "total_tokens": into + 1}
    first = (
        make_text_chunk("An answer.", usage=less)
        if position == "every piece"
        else make_text_chunk("An answer.")
    )
    after: list[dict[str, Any]] = [{"choices": [], "usage": zeros}]
    if position != "zeros after":
        after.clear()
    return Billed(make_event_step(first, end, last, *after, DONE), usd, reports=True)


@st.composite
def draw_break(draw: st.DrawFn) -> Billed:
    """Return a reply that breaks off; the provider bills the most that it may have written."""
    less = {"prompt_tokens": 40, "completion_tokens": 1, "total_tokens": 41}
    pieces = [make_text_chunk("Half an answer, ", usage=less if draw(st.booleans()) else None)]
    most = (len(PROMPT) + ALLOWED) * DOLLAR / 1e6
    return Billed(make_event_step(*pieces), most, reports=False)


SILENT: Final = Billed(
    make_event_step(make_text_chunk("An answer.", "stop"), DONE), 0.5, reports=False
)
"""A reply without a report, billed for hidden reasoning within the limit, too."""

REFUSALS: Final = st.sampled_from([429, 500, 503]).map(
    lambda status: Billed(Step(kind="status", status=status), 0.0, reports=False)
)


async def _ask(address: str, budget: Budget, questions: int) -> list[GenerationResult]:
    entry = make_model(
        address,
        limits=Limits(max_output_tokens=ALLOWED),
        price={"input": DOLLAR, "output": DOLLAR},
    )
    queues = ProviderQueues(4, pace=ENDURING)
    return await asyncio.gather(
        *(ask_model(entry, PROMPT, queues, budget) for _ in range(questions))
    )


def _compute_recorded_usd(result: GenerationResult) -> float:
    """Return the recorded dollars of an attempt."""
    reply = result.generation.most_usd if result.generation else 0.0
    assert reply is not None
    assert result.failed_tries_usd is not None
    return reply + result.failed_tries_usd


@given(
    billed=st.lists(st.one_of(draw_answer(), draw_break(), st.just(SILENT), REFUSALS), max_size=12),
    then=draw_answer(),
)
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_records_show_no_less_than_the_bill_and_the_same_as_the_budget(
    billed: Sequence[Billed], then: Billed
) -> None:
    """The sums agree for any order of replies, reports and breaks."""
    provider = make_provider(*(reply.step for reply in billed), then.step)
    budget = Budget(1e6)
    results = ask_at(provider, lambda address: _ask(address, budget, 5))
    replies = [*billed[: len(provider.requests)], *[then] * (len(provider.requests) - len(billed))]
    bill = math.fsum(reply.usd for reply in replies)
    recorded = math.fsum(map(_compute_recorded_usd, results))
    assert recorded >= bill - 1e-6
    assert recorded == pytest.approx(budget.spent_usd)


@given(billed=draw_answer())
def test_the_cost_of_a_reported_reply_is_its_bill(billed: Billed) -> None:
    """The cost of each single reply equals its bill, and not only the sum."""
    (result,) = ask_at(make_provider(billed.step), lambda address: _ask(address, Budget(), 1))
    generation = get_generation(result)
    assert generation.cost_usd == pytest.approx(billed.usd, abs=1e-6)
    assert generation.cost_at_most_usd is None
