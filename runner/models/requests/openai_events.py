"""Streams of the OpenAI protocol, read strictly and written anew for the OpenAI client.

The OpenAI client fails on legal streams (a block of ``id:`` or ``retry:`` alone), takes whatever
JSON comes for a piece of a reply, and reads a whole completion that was not streamed as nothing.
Its maintainers have declined to change the first. So its input is read here, and written anew:
every event that is passed on has known fields of known types.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, cast

from runner.errors import ErrorInReplyError, MalformedReplyError, ReplyTooLargeError
from runner.models.requests import claims

LARGEST_EVENT: Final = 32 * 1024 * 1024
"""Bytes of one event, or of a reply that was not streamed."""

QUOTED: Final = 64 * 1024
"""Characters quoted of what is no reply; keys are taken out of it before most of it is cut."""

"""Stands for all calls of tools: none was offered, so it only matters that there was one."""

_GEMINI_REASONS: Final[Mapping[str, str]] = {"STOP": "stop", "MAX_TOKENS": "length"}

DONE: Final = b"data: [DONE]\n\n"

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

_COUNTS: Final = ("prompt_tokens", "completion_tokens", "total_tokens", "prompt_cache_hit_tokens")
_DETAILS: Final = (
    ("prompt_tokens_details", "cached_tokens"),
    ("completion_tokens_details", "reasoning_tokens"),
)


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event with data."""

    name: str
    """Empty where the event has none."""
    data: str


class EventReader:
    """Takes bytes as they come and returns events, by the rules of the HTML standard."""

    def __init__(self) -> None:
        """Begin a stream."""
        self._held: list[bytes] = []
        self._size = 0
        self._first = True
        self._half_ended = False
        self._name = ""
        self._data: list[str] = []

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yield the events that are whole with ``data``.

        Raises:
            ReplyTooLargeError: an event does not end.
        """
        if self._half_ended and data.startswith(b"\n"):
            data = data[1:]  # the second half of a line end that came in two pieces
        if data:
            self._half_ended = data.endswith(b"\r")
        *lines, rest = _LINE_END.split(data)
        for line in lines:
            self._hold(line)
            whole = b"".join(self._held)
            self._held.clear()
            yield from self._take(whole)
        self._hold(rest)

    def _hold(self, part: bytes) -> None:
        self._held.append(part)
        self._size += len(part)
        if self._size > LARGEST_EVENT:
            raise ReplyTooLargeError(f"one event of the reply has more than {LARGEST_EVENT} bytes")

    def _take(self, line: bytes) -> Iterator[Event]:
        if self._first:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            self._first = False
        if not line:
            if self._data:
                yield Event(self._name, "\n".join(self._data))
            self._name, self._data, self._size = "", [], 0
            return
        field, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        if field == b"data":
            self._data.append(text)
        elif field == b"event":
            self._name = text
        else:
            self._size -= len(line)  # a comment or another field, of which nothing is kept


class ChunkWriter:
    """Writes the events of one reply anew, for the OpenAI client."""

    def __init__(self) -> None:
        """Begin a reply."""
        self.done = False
        """Whether the reply has said that it is over."""
        self._wrote = False
        self._spoke = False
        self._refused = False
        self._odd: str | None = None

    def take(self, event: Event) -> bytes:
        """Return what to pass on of ``event``; nothing where there is nothing in it.

        Raises:
            ErrorInReplyError: it is an error.
            MalformedReplyError: it is no piece of a reply.
        """
        if self.done:
            return b""
        if event.data.strip() == "[DONE]":
            self.done = True
            return DONE
        chunk = _object(event.data, "an event of the reply")
        if event.name == "error" or chunk.get("error"):
            raise _error(chunk.get("error") or chunk)
        if not any(chunk.get(known) for known in ("choices", "usage")):
            if self._odd is None and "choices" not in chunk:
                self._odd = event.data[:QUOTED]
            return b""
        self._wrote = True
        return self._written(chunk, "delta")

    def whole(self, text: str, content_type: str) -> bytes:
        """Return what to pass on of a reply that came in one piece instead of a stream.

        Raises:
            ErrorInReplyError: it is an error.
            MalformedReplyError: it is no completion.
        """
        kind = content_type.partition(";")[0].strip() or "of no type"
        completion = _object(text, f"the reply is {kind}, not a stream of events, and")
        if completion.get("error"):
            raise _error(completion["error"])
        if not completion.get("choices"):
            raise MalformedReplyError(
                f"the reply is {kind}, not a stream of events: {text[:QUOTED]}"
            )
        self.done = True
        return self._written(completion, "message") + DONE

    def end(self) -> None:
        """See that a stream that is over held pieces of a reply, if it held anything.

        Raises:
            MalformedReplyError: it held something else only.
        """
        if not self._wrote and self._odd is not None:
            raise MalformedReplyError(f"the stream holds no piece of a reply: {self._odd}")

    def _written(self, chunk: Mapping[str, Any], said: str) -> bytes:
        """Return a chunk as an event: what is known of it, and of the choice that was asked for."""
        choices = _mappings(chunk.get("choices"), "choices")
        asked_for = [choice for choice in choices if _index(choice) == 0][:1]
        written: dict[str, Any] = {
            "id": "reply",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": claims.word(chunk.get("model")) or "",
            "choices": [self._choice(choice, said) for choice in asked_for],
        }
        usage = _usage(chunk.get("usage"))
        if usage:
            written["usage"] = usage
        return b"data: " + json.dumps(written).encode() + b"\n\n"

    def _choice(self, choice: Mapping[str, Any], said: str) -> Mapping[str, Any]:
        told: object = choice.get(said) or {}
        if not isinstance(told, dict):
            raise MalformedReplyError(f"the {said} of the reply is no object: {told!r}"[:QUOTED])
        fields = cast("Mapping[str, Any]", told)
        text, thought = _text(fields.get("content"), said)
        for name in ("reasoning_content", "reasoning"):
            if isinstance(fields.get(name), str) and not thought:
                thought = fields[name]
        delta: dict[str, Any] = {"content": text} if text else {}
        if thought:
            delta["reasoning_content"] = thought
        if fields.get("tool_calls") or fields.get("function_call"):
            delta["tool_calls"] = [
                {
                    "index": 0,
                    "id": "0",
                    "type": "function",
                    "function": {"name": "", "arguments": ""},
                }
            ]
        self._spoke = self._spoke or bool(text)
        self._refused = self._refused or bool(fields.get("refusal"))
        finish = claims.word(choice.get("finish_reason"))
        if finish and self._refused and not self._spoke:
            finish = "refusal"  # said beside the text, where litellm does not look
        return {"index": 0, "delta": delta, "finish_reason": finish}


def gemini_finish(event: Event) -> str | None:
    """Return why a reply of Gemini's protocol ends with ``event``; None where it does not say.

    litellm takes every piece for a last one that ended by itself.
    """
    with suppress(MalformedReplyError):
        piece = _object(event.data, "an event of the reply")
        feedback: object = piece.get("promptFeedback")
        if isinstance(feedback, dict) and cast("Mapping[str, Any]", feedback).get("blockReason"):
            return "content_filter"
        for candidate in _mappings(piece.get("candidates"), "the candidates"):
            if _index(candidate) == 0:
                reason = claims.word(candidate.get("finishReason"))
                return _GEMINI_REASONS.get(reason or "", reason)
    return None


def _object(text: str, what: str) -> Mapping[str, Any]:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedReplyError(f"{what} is no JSON: {text[:QUOTED]}") from error
    if not isinstance(value, dict):
        raise MalformedReplyError(f"{what} is no JSON object: {text[:QUOTED]}")
    return cast("Mapping[str, Any]", value)


def _error(error: object) -> ErrorInReplyError:
    codes: set[str] = set()
    if isinstance(error, dict):
        fields = cast("Mapping[str, object]", error)
        found = (fields.get(name) for name in ("code", "type", "status"))
        codes = {str(code)[:QUOTED] for code in found if isinstance(code, str | int)}
    text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    return ErrorInReplyError(f"in place of a reply: {text[:QUOTED]}", codes)


def _index(choice: Mapping[str, Any]) -> int:
    """Return which choice it is: the first, unless it says otherwise."""
    index = choice.get("index")
    return index if isinstance(index, int) else 0


def _text(content: object, said: str) -> tuple[str, str]:
    """Return text and reasoning of a piece: plain text, or a list of parts that have a type."""
    if content is None or isinstance(content, str):
        return content or "", ""
    text, thought = "", ""
    for part in _mappings(content, f"the content of a {said}"):
        if isinstance(part.get("text"), str):
            text += part["text"]
        elif isinstance(part.get("thinking"), str):
            thought += part["thinking"]
        elif isinstance(part.get("thinking"), list):
            thought += _text(part["thinking"], said)[0]
    return text, thought


def _usage(usage: object) -> Mapping[str, Any]:
    """Return what of the usage a record can hold."""
    if not isinstance(usage, dict):
        return {}
    fields = cast("Mapping[str, Any]", usage)
    known: dict[str, Any] = {name: claims.count(fields.get(name)) for name in _COUNTS}
    for holder, name in _DETAILS:
        details = fields.get(holder)
        if isinstance(details, dict):
            found = claims.count(cast("Mapping[str, Any]", details).get(name))
            known[holder] = None if found is None else {name: found}
    cost = fields.get("cost")
    if isinstance(cost, dict):
        cost = cast("Mapping[str, Any]", cost).get("total_cost")
    known["cost"] = claims.dollars(cost)
    return {name: value for name, value in known.items() if value is not None}


def _mappings(value: object, what: str) -> Sequence[Mapping[str, Any]]:
    if value is None:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    if not all(isinstance(item, dict) for item in items):
        raise MalformedReplyError(f"{what} of the reply are no objects: {items!r}"[:QUOTED])
    return cast("Sequence[Mapping[str, Any]]", items)
