"""Replies of a scripted provider, written byte by byte, and the journal line of a result."""

import json
from typing import Any, Final

from records.journal import journal
from runner.models.ask import GenerationResult
from tests.runner.models.provider import Step

DONE: Final = "data: [DONE]\n\n"
JSON: Final = {"Content-Type": "application/json"}
USAGE: Final = {"prompt_tokens": 9, "completion_tokens": 40, "total_tokens": 49}


def make_chunk(delta: object = None, finish: object = None, **more: object) -> dict[str, Any]:
    """Return a piece of a reply in the OpenAI protocol."""
    choice: object = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [choice]} | more


def make_text_chunk(text: str, finish: object = None, **more: object) -> dict[str, Any]:
    """Return a piece of a reply that has text."""
    return make_chunk({"content": text}, finish, **more)


def make_event_step(*chunks: object) -> Step:
    """Answer by these events: objects as JSON, strings as they are."""
    written = (c if isinstance(c, str) else f"data: {json.dumps(c)}\n\n" for c in chunks)
    return Step(kind="raw", raw=tuple(piece.encode() for piece in written))


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


OK: Final = [make_text_chunk("fine"), make_chunk(finish="stop"), DONE]
