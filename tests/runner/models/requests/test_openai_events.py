"""Properties of the edge: whatever comes, what is passed on has known fields of known types."""

import json
import math
from collections.abc import Sequence
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records import journal
from records.base import LARGEST_COUNT
from records.run import FaultClass
from runner.errors import ErrorInReplyError, MalformedReplyError
from runner.models.requests import claims
from runner.models.requests.openai_events import ChunkWriter, Event, EventReader, gemini_finish
from tests.runner.models.conftest import asked
from tests.runner.models.provider import Step
from tests.runner.models.requests.provider_replies import written

pytestmark = pytest.mark.unit

KEYS: Final = (
    *("id", "model", "choices", "index", "delta", "message", "content", "text", "type", "thinking"),
    *("reasoning_content", "reasoning", "tool_calls", "function_call", "refusal", "finish_reason"),
    *("usage", "prompt_tokens", "completion_tokens", "completion_tokens_details", "cost"),
    *("reasoning_tokens", "total_cost", "error", "code", "detail", "candidates", "finishReason"),
)
TEXTS: Final = st.text(st.characters(exclude_categories=()), max_size=8)
"""With halves of surrogate pairs, which JSON can write."""
VALUES: Final[st.SearchStrategy[Any]] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**53)
    | st.floats()
    | TEXTS
    | st.sampled_from(["stop", "length", "error", "content_filter"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


def _spoiled(sound: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw pieces of a reply of which some fields are something else."""
    return st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=3).map(lambda odd: sound | odd)


def _choice(choice: dict[str, Any], delta: object) -> dict[str, Any]:
    return choice | {"delta": delta}


def _chunk(chunk: dict[str, Any], choices: object) -> dict[str, Any]:
    return chunk | {"choices": choices}


CHOICES: Final = st.builds(
    _choice,
    _spoiled({"index": 0, "finish_reason": None}),
    VALUES | _spoiled({"content": "some "}),
)
CHUNKS: Final[st.SearchStrategy[Any]] = VALUES | st.builds(
    _chunk, _spoiled({"model": "m"}), VALUES | st.lists(CHOICES, max_size=2)
)


def passed_on(pieces: Sequence[bytes]) -> tuple[bytes, str | None]:
    """Return what a stream becomes, and the class of the error that ends it, if one does."""
    reader, writer = EventReader(), ChunkWriter()
    out = b""
    try:
        for piece in pieces:
            for event in reader.feed(piece):
                out += writer.take(event)
        writer.end()
    except (ErrorInReplyError, MalformedReplyError) as error:
        return out, type(error).__name__
    return out, None


def _cut(data: bytes, places: Sequence[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places})
    starts = [0, *ends]
    return [data[start:end] for start, end in zip(starts, [*ends, len(data)], strict=True)]


def _check(chunk: dict[str, Any]) -> None:
    """See that a chunk holds what litellm can take, and nothing else."""
    assert chunk.keys() <= {"id", "object", "created", "model", "choices", "usage"}
    assert isinstance(chunk["model"], str)
    assert len(chunk["choices"]) <= 1
    for choice in chunk["choices"]:
        assert choice["index"] == 0
        assert choice["finish_reason"] is None or 0 < len(choice["finish_reason"]) <= 200
        assert choice["delta"].keys() <= {"content", "reasoning_content", "tool_calls"}
        for name in ("content", "reasoning_content"):
            assert isinstance(choice["delta"].get(name, ""), str)
    usage: dict[str, Any] = chunk.get("usage", {})
    for holder in ("completion_tokens_details", "prompt_tokens_details"):
        usage |= usage.pop(holder, {})
    for name, number in usage.items():
        assert isinstance(number, float if name == "cost" else int)
        assert 0 <= number <= LARGEST_COUNT


@given(CHUNKS)
def test_every_piece_is_sound_or_refused(chunk: object) -> None:
    """Any JSON becomes a piece of known shape, nothing, or one of two errors."""
    event = Event("", json.dumps(chunk))
    try:
        out = ChunkWriter().take(event)
        whole = ChunkWriter().whole(event.data, "application/json")
    except (ErrorInReplyError, MalformedReplyError):
        return
    for sent in (out, whole):
        for line in sent.split(b"\n\n"):
            if line and line != b"data: [DONE]":
                _check(json.loads(line.removeprefix(b"data: ")))


@given(st.lists(CHUNKS | st.text(max_size=20), max_size=4), st.lists(st.integers(0), max_size=8))
def test_where_packets_end_does_not_matter(chunks: list[Any], places: list[int]) -> None:
    """A stream cut anywhere, between the bytes of a character or a line end, reads the same."""
    data = "".join(
        f"data: {json.dumps(chunk)}\r\n\r\n" if not isinstance(chunk, str) else f"{chunk}\r"
        for chunk in chunks
    ).encode("utf-8", "replace")
    assert passed_on(_cut(data, places)) == passed_on([data])


@given(st.binary(max_size=200), st.lists(st.integers(0), max_size=5))
def test_any_bytes_are_read(data: bytes, places: list[int]) -> None:
    """They hold events, or none; nothing but the two errors comes of them."""
    assert passed_on(_cut(data, places)) == passed_on([data])
    for event in EventReader().feed(data):
        assert isinstance(gemini_finish(event), str | None)


@given(st.text(max_size=60), st.lists(st.integers(0), max_size=6))
def test_text_arrives_as_it_was_written(text: str, places: list[int]) -> None:
    """Also where a piece ends between the two halves of a character."""
    halves = [
        half.decode("utf-16-le", "surrogatepass")
        for half in _cut_pairs(text.encode("utf-16-le"), places)
    ]
    events = [{"choices": [{"delta": {"content": half}}]} for half in halves]
    data = "".join(
        f"id: 7\nretry: 5\n\ndata: {json.dumps(event)}\n\n: ping\n\n" for event in events
    )
    out, error = passed_on([data.encode()])
    assert error is None
    pieces = [
        json.loads(line.removeprefix("data: ")) for line in out.decode().split("\n\n") if line
    ]
    said = "".join(piece["choices"][0]["delta"].get("content", "") for piece in pieces)
    assert claims.joined(said) == text


def _cut_pairs(data: bytes, places: Sequence[int]) -> list[bytes]:
    return _cut(data, [2 * (place % (len(data) // 2 + 1)) for place in places])


@given(VALUES)
def test_claims_are_believed_as_far_as_a_record_can_hold_them(value: object) -> None:
    """No value raises, and none comes through that is not finite, whole or UTF-8."""
    count, dollars, word = claims.count(value), claims.dollars(value), claims.word(value)
    assert count is None or 0 <= count <= LARGEST_COUNT
    assert dollars is None or math.isfinite(dollars)
    assert word is None or 0 < len(word.encode()) <= 4 * claims.LONGEST_WORD
    assert claims.dollars_written(value) is None or isinstance(value, str)


def _written(chunk: object) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()


BYTES: Final[st.SearchStrategy[bytes]] = st.one_of(
    CHUNKS.map(_written),
    st.binary(max_size=40),
    st.sampled_from(
        [
            b"data: [DONE]\n\n",
            b'data: {"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]}\n\n',
            b"retry: 1\n\n",
            b'{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}',
        ]
    ),
)


def _answer(raw: list[bytes], status: int, kind: str, packing: str) -> Step:
    headers = {"Content-Type": kind}
    if packing:
        headers["Content-Encoding"] = packing
    return Step(kind="raw", raw=tuple(raw), status=status, headers=headers)


ANSWERS: Final = st.builds(
    _answer,
    st.lists(BYTES, max_size=4),
    st.sampled_from([200, 200, 200, 200, 201, 299, 302, 307, 400, 429, 500, 599]),
    st.sampled_from(["text/event-stream", "application/json", "text/html", "x"]),
    st.sampled_from(["", "", "", "gzip", "deflate", "br"]),
)


@pytest.mark.integration
@given(ANSWERS)
def test_whatever_is_sent_ends_in_a_result(answer: Step) -> None:
    """Over real HTTP: a reply or a fault that a journal can hold, and never an unforeseen one."""
    generated, provider = asked(answer)
    assert (generated.reply is None) == (generated.generation is None)
    assert generated.reply is not None or generated.fault is not None
    assert generated.fault is None or generated.fault.kind is not FaultClass.OUTAGE
    assert 1 <= len(provider.requests) <= 12
    assert journal.Generated.model_validate_json(written(generated))
