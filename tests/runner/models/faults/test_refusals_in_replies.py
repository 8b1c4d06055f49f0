"""Refusals that come with the HTTP status of a successful reply, and the scope of refusals."""

import asyncio
from collections.abc import Sequence
from typing import Final

import pytest

from records.shapes.attempt import FaultClass
from runner.models.ask import GenerationResult, RetryPolicy
from runner.models.concurrency.provider_queue import ProviderQueues
from tests.runner.models.conftest import (
    ENDURING,
    ask_model,
    ask_provider,
    assert_fault,
    get_generation,
    make_model,
    run_in_loop,
)
from tests.runner.models.provider import Provider, Rule, Script, Step, serve_provider
from tests.runner.models.requests.wire_forms import (
    DONE,
    make_chunk,
    make_event_step,
    make_json_step,
    make_text_chunk,
)

pytestmark = pytest.mark.integration

PRICE: Final = {"input": 12.5, "output": 400}


def test_an_error_after_a_piece_of_a_reply_is_spent() -> None:
    """The provider has begun to write, and may bill it."""
    step = make_event_step(make_text_chunk("Half"), {"error": {"code": 402, "message": "no"}})
    generated, _ = ask_provider(step, price=PRICE)
    assert generated.failed_tries_usd


def test_a_refusal_in_a_reply_names_the_wait_by_its_header() -> None:
    """A longer wait than is allowed ends the tries, as for the real status."""
    step = make_event_step({"error": {"code": 429}}).model_copy(
        update={"headers": {"Retry-After": "9000"}}
    )
    generated, provider = ask_provider(
        step, retry_policy=RetryPolicy(first_s=0.01, longest_s=0.02, longest_retry_after_s=600)
    )
    assert_fault(generated, FaultClass.RATE_LIMITED)
    assert len(provider.requests) == 1


def _ask_two_models(
    step: Step, count: int = 6
) -> tuple[Sequence[GenerationResult], Sequence[GenerationResult], list[str]]:
    """Ask a refused model and another one of the same host and key, in turn."""
    refused: list[GenerationResult] = []
    answered: list[GenerationResult] = []
    notes: list[str] = []
    provider = Provider(
        Script(rules=(Rule(match="refused", then=step), Rule(match="", then=Step())))
    )

    async def work() -> None:
        queues = ProviderQueues(1, pace=ENDURING, noted=notes.append)
        async with serve_provider(provider) as address:
            first = make_model(address)
            second = make_model(address, slug="local/other")
            for model, results, text in ((first, refused, "refused"), (second, answered, "fine")):
                for number in range(count):
                    results.append(await ask_model(model, f"{number} {text}", queues))

    run_in_loop(lambda: asyncio.wait_for(work(), 60))
    return refused, answered, notes


OF_ONE_MODEL: Final = {
    "404": make_json_step({}, 404),
    "403": make_json_step({"error": {"message": "not yours"}}, 403),
    "403 in a reply": make_json_step({"error": {"code": 403}}),
    "Anthropic's type": make_json_step({"error": {"type": "permission_error"}}, 403),
    "LiteLLM's proxy": make_json_step({"error": {"type": "key_model_access_denied"}}, 401),
}


@pytest.mark.parametrize("step", OF_ONE_MODEL.values(), ids=OF_ONE_MODEL)
def test_refusals_of_one_model_stop_no_other_model_of_the_host(step: Step) -> None:
    """After three refusals the model itself gets no more requests."""
    refused, answered, notes = _ask_two_models(step)
    kinds = {result.fault.kind for result in refused if result.fault}
    assert kinds in ({FaultClass.AUTHENTICATION}, {FaultClass.REFUSED_REQUEST})
    assert [result.fault for result in answered] == [None] * 6
    assert len(notes) == 1


POLICY: Final = {"innererror": {"code": "ResponsibleAIPolicyViolation"}}
FLAGGED: Final = {"reasons": ["violence"], "flagged_input": "..."}
XAI: Final = {"code": "no permission", "error": "Content violates usage guidelines."}

MODERATED: Final = {
    "Azure": make_json_step({"error": {"code": "content_filter"} | POLICY}, 400),
    "Azure, inner code": make_json_step({"error": POLICY}, 400),
    "OpenRouter": make_json_step(
        {"error": {"code": 403, "message": "flagged", "metadata": FLAGGED}}, 403
    ),
    "DashScope": make_json_step({"error": {"code": "DataInspectionFailed"}}, 400),
    "xAI": make_json_step(XAI, 403),
}


@pytest.mark.parametrize("step", MODERATED.values(), ids=MODERATED)
def test_a_moderated_prompt_is_content_filter_and_stops_nothing(step: Step) -> None:
    """The filter judged each prompt by itself, and is asked about the next one too."""
    refused, answered, notes = _ask_two_models(step)
    assert {result.fault.kind for result in refused if result.fault} == {FaultClass.CONTENT_FILTER}
    assert not any("not asked" in result.fault.evidence for result in refused if result.fault)
    assert [result.fault for result in answered] == [None] * 6
    assert notes == []


def test_an_end_mark_after_text_and_usage_is_an_end_and_noted() -> None:
    """Some servers send no finish reason at all; the record names the mark in its place."""
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
    generated, provider = ask_provider(
        make_event_step(make_text_chunk("fine"), make_chunk(usage=usage), DONE)
    )
    assert generated.fault is None
    assert get_generation(generated).finish_reason == "[DONE]"
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("usage", "cached", "reasoning"),
    [
        (
            {
                "prompt_tokens": 8000,
                "completion_tokens": 10,
                "total_tokens": 8010,
                "prompt_tokens_details": {"cached_tokens": 99000},
            },
            None,
            None,
        ),
        ({"prompt_tokens_details": {"cached_tokens": 8}}, 8, None),
        ({"prompt_tokens_details": {"cached_tokens": "8"}}, None, None),
        ({"prompt_tokens_details": {"cached_tokens": -8}}, None, None),
        ({"completion_tokens_details": {"reasoning_tokens": 11}}, None, None),
        ({"completion_tokens_details": {"reasoning_tokens": 10}}, None, 10),
    ],
    ids=["more than the input", "all of it", "text", "negative", "more than the output", "equal"],
)
def test_impossible_parts_of_usage_are_unknown(
    usage: dict[str, object], cached: int | None, reasoning: int | None
) -> None:
    """A part that is larger than its whole is no number, and is not put right by a guess."""
    whole = {"prompt_tokens": 8, "completion_tokens": 10, "total_tokens": 18}
    generated, _ = ask_provider(
        make_event_step(make_text_chunk("fine", "stop", usage=whole | usage), DONE)
    )
    tokens = get_generation(generated).tokens
    assert (tokens.cached_input, tokens.output, tokens.reasoning) == (cached, 10, reasoning)
