"""Models that litellm asks by the Responses API, and requests that never left."""

import json
from typing import Any

import pytest

from records.shapes.attempt import CostBasis, FaultClass
from records.shapes.registry import Price
from runner.models import ask as asking
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs import Budget
from tests.runner.models.asking import (
    ask_model,
    ask_provider,
    assert_fault,
    get_generation,
    make_model,
    run_in_loop,
)
from tests.runner.models.provider import Provider, Script, Step, serve_provider

pytestmark = pytest.mark.more

IDS = ("openai/gpt-5.3-codex", "azure/gpt-5.3-codex", "xai/grok-4.20-multi-agent")
PRICE = Price(input=10, output=20)


def make_responses_step(*, status: str = "completed", reason: str | None = None) -> Step:
    """Answer as the Responses API does: reasoning, text in two pieces, and usage."""
    response: dict[str, Any] = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "really",
        "status": status,
        "output": [
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "Hello there.", "annotations": []}],
            }
        ],
        "incomplete_details": {"reason": reason} if reason else None,
        "usage": {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 40},
            "output_tokens": 50,
            "output_tokens_details": {"reasoning_tokens": 30},
            "total_tokens": 150,
        },
    }
    begun: dict[str, Any] = response | {"status": "in_progress", "output": [], "usage": None}
    pieces = [
        {"type": "response.output_text.delta", "item_id": "msg_1", "delta": text}
        for text in ("Hello ", "there.")
    ]
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        *({"output_index": 0, "content_index": 0, **piece} for piece in pieces),
        {"type": f"response.{status}", "response": response},
    ]
    lines = (
        f"event: {event['type']}\ndata: {json.dumps(event | {'sequence_number': number})}\n\n"
        for number, event in enumerate(events)
    )
    return Step(kind="raw", raw=tuple(line.encode() for line in lines))


@pytest.mark.parametrize("litellm_id", IDS)
def test_a_model_of_the_responses_api_answers(litellm_id: str) -> None:
    """One request, streamed; text, finish reason, tokens and reasoning tokens are recorded."""
    result, provider = ask_provider(make_responses_step(), litellm_id=litellm_id, price=PRICE)
    assert result.fault is None
    assert result.reply == "Hello there."
    (request,) = provider.requests
    assert request["path"].endswith("/responses")
    assert request["stream"] is True
    assert request["max_output_tokens"] == 1000
    generation = get_generation(result)
    assert generation.finish_reason == "completed"
    tokens = generation.tokens
    assert (tokens.input, tokens.cached_input) == (100, 40)
    assert (tokens.output, tokens.reasoning) == (50, 30)
    # An estimate of litellm's never counts as the provider's own figure.
    assert generation.cost_basis is CostBasis.ESTIMATED
    assert generation.cost_usd == pytest.approx((100 * 10 + 50 * 20) / 1e6)


def test_an_effort_is_sent_by_its_name_in_that_api() -> None:
    """``reasoning_effort`` becomes ``reasoning.effort``."""
    effort = {"reasoning_effort": "high"}
    _, provider = ask_provider(make_responses_step(), litellm_id=IDS[0], parameters=effort)
    assert provider.requests[0]["reasoning"] == {"effort": "high"}


def test_an_exception_before_any_byte_is_ours_and_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exception is no fault of the provider, is tried once, and costs nothing."""

    def raise_type_error(*options: object) -> None:
        raise TypeError("no such option", options)

    monkeypatch.setattr(asking.stream, "make_request_options", raise_type_error)
    budget = Budget(5.0)
    result, provider = ask_provider(Step(), price=PRICE, budget=budget)
    assert provider.requests == []
    assert_fault(result, FaultClass.OUTAGE, "no byte of the request was sent", "no such option")
    assert result.failed_tries_usd == 0
    assert budget.spent_usd == 0


def test_nobody_is_asked_after_a_request_that_could_not_be_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next attempt of the run is not tried, because it would fail in the same way."""
    provider = Provider(Script())
    tries: list[object] = []
    notes: list[str] = []

    def raise_type_error(*arguments: object) -> None:
        tries.append(arguments)
        raise TypeError("no such option")

    monkeypatch.setattr(asking.stream, "make_request_options", raise_type_error)

    async def ask() -> None:
        queues = ProviderQueues(noted=notes.append)
        async with serve_provider(provider) as address:
            for _ in range(3):
                assert_fault(await ask_model(make_model(address), queues=queues), FaultClass.OUTAGE)

    run_in_loop(ask)
    assert len(tries) == 1
    assert len(notes) == 1
    assert "no such option" in notes[0]


def test_a_refused_connection_is_free_and_tried_again() -> None:
    """No byte was sent, but the server may be starting: that is no fault of this program."""

    async def ask() -> None:
        entry = make_model("http://127.0.0.1:9/v1", price=PRICE)
        result = await ask_model(entry, budget=Budget(5.0))
        assert_fault(result, FaultClass.CONNECTION_LOST)
        assert result.failed_tries_usd == 0

    run_in_loop(ask)
