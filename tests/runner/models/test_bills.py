"""The bill of a reply, and of a provider: records never show less, and the same as the budget."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from records.shapes.attempt import CostBasis, FaultClass, TokensBasis
from records.shapes.registry import Limits
from runner.models.ask import GenerationResult
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs import Budget, compute_prompt_claim, find_mapped_facts, find_rates
from runner.models.requests.heard import LARGEST_REPLY, ReportedUsage
from tests.runner.models.asking import (
    ENDURING,
    ask_at,
    ask_model,
    ask_provider,
    assert_fault,
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
PRICE = {"input": 1, "output": 10}
"""Dollars per million tokens."""

USAGE = {"prompt_tokens": 7000, "completion_tokens": 900, "total_tokens": 7900}
BY_TOKENS = 0.016
"""Dollars of the usage in the tests by that price."""


def make_usage_step(usage: Mapping[str, object], **headers: str) -> Step:
    """Answer with a text and this report of usage."""
    step = make_event_step(make_text_chunk("fine", "stop", usage=dict(usage)), DONE)
    return step.model_copy(update={"headers": headers})


def _make_own_key_usage(cost: float, upstream: float | None) -> dict[str, object]:
    details = {"upstream_inference_cost": upstream}
    return {**USAGE, "cost": cost, "is_byok": True, "cost_details": details}


BILLS: dict[str, tuple[dict[str, object], float, CostBasis]] = {
    "own key, fee alone": (_make_own_key_usage(0.002, 0), BY_TOKENS + 0.002, CostBasis.ESTIMATED),
    "a charge that holds the host's": (
        {**USAGE, "cost": 0.02, "cost_details": {"upstream_inference_cost": 0.019}},
        0.02,
        CostBasis.REPORTED,
    ),
    "cost 0": ({**USAGE, "cost": 0}, BY_TOKENS, CostBasis.ESTIMATED),
    "cost": ({**USAGE, "cost": 0.5}, 0.5, CostBasis.REPORTED),
}
"""Reports of usage, with the cost and its basis."""


@pytest.mark.parametrize(("usage", "usd", "basis"), BILLS.values(), ids=BILLS)
def test_the_cost_is_all_that_is_billed(
    usage: Mapping[str, object], usd: float, basis: CostBasis
) -> None:
    """The cost includes a bill on the user's own key at a host; the budget has the same figure."""
    budget = Budget(100.0)
    generated, _ = ask_provider(make_usage_step(usage), price=PRICE, budget=budget)
    assert generated.fault is None
    generation = get_generation(generated)
    assert generation.cost_usd == pytest.approx(usd)
    assert generation.cost_basis is basis
    assert generation.cost_at_most_usd is None
    assert budget.spent_usd == pytest.approx(usd)


@pytest.mark.parametrize(
    ("usage", "usd", "basis"),
    [
        ({**USAGE, "cost": 0}, 0.0, CostBasis.REPORTED),
        (_make_own_key_usage(0.002, None), None, CostBasis.UNKNOWN),
    ],
)
def test_without_a_price_a_fee_is_not_taken_for_the_bill(
    usage: Mapping[str, object], usd: float | None, basis: CostBasis
) -> None:
    """The host's bill is unknown then; a reported charge of zero counts."""
    generated, _ = ask_provider(make_usage_step(usage))
    generation = get_generation(generated)
    assert generation.cost_usd == usd
    assert generation.cost_basis is basis


def test_a_cost_of_nothing_in_a_header_settles_by_tokens() -> None:
    """A proxy that does not know the model's price writes 0."""
    step = make_usage_step(
        USAGE, **{"x-litellm-response-cost": "0.0", "Content-Type": "text/event-stream"}
    )
    generated, _ = ask_provider(step, price=PRICE)
    generation = get_generation(generated)
    assert generation.cost_usd == pytest.approx(BY_TOKENS)
    assert generation.cost_basis is CostBasis.ESTIMATED


def test_tokens_written_to_a_cache_have_their_own_price() -> None:
    """Anthropic bills more for such tokens than for fresh ones, and the estimate is no lower."""
    name = "anthropic/claude-sonnet-4-5"
    facts = find_mapped_facts(name)
    assert facts["cache_creation_input_token_cost"] > facts["input_cost_per_token"]
    entry = make_model("http://127.0.0.1", litellm_id=name).model_copy(update={"api_base": None})
    rates = find_rates(entry)
    assert rates is not None
    rate = rates[0]
    assert rate.written_input == facts["cache_creation_input_token_cost"]
    assert rate.dearest_input == rate.written_input


PROMPT = "Write a function that counts the bees of each hive. " * 700
"""A prompt of some 7,700 tokens."""


def _ask_with_usage(usage: Mapping[str, object], prompt: str = PROMPT) -> GenerationResult:
    generated, provider = ask_provider(make_usage_step(usage), prompt=prompt)
    assert len(provider.requests) == 1
    return generated


def test_a_prompt_that_the_server_cut_is_no_failure_of_the_model() -> None:
    """The server counted a part of the prompt only, so the model never read the rest."""
    usage = {"prompt_tokens": 2050, "completion_tokens": 30, "total_tokens": 2080}
    generated = _ask_with_usage(usage)
    assert_fault(generated, FaultClass.PROMPT_CUT_BY_SERVER, "2,050 tokens", "context length")
    assert generated.reply == "fine"
    assert get_generation(generated).tokens.input == 2050


WHOLE: dict[str, dict[str, object]] = {
    "another vocabulary": {"prompt_tokens": 4000, "total_tokens": 4030},
    "cached beside": {
        "prompt_tokens": 12,
        "prompt_tokens_details": {"cached_tokens": 7600},
        "total_tokens": 7642,
    },
    "cached, no total": {"prompt_tokens": 2100, "cache_read_input_tokens": 2000},
    "cache written": {"input_tokens": 12, "cache_creation_input_tokens": 7600},
    "nothing reported": {},
}
"""Reports of usage of a prompt that arrived whole."""


@pytest.mark.parametrize("usage", WHOLE.values(), ids=WHOLE)
def test_a_prompt_that_arrived_whole_is_not_called_cut(usage: Mapping[str, object]) -> None:
    """Vocabularies differ, and cached tokens may stand beside the others."""
    generated = _ask_with_usage({**usage, "completion_tokens": 30})
    assert generated.fault is None


def test_a_script_that_new_vocabularies_shorten_is_not_called_cut() -> None:
    """A text in Hindi has a fifth of the tokens that are counted here."""
    generated = _ask_with_usage(
        {"prompt_tokens": 1800, "completion_tokens": 30, "total_tokens": 1830},
        "मधुमक्खियों की गिनती करने वाला एक फ़ंक्शन लिखें। " * 150,
    )
    assert generated.fault is None


@pytest.mark.unit
def test_cached_tokens_are_added_to_a_claim_unless_the_total_shows() -> None:
    """If the total leaves a doubt, the server gets the benefit of it."""
    assert compute_prompt_claim(ReportedUsage(input=10, cached_input=7, output=3, total=13)) == 10
    assert (
        compute_prompt_claim(ReportedUsage(input=10, cached_input=7, written_input=2, output=3))
        == 19
    )
    assert compute_prompt_claim(ReportedUsage(cached_input=7)) is None


LIMIT = Limits(max_output_tokens=4096)


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
def test_a_server_that_ignores_the_limit_is_heard_no_further(field: str) -> None:
    """The text or reasoning has no end; budget and record have the same figure for it."""
    budget = Budget(20.0)
    endless = Step(
        kind="raw", raw=make_event_step(make_chunk({field: "again and "})).raw, repeat=100_000
    )
    generated, provider = ask_provider(
        endless, limits=LIMIT, price={"input": 100, "output": 400}, budget=budget
    )
    assert_fault(generated, FaultClass.LIMIT_IGNORED, "ignores the limit of 4,096 tokens")
    assert len(provider.requests) == 1
    assert len(generated.reply or "") <= 16 * 4096 + 10 < LARGEST_REPLY
    generation = get_generation(generated)
    assert generation.tokens_basis is TokensBasis.COUNTED
    assert (generation.tokens.output or 0) > 4096
    assert generation.most_usd == pytest.approx(budget.spent_usd)
    assert budget.find_longest("local/scripted", 4096) == generation.tokens.output


def test_a_reply_of_many_characters_within_the_limit_is_heard_to_its_end() -> None:
    """Tokens may be long: sixteen characters for each token are accepted."""
    generated, _ = ask_provider(Step(text="x" * 16, repeat=4095, report_usage=False), limits=LIMIT)
    assert generated.fault is None
    assert len(generated.reply or "") == 16 * 4095


def test_an_overshoot_that_is_reported_counts_in_full_and_the_next_request_sets_it_aside() -> None:
    """The declared limit is no bound for such a server."""
    budget = Budget(200.0)
    usage = {"prompt_tokens": 10, "completion_tokens": 200_000, "total_tokens": 200_010}
    price = {"input": 0, "output": 400}
    generated, _ = ask_provider(make_usage_step(usage), limits=LIMIT, price=price, budget=budget)
    assert generated.fault is None
    assert get_generation(generated).cost_usd == pytest.approx(80)
    assert budget.spent_usd == pytest.approx(80)
    asides: list[float] = []
    ask_provider(
        make_usage_step(usage), limits=LIMIT, price=price, budget=budget, asking=asides.append
    )
    assert asides == [pytest.approx(80)]


def test_a_broken_stream_counts_no_less_than_came() -> None:
    """A server may have ignored the limit before it broke off."""
    broken = Step(kind="end_midway", text="word ", repeat=6000, piece=500)
    price = {"input": 0, "output": 1_000_000}
    generated, provider = ask_provider(
        broken, limits=Limits(max_output_tokens=1000), price=price, budget=Budget(1e6)
    )
    assert generated.fault is not None
    assert generated.failed_tries_usd is not None
    assert generated.failed_tries_usd >= len(provider.requests) * 2500


ALLOWED = 1000
"""Tokens that the model may write by the limit that is sent."""

DOLLAR = 1000.0
"""Dollars per million tokens: a thousand tokens cost a dollar."""

LONG_PROMPT = "Count the bees."


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
    most = (len(LONG_PROMPT) + ALLOWED) * DOLLAR / 1e6
    return Billed(make_event_step(*pieces), most, reports=False)


SILENT = Billed(make_event_step(make_text_chunk("An answer.", "stop"), DONE), 0.5, reports=False)
"""A reply without a report, billed for hidden reasoning within the limit, too."""

REFUSALS = st.sampled_from([429, 500, 503]).map(
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
        *(ask_model(entry, LONG_PROMPT, queues, budget) for _ in range(questions))
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
