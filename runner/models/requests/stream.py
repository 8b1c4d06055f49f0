"""One request, streamed: what came back, as the provider said it."""

import asyncio
import time
from collections.abc import AsyncIterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from records.registry import ModelEntry
from records.run import Tokens
from runner.errors import (
    EmptyReplyError,
    EndlessReplyError,
    IncompleteReplyError,
    MalformedReplyError,
    SilentProviderError,
)
from runner.models.requests import claims
from runner.models.requests.lazy_litellm import litellm
from runner.models.requests.traffic import TRAFFIC, Traffic
from runner.models.requests.wait_notices import Tell, unheard

LARGEST_REPLY: Final = 2 * 1024 * 1024
"""Characters of text and reasoning; a model that writes more rambles, and is heard no further.

It is four times what the longest declared output limit allows.
"""

LONGEST_REPLY_S: Final = 2 * 60 * 60.0
"""Seconds that a reply may take in all: 5 tokens a second write 36,000 tokens in that time."""

CONNECT_S: Final = 30.0
"""Seconds until a connection must stand."""

TURN: Final = 64
"""Pieces read from what has already arrived before other requests get their turn."""

NO_KEY: Final = "none"
"""Sent to servers that want no key, because the OpenAI client insists on one."""

KEPT_BACK: Final = frozenset(
    {
        "content_filter",  # OpenAI and most others
        "content_filtered",
        "refusal",  # Anthropic
        "guardrail_intervened",  # Bedrock
        "sensitive",  # Zhipu
        "safety",  # Google, and those below
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
    }
)
"""Finish reasons, in lower case, of a reply that a provider's filter ended."""

UNKNOWN: Final = Tokens(input=None, cached_input=None, output=None, reasoning=None)


@dataclass(slots=True)
class Heard:
    """What came of a reply so far; kept where the rest never comes."""

    began: float
    """Monotonic seconds."""
    tell: Tell = unheard
    """Hears when the first piece came, so that who watches knows what is still to come."""
    pieces: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    """Pieces of reasoning, where the provider shows it."""
    size: int = 0
    """Characters of text and reasoning."""
    rambled: bool = False
    """Whether it grew too large and was heard no further."""
    called_tools: bool = False
    """Whether there was a call of a tool, of which none is offered."""
    answered_by: str | None = None
    """The model, as the provider named it."""
    first_at: float | None = None
    ended: float | None = None
    finish_reason: str | None = None
    usage: Any = None
    traffic: Traffic = field(default_factory=Traffic)
    reported_cost: float | None = None
    """Dollars, from a header."""

    @property
    def text(self) -> str:
        """The reply so far."""
        return claims.joined("".join(self.pieces))

    @property
    def nothing(self) -> bool:
        """Whether the provider began to answer, and said nothing whatever."""
        said = self.size or self.called_tools or self.finish_reason or self.usage
        return self.traffic.opened and not said


async def ask(
    entry: ModelEntry,
    messages: Sequence[Mapping[str, str]],
    key: str | None,
    heard: Heard,
    longest_s: float = LONGEST_REPLY_S,
) -> None:
    """Ask ``entry`` once, and put into ``heard`` what comes back within ``longest_s`` seconds.

    Raises:
        Exception: whatever litellm and what is below it raise; faults.diagnose says what it means.
    """
    silence = entry.limits.timeout_s
    TRAFFIC.set(heard.traffic)
    end = asyncio.get_running_loop().time() + longest_s
    time_limit = asyncio.timeout(min(silence, longest_s))
    try:
        async with time_limit:
            await _listen(_request(entry, messages, key), heard, time_limit, silence, end)
    except TimeoutError as error:
        if time_limit.expired():
            raise _timed_out(heard, time_limit, silence, end, longest_s) from error
        raise
    heard.ended = time.monotonic()
    _check(heard)


def _timed_out(
    heard: Heard, time_limit: asyncio.Timeout, silence: float, end: float, longest_s: float
) -> Exception:
    if time_limit.when() == end:
        return EndlessReplyError(
            f"the reply did not end within {longest_s:g} s; {heard.size} characters came"
        )
    received = heard.traffic.received
    besides = f", though {received} bytes did" if received and not heard.size else ""
    return SilentProviderError(f"no piece of the reply came for {silence:g} s{besides}")


async def _listen(
    request: Mapping[str, Any],
    heard: Heard,
    time_limit: asyncio.Timeout,
    silence: float,
    end: float,
) -> None:
    loop = asyncio.get_running_loop()
    stream = await litellm().acompletion(**request)
    provider_stream = _iterate_once(stream)
    try:
        heard.reported_cost = _cost_of_headers(stream)
        pieces = 0
        async for chunk in stream:
            time_limit.reschedule(min(loop.time() + silence, end))
            _take(stream, chunk, heard)
            if heard.rambled:
                break
            pieces += 1
            if pieces % TURN == 0:
                await asyncio.sleep(0)
    finally:
        await stream.aclose()
        if provider_stream is not None:
            await provider_stream.close()
    # litellm ends every stream with "stop"; this is what the provider itself sent, if anything.
    reason = claims.word(stream.received_finish_reason)
    heard.finish_reason = heard.traffic.finish_reason or reason


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


def tokens(heard: Heard) -> Tokens:
    """Return what the provider reported; unknown where it reported nothing, or only zeros."""
    usage = heard.usage
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
    # litellm sets 0 output tokens where a provider reports none; a reply with text has some.
    return Tokens(
        input=into or None,
        cached_input=cached,
        output=None if not out and heard.size else out,
        reasoning=reasoning,
    )


def reported_cost(heard: Heard) -> float | None:
    """Return the cost in dollars that the provider itself reported; None if it did not."""
    cost = getattr(heard.usage, "cost", None)
    if isinstance(cost, dict):
        cost = cast("dict[str, Any]", cost).get("total_cost")
    return heard.reported_cost if (known := claims.dollars(cost)) is None else known


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
        # The limit on silence between two chunks (_listen) ends a request before this one.
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


def _cost_of_headers(stream: Any) -> float | None:  # noqa: ANN401 - litellm's own class
    headers: Mapping[str, Any] = getattr(stream, "_response_headers", None) or {}
    return claims.dollars_written(headers.get("x-litellm-response-cost"))


def _take(stream: Any, chunk: Any, heard: Heard) -> None:  # noqa: ANN401 - litellm's own classes
    # litellm keeps every chunk to count tokens at the end, which is memory and time for figures
    # that the provider did not report. Usage is read from what it keeps, and the rest let go.
    for kept in stream.chunks:
        usage = getattr(kept, "usage", None)
        if usage is not None:
            heard.usage = usage
    stream.chunks.clear()
    # litellm copies the reply so far with every chunk, for guardrails that are not used here.
    stream.response_uptil_now = ""
    if heard.answered_by is None:
        named: Mapping[str, Any] = getattr(chunk, "hidden_params", None) or {}
        heard.answered_by = claims.word(named.get("provider_response_model"))
    if not chunk.choices:
        return
    delta = chunk.choices[0].delta
    if getattr(delta, "tool_calls", None):
        heard.called_tools = True
    if delta.content and heard.first_at is None:
        heard.first_at = time.monotonic()
    for what, piece, pieces in (
        ("reasoning", getattr(delta, "reasoning_content", None), heard.thoughts),
        ("rest of the reply", delta.content, heard.pieces),
    ):
        if piece:
            if not pieces:
                heard.tell(what)
            pieces.append(_text(piece))
            heard.size += len(piece)
    heard.rambled = heard.size > LARGEST_REPLY


def _text(piece: object) -> str:
    if not isinstance(piece, str):
        raise MalformedReplyError(f"a piece of the reply is a {type(piece).__name__}, no text")
    return piece


def _check(heard: Heard) -> None:
    """Refuse a stream that ended without an end, or without anything."""
    if heard.rambled:
        return
    if not heard.finish_reason:
        raise IncompleteReplyError(f"the stream ended after {heard.size} characters, unfinished")
    if heard.size or heard.called_tools or filtered(heard):
        return
    if not tokens(heard).output:
        raise EmptyReplyError(f"no text and no output tokens; finished by {heard.finish_reason}")


def filtered(heard: Heard) -> bool:
    """Tell whether the provider kept back the reply, or the rest of it."""
    return (heard.finish_reason or "").lower() in KEPT_BACK


def _count(holder: Any, name: str) -> int | None:  # noqa: ANN401 - litellm's own classes
    return claims.count(getattr(holder, name, None))
