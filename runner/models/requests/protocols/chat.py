"""The reader of replies in OpenAI's protocol of chat completions and its dialects."""

from collections.abc import Iterable
from typing import Final

from records.foreign.fields import (
    Fields,
    as_fields,
    as_word,
    require_object,
    require_objects,
    require_text_or_null,
)
from records.runs.finish_reasons import End, end_by
from runner.models.requests.heard import Heard, read_usage

_PLACES: Final = ("delta", "message", "text")
"""The fields that may have the text of a choice; the first one with text counts for the reply."""

_THOUGHTS: Final = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
_CALLS: Final = ("tool_calls", "function_call")
_KNOWN: Final = frozenset(
    {
        *_PLACES,
        *_THOUGHTS,
        *_CALLS,
        *("role", "name", "content", "refusal", "annotations", "audio", "reasoning_details"),
        *("provider_specific_fields", "thinking_blocks", "reasoning_signature", "id"),
        *("finish_reason", "native_finish_reason", "stop_reason", "finish_details", "usage"),
        *("logprobs", "content_filter_results", "token_ids", "prompt_token_ids", "metadata"),
        *("matched_stop", "weight_version"),
    }
)
"""The fields of a choice and its message that are read here, or have no content of the reply."""


def read_event(chunk: Fields, heard: Heard) -> bool:
    """Add the fields of the next event of a stream to ``heard``; return False for a strange event.

    Raises:
        MalformedReplyError: a field does not have the form of the protocol.
    """
    if not any(chunk.get(name) for name in ("choices", "usage", "x_groq")):
        return "choices" in chunk
    _read(chunk, heard)
    return True


def read_whole(completion: Fields, heard: Heard) -> bool:
    """Add a reply that came in one piece to ``heard``; return False if it is no reply.

    Raises:
        MalformedReplyError: a field has an invalid value.
    """
    if not completion.get("choices"):
        return False
    _read(completion, heard)
    return True


def find_first_choice(choices: Iterable[Fields]) -> Fields | None:
    """Return the first choice by index, which is the requested one; None if it is missing."""
    indexes = ((choice.get("index"), choice) for choice in choices)
    return next((choice for at, choice in indexes if not isinstance(at, int) or at == 0), None)


def _read(chunk: Fields, heard: Heard) -> None:
    heard.recognized = True
    heard.store_names(chunk)
    choice = find_first_choice(require_objects(chunk.get("choices"), "choices")) or {}
    for name in _PLACES:
        held = choice.get(name)
        if not held or heard.place not in {None, name}:
            continue
        before = heard.moves
        if name == "text":
            heard.add_text(require_text_or_null(held, name))
        else:
            _read_message(require_object(held, name), heard)
        if heard.moves > before:
            heard.place = name
    heard.note_unknown(choice, _KNOWN)
    reason = as_word(choice.get("finish_reason"))
    native = as_word(choice.get("native_finish_reason"))
    # The model's maker may give a reason that is worse than the gateway's translation.
    if end_by(reason) is End.MODEL and end_by(native) not in {End.MODEL, End.UNKNOWN}:
        reason = native
    heard.finish(reason)
    beside = as_fields(chunk.get("x_groq"))
    for report in (beside.get("usage"), choice.get("usage"), chunk.get("usage")):
        heard.report(read_usage(report))


def _read_message(message: Fields, heard: Heard) -> None:
    text, thought = _read_content(message.get("content"))
    plain = (message.get(name) for name in _THOUGHTS)
    words = next((value for value in plain if isinstance(value, str) and value), "")
    # OpenRouter has reasoning in a list of parts.
    parts = require_objects(message.get("reasoning_details"), "reasoning_details")
    details = (part.get("text") or part.get("summary") for part in parts)
    detailed = "".join(word for word in details if isinstance(word, str))
    heard.add_thought(thought or words or detailed)
    heard.add_text(text)
    if any(message.get(name) for name in _CALLS):
        heard.call_tool()
    if message.get("refusal"):
        heard.refuse()
    heard.note_unknown(message, _KNOWN)


def _read_content(content: object) -> tuple[str, str]:
    """Return the text and the reasoning of a piece: a text, or a list of parts with types."""
    if content is None or isinstance(content, str):
        return content or "", ""
    text, thought = "", ""
    for part in require_objects(content, "parts of the content"):
        if isinstance(part.get("text"), str):
            text += part["text"]
        elif isinstance(part.get("thinking"), str):
            thought += part["thinking"]
        elif isinstance(part.get("thinking"), list):
            thought += _read_content(part["thinking"])[0]
    return text, thought
