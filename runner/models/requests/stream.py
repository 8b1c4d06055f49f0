"""One request to a model: litellm sends it, and its reply is read to the end."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from records.shapes.attempt import Tokens
from records.shapes.registry import ModelEntry
from runner.errors import (
    EndlessReplyError,
    SilentProviderError,
)
from runner.models.requests import claims
from runner.models.requests.body import make_request_options
from runner.models.requests.heard import Heard
from runner.models.requests.lazy_litellm import load_litellm
from runner.models.requests.protocols.fields import read_text
from runner.models.requests.protocols.usage import read_usage
from runner.models.requests.receive import receive
from runner.models.requests.traffic import TRAFFIC

LONGEST_REPLY_S: Final = 2 * 60 * 60.0
"""The most seconds of a whole reply. In this time 5 tokens a second give 36,000 tokens."""

GOODBYE_S: Final = 5.0
"""The most seconds of silence after a finish reason, in which usage and end mark may follow."""

UNKNOWN: Final = Tokens(input=None, cached_input=None, output=None, reasoning=None)


async def ask(
    entry: ModelEntry,
    messages: Sequence[Mapping[str, str]],
    key: str | None,
    heard: Heard,
    longest_s: float = LONGEST_REPLY_S,
) -> None:
    """Ask ``entry`` once, and store the reply in ``heard``; it may take ``longest_s`` seconds.

    Silence after a finish reason ends the reply without an error.

    Raises:
        SilentProviderError: no piece of the reply came for the time limit of the model.
        EndlessReplyError: the reply did not end in time.
        Exception: litellm or a library that it uses has failed. `faults.diagnosis` has the meanings
            of these exceptions.
    """
    silence = entry.limits.timeout_s
    TRAFFIC.set(heard.traffic)
    end = asyncio.get_running_loop().time() + longest_s
    time_limit = asyncio.timeout(min(silence, longest_s))
    patience = _Patience(heard, time_limit, silence, end)
    try:
        async with time_limit:
            await _listen(make_request_options(entry, messages, key), heard, patience)
    except TimeoutError as error:
        if not time_limit.expired():
            raise
        if not heard.is_over:
            raise patience.make_timeout_error(longest_s) from error
        heard.ended = heard.moved_at
    heard.ended = heard.ended or time.monotonic()


@dataclass(frozen=True, slots=True)
class _Patience:
    """The time limit for the next piece of a reply."""

    heard: Heard
    time_limit: asyncio.Timeout
    silence_s: float
    end: float
    """The time limit of the whole reply, on the clock of the event loop."""

    def renew(self) -> None:
        """Restart the wait, because a piece has come."""
        wait = min(GOODBYE_S, self.silence_s) if self.heard.is_over else self.silence_s
        self.time_limit.reschedule(min(asyncio.get_running_loop().time() + wait, self.end))

    def make_timeout_error(self, longest_s: float) -> Exception:
        """Return the error of a reply that did not come in time."""
        heard, received = self.heard, self.heard.traffic.received
        if self.time_limit.when() == self.end:
            return EndlessReplyError(
                f"the reply did not end within {longest_s:g} s; {heard.size} characters came"
            )
        besides = f", though {received} bytes did" if received and not heard.size else ""
        return SilentProviderError(f"no piece of the reply came for {self.silence_s:g} s{besides}")


async def _listen(request: Mapping[str, Any], heard: Heard, patience: _Patience) -> None:
    """Send a request and read its reply.

    litellm reads the reply only if this program has no reader for its protocol.
    """
    stream = await load_litellm().acompletion(**request)
    try:
        await _translate(stream, heard, patience)
    finally:
        await stream.aclose()
    if heard.traffic.incoming is not None:
        await receive(heard.traffic.incoming, heard, patience.renew)


async def _translate(stream: Any, heard: Heard, patience: _Patience) -> None:  # noqa: ANN401 - litellm's own class
    """Read a reply as litellm translates it, unless this program has a reader for its protocol.

    For some providers litellm sends the request only when this function reads the reply.
    """
    if heard.traffic.incoming is not None:
        return
    heard.header_cost = _read_header_cost(stream)
    async for chunk in stream:
        if heard.traffic.incoming is not None:
            return
        patience.renew()
        _take(stream, chunk, heard)
        if heard.rambled:
            return
    # The finish reason stays unknown, because litellm turns each unknown word into "stop".
    heard.closed = heard.traffic.incoming is None and bool(stream.received_finish_reason)


def read_reported_tokens(heard: Heard) -> Tokens:
    """Return the reported numbers of tokens; missing and impossible numbers become None."""
    usage = heard.usage
    into, out, reasoning = usage.input, usage.output, usage.reasoning
    if not into and not out:
        return UNKNOWN
    if reasoning and into and out is not None and usage.total == into + out + reasoning:
        out += reasoning  # some providers count reasoning separately
    if heard.thoughts or heard.hid_thoughts:
        reasoning = reasoning or None  # zero cannot be true
    if reasoning is not None and out is not None and reasoning > out:
        reasoning = None  # a part cannot be larger than the whole
    cached = usage.cached_input
    if cached is not None and into is not None and cached > into:
        cached = None
    # A reply with text has some output tokens.
    return Tokens(
        input=into or None,
        cached_input=cached,
        output=None if not out and heard.size else out,
        reasoning=reasoning,
    )


def _read_header_cost(stream: Any) -> float | None:  # noqa: ANN401 - litellm's own class
    headers: Mapping[str, Any] = getattr(stream, "_response_headers", None) or {}
    return claims.read_dollars_text(headers.get("x-litellm-response-cost"))


def _take(stream: Any, chunk: Any, heard: Heard) -> None:  # noqa: ANN401 - litellm's own classes
    # litellm keeps every chunk, to count tokens at the end if the provider reports none. This takes
    # memory and time, so usage is read from the chunks, and they are dropped.
    for held in stream.chunks:
        usage = getattr(held, "usage", None)
        if usage is not None:
            heard.report(read_usage(usage.model_dump()))
    stream.chunks.clear()
    # With every chunk litellm copies the reply so far, for guardrails that are not used here.
    stream.response_uptil_now = ""
    hidden: Mapping[str, Any] = getattr(chunk, "hidden_params", None) or {}
    heard.store_names(hidden, "provider_response_model")
    if not chunk.choices:
        return
    delta = chunk.choices[0].delta
    if getattr(delta, "tool_calls", None):
        heard.call_tool()
    heard.add_thought(read_text(getattr(delta, "reasoning_content", None), "reasoning"))
    heard.add_text(read_text(delta.content, "text"))
