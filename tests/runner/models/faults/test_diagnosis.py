"""Every answer of a provider to a request, over real HTTP, and the result of the attempt."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.shapes.attempt import FaultClass
from records.shapes.registry import Limits
from runner.models.ask import GenerationResult
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.faults.diagnosis import retry_after
from tests.runner.models import asking
from tests.runner.models.provider import Provider, Rule, Script, Step, serve_provider
from tests.runner.models.requests.wire_forms import (
    DONE,
    make_chunk,
    make_event_step,
    make_json_step,
    make_text_chunk,
)

pytestmark = pytest.mark.integration
GOOD = Step(text="fine")
ZERO = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


@pytest.mark.parametrize(
    "trouble",
    [
        Step(kind="status", status=429),
        Step(kind="status", status=429, headers={"Retry-After": "0.01"}),
        Step(kind="status", status=500),
        Step(kind="status", status=503),
        Step(kind="reset"),
        Step(kind="reset_midway", repeat=50),
        Step(kind="end_midway", repeat=50),
        Step(kind="malformed", repeat=50),
        Step(kind="wrong_type"),
        Step(kind="error_in_stream", repeat=50, body='{"error": {"message": "busy", "code": 503}}'),
        Step(text="", usage=ZERO),
    ],
    ids=lambda step: f"{step.kind} {step.status} {sorted(step.headers)}",
)
def test_passing_trouble_is_asked_through(trouble: Step) -> None:
    """A provider that recovers gives a whole reply, without a part of the broken reply."""
    generated, _ = asking.ask_provider(trouble, trouble, GOOD)
    assert generated.fault is None
    assert generated.reply == "fine"
    assert asking.get_generation(generated).tries == 3


def test_the_cause_of_a_wait_is_reported() -> None:
    """The watcher gets the rate limit, the time of its end, and the start of the next try."""
    heard: list[tuple[str, float | None]] = []

    def tell(what: str, until: float | None = None) -> None:
        heard.append((what, until))

    asking.ask_provider(Step(kind="status", status=429), GOOD, tell=tell)
    (limit, until) = next(pair for pair in heard if pair[1] is not None)
    assert limit == "rate limit"
    assert until is not None
    assert until <= monotonic()
    assert heard[-1] == ("rest of the reply", None)


@pytest.mark.more
@pytest.mark.parametrize("kind", ["hang", "hang_midway"])
def test_silence_ends(kind: str) -> None:
    """A provider that goes silent, before or in a reply, is given up on after timeout_s."""
    # The time is enough for each try to reach the provider on a busy machine.
    generated, provider = asking.ask_provider(
        Step.model_validate({"kind": kind, "repeat": 50}), timeout_s=1.2
    )
    asking.assert_fault(generated, FaultClass.PROVIDER_TIMEOUT, "1.2 s")
    assert len(provider.requests) == 3


def test_a_slow_reply_is_not_silence() -> None:
    """The limit is on the wait for the next piece, not on the whole reply."""
    generated, _ = asking.ask_provider(
        Step(text="abcd", piece=1, repeat=4, piece_delay_s=0.1), timeout_s=0.8
    )
    assert generated.reply == "abcd" * 4
    generation = asking.get_generation(generated)
    assert (generation.duration_s or 0) >= 1.5
    first = generation.time_to_first_token_s
    assert first is not None
    assert first < 0.8


def test_retry_after_is_obeyed() -> None:
    """The next request comes no earlier than the provider asked."""
    generated, provider = asking.ask_provider(
        Step(kind="status", status=429, headers={"Retry-After": "1"}), GOOD
    )
    assert generated.reply == "fine"
    assert 1.0 <= asking.list_request_times(provider)[1] < 3.0


@pytest.mark.parametrize("text", ["cut off", ""])
def test_a_reply_cut_at_the_models_limit_is_the_models(text: str) -> None:
    """The limit is the model's also where all of the reply went into reasoning."""
    usage = {"prompt_tokens": 9, "completion_tokens": 990, "total_tokens": 999}
    generated, _ = asking.ask_provider(Step(text=text, finish="length", usage=usage))
    assert generated.fault is None
    assert generated.reply == text
    assert asking.get_generation(generated).finish_reason == "length"


def test_an_empty_reply_that_cost_tokens_is_the_models() -> None:
    """The model ended the reply by itself, after counted output, without a text."""
    usage = {"prompt_tokens": 9, "completion_tokens": 40, "total_tokens": 49}
    generated, provider = asking.ask_provider(Step(text="", usage=usage))
    assert generated.fault is None
    assert generated.reply == ""
    assert len(provider.requests) == 1


def test_two_megabytes_are_fine() -> None:
    """A long reply arrives whole."""
    limits = Limits(max_output_tokens=128_000)
    generated, _ = asking.ask_provider(
        Step(text="0123456789", piece=8000, repeat=200_000), limits=limits
    )
    assert generated.fault is None
    assert generated.reply == "0123456789" * 200_000


@given(st.integers(0, 86_400))
def test_retry_after_is_read_in_both_forms(seconds: int) -> None:
    """Retry-after may be in seconds or be a date."""
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    date = format_datetime(now + timedelta(seconds=seconds), usegmt=True)
    assert retry_after({"Retry-After": str(seconds)}, now) == seconds
    assert retry_after({"retry-after": date}, now) == seconds
    assert retry_after({"retry-after-ms": str(seconds * 1000)}, now) == seconds


@given(st.text(max_size=40))
def test_a_retry_after_that_cannot_be_read_is_ignored(text: str) -> None:
    """The text never raises, and never makes a negative wait."""
    wait = retry_after({"retry-after": text})
    assert wait is None or wait >= 0


PRICE = {"input": 12.5, "output": 400}


def test_an_error_after_a_piece_of_a_reply_is_spent() -> None:
    """The provider has begun to write, and may bill it."""
    step = make_event_step(make_text_chunk("Half"), {"error": {"code": 402, "message": "no"}})
    generated, _ = asking.ask_provider(step, price=PRICE)
    assert generated.failed_tries_usd


def test_a_refusal_in_a_reply_names_the_wait_by_its_header() -> None:
    """A longer wait than is allowed ends the tries, as for the real status."""
    step = make_event_step({"error": {"code": 429}}).model_copy(
        update={"headers": {"Retry-After": "9000"}}
    )
    generated, provider = asking.ask_provider(step)
    asking.assert_fault(generated, FaultClass.RATE_LIMITED)
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
        queues = ProviderQueues(1, pace=asking.ENDURING, noted=notes.append)
        async with serve_provider(provider) as address:
            first = asking.make_model(address)
            second = asking.make_model(address, slug="local/other")
            for model, results, text in ((first, refused, "refused"), (second, answered, "fine")):
                for number in range(count):
                    results.append(await asking.ask_model(model, f"{number} {text}", queues))

    asking.run_in_loop(lambda: asyncio.wait_for(work(), 60))
    return refused, answered, notes


OF_ONE_MODEL = {
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


POLICY = {"innererror": {"code": "ResponsibleAIPolicyViolation"}}
FLAGGED = {"reasons": ["violence"], "flagged_input": "..."}
XAI = {"code": "no permission", "error": "Content violates usage guidelines."}

MODERATED = {
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
    generated, provider = asking.ask_provider(
        make_event_step(make_text_chunk("fine"), make_chunk(usage=usage), DONE)
    )
    assert generated.fault is None
    assert asking.get_generation(generated).finish_reason == "[DONE]"
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
    generated, _ = asking.ask_provider(
        make_event_step(make_text_chunk("fine", "stop", usage=whole | usage), DONE)
    )
    tokens = asking.get_generation(generated).tokens
    assert (tokens.cached_input, tokens.output, tokens.reasoning) == (cached, 10, reasoning)
