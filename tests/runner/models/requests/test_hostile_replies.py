"""Replies of unusual shape or length, and numbers that cannot be: what has content is read."""

import json
import tracemalloc
import zlib
from collections.abc import Mapping

import pytest

from records.shapes.attempt import FaultClass, TokensBasis
from records.shapes.registry import Limits
from runner.models.requests import stream
from runner.models.requests.heard import LARGEST_REPLY
from tests.runner.models.asking import ask_provider, assert_fault, get_generation
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
SECOND = {"index": 1, "delta": {"content": "second"}}

READABLE: dict[str, tuple[Step, str]] = {
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
def test_a_reply_that_drips_for_ever_is_given_up(
    piece: Mapping[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No piece is late, but the whole is: the provider's time-out, without a second try as long."""
    monkeypatch.setattr(stream, "LONGEST_REPLY_S", 2.0)
    drip = Step(kind="raw", raw=make_event_step(piece).raw, repeat=1000, piece_delay_s=0.1)
    generated, provider = ask_provider(drip)
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


WRONG_USAGE: tuple[object, ...] = (
    {"completion_tokens": 200.5, "prompt_tokens": 9},
    {"completion_tokens": 0, "prompt_tokens": 0, "total_tokens": 0},
    {"completion_tokens": 2**53 + 1, "prompt_tokens": -1},
    {"completion_tokens": "40", "prompt_tokens": [9]},
    {"completion_tokens": True, "prompt_tokens": None},
    {"completion_tokens": 10**400, "prompt_tokens": {"a": 1}},
    {"completion_tokens": 10**30, "total_tokens": -7},
    "none",
    [1],
    7,
)


@pytest.mark.parametrize("usage", WRONG_USAGE, ids=lambda usage: str(usage)[:40])
def test_a_number_of_tokens_that_cannot_be_costs_no_second_request(usage: object) -> None:
    """The reply is there; missing numbers are counted, and marked as counted."""
    generated, provider = ask_provider(
        make_event_step(make_text_chunk("fine", "stop", usage=usage), DONE)
    )
    assert generated.reply == "fine"
    assert len(provider.requests) == 1
    generation = get_generation(generated)
    assert generation.tokens.output == 1
    assert generation.tokens_basis is TokensBasis.COUNTED
    assert format_journal_line(generated)


@pytest.mark.parametrize(
    "cost", ["1e999", "Infinity", "NaN", "-1", '"1"', "true", "1e30", '{"total_cost":NaN}', "[]"]
)
def test_a_cost_that_cannot_be_is_unknown(cost: str) -> None:
    """The reply counts in spite of any value in place of its cost."""
    usage = f'{{"prompt_tokens": 9, "completion_tokens": 4, "cost": {cost}}}'
    data = json.dumps(make_text_chunk("fine", "stop"))[:-1] + f', "usage": {usage}}}'
    generated, _ = ask_provider(make_event_step(f"data: {data}\n\n", DONE))
    assert generated.reply == "fine"
    generation = get_generation(generated)
    assert generation.cost_usd is None
    assert generation.tokens.output == 4
    assert format_journal_line(generated)


@pytest.mark.parametrize("cost", ["nan", "inf", "-inf", "1e999", "-1", "x" * 5000, ""])
def test_a_cost_in_a_header_is_believed_no_further(cost: str) -> None:
    """Any server can send that header."""
    generated, _ = ask_provider(Step(text="fine", headers={"x-litellm-response-cost": cost}))
    assert generated.reply == "fine"
    assert get_generation(generated).cost_usd is None
    assert format_journal_line(generated)


def test_tokens_that_nobody_reported_are_counted() -> None:
    """Input, output and reasoning are marked as counted; the cost follows from the counts."""
    generated, _ = ask_provider(
        make_event_step(
            make_chunk({"reasoning_content": "One two three."}),
            make_text_chunk("Four five.", "stop"),
            DONE,
        ),
        price={"input": 1_000_000, "output": 1_000_000},
    )
    generation = get_generation(generated)
    tokens = generation.tokens
    assert generation.tokens_basis is TokensBasis.COUNTED
    assert tokens.input == 3
    assert tokens.reasoning == 4
    assert tokens.output == 4 + 3
    assert tokens.cached_input is None
    assert generation.cost_usd == 10


def test_half_reported_usage_is_completed() -> None:
    """The reported input stays; a missing or zero output for a text is replaced by a count."""
    generated, _ = ask_provider(
        make_event_step(make_text_chunk("One two.", "stop", usage={"prompt_tokens": 50}), DONE)
    )
    generation = get_generation(generated)
    assert generation.tokens_basis is TokensBasis.COUNTED
    assert generation.tokens.input == 50
    assert generation.tokens.output == 3


def _make_words_step(count: int) -> Step:
    return Step(text=" word", repeat=count, piece=600, finish="length", report_usage=False)


def test_a_cut_reply_of_unknown_usage_is_judged_by_counted_tokens() -> None:
    """900 tokens of 1,000 are the model's own limit, by any tokenizer; 200 tokens are not."""
    rambled, _ = ask_provider(_make_words_step(900))
    assert rambled.fault is None
    cut, _ = ask_provider(_make_words_step(200))
    assert_fault(cut, FaultClass.TRUNCATED_BY_SERVER, "200 of 1000")


def test_a_reply_cut_where_no_limit_was_sent_is_the_servers() -> None:
    """Only the server's own limit can have ended the reply."""
    generated, provider = ask_provider(Step(finish="length"), limits={})
    assert "max_tokens" not in provider.requests[0]
    assert_fault(generated, FaultClass.TRUNCATED_BY_SERVER)
    assert generated.reply == "An answer."


BROKEN_OFF = Step(kind="reset_midway", repeat=50)


REFUSED = Step(kind="status", status=503)


@pytest.mark.parametrize(
    ("steps", "usd"),
    [((), 0.0), ((REFUSED, REFUSED), 0.0), ((BROKEN_OFF,), None), ((REFUSED, BROKEN_OFF), None)],
)
def test_the_possible_cost_of_failed_tries_is_kept(
    steps: tuple[Step, ...], usd: float | None
) -> None:
    """A refusal costs nothing; a broken try costs an unknown sum without a known price."""
    generated, _ = ask_provider(*steps, Step(text="fine"))
    assert generated.reply == "fine"
    assert generated.failed_tries_usd == usd
