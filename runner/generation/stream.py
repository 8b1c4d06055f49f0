"""One request, streamed: what came back, as the provider said it."""

import asyncio
import time
from collections.abc import AsyncIterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from records.base import LARGEST_COUNT
from records.registry import ModelEntry
from records.run import Tokens
from runner.errors import (
    EmptyReplyError,
    IncompleteReplyError,
    MalformedReplyError,
    ReplyTooLargeError,
    SilentProviderError,
)
from runner.generation.backend import litellm

LARGEST_REPLY: Final = 8 * 1024 * 1024
"""Characters; a longer reply is no answer to any task."""

CONNECT_S: Final = 30.0
"""Seconds until a connection must stand."""

TURN: Final = 64
"""Pieces read from what has already arrived before other requests get their turn."""

NO_KEY: Final = "none"
"""Sent to servers that want no key, because the OpenAI client insists on one."""

UNKNOWN: Final = Tokens(input=None, cached_input=None, output=None, reasoning=None)


@dataclass(slots=True)
class Heard:
    """What came of a reply so far; kept where the rest never comes."""

    began: float
    """Monotonic seconds."""
    pieces: list[str] = field(default_factory=list[str])
    size: int = 0
    """Characters."""
    first_at: float | None = None
    ended: float | None = None
    finish_reason: str | None = None
    usage: Any = None
    opened: bool = False
    """Whether the provider began to answer."""
    content_type: str | None = None
    reported_cost: float | None = None
    """Dollars, from a header."""

    @property
    def text(self) -> str:
        """The reply so far."""
        return "".join(self.pieces)


async def ask(
    entry: ModelEntry, messages: Sequence[Mapping[str, str]], key: str | None, heard: Heard
) -> None:
    """Ask ``entry`` once, and put into ``heard`` what comes back.

    Raises:
        Exception: whatever litellm and what is below it raise; faults.diagnose says what it means.
    """
    silence = entry.limits.timeout_s
    patience = asyncio.timeout(silence)
    try:
        async with patience:
            await _listen(_request(entry, messages, key), heard, patience, silence)
    except TimeoutError as error:
        if patience.expired():
            raise SilentProviderError(f"nothing came for {silence:g} s") from error
        raise
    heard.ended = time.monotonic()
    _check(heard)


async def _listen(
    request: Mapping[str, Any], heard: Heard, patience: asyncio.Timeout, silence: float
) -> None:
    loop = asyncio.get_running_loop()
    stream = await litellm().acompletion(**request)
    provider_stream = _iterate_once(stream)
    try:
        heard.opened = True
        _read_headers(stream, heard)
        async for chunk in stream:
            patience.reschedule(loop.time() + silence)
            _take(stream, chunk, heard)
            if len(heard.pieces) % TURN == 0:
                await asyncio.sleep(0)
    finally:
        await stream.aclose()
        if provider_stream is not None:
            await provider_stream.close()
    # litellm ends every stream with "stop"; this is what the provider itself sent, if anything.
    reason = stream.received_finish_reason
    heard.finish_reason = None if reason is None else str(reason)


def _iterate_once(stream: Any) -> Any:  # noqa: ANN401 - litellm's and openai's own classes
    """Let litellm go on in one iterator of an OpenAI stream; return that stream, to be closed.

    It would begin a new one for every piece, and each of these lives, with its piece, until the
    event loop gets round to closing it: more than a megabyte per request, and a third of the time.
    """
    import openai  # noqa: PLC0415 - comes with litellm, which is imported late

    whole = stream.completion_stream
    if not isinstance(whole, openai.AsyncStream):
        return None
    stream.completion_stream = aiter(cast("AsyncIterable[object]", whole))
    return cast("Any", whole)


def tokens(usage: Any) -> Tokens:  # noqa: ANN401 - litellm's own class
    """Return what the provider reported; unknown where it reported nothing, or only zeros."""
    if usage is None:
        return UNKNOWN
    into, out = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    if not into and not out:
        return UNKNOWN
    cached = _count(getattr(usage, "prompt_tokens_details", None), "cached_tokens")
    reasoning = _count(getattr(usage, "completion_tokens_details", None), "reasoning_tokens")
    total = _count(usage, "total_tokens")
    if reasoning and into and out is not None and total == into + out + reasoning:
        out += reasoning  # some providers count reasoning apart
    return Tokens(input=into, cached_input=cached, output=out, reasoning=reasoning)


def reported_cost(heard: Heard) -> float | None:
    """Return the cost in dollars that the provider itself reported; None if it did not."""
    cost = getattr(heard.usage, "cost", None)
    if isinstance(cost, dict):
        cost = cast("dict[str, Any]", cost).get("total_cost")
    return heard.reported_cost if (known := _dollars(cost)) is None else known


def _request(
    entry: ModelEntry, messages: Sequence[Mapping[str, str]], key: str | None
) -> dict[str, Any]:
    import httpx  # noqa: PLC0415 - comes with litellm, which is imported late

    request: dict[str, Any] = {
        "model": entry.litellm_id,
        "messages": [dict(message) for message in messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        "num_retries": 0,
        "max_retries": 0,
        # Our own limit, on the silence between two pieces, ends a request before this one.
        "timeout": httpx.Timeout(entry.limits.timeout_s + CONNECT_S, connect=CONNECT_S),
        "no-log": True,
        **entry.parameters,
    }
    if entry.limits.max_output_tokens is not None and not (
        {"max_tokens", "max_completion_tokens"} & entry.parameters.keys()
    ):
        request["max_tokens"] = entry.limits.max_output_tokens
    if entry.api_base is not None:
        request["api_base"] = entry.api_base
        request["api_key"] = key or NO_KEY
    elif key is not None:
        request["api_key"] = key
    return request


def _read_headers(stream: Any, heard: Heard) -> None:  # noqa: ANN401 - litellm's own class
    headers: Mapping[str, Any] = getattr(stream, "_response_headers", None) or {}
    heard.content_type = headers.get("content-type")
    try:
        heard.reported_cost = _dollars(float(headers["x-litellm-response-cost"]))
    except (KeyError, TypeError, ValueError):
        heard.reported_cost = None


def _take(stream: Any, chunk: Any, heard: Heard) -> None:  # noqa: ANN401 - litellm's own classes
    # litellm keeps every chunk to count tokens at the end, which is memory and time for figures
    # that the provider did not report. Usage is read from what it keeps, and the rest let go.
    for kept in stream.chunks:
        usage = getattr(kept, "usage", None)
        if usage is not None:
            heard.usage = usage
    stream.chunks.clear()
    # It also copies the whole reply so far with every piece, for rules that are not used here.
    stream.response_uptil_now = ""
    if not chunk.choices:
        return
    piece = chunk.choices[0].delta.content
    if not piece:
        return
    if heard.first_at is None:
        heard.first_at = time.monotonic()
    heard.pieces.append(piece)
    heard.size += len(piece)
    if heard.size > LARGEST_REPLY:
        raise ReplyTooLargeError(f"more than {LARGEST_REPLY} characters came")


def _check(heard: Heard) -> None:
    """Refuse a stream that ended without an end, or without anything."""
    wrong_type = heard.content_type and "event-stream" not in heard.content_type
    if not heard.finish_reason:
        if heard.size == 0 and wrong_type:
            raise MalformedReplyError(f"the reply is {heard.content_type}, not a stream of events")
        raise IncompleteReplyError(f"the stream ended after {heard.size} characters, unfinished")
    if heard.size == 0 and not tokens(heard.usage).output:
        raise EmptyReplyError(f"no text and no output tokens; finished by {heard.finish_reason}")


def _count(holder: Any, name: str) -> int | None:  # noqa: ANN401 - litellm's own classes
    value = getattr(holder, name, None)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= LARGEST_COUNT else None


def _dollars(value: object) -> float | None:
    """Return an amount as a provider wrote it; None where no record can hold it as one."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= LARGEST_COUNT else None
