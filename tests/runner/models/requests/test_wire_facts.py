"""Facts of a reply as they stand on the wire: text, usage, money, hosts, errors, packing."""

import asyncio
import gzip
import zlib
from typing import Any

import pytest

from records.shapes.attempt import FaultClass, TokensBasis
from runner.models.ask import GenerationResult
from runner.models.concurrency.provider_queue import ProviderQueues
from tests.runner.models import asking
from tests.runner.models.provider import Step
from tests.runner.models.requests.wire_forms import (
    DONE,
    OWN,
    PROTOCOLS,
    Protocol,
    hear,
    make_chunk,
    make_end_event,
    make_event_step,
    make_first_events,
    make_last_events,
    make_reply_step,
    make_text_chunk,
    make_text_event,
    make_thought_event,
)

pytestmark = pytest.mark.integration

STOP: dict[str, Any] = make_chunk(finish="stop")
COUNTS = {"prompt_tokens": 100, "completion_tokens": 40, "total_tokens": 140}
ANTHROPIC = {"input_tokens": 100, "output_tokens": 40}
ZEROS = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
CLAUDE = "anthropic/claude-opus-5-5"


def _make_bare_chunk(**fields: object) -> dict[str, Any]:
    return {"choices": [], **fields}


ENDS: dict[str, list[dict[str, Any]]] = {
    "usage": [STOP | {"usage": COUNTS}],
    "usage alone": [STOP, _make_bare_chunk(usage=COUNTS)],
    "choices[0].usage, Moonshot": [{"choices": [STOP["choices"][0] | {"usage": COUNTS}]}],
    "x_groq.usage": [STOP | {"x_groq": {"usage": COUNTS}}],
    "x_groq.usage alone": [STOP, {"x_groq": {"usage": COUNTS}}],
    "Anthropic's names": [STOP | {"usage": ANTHROPIC}],
    "zeros at the end": [STOP | {"usage": COUNTS}, _make_bare_chunk(usage=ZEROS)],
    "usage in each piece": [
        make_text_chunk("", usage={"prompt_tokens": 100, "completion_tokens": 3}),
        STOP | {"usage": COUNTS},
    ],
}
"""Ends of a reply, by the place of its usage."""


@pytest.mark.parametrize("last", ENDS.values(), ids=ENDS)
def test_usage_is_read_wherever_it_stands(last: list[dict[str, Any]]) -> None:
    """The last report that is not all zeros counts."""
    generated, _ = asking.ask_provider(make_event_step(make_text_chunk("fine"), *last, DONE))
    generation = asking.get_generation(generated)
    tokens = generation.tokens
    assert (tokens.input, tokens.output) == (100, 40)
    assert generation.tokens_basis is TokensBasis.REPORTED


@pytest.mark.parametrize(
    ("usage", "into", "cached"),
    [
        ({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 30}}, 100, 30),
        ({"prompt_tokens": 100, "prompt_cache_hit_tokens": 30}, 100, 30),
        ({"prompt_tokens": 100, "cached_tokens": 30}, 100, 30),
        ({"input_tokens": 100, "cache_read_input_tokens": 30}, 130, 30),
        (
            {"input_tokens": 100, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 7},
            137,
            30,
        ),
        ({"prompt_tokens": 12, "prompt_tokens_details": {"cached_tokens": 700}}, 712, 700),
        (
            {
                "prompt_tokens": 100,
                "prompt_tokens_details": {"cached_tokens": 30},
                "total_tokens": 170,
            },
            130,
            30,
        ),
        ({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 30}}, 100, 30),
        ({"input_tokens": 100, "cache_read_input_tokens": 30, "total_tokens": 140}, 100, 30),
    ],
)
def test_cached_tokens_are_among_the_input(usage: dict[str, Any], into: int, cached: int) -> None:
    """The input includes cached tokens also where a provider counts them beside it."""
    heard = hear(
        "chat",
        make_event_step(make_text_chunk("x", "stop", usage=usage | {"completion_tokens": 40})),
    )
    assert (heard.usage.input, heard.usage.cached_input) == (into, cached)


def test_an_output_that_was_counted_before_anything_was_written_is_no_report() -> None:
    """Anthropic's message_start has 1; without a later count the number is unknown."""
    last = make_end_event("messages", "end_turn")
    del last["usage"]
    heard = hear(
        "messages",
        make_event_step(*make_first_events("messages"), make_text_event("messages", "fine"), last),
    )
    assert (heard.usage.input, heard.usage.output) == (10, None)


@pytest.mark.parametrize(
    ("later", "into"),
    [
        ({}, 1000),
        ({"input_tokens": 300}, 1000),
        ({"input_tokens": 310, "cache_read_input_tokens": 700}, 1010),
        ({"input_tokens": 0}, 1000),
    ],
)
def test_the_end_of_claudes_reply_takes_no_cached_tokens_away(
    later: dict[str, int], into: int
) -> None:
    """The start counts cached tokens apart; the end may repeat the other tokens alone."""
    cache = {"input_tokens": 300, "cache_read_input_tokens": 700, "output_tokens": 1}
    start = {"type": "message_start", "message": {"usage": cache}}
    last = make_end_event("messages", "end_turn") | {"usage": {"output_tokens": 25} | later}
    heard = hear("messages", make_event_step(start, make_text_event("messages", "fine"), last))
    usage = heard.usage
    assert (usage.input, usage.cached_input, usage.output) == (into, 700, 25)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_reasoning_tokens_beside_reasoning_are_unknown(protocol: Protocol) -> None:
    """Reasoning was received, so it has some tokens."""
    last: dict[str, Any] = make_end_event(protocol, OWN[protocol])
    if protocol == "chat":
        last["usage"]["completion_tokens_details"] = {"reasoning_tokens": 0}
    elif protocol == "responses":
        last["response"]["usage"]["output_tokens_details"] = {"reasoning_tokens": 0}
    elif protocol == "gemini":
        last["usageMetadata"]["thoughtsTokenCount"] = 0
    else:
        last["usage"]["output_tokens_details"] = {"thinking_tokens": 0}
    events_before = [*make_first_events(protocol), make_text_event(protocol, "fine"), last]
    plainly = hear(protocol, make_event_step(*events_before))
    assert plainly.reported_tokens.reasoning == 0
    heard = hear(protocol, make_event_step(make_thought_event(protocol, "Hm."), *events_before))
    assert heard.thoughts == ["Hm."]
    assert heard.reported_tokens.reasoning is None


def test_hidden_reasoning_is_reasoning() -> None:
    """Anthropic sends hidden reasoning encrypted, and reports no number of its tokens."""
    block = {
        "type": "content_block_start",
        "content_block": {"type": "redacted_thinking", "data": "x"},
    }
    last = make_end_event("messages", "end_turn")
    last["usage"]["output_tokens_details"] = {"thinking_tokens": 0}
    heard = hear("messages", make_event_step(block, make_text_event("messages", "fine"), last))
    assert heard.reported_tokens.reasoning is None


@pytest.mark.parametrize(
    ("usage", "output", "reasoning"),
    [
        ({"candidatesTokenCount": 25, "thoughtsTokenCount": 75, "totalTokenCount": 110}, 100, 75),
        ({"candidatesTokenCount": 100, "thoughtsTokenCount": 75, "totalTokenCount": 110}, 100, 75),
        ({"thoughtsTokenCount": 75, "totalTokenCount": 85}, 75, 75),
        ({"thoughtsTokenCount": 75}, None, 75),
        ({"candidatesTokenCount": 25}, 25, None),
    ],
)
def test_thoughts_are_counted_into_the_output(
    usage: dict[str, int], output: int | None, reasoning: int | None
) -> None:
    """Google counts thoughts apart from the text; the total shows where a gateway does not."""
    last = make_end_event("gemini", "STOP") | {"usageMetadata": {"promptTokenCount": 10} | usage}
    heard = hear("gemini", make_event_step(make_text_event("gemini", "fine"), last))
    assert (heard.usage.output, heard.usage.reasoning) == (output, reasoning)


@pytest.mark.parametrize(
    ("names", "recorded"),
    [
        ({"provider": "DeepInfra", "system_fingerprint": "fp_q4"}, ("DeepInfra", "fp_q4", "m")),
        ({"model": "other\nmodel 7B"}, (None, None, "other model 7B")),
        ({"model": 7}, (None, None, "7")),
    ],
)
def test_who_served_a_reply_is_recorded(
    names: dict[str, object], recorded: tuple[str | None, ...]
) -> None:
    """The record has the host and model that answered, and the server's mark of its weights."""
    generated, _ = asking.ask_provider(
        make_event_step(make_text_chunk("fine", "stop", **names), DONE)
    )
    generation = asking.get_generation(generated)
    served = (generation.served_by, generation.system_fingerprint, generation.answered_by)
    assert served == recorded


def _make_choice_chunk(**fields: object) -> dict[str, Any]:
    return {"choices": [{"index": 0, **fields}]}


DIALECTS: dict[str, list[dict[str, Any]]] = {
    "message": [
        _make_choice_chunk(message={"content": "fi"}),
        _make_choice_chunk(message={"content": "ne"}),
    ],
    "legacy text": [_make_choice_chunk(text="fi"), _make_choice_chunk(text="ne")],
    "message beside an empty delta": [
        _make_choice_chunk(delta={}, message={"content": "fi"}),
        _make_choice_chunk(delta={}, text="no", message={"content": "ne"}),
    ],
    "the whole text beside its pieces": [
        _make_choice_chunk(delta={"content": "fi"}, message={"content": "fi"}),
        _make_choice_chunk(delta={"content": "ne"}, message={"content": "fine"}),
        _make_choice_chunk(delta={}, message={"content": "fine"}),
    ],
}
"""Pieces of a text in the dialects of servers."""


@pytest.mark.parametrize("pieces", DIALECTS.values(), ids=DIALECTS)
def test_text_in_a_dialect_is_read(pieces: list[dict[str, Any]]) -> None:
    """`message` and `text` are read where `delta` has no text; never one beside the other."""
    generated, _ = asking.ask_provider(make_event_step(*pieces, STOP | {"usage": COUNTS}, DONE))
    assert generated.fault is None
    assert generated.reply == "fine"


def test_reasoning_in_parts_is_heard() -> None:
    """OpenRouter sends reasoning in details, beside or in place of the plain text."""
    details = [{"type": "reasoning.text", "text": "Hm."}, {"type": "reasoning.encrypted"}]
    heard = hear(
        "chat",
        make_event_step(
            make_chunk({"reasoning_details": details}), make_text_chunk("fine", "stop"), DONE
        ),
    )
    assert (heard.thoughts, heard.text) == (["Hm."], "fine")


BODY = b"".join(make_event_step(make_text_chunk("fine", "stop"), DONE).raw)
HEADLESS = zlib.compress(BODY)[2:-4]


PACKED = {
    "members": ((gzip.compress(BODY[:40]) + gzip.compress(BODY[40:]),), "gzip"),
    "padding": ((gzip.compress(BODY), b"\0" * 20), "gzip"),
    "deflate": ((zlib.compress(BODY),), "deflate"),
    "deflate without its head": ((HEADLESS,), "deflate"),
    "the same byte by byte": (tuple(bytes([byte]) for byte in HEADLESS), "deflate"),
    "members byte by byte": (
        tuple(bytes([byte]) for byte in gzip.compress(BODY[:9]) + gzip.compress(BODY[9:])),
        "gzip",
    ),
}
"""Replies that are packed, with the names of the packing."""


@pytest.mark.parametrize(("raw", "packing"), PACKED.values(), ids=PACKED)
def test_a_packed_reply_is_unpacked_whole(raw: tuple[bytes, ...], packing: str) -> None:
    """A reply is unpacked in every form that browsers unpack."""
    step = Step(kind="raw", raw=raw, headers={"Content-Encoding": packing})
    heard = hear("chat", step)
    assert heard.text == "fine"
    assert heard.closed


def test_a_header_in_another_script_is_no_fault() -> None:
    """The reply is read all the same."""
    whole = make_event_step(make_text_chunk("fine", "stop"), DONE)
    generated, _ = asking.ask_provider(whole.model_copy(update={"headers": {"X-Server": "Bär"}}))
    assert generated.reply == "fine"


def test_another_protocol_that_nobody_asked_for_is_the_providers_fault() -> None:
    """HTTP 101 is no refusal of the request."""
    generated = _serve_and_ask(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
    asking.assert_fault(generated, FaultClass.PROVIDER_ERROR, "HTTP 101")


def _serve_and_ask(answer: bytes) -> GenerationResult:
    """Ask a server that answers each request by these bytes."""
    results: list[GenerationResult] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _read_request(reader)
        writer.write(answer)
        await writer.drain()
        writer.close()

    async def ask() -> None:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            results.append(await _ask(server))

    asking.run_in_loop(ask)
    return results[0]


async def _read_request(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
    await reader.readexactly(int(length))


async def _ask(server: asyncio.Server, queues: ProviderQueues | None = None) -> GenerationResult:
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    return await asking.ask_model(
        asking.make_model(address, price={"input": 9, "output": 9}), queues=queues
    )


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_kept_connection_that_the_server_has_closed_costs_nothing(is_kept: bool) -> None:  # noqa: FBT001 - a parameter
    """The request is sent again at once; a reset on a fresh connection is a failed try."""
    requests: list[int] = []
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n"
    results: list[GenerationResult] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for number in range(2):
            await _read_request(reader)
            requests.append(number)
            if number == 1 or (not is_kept and len(requests) == 2):
                writer.transport.abort()
                return
            writer.write(answer % len(BODY) + BODY)
            await writer.drain()
            if not is_kept:
                writer.close()
                return

    async def ask() -> None:
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            queues = ProviderQueues()
            results.extend([await _ask(server, queues), await _ask(server, queues)])

    asking.run_in_loop(ask)
    assert [result.reply for result in results] == ["fine", "fine"]
    assert requests == ([0, 1, 0] if is_kept else [0, 0, 0])
    second = results[1]
    assert asking.get_generation(second).tries == (1 if is_kept else 2)
    assert (second.failed_tries_usd or 0) > 0 or is_kept
    assert not is_kept or second.failed_tries_usd == 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_messages_after_the_goodbye_are_not_heard(protocol: Protocol) -> None:
    """A reply is over with its end event."""
    last = make_last_events(protocol)
    whole = make_reply_step(protocol, "fine", OWN[protocol])
    if last or protocol == "responses":
        more = make_event_step(make_text_event(protocol, " and more")).raw
        whole = whole.model_copy(update={"raw": (*whole.raw, *more)})
    assert hear(protocol, whole).text == "fine"
