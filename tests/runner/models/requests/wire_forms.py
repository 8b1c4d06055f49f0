"""Replies by the four protocols that are read on the wire, and a client without litellm."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, Literal

import httpx
import pytest

from records.journal import journal
from runner.models.ask import GenerationResult
from runner.models.faults.diagnosis import Diagnosis, diagnose, find_broken_end, find_end_fault
from runner.models.requests.heard import TRAFFIC, Heard, TakenOver, Traffic
from runner.models.requests.stream import receive
from runner.models.requests.transport import BoundedTransport
from tests.records import examples
from tests.runner.models.provider import Provider, Rule, Script, Step, serve_provider

Protocol = Literal["chat", "messages", "gemini", "responses"]
PROTOCOLS: tuple[Protocol, ...] = ("chat", "messages", "gemini", "responses")
PATHS: dict[Protocol, str] = {
    "chat": "/chat/completions",
    "messages": "/messages",
    "gemini": "/models/m:streamGenerateContent",
    "responses": "/responses",
}
ASKED: dict[Protocol, str] = {
    "chat": "messages",
    "messages": "messages",
    "gemini": "contents",
    "responses": "input",
}


DONE = "data: [DONE]\n\n"
JSON = {"Content-Type": "application/json"}
USAGE = {"prompt_tokens": 9, "completion_tokens": 40, "total_tokens": 49}


def make_chunk(delta: object = None, finish: object = None, **more: object) -> dict[str, Any]:
    """Return a piece of a reply in the OpenAI protocol."""
    choice: object = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [choice]} | more


def make_text_chunk(text: str, finish: object = None, **more: object) -> dict[str, Any]:
    """Return a piece of a reply that has text."""
    return make_chunk({"content": text}, finish, **more)


def make_event_step(
    *events: object, then: Literal["end", "hang", "reset"] = "end", delay_s: float = 0.0
) -> Step:
    """Answer by these events, each after ``delay_s``: objects as JSON, strings as they are."""
    written = (
        each if isinstance(each, str) else f"data: {json.dumps(each)}\n\n" for each in events
    )
    raw = tuple(piece.encode() for piece in written)
    return Step(kind="raw", raw=raw, then=then, piece_delay_s=delay_s)


def make_json_step(body: object, status: int = 200, **headers: str) -> Step:
    """Answer by one piece of JSON."""
    content = body if isinstance(body, str) else json.dumps(body)
    return Step(kind="raw", status=status, raw=(content.encode(),), headers=JSON | headers)


def format_journal_line(generated: GenerationResult) -> bytes:
    """Return the journal line of a result."""
    entry = journal.Generated(
        eval="000-fundamentals/000-one",
        sample=1,
        messages=(),
        reply=generated.reply,
        generation=generated.generation,
        fault=generated.fault,
        failed_tries_usd=generated.failed_tries_usd,
    )
    return entry.model_dump_json().encode()


OK = [make_text_chunk("fine"), make_chunk(finish="stop"), DONE]


def make_text_event(protocol: Protocol, text: str) -> dict[str, Any]:
    """Return an event with text."""
    match protocol:
        case "chat":
            return {"model": "really", "choices": [{"index": 0, "delta": {"content": text}}]}
        case "messages":
            delta = {"type": "text_delta", "text": text}
            return {"type": "content_block_delta", "index": 0, "delta": delta}
        case "gemini":
            content = {"parts": [{"text": text}], "role": "model"}
            return {"candidates": [{"content": content, "index": 0}], "modelVersion": "really"}
        case "responses":
            return {"type": "response.output_text.delta", "delta": text}


def make_thought_event(protocol: Protocol, text: str) -> dict[str, Any]:
    """Return an event with reasoning."""
    match protocol:
        case "chat":
            return {"choices": [{"index": 0, "delta": {"reasoning_content": text}}]}
        case "messages":
            delta = {"type": "thinking_delta", "thinking": text}
            return {"type": "content_block_delta", "index": 0, "delta": delta}
        case "gemini":
            content = {"parts": [{"text": text, "thought": True}], "role": "model"}
            return {"candidates": [{"content": content, "index": 0}]}
        case "responses":
            return {"type": "response.reasoning_summary_text.delta", "delta": text}


def make_end_event(
    protocol: Protocol, finish: object, into: int = 10, out: int = 25
) -> dict[str, Any]:
    """Return the event with finish reason and usage."""
    match protocol:
        case "chat":
            usage = {"prompt_tokens": into, "completion_tokens": out}
            choice: dict[str, Any] = {"index": 0, "delta": {}, "finish_reason": finish}
            return {"choices": [choice], "usage": usage}
        case "messages":
            usage = {"input_tokens": into, "output_tokens": out}
            return {"type": "message_delta", "delta": {"stop_reason": finish}, "usage": usage}
        case "gemini":
            usage = {"promptTokenCount": into, "candidatesTokenCount": out}
            return {"candidates": [{"finishReason": finish}], "usageMetadata": usage}
        case "responses":
            return _make_response_end(finish, into, out)


def _make_response_end(finish: object, into: int, out: int) -> dict[str, Any]:
    response: dict[str, Any] = {
        "model": "really",
        "status": "completed" if finish == "completed" else "incomplete",
        "output": [],
        "usage": {"input_tokens": into, "output_tokens": out},
    }
    if finish != "completed":
        response["incomplete_details"] = {"reason": finish}
    return {"type": f"response.{response['status']}", "response": response}


def make_first_events(protocol: Protocol) -> list[dict[str, Any]]:
    """Return the events before any text."""
    if protocol == "messages":
        usage = {"input_tokens": 10, "output_tokens": 1}
        return [{"type": "message_start", "message": {"model": "really", "usage": usage}}]
    if protocol == "responses":
        return [{"type": "response.created", "response": {"model": "really"}}]
    return []


def make_last_events(protocol: Protocol) -> list[object]:
    """Return the last event of a reply; some protocols have no such event."""
    if protocol == "chat":
        return [DONE]
    return [{"type": "message_stop"}] if protocol == "messages" else []


def make_reply_step(protocol: Protocol, text: str, finish: object) -> Step:
    """Answer by a whole stream that ends by ``finish``."""
    return make_event_step(
        *make_first_events(protocol),
        make_text_event(protocol, text),
        make_end_event(protocol, finish),
        *make_last_events(protocol),
    )


def make_whole_reply(protocol: Protocol, text: str, finish: object) -> dict[str, Any]:
    """Return a reply that is not streamed."""
    usage = {"input_tokens": 10, "output_tokens": 25}
    match protocol:
        case "chat":
            choice = {"index": 0, "message": {"content": text}, "finish_reason": finish}
            return {"model": "really", "choices": [choice], "usage": usage}
        case "messages":
            content = [{"type": "text", "text": text}]
            return {
                "model": "really",
                "content": content,
                "stop_reason": finish,
                "usage": usage,
            }
        case "gemini":
            whole = make_text_event(protocol, text)
            whole["candidates"][0]["finishReason"] = finish
            tokens = {"promptTokenCount": 10, "candidatesTokenCount": 25}
            return whole | {"usageMetadata": tokens}
        case "responses":
            parts = [{"type": "output_text", "text": text}]
            response: dict[str, Any] = make_end_event(protocol, finish)["response"]
            return response | {"output": [{"type": "message", "content": parts}]}


OWN: dict[Protocol, str] = {
    "chat": "stop",
    "messages": "end_turn",
    "gemini": "STOP",
    "responses": "completed",
}
"""The word of each protocol for a reply that the model ended."""


async def _hear(protocol: Protocol, *steps: Step) -> Heard:
    provider = Provider(Script(rules=(Rule(match="", steps=steps[:-1], then=steps[-1]),)))
    heard = Heard(0.0, traffic=Traffic())
    TRAFFIC.set(heard.traffic)
    async with (
        serve_provider(provider) as address,
        httpx.AsyncClient(transport=BoundedTransport(httpx.AsyncHTTPTransport())) as client,
    ):
        question = {ASKED[protocol]: _make_prompt(protocol), "stream": True}
        with pytest.raises(TakenOver):
            await client.post(address + PATHS[protocol], json=question)
        incoming = heard.traffic.incoming
        assert incoming is not None
        await receive(incoming, heard, lambda: None)
    return heard


def hear(protocol: Protocol, *steps: Step) -> Heard:
    """Ask a server that answers by ``steps`` with a plain client, and return the reply.

    Raises:
        Exception: as receive raises it.
    """
    return asyncio.run(_hear(protocol, *steps))


def judge_reply(
    protocol: Protocol, step: Step, limit: int | None = None
) -> tuple[Heard | None, Diagnosis | None]:
    """Return a reply, and the reason why the model does not answer for it; None where it does."""
    try:
        heard = hear(protocol, step)
    except Exception as error:  # noqa: BLE001 - as `ask` takes them
        return None, diagnose(error)
    if broken := find_broken_end(heard):
        return None, broken
    generation = examples.make_generation(
        None,
        finish_reason=heard.finish_reason,
        answered_by=heard.answered_by,
        tokens=heard.reported_tokens,
    )
    return heard, find_end_fault(heard, limit, generation)


def _make_prompt(protocol: Protocol) -> str | Sequence[dict[str, str]]:
    return [{"content": "x"}] if ASKED[protocol] == "messages" else "x"
