"""Replies of unusual shape or length: each is read as far as it has content."""

import json
import tracemalloc
import zlib
from collections.abc import Mapping
from typing import Final

import pytest

from records.shapes.attempt import FaultClass, TokensBasis
from records.shapes.registry import Limits
from runner.models.ask import RetryPolicy
from runner.models.requests.heard import LARGEST_REPLY
from tests.runner.models.conftest import ask_provider, assert_fault, get_generation
from tests.runner.models.provider import Step
from tests.runner.models.requests.wire_forms import (
    DONE,
    OK,
    USAGE,
    format_journal_line,
    make_chunk,
    make_event_step,
    make_json_step,
    make_text_chunk,
)

pytestmark = pytest.mark.integration


SECOND: Final = {"index": 1, "delta": {"content": "second"}}

READABLE: Final[dict[str, tuple[Step, str]]] = {
    "retry alone": (make_event_step("retry: 1000\n\n", *OK), "fine"),
    "id, comment": (make_event_step("id: 1\n", OK[0], ": ping\n\n", *OK[1:]), "fine"),
    "named event": (make_event_step("event: message\n", *OK), "fine"),
    "CRLF": (
        make_event_step("\ufeff", *(f"data:{json.dumps(c)}\r\n\r\n" for c in OK[:2])),
        "fine",
    ),
    "half a surrogate pair": (
        make_event_step(make_text_chunk("a\ud83d"), make_text_chunk("b", "stop")),
        "a\ufffdb",
    ),
    "a second choice": (
        make_event_step(
            make_chunk(choices=[SECOND]),
            make_chunk(
                choices=[
                    SECOND | {"finish_reason": "length"},
                    {"index": 0, "delta": {"content": "first"}},
                ]
            ),
            make_chunk(finish="stop"),
        ),
        "first",
    ),
    "content in parts": (
        make_event_step(make_chunk({"content": [{"type": "text", "text": "in parts"}]}), *OK[1:]),
        "in parts",
    ),
    "one large event": (make_event_step(make_text_chunk("x" * 600_000), *OK[1:]), "x" * 600_000),
    "names": (
        make_event_step(make_text_chunk("fine", "stop", model="\ud83d" * 9999), DONE),
        "fine",
    ),
}


@pytest.mark.parametrize(("step", "reply"), READABLE.values(), ids=READABLE)
def test_all_readable_parts_are_read(step: Step, reply: str) -> None:
    """A reply that came whole is a reply, in spite of data around it, and a journal can hold it."""
    generated, provider = ask_provider(step, limits=Limits(max_output_tokens=128_000))
    assert generated.fault is None, generated.fault
    assert generated.reply == reply
    assert len(provider.requests) == 1
    assert format_journal_line(generated)
    generation = get_generation(generated)
    assert generation.tokens.output != 0
    assert len(generation.finish_reason or "") <= 200


@pytest.mark.parametrize("usage", [{}, {"usage": USAGE}], ids=["without usage", "with usage"])
@pytest.mark.parametrize(
    "delta",
    [
        pytest.param({"reasoning_content": "I think."}, id="reasoning only"),
        pytest.param({"reasoning": "I think."}, id="reasoning by another name"),
        pytest.param(
            {"tool_calls": [{"index": "x", "function": {"name": 7}}, None]}, id="tool calls only"
        ),
    ],
)
def test_a_reply_without_an_answer_is_the_models(
    delta: Mapping[str, object], usage: Mapping[str, object]
) -> None:
    """The model only thought or called tools: the verdict is the same with and without usage."""
    generated, provider = ask_provider(
        make_event_step(make_chunk(delta), make_chunk(finish="stop", **usage), DONE)
    )
    assert generated.fault is None
    assert generated.reply == ""
    assert len(provider.requests) == 1


def test_a_packed_reply_is_unpacked_no_further_than_a_reply_can_be() -> None:
    """A body that unpacks to 200 megabytes takes the memory of one event at most."""
    packer = zlib.compressobj(level=1, wbits=31)
    bomb = b"".join(packer.compress(bytes(2**20)) for _ in range(200)) + packer.flush()
    step = Step(kind="raw", raw=(bomb,), headers={"Content-Encoding": "gzip"})
    tracemalloc.start()
    try:
        generated, provider = ask_provider(step)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert_fault(generated, FaultClass.MALFORMED_REPLY)
    assert len(provider.requests) == 1
    assert peak < 150 * 2**20


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
def test_a_model_that_rambles_is_heard_no_further(field: str) -> None:
    """Text beyond any answer is the model's doing, where no lower limit was sent.

    Its reply is the text so far.
    """
    endless = Step(
        kind="raw", raw=make_event_step(make_chunk({field: "again and " * 5000})).raw, repeat=200
    )
    generated, provider = ask_provider(endless, limits=Limits())
    assert generated.fault is None
    generation = get_generation(generated)
    assert generation.finish_reason is None
    assert generation.tokens_basis is TokensBasis.COUNTED
    assert len(generated.reply or "") < LARGEST_REPLY + 100_000
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param(make_text_chunk("x"), id="text"),
        pytest.param(make_chunk({"reasoning_content": "x"}), id="reasoning"),
    ],
)
def test_a_reply_that_drips_for_ever_is_given_up(piece: Mapping[str, object]) -> None:
    """No piece is late, but the whole is: the provider's time-out, without a second try as long."""
    retry_policy = RetryPolicy(first_s=0.01, longest_s=0.02, longest_reply_s=2.0)
    drip = Step(kind="raw", raw=make_event_step(piece).raw, repeat=1000, piece_delay_s=0.1)
    generated, provider = ask_provider(drip, retry_policy=retry_policy)
    assert_fault(generated, FaultClass.PROVIDER_TIMEOUT, "did not end within 2 s")
    assert len(provider.requests) == 1


def test_keep_alives_are_no_reply() -> None:
    """A stream of comments alone, for the longest silence of a model, is reported as silence."""
    drip = Step(kind="raw", raw=(b": keep-alive\n\n",), repeat=1000, piece_delay_s=0.1)
    generated, provider = ask_provider(drip, timeout_s=1.2)
    assert_fault(
        generated, FaultClass.PROVIDER_TIMEOUT, "no piece of the reply came for 1.2 s, though"
    )
    assert len(provider.requests) == 3


def test_a_server_whose_streams_are_empty_is_asked_for_plain_words() -> None:
    """Some servers give the reason for refusing a long prompt only without streaming."""
    empty = Step(kind="raw")
    words = "This model's maximum context length is 2048 tokens"
    generated, provider = ask_provider(
        empty, empty, make_json_step({"error": {"message": words}}, status=400)
    )
    assert [request["stream"] for request in provider.requests] == [True, True, False]
    assert "stream_options" not in provider.requests[2]
    assert_fault(generated, FaultClass.REFUSED_REQUEST, words)


def test_a_server_that_cannot_stream_is_heard_all_the_same() -> None:
    """The answer without streaming is a reply like any other."""
    whole = {"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]}
    generated, provider = ask_provider(Step(kind="raw"), Step(kind="raw"), make_json_step(whole))
    assert generated.reply == "fine"
    assert len(provider.requests) == 3


def test_streams_that_stay_empty_are_asked_for_in_one_piece_once() -> None:
    """The other tries stay as they were."""
    generated, provider = ask_provider(Step(kind="raw"))
    assert_fault(generated, FaultClass.CONNECTION_LOST)
    assert [request["stream"] for request in provider.requests] == [True, True, False, *[True] * 3]
