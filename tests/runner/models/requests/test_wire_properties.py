"""Properties of the edge: any input leads to facts of known types, and to no guess."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from records.foreign.fields import LONGEST_WORD
from records.runs.finish_reasons import End
from records.shapes.attempt import FaultClass
from records.shapes.base import LARGEST_COUNT
from runner.errors import ErrorInReplyError, MalformedReplyError
from runner.models.requests.heard import Heard, Incoming
from runner.models.requests.protocols import find_reader
from runner.models.requests.stream import receive
from tests.runner.models.provider import Step
from tests.runner.models.requests import wire_forms

pytestmark = pytest.mark.unit

KEYS = (
    *("id", "model", "choices", "index", "delta", "message", "content", "text", "type", "thinking"),
    *("reasoning_content", "reasoning", "tool_calls", "function_call", "refusal", "finish_reason"),
    *("usage", "prompt_tokens", "completion_tokens", "completion_tokens_details", "cost"),
    *("reasoning_tokens", "total_cost", "error", "code", "detail", "candidates", "finishReason"),
    *("parts", "thought", "usageMetadata", "promptTokenCount", "promptFeedback", "blockReason"),
    *("content_block", "stop_reason", "input_tokens", "response", "status", "output", "provider"),
    *("incomplete_details", "system_fingerprint", "x_groq", "cost_details", "is_byok"),
)
TEXTS = st.text(st.characters(exclude_categories=()), max_size=8)
"""Texts with halves of surrogate pairs, which JSON can write."""
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**53)
    | st.floats()
    | TEXTS
    | st.sampled_from(["stop", "length", "error", "content_filter"])
    | st.sampled_from(["message_start", "content_block_delta", "message_delta", "text"])
    | st.sampled_from(["response.completed", "response.output_text.delta", "reasoning"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


def _draw_spoiled(sound: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw pieces of a reply in which some fields have other values."""
    return st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=3).map(lambda odd: sound | odd)


def _make_choice(choice: dict[str, Any], delta: object) -> dict[str, Any]:
    return choice | {"delta": delta}


def _make_chunk(chunk: dict[str, Any], choices: object) -> dict[str, Any]:
    return chunk | {"choices": choices}


CHOICES = st.builds(
    _make_choice,
    _draw_spoiled({"index": 0, "finish_reason": None}),
    VALUES | _draw_spoiled({"content": "some "}),
)
CHUNKS: st.SearchStrategy[Any] = VALUES | st.builds(
    _make_chunk, _draw_spoiled({"model": "m"}), VALUES | st.lists(CHOICES, max_size=2)
)


def hear_pieces(
    pieces: Sequence[bytes], path: str = wire_forms.PATHS["chat"], kind: str = "text/event-stream"
) -> tuple[Heard, str | None]:
    """Return the received part of the reply, and the class of the error that ends it, if any."""
    heard = Heard(0.0)

    async def yield_pieces() -> AsyncIterator[bytes]:
        for part in pieces:
            yield part

    async def close() -> None:
        pass

    async def read() -> None:
        reader = find_reader(path)
        assert reader is not None
        incoming = Incoming(reader, {"content-type": kind}, yield_pieces(), close)
        await receive(incoming, heard, lambda: None)

    try:
        asyncio.run(read())
    except (ErrorInReplyError, MalformedReplyError) as error:
        return heard, type(error).__name__
    return heard, None


def list_facts(heard: Heard) -> tuple[object, ...]:
    """Return the facts of a reply, without times."""
    return heard.text, heard.thoughts, heard.finish_reason, heard.usage, heard.called_tools


def _cut(data: bytes, positions: Sequence[int]) -> list[bytes]:
    ends = sorted({position % (len(data) + 1) for position in positions})
    starts = [0, *ends]
    return [data[start:end] for start, end in zip(starts, [*ends, len(data)], strict=True)]


def _check(heard: Heard) -> None:
    """Check that a record can hold the facts of a reply."""
    for name in (heard.answered_by, heard.host, heard.fingerprint, heard.finish_reason):
        assert name is None or 0 < len(name) <= LONGEST_WORD
    assert heard.size == sum(map(len, [*heard.pieces, *heard.thoughts]))
    usage = heard.usage
    for number in (usage.input, usage.cached_input, usage.output, usage.reasoning, usage.total):
        assert number is None or (isinstance(number, int) and 0 <= number <= LARGEST_COUNT)
    for money in (usage.cost_usd, usage.upstream_cost_usd):
        assert money is None or (math.isfinite(money) and money >= 0)
    assert usage.own_key in {None, True, False}


@pytest.mark.parametrize("path", wire_forms.PATHS.values(), ids=wire_forms.PATHS)
@given(chunk=CHUNKS)
@example(chunk={"type": []})
@example(chunk={"type": ["ping"]})
@example(chunk={"type": "content_block_start", "content_block": {"type": ["tool_use"]}})
def test_every_piece_is_sound_or_refused(path: str, chunk: object) -> None:
    """Any JSON becomes a value of a known type, nothing, or one of two errors."""
    data = json.dumps(chunk).encode()
    for body in (b"data: " + data + b"\n\n", data):
        heard, _ = hear_pieces([body], path)
        _check(heard)


@given(st.lists(CHUNKS | st.text(max_size=20), max_size=4), st.lists(st.integers(0), max_size=8))
def test_where_packets_end_does_not_matter(chunks: list[Any], positions: list[int]) -> None:
    """A stream cut anywhere, between the bytes of a character or a line end, reads the same."""
    data = b": begins\r\n\r\n" + "".join(
        f"data: {json.dumps(chunk)}\r\n\r\n" if not isinstance(chunk, str) else f"{chunk}\r"
        for chunk in chunks
    ).encode("utf-8", "replace")
    (cut, error), (whole, same) = hear_pieces(_cut(data, positions)), hear_pieces([data])
    assert (list_facts(cut), error) == (list_facts(whole), same)


@pytest.mark.parametrize("path", wire_forms.PATHS.values(), ids=wire_forms.PATHS)
@given(data=st.binary(max_size=200))
def test_any_bytes_are_read(path: str, data: bytes) -> None:
    """The bytes hold events or none, and raise only the two errors."""
    heard, _ = hear_pieces([data], path)
    _check(heard)


NOTHING = "id: 7\nretry: 5\ndata\n\ndata:\n\nevent: a\ndata: \ndata:\n\nevent: b\n\n"
"""Events without data, which the HTML standard ignores."""


@pytest.mark.parametrize("protocol", wire_forms.PATHS)
@given(text=st.text(max_size=60), positions=st.lists(st.integers(0), max_size=6))
@example(text="a\u2028b\u2029c\x85d\x0be", positions=[])
def test_text_arrives_as_it_was_written(
    protocol: wire_forms.Protocol, text: str, positions: list[int]
) -> None:
    """Text is whole also where a piece ends inside of a character or of a line."""
    halves = [
        half.decode("utf-16-le", "surrogatepass")
        for half in _cut_pairs(text.encode("utf-16-le"), positions)
    ]
    events = [json.dumps(wire_forms.make_text_event(protocol, half)) for half in halves]
    unescaped = [json.dumps(wire_forms.make_text_event(protocol, text), ensure_ascii=False)]
    for written_events in (events, unescaped):
        data = "".join(f"{NOTHING}data: {each}\n\n: ping\n\n" for each in written_events)
        heard, error = hear_pieces([data.encode()], wire_forms.PATHS[protocol])
        assert error is None
        assert heard.text == text


def _cut_pairs(data: bytes, positions: Sequence[int]) -> list[bytes]:
    return _cut(data, [2 * (position % (len(data) // 2 + 1)) for position in positions])


DOCUMENTED = frozenset(FaultClass) - {
    *(FaultClass.OUTAGE, FaultClass.BUDGET, FaultClass.SANDBOX, FaultClass.BACKEND),
    *(FaultClass.TOOLCHAIN, FaultClass.GRADER),
}
"""Possible causes of a request's fault."""

WORDS = st.sampled_from(
    [
        *("stop", "end_turn", "STOP", "completed", "length", "MAX_TOKENS", "model_length"),
        *("content_filter", "refusal", "abort", "error", "finito", "invented", None, 7, True),
    ]
)


def _draw_valid(protocol: wire_forms.Protocol) -> st.SearchStrategy[dict[str, Any]]:
    """Draw events that a server may send by a protocol."""

    def end(word: object, out: int) -> dict[str, Any]:
        return wire_forms.make_end_event(protocol, word, out=out)

    samples = [
        wire_forms.make_text_event(protocol, "some "),
        wire_forms.make_thought_event(protocol, "Hm. "),
        *wire_forms.make_first_events(protocol),
    ]
    return st.sampled_from(samples) | st.builds(end, WORDS, st.sampled_from([0, 25]))


def _draw_broken(protocol: wire_forms.Protocol) -> st.SearchStrategy[object]:
    """Draw events that are cut, spoiled, or of another kind."""

    def cut(event: dict[str, Any], length: int) -> str:
        return f"data: {json.dumps(event)[:length]}\n\n"

    def spoil_event(event: dict[str, Any], odd: dict[str, Any]) -> dict[str, Any]:
        return event | odd

    odd = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=2)
    errors: list[object] = [{"error": {"type": "overloaded_error"}}, {"type": "error"}]
    return st.one_of(
        st.builds(cut, _draw_valid(protocol), st.integers(0, 60)),
        st.builds(spoil_event, _draw_valid(protocol), odd),
        st.sampled_from(
            [*errors, *wire_forms.make_last_events(protocol), wire_forms.DONE, ": keep-alive\n\n"]
        ),
        CHUNKS,
    )


def _make_answer_step(events: list[object], then: Literal["end", "reset"]) -> Step:
    return wire_forms.make_event_step(*events, then=then)


def _draw_answers(protocol: wire_forms.Protocol) -> st.SearchStrategy[Step]:
    events = st.lists(
        _draw_valid(protocol) | _draw_valid(protocol) | _draw_broken(protocol), max_size=6
    )
    return st.builds(_make_answer_step, events, st.sampled_from(["end", "end", "reset"]))


@pytest.mark.integration
@pytest.mark.parametrize("protocol", wire_forms.PROTOCOLS)
@given(data=st.data())
def test_any_stream_ends_in_a_documented_outcome(
    protocol: wire_forms.Protocol, data: st.DataObject
) -> None:
    """For any events over real HTTP, only a known end scores the model."""
    heard, diagnosis = wire_forms.judge_reply(
        protocol, data.draw(_draw_answers(protocol)), limit=20
    )
    if diagnosis is not None:
        assert diagnosis.rule.kind in DOCUMENTED
        assert diagnosis.evidence
    else:
        assert heard is not None
        assert heard.end in {End.MODEL, End.LIMIT}
        assert heard.finish_reason not in {None, "finito", "invented", "7", "true"}
