"""The table of protocols with a reader here, by the path of a request."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from records.foreign.fields import Fields
from runner.models.requests.heard import Heard
from runner.models.requests.protocols import chat, gemini, messages, responses


@dataclass(frozen=True, slots=True)
class ReplyProtocol:
    """A protocol with its readers of replies."""

    path: re.Pattern[str]
    """The end of the paths of the protocol's requests."""
    read_event: Callable[[Fields, Heard], bool]
    """Adds an event to a reply so far; returns False if the event does not belong to a reply."""
    read_whole: Callable[[Fields, Heard], bool]
    """Adds a reply in one piece; returns False if it is no reply."""
    stand_in: tuple[bytes, bytes]
    """The shortest reply, streamed and in one piece, which litellm gets instead of the real one."""


def _encode_events(*events: dict[str, Any]) -> bytes:
    return b"".join(
        f"event: {event.get('type', 'message')}\ndata: {json.dumps(event)}\n\n".encode()
        for event in events
    )


_CHOICE: Final = {"index": 0, "finish_reason": "stop"}
_COMPLETION: Final = {"id": "x", "created": 0, "model": "x"}
_CHUNK: Final = _COMPLETION | {
    "object": "chat.completion.chunk",
    "choices": [_CHOICE | {"delta": {"role": "assistant", "content": "."}}],
}
_WHOLE: Final = _COMPLETION | {
    "object": "chat.completion",
    "choices": [_CHOICE | {"message": {"role": "assistant", "content": "."}, "text": "."}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
_MESSAGE: Final = {
    "id": "x",
    "type": "message",
    "role": "assistant",
    "model": "x",
    "content": [{"type": "text", "text": "."}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
_GENERATED: Final = {
    "candidates": [
        {
            "content": {"role": "model", "parts": [{"text": "."}]},
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
}
_RESPONSE: Final[dict[str, Any]] = {
    "id": "x",
    "created_at": 0,
    "model": "x",
    "status": "completed",
    "output": [
        {
            "id": "x",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": ".", "annotations": []}],
        }
    ],
    "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
}

# Google's "rawPredict" takes the protocol of the model's maker, which is named in the path.
PROTOCOLS: Final = (
    ReplyProtocol(
        re.compile(r"/completions$|/mistralai/models/[^:/]*+:(?:streamR|r)awPredict$"),
        chat.read_event,
        chat.read_whole,
        (
            b"data: " + json.dumps(_CHUNK).encode() + b"\n\ndata: [DONE]\n\n",
            json.dumps(_WHOLE).encode(),
        ),
    ),
    ReplyProtocol(
        re.compile(r"/messages$|/anthropic/models/[^:/]*+:(?:streamR|r)awPredict$"),
        messages.read_event,
        messages.read_whole,
        (
            _encode_events(
                {"type": "message_start", "message": _MESSAGE}, {"type": "message_stop"}
            ),
            json.dumps(_MESSAGE).encode(),
        ),
    ),
    ReplyProtocol(
        re.compile(":(streamG|g)enerateContent$"),
        gemini.read_piece,
        gemini.read_piece,
        (_encode_events(_GENERATED), json.dumps(_GENERATED).encode()),
    ),
    ReplyProtocol(
        re.compile("/responses$"),
        responses.read_event,
        responses.read_whole,
        (
            _encode_events(
                {"type": "response.completed", "response": _RESPONSE, "sequence_number": 0}
            ),
            json.dumps(_RESPONSE).encode(),
        ),
    ),
)


def find_protocol(path: str) -> ReplyProtocol | None:
    """Return the protocol of requests to ``path``; None if there is no reader for it here."""
    return next((each for each in PROTOCOLS if each.path.search(path)), None)
