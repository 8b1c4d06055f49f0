"""Providers that do not speak the OpenAI protocol pass through the same edge."""

import json
from typing import Any, Final

import pytest

from records.shapes.attempt import FaultClass
from records.shapes.registry import Limits
from runner.models.ask import GenerationResult
from runner.models.requests.transport import LARGEST_ERROR
from tests.runner.models.conftest import ask_provider, assert_fault
from tests.runner.models.provider import Provider, Step

pytestmark = pytest.mark.integration


def make_claude_step(stop: str | None) -> Step:
    """Answer as Anthropic does, and end by ``stop``; without an end where that is None."""
    message: dict[str, object] = {"id": "m", "model": "claude-really", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message | {"usage": {"input_tokens": 10}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        _make_delta("smile \ud83d"),
        _make_delta("\ude00"),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None},
            "usage": {"output_tokens": 25},
        },
        {"type": "message_stop"},
    ]
    sent_events = events if stop else events[:5]
    lines = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in sent_events)
    return Step(kind="raw", raw=tuple(line.encode() for line in lines))


def _make_delta(text: str) -> dict[str, Any]:
    delta = {"type": "text_delta", "text": text}
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def make_gemini_step(finish: str | None, *, block: str | None = None) -> Step:
    """Answer as Gemini does, and end by ``finish``; without an end where that is None."""
    pieces: list[dict[str, Any]] = [
        {"candidates": [{"content": {"parts": [{"text": part}], "role": "model"}, "index": 0}]}
        for part in ("smile ", "again")
    ]
    if finish:
        pieces[-1]["candidates"][0]["finishReason"] = finish
        pieces[-1]["usageMetadata"] = {"promptTokenCount": 10, "candidatesTokenCount": 25}
    if block:
        pieces = [{"promptFeedback": {"blockReason": block}}]
    lines = (f"data: {json.dumps(piece | {'modelVersion': 'really'})}\r\n\r\n" for piece in pieces)
    return Step(kind="raw", raw=tuple(line.encode() for line in lines))


MODELS: Final = {"claude": "anthropic/claude-opus-5-5", "gemini": "gemini/gemini-4-argon"}


def ask(protocol: str, step: Step) -> tuple[GenerationResult, Provider]:
    """Ask a model of 26 tokens at most by ``protocol``."""
    limits = Limits(max_output_tokens=26)
    return ask_provider(step, litellm_id=MODELS[protocol], limits=limits)


@pytest.mark.parametrize(
    ("protocol", "step", "finish"),
    [
        ("claude", make_claude_step("end_turn"), "end_turn"),
        ("claude", make_claude_step("max_tokens"), "max_tokens"),
        ("gemini", make_gemini_step("STOP"), "STOP"),
        ("gemini", make_gemini_step("MAX_TOKENS"), "MAX_TOKENS"),
    ],
)
def test_a_reply_is_read(protocol: str, step: Step, finish: str) -> None:
    """Text, usage, name and end are those of the provider, after one request."""
    generated, provider = ask(protocol, step)
    assert generated.fault is None
    assert generated.reply == {"claude": "smile \U0001f600", "gemini": "smile again"}[protocol]
    assert len(provider.requests) == 1
    assert generated.generation is not None
    assert generated.generation.finish_reason == finish
    assert generated.generation.tokens.input == 10
    assert generated.generation.tokens.output == 25
    assert "really" in (generated.generation.answered_by or "")


@pytest.mark.parametrize(
    ("protocol", "step"),
    [
        ("claude", make_claude_step("refusal")),
        ("gemini", make_gemini_step("SAFETY")),
        ("gemini", make_gemini_step("PROHIBITED_CONTENT")),
        ("gemini", make_gemini_step(None, block="OTHER")),
    ],
)
def test_a_text_kept_back_by_a_filter_is_the_providers_doing(protocol: str, step: Step) -> None:
    """Each protocol has its own names for a filter."""
    generated, provider = ask(protocol, step)
    assert_fault(generated, FaultClass.CONTENT_FILTER)
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("protocol", "step"), [("claude", make_claude_step(None)), ("gemini", make_gemini_step(None))]
)
def test_a_stream_without_its_end_is_a_lost_connection(protocol: str, step: Step) -> None:
    """Half a reply never counts as a whole reply."""
    generated, provider = ask(protocol, step)
    assert_fault(generated, FaultClass.CONNECTION_LOST)
    assert len(provider.requests) == 6


@pytest.mark.parametrize("protocol", sorted(MODELS))
def test_an_error_is_quoted_and_bounded(protocol: str) -> None:
    """The status decides, the start is quoted, and the megabytes after it stay unread."""
    body = json.dumps({"error": {"message": "Sorry. " * 500_000, "type": "overloaded"}})
    generated, provider = ask(protocol, Step(kind="status", status=400, body=body))
    fault = assert_fault(generated, FaultClass.REFUSED_REQUEST, "Sorry.")
    assert len(fault.evidence) < LARGEST_ERROR
    assert len(provider.requests) == 1


@pytest.mark.parametrize("protocol", sorted(MODELS))
@pytest.mark.parametrize(
    "raw", [b"data: nonsense\n\n", b"data: [1]\n\n", b'data: {"candidates": [7]}\n\n', b"\xff\n\n"]
)
def test_nonsense_ends_in_a_fault(protocol: str, raw: bytes) -> None:
    """Any part of litellm may meet the nonsense."""
    generated, _ = ask(protocol, Step(kind="raw", raw=(raw,)))
    assert generated.fault is not None
    assert generated.reply is None
