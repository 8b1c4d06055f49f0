"""Protocols of replies: a reader for each of the four, chosen by the path of the request.

A reply that comes in one piece is read like an event of a stream.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import replace

from records.foreign.fields import (
    Fields,
    as_count,
    as_word,
    get_count,
    get_object,
    require_object,
    require_objects,
    require_text_or_null,
)
from records.runs.finish_reasons import End, end_by
from runner.models.requests.error_codes import QUOTED, make_reply_error
from runner.models.requests.heard import Heard, Reader, ReportedUsage, read_usage

# --- OpenAI's chat completions and their dialects ---------------------------------------------

_CHAT_PLACES = ("delta", "message", "text")
"""The fields that may have the text of a choice; the first one with text counts for the reply."""

_CHAT_THOUGHTS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")
_CHAT_CALLS = ("tool_calls", "function_call")
_CHAT_FIELDS = frozenset(
    {
        *_CHAT_PLACES,
        *_CHAT_THOUGHTS,
        *_CHAT_CALLS,
        *("role", "name", "content", "refusal", "annotations", "audio", "reasoning_details"),
        *("provider_specific_fields", "thinking_blocks", "reasoning_signature", "id"),
        *("finish_reason", "native_finish_reason", "stop_reason", "finish_details", "usage"),
        *("logprobs", "content_filter_results", "token_ids", "prompt_token_ids", "metadata"),
        *("matched_stop", "weight_version"),
    }
)
"""The fields of a choice and its message that are read here, or have no content of the reply."""


def read_chat(chunk: Fields, heard: Heard) -> bool:
    """Read a part of a reply as a `Reader`."""
    if not any(chunk.get(name) for name in ("choices", "usage", "x_groq")):
        return "choices" in chunk
    heard.recognized = heard.recognized or bool(chunk.get("choices"))
    heard.store_names(chunk)
    choice = _find_first_choice(require_objects(chunk.get("choices"), "choices")) or {}
    for name in _CHAT_PLACES:
        held = choice.get(name)
        if not held or heard.place not in {None, name}:
            continue
        before = heard.moves
        if name == "text":
            heard.add_text(require_text_or_null(held, name))
        else:
            _read_chat_message(require_object(held, name), heard)
        if heard.moves > before:
            heard.place = name
    heard.note_unknown(choice, _CHAT_FIELDS)
    reason = as_word(choice.get("finish_reason"))
    native = as_word(choice.get("native_finish_reason"))
    # The model's maker may give a reason that is worse than the gateway's translation.
    if end_by(reason) is End.MODEL and end_by(native) not in {End.MODEL, End.UNKNOWN}:
        reason = native
    heard.finish(reason)
    beside = get_object(chunk, "x_groq")
    for report in (beside.get("usage"), choice.get("usage"), chunk.get("usage")):
        heard.report(read_usage(report))
    return True


def _find_first_choice(choices: Iterable[Fields]) -> Fields | None:
    """Return the first choice by index, which is the requested one; None if it is missing."""
    indexes = ((choice.get("index"), choice) for choice in choices)
    return next((choice for at, choice in indexes if not isinstance(at, int) or at == 0), None)


def _read_chat_message(message: Fields, heard: Heard) -> None:
    text, thought = _read_chat_content(message.get("content"))
    plain = (message.get(name) for name in _CHAT_THOUGHTS)
    words = next((value for value in plain if isinstance(value, str) and value), "")
    # OpenRouter has reasoning in a list of parts.
    parts = require_objects(message.get("reasoning_details"), "reasoning_details")
    details = (part.get("text") or part.get("summary") for part in parts)
    detailed = "".join(word for word in details if isinstance(word, str))
    heard.add_thought(thought or words or detailed)
    heard.add_text(text)
    if any(message.get(name) for name in _CHAT_CALLS):
        heard.call_tool()
    if message.get("refusal"):
        heard.refuse()
    heard.note_unknown(message, _CHAT_FIELDS)


def _read_chat_content(content: object) -> tuple[str, str]:
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
            thought += _read_chat_content(part["thinking"])[0]
    return text, thought


# --- Google's generated content ---------------------------------------------------------------

_GEMINI_FIELDS = frozenset({"text", "thought", "thoughtSignature", "functionCall", "partMetadata"})
_GEMINI_PARTS = ("candidates", "promptFeedback", "usageMetadata")


def read_gemini(piece: Fields, heard: Heard) -> bool:
    """Read a part of a reply as a `Reader`."""
    if not any(piece.get(name) for name in _GEMINI_PARTS):
        return False
    heard.recognized = True
    heard.store_names(piece, "modelVersion")
    candidate = _find_first_choice(require_objects(piece.get("candidates"), "candidates")) or {}
    content = get_object(candidate, "content")
    for part in require_objects(content.get("parts"), "parts"):
        add = heard.add_thought if part.get("thought") else heard.add_text
        add(require_text_or_null(part.get("text"), "text"))
        if part.get("functionCall"):
            heard.call_tool()
        heard.note_unknown(part, _GEMINI_FIELDS)
    heard.finish(candidate.get("finishReason"))
    if get_object(piece, "promptFeedback").get("blockReason") and not heard.finish_reason:
        heard.finish("content_filter")  # Google has several words for blocked prompts
    fields = get_object(piece, "usageMetadata")
    into = get_count(fields, "promptTokenCount")
    written = get_count(fields, "candidatesTokenCount")
    thoughts = get_count(fields, "thoughtsTokenCount")
    total = get_count(fields, "totalTokenCount")
    # Google counts thoughts separately, unless the total shows that they are included.
    if written is None:
        output = None if total is None or into is None else as_count(total - into)
    elif thoughts and into is not None and total == into + written and thoughts <= written:
        output = written
    else:
        output = as_count(written + (thoughts or 0))
    usage = ReportedUsage(
        input=into,
        cached_input=get_count(fields, "cachedContentTokenCount"),
        output=output,
        reasoning=thoughts,
        total=total,
    )
    heard.report(usage)
    return True


# --- Anthropic's messages ---------------------------------------------------------------------

_MESSAGES_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_MESSAGES_FIELDS = frozenset(
    """
    type text thinking signature data citation citations id name input partial_json caller
    """.split()  # noqa: SIM905 - words are read better without quotes
)


def read_messages(fields: Fields, heard: Heard) -> bool:
    """Read a part of a reply as a `Reader`."""
    kind = str(fields.get("type"))
    if kind == "message_start":
        message = get_object(fields, "message")
        heard.recognized = True
        heard.store_names(message)
        # Output tokens are left out: this number is from before the first word of the reply.
        usage = read_usage(message.get("usage"))
        heard.report(replace(usage, output=None, reasoning=None, total=None))
    elif kind == "content_block_start":
        _read_messages_block(get_object(fields, "content_block"), heard)
    elif kind == "content_block_delta":
        _read_messages_block(get_object(fields, "delta"), heard)
    elif kind == "message_delta":
        heard.recognized = True
        heard.finish(get_object(fields, "delta").get("stop_reason"))
        report = get_object(fields, "usage")
        usage = read_usage(report)
        if heard.usage.input is not None and "cache_read_input_tokens" not in report:
            usage = replace(usage, input=None)  # lacks a cache's tokens, unlike the first event
        heard.report(usage)
    elif kind == "message_stop":
        heard.closed = True
    elif "content" in fields:  # a reply in one piece
        heard.recognized = True
        heard.store_names(fields)
        for block in require_objects(fields.get("content"), "content"):
            _read_messages_block(block, heard)
        heard.finish(fields.get("stop_reason"))
        heard.report(read_usage(fields.get("usage")))
    else:
        return kind in {"ping", "content_block_stop"}
    return True


def _read_messages_block(block: Fields, heard: Heard) -> None:
    """Add a block of content, or an addition to a block, to ``heard``."""
    heard.recognized = True
    heard.add_thought(require_text_or_null(block.get("thinking"), "thinking"))
    heard.add_text(require_text_or_null(block.get("text"), "text"))
    if block.get("type") == "redacted_thinking":
        heard.hide_thought()
    if str(block.get("type")) in _MESSAGES_CALLS or "partial_json" in block:
        heard.call_tool()
    heard.note_unknown(block, _MESSAGES_FIELDS)


# --- OpenAI's responses -----------------------------------------------------------------------

_RESPONSES_ENDS = frozenset(
    {"response.completed", "response.incomplete", "response.failed", "response.cancelled"}
)
_RESPONSES_THOUGHTS = frozenset(
    {"response.reasoning_text.delta", "response.reasoning_summary_text.delta"}
)


def read_responses(fields: Fields, heard: Heard) -> bool:
    """Read a part of a reply as a `Reader`."""
    kind = str(fields.get("type") or "")
    is_whole = "output" in fields or (not kind and isinstance(fields.get("status"), str))
    if not (is_whole or kind.startswith("response.")):
        return False
    heard.recognized = True
    if is_whole:
        _end_response(fields, None, heard)
    elif kind == "response.output_text.delta":
        heard.add_text(require_text_or_null(fields.get("delta"), "delta"))
    elif kind in _RESPONSES_THOUGHTS:
        heard.add_thought(require_text_or_null(fields.get("delta"), "delta"))
    elif kind.startswith("response.refusal."):
        heard.refuse()
    elif kind.endswith("_call_arguments.delta") or kind == "response.output_item.added":
        item = str(get_object(fields, "item").get("type") or "")
        if "delta" in fields or item.endswith("_call"):
            heard.call_tool()
    elif kind in _RESPONSES_ENDS:
        _end_response(get_object(fields, "response"), kind.removeprefix("response."), heard)
        heard.closed = True
    elif isinstance(fields.get("response"), dict):
        heard.store_names(fields["response"])
    elif isinstance(fields.get("delta") or fields.get("text"), str):
        heard.strange_field = heard.strange_field or json.dumps(fields)[:QUOTED]
    return True


def _end_response(response: Fields, ended: str | None, heard: Heard) -> None:
    """Add the final response to ``heard``: completed, incomplete, failed or cancelled."""
    heard.store_names(response)
    heard.report(read_usage(response.get("usage")))
    if response.get("error"):
        raise make_reply_error(response)
    streamed = bool(heard.size)
    for item in require_objects(response.get("output"), "output"):
        kind = str(item.get("type") or "message")
        add = heard.add_thought if kind == "reasoning" else heard.add_text
        if kind.endswith("_call"):
            heard.call_tool()
        for part in require_objects(item.get("content"), "content"):
            if part.get("type") == "refusal":
                heard.refuse()
            elif not streamed:
                add(require_text_or_null(part.get("text"), "text"))
        if kind == "reasoning":
            if any(item.get(name) for name in ("content", "summary", "encrypted_content")):
                heard.hide_thought()
            for part in () if streamed else require_objects(item.get("summary"), "summary"):
                heard.add_thought(require_text_or_null(part.get("text"), "text"))
    reason = get_object(response, "incomplete_details").get("reason")
    heard.finish(reason or response.get("status") or ended)


# --- All protocols ----------------------------------------------------------------------------


# Google's "rawPredict" takes the protocol of the model's maker, which is named in the path.
_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(r"/completions$|/mistralai/models/[^:/]*+:(?:streamR|r)awPredict$"), read_chat),
    (re.compile(r"/messages$|/anthropic/models/[^:/]*+:(?:streamR|r)awPredict$"), read_messages),
    (re.compile(":(streamG|g)enerateContent$"), read_gemini),
    (re.compile("/responses$"), read_responses),
)


def find_reader(path: str) -> Reader | None:
    """Return the reader of replies to requests to ``path``; None if there is none here."""
    return next((reader for end, reader in _READERS if end.search(path)), None)
