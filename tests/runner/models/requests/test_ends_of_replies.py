"""The cause of a reply's end: the model, or another party that ended the reply."""

import json
import time
from typing import Any, Literal

import pytest

from records.shapes.attempt import FaultClass
from records.shapes.registry import Limits
from runner.models.ask import GenerationResult
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.requests import protocols
from runner.models.requests import stream as requests_stream
from runner.models.requests.transport import LARGEST_ERROR
from tests.runner.models.asking import (
    ENDURING,
    ask_at,
    ask_model,
    ask_provider,
    assert_fault,
    get_generation,
    make_model,
    make_provider,
)
from tests.runner.models.provider import Provider, Step
from tests.runner.models.requests.wire_forms import (
    DONE,
    OWN,
    PROTOCOLS,
    Protocol,
    hear,
    judge_reply,
    make_end_event,
    make_event_step,
    make_json_step,
    make_last_events,
    make_reply_step,
    make_text_event,
    make_whole_reply,
)

pytestmark = pytest.mark.integration

HALF = "# Files\n\n## convex/a.ts\n\n```ts\nexport const a = "
MODELS: dict[Protocol, str] = {
    "chat": "openai/scripted",
    "messages": "anthropic/claude-opus-5-5",
    "gemini": "gemini/gemini-4-argon",
}
ONCE, SEVERAL = 1, 6


def ask(protocol: Protocol, *steps: Step, limit: int | None = 26) -> tuple[GenerationResult, int]:
    """Ask a model of 26 tokens at most; return the result and the number of requests."""
    generated, provider = ask_provider(
        *steps, litellm_id=MODELS[protocol], limits=Limits(max_output_tokens=limit)
    )
    return generated, len(provider.requests)


def ask_in_turn(provider: Provider, queues: ProviderQueues, count: int) -> list[GenerationResult]:
    """Ask a provider ``count`` times, one question after the other."""

    async def ask(address: str) -> list[GenerationResult]:
        return [await ask_model(make_model(address), queues=queues) for _ in range(count)]

    return ask_at(provider, ask)


@pytest.mark.parametrize(
    ("protocol", "word", "kind", "requests"),
    [
        ("chat", "abort", FaultClass.PROVIDER_ERROR, SEVERAL),
        *(
            ("chat", word, FaultClass.PROVIDER_ERROR, ONCE)
            for word in ("blocked", "done", 7, True, {"a": 1}, ["stop"], "\ud83d", "x" * 10**6)
        ),
        ("chat", "model_length", FaultClass.TRUNCATED_BY_SERVER, ONCE),
        ("messages", "model_context_window_exceeded", FaultClass.TRUNCATED_BY_SERVER, ONCE),
        ("messages", "pause_turn", FaultClass.PROVIDER_ERROR, SEVERAL),
        ("messages", "refusal", FaultClass.CONTENT_FILTER, ONCE),
        ("messages", "stop", None, ONCE),
        ("messages", "invented", FaultClass.PROVIDER_ERROR, ONCE),
        ("gemini", "OTHER", FaultClass.PROVIDER_ERROR, SEVERAL),
        ("gemini", "INVENTED", FaultClass.PROVIDER_ERROR, ONCE),
        ("gemini", "SAFETY", FaultClass.CONTENT_FILTER, ONCE),
    ],
)
def test_half_a_reply_that_the_model_did_not_end_is_not_its_failure(
    protocol: Protocol, word: object, kind: FaultClass | None, requests: int
) -> None:
    """The raw word of the wire decides if the model is asked again."""
    generated, made = ask(protocol, make_reply_step(protocol, HALF, word))
    assert made == requests
    assert (generated.fault.kind if generated.fault else None) is kind
    if requests == ONCE:
        assert generated.reply == HALF
    if isinstance(word, str) and len(word) < 100 and generated.fault and word.isprintable():
        assert word in generated.fault.evidence


@pytest.mark.parametrize("protocol", MODELS)
def test_a_word_that_is_in_no_table_is_no_verdict_on_a_whole_reply_either(
    protocol: Protocol,
) -> None:
    """The text is kept, and the evidence names the word and the place to add it."""
    generated, made = ask(protocol, make_reply_step(protocol, "All of it.", "finito"))
    assert made == ONCE
    assert generated.reply == "All of it."
    generation = get_generation(generated)
    assert generation.finish_reason == "finito"
    assert generation.tokens.output == 25
    assert_fault(generated, FaultClass.PROVIDER_ERROR, "'finito'", "records/runs/finish_reasons.py")


def test_a_word_that_nobody_knows_is_printed_once() -> None:
    """A word at the end of many replies is printed once; another word is printed, too."""
    lines: list[str] = []
    steps = [make_reply_step("chat", "x", word) for word in ("finito", "finito", "basta")]
    provider = make_provider(*steps)

    ask_in_turn(provider, ProviderQueues(noted=lines.append), len(steps))
    notes = [line for line in lines if line.startswith("local/scripted: ")]
    assert ["finito" in line for line in notes] == [True, False]
    assert "local/scripted" in lines[0]
    assert "records/runs/finish_reasons.py" in lines[0]


def test_replies_that_cannot_be_judged_are_not_bought_for_a_whole_run() -> None:
    """After three such replies in a row the model is not asked any more; their texts are kept."""
    lines: list[str] = []
    provider = make_provider(make_reply_step("chat", "x", "finito"))
    results = ask_in_turn(provider, ProviderQueues(noted=lines.append, pace=ENDURING), 5)
    assert [result.reply for result in results] == ["x", "x", "x", None, None]
    assert {result.fault.kind for result in results if result.fault} == {FaultClass.PROVIDER_ERROR}
    assert results[4].fault is not None
    assert "not asked" in results[4].fault.evidence
    assert len(provider.requests) == 3
    assert "records/runs/finish_reasons.py" in lines[0]


@pytest.mark.parametrize(
    ("protocol", "word"),
    [
        *(("chat", word) for word in ("length", "LENGTH", "max_tokens", "max_output_tokens")),
        ("messages", "max_tokens"),
        ("gemini", "MAX_TOKENS"),
    ],
)
def test_a_limit_has_many_names(protocol: Protocol, word: str) -> None:
    """An end at the limit that was sent is the model's doing, an end far below it the server's."""
    at_limit, _ = ask(protocol, make_reply_step(protocol, HALF, word))
    assert at_limit.fault is None
    below, made = ask(protocol, make_reply_step(protocol, HALF, word), limit=16_000)
    assert_fault(below, FaultClass.TRUNCATED_BY_SERVER, f"finish reason {word} at 25 of 16000")
    assert made == ONCE


def test_a_makers_worse_word_counts_more_than_a_gateways_translation() -> None:
    """OpenRouter passes the maker's own word on beside its translation."""
    for native, kind in (
        ("MALFORMED_FUNCTION_CALL", FaultClass.PROVIDER_ERROR),
        ("model_context_window_exceeded", FaultClass.TRUNCATED_BY_SERVER),
        ("STOP", None),
        ("some_word", None),
    ):
        last: dict[str, Any] = make_end_event("chat", "stop")
        last["choices"][0]["native_finish_reason"] = native
        generated, _ = ask("chat", make_event_step(make_text_event("chat", HALF), last, DONE))
        assert (generated.fault.kind if generated.fault else None) is kind, native


@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("then", ["end", "reset", "hang"])
def test_a_reply_without_its_goodbye_is_kept(
    protocol: Protocol, then: Literal["end", "reset", "hang"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A finish reason came: silence or a broken connection after it is an end."""
    monkeypatch.setattr(requests_stream, "GOODBYE_S", 0.3)
    step = make_event_step(
        make_text_event(protocol, "fine"), make_end_event(protocol, OWN[protocol]), then=then
    )
    began = time.monotonic()
    generated, made = ask(protocol, step)
    elapsed_s = time.monotonic() - began
    assert generated.fault is None
    assert generated.reply == "fine"
    assert made == ONCE
    generation = get_generation(generated)
    assert generation.tokens.output == 25
    # The wait for a goodbye is no time of the model.
    waited_s = 0.3 if then == "hang" else 0.0
    assert (generation.duration_s or 0) + waited_s <= elapsed_s


def test_usage_that_comes_a_moment_after_the_finish_reason_is_heard() -> None:
    """The reading does not stop before the usage."""
    last = make_end_event("chat", "stop")
    usage: dict[str, Any] = {"choices": [], "usage": last.pop("usage")}
    step = make_event_step(make_text_event("chat", "fine"), last, usage, DONE, delay_s=0.5)
    generated, _ = ask("chat", step)
    assert get_generation(generated).tokens.output == 25


STOPS = [
    {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}
    for text in ("a", "b", "c")
]


def test_a_finish_reason_in_every_piece_ends_nothing() -> None:
    """Where text follows it, a broken connection is a fault; an end event makes the reply whole."""
    broken, made = ask("chat", make_event_step(*STOPS, then="reset"))
    assert_fault(broken, FaultClass.CONNECTION_LOST)
    assert made == SEVERAL
    for whole in (make_event_step(*STOPS, DONE), make_event_step(*STOPS)):
        generated, made = ask("chat", whole)
        assert generated.reply == "abc"
        assert generated.fault is None


def test_a_finish_reason_in_every_piece_does_not_shorten_the_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Silence after text that followed a finish reason is the provider's time-out."""
    monkeypatch.setattr(requests_stream, "GOODBYE_S", 0.2)
    generated, _ = ask_provider(make_event_step(*STOPS, then="hang"), timeout_s=1.0)
    assert_fault(generated, FaultClass.PROVIDER_TIMEOUT)


@pytest.mark.parametrize("protocol", MODELS)
def test_a_null_reason_is_no_end(protocol: Protocol) -> None:
    """Without an end event the stream broke off; with it, the cause of the end is unknown."""
    broken, made = ask(
        protocol,
        make_event_step(make_text_event(protocol, "fine"), make_end_event(protocol, None)),
    )
    assert_fault(broken, FaultClass.CONNECTION_LOST)
    assert made == SEVERAL
    if last := make_last_events(protocol):
        closed, made = ask(protocol, make_event_step(make_text_event(protocol, "fine"), *last))
        assert_fault(closed, FaultClass.PROVIDER_ERROR, "without a finish reason")
        assert (closed.reply, made) == ("fine", ONCE)


@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("kind", [None, FaultClass.PROVIDER_ERROR])
def test_a_reply_in_one_piece_ends_by_the_same_table(
    protocol: Protocol, kind: FaultClass | None
) -> None:
    """A server that does not stream is read all the same."""
    word = "invented" if kind else OWN[protocol]
    generated, made = ask(protocol, make_json_step(make_whole_reply(protocol, "whole", word)))
    assert generated.reply == "whole"
    assert (generated.fault.kind if generated.fault else None) is kind
    assert made == ONCE
    generation = get_generation(generated)
    assert (generation.answered_by, generation.finish_reason) == (
        "really",
        word,
    )
    assert generation.tokens.output == 25


def test_a_prompt_that_google_blocks_is_kept_back_by_a_filter() -> None:
    """The words for a blocked prompt are others than those for the end of a reply."""
    generated, made = ask("gemini", make_event_step({"promptFeedback": {"blockReason": "OTHER"}}))
    assert_fault(generated, FaultClass.CONTENT_FILTER)
    assert made == ONCE


@pytest.mark.parametrize("protocol", MODELS)
def test_an_error_is_quoted_and_bounded(protocol: Protocol) -> None:
    """The status decides, the start is quoted, and the megabytes after it stay unread."""
    body = json.dumps({"error": {"message": "Sorry. " * 500_000, "type": "overloaded"}})
    generated, made = ask(protocol, Step(kind="status", status=400, body=body))
    fault = assert_fault(generated, FaultClass.REFUSED_REQUEST, "Sorry.")
    assert len(fault.evidence) < LARGEST_ERROR
    assert made == ONCE


@pytest.mark.parametrize("word", ["stop", "invented"])
def test_a_wire_that_is_not_read_has_no_clean_end(word: str) -> None:
    """Litellm makes "stop" of any word there: the text is kept, and there is no verdict."""
    line: dict[str, Any] = {"model": "m", "message": {"role": "assistant", "content": "fine"}}
    counts = {"prompt_eval_count": 9, "eval_count": 4}
    lines = (line | {"done": False}, line | {"done": True, "done_reason": word, **counts})
    lines[1]["message"] = {"role": "assistant", "content": ""}
    written = (f"{json.dumps(each)}\n" for each in lines)
    generated, provider = ask_provider(make_event_step(*written), litellm_id="ollama_chat/scripted")
    assert generated.reply == "fine"
    assert_fault(generated, FaultClass.PROVIDER_ERROR, "/api/chat are not read")
    generation = get_generation(generated)
    assert generation.finish_reason is None
    assert generation.tokens.output == 4
    assert len(provider.requests) == ONCE


@pytest.mark.parametrize(
    ("last", "kind", "requests"),
    [
        (make_end_event("responses", "completed"), None, ONCE),
        (make_end_event("responses", "max_output_tokens"), FaultClass.TRUNCATED_BY_SERVER, ONCE),
        (make_end_event("responses", "content_filter"), FaultClass.CONTENT_FILTER, ONCE),
        (make_end_event("responses", "invented"), FaultClass.PROVIDER_ERROR, ONCE),
        (
            {"type": "response.failed", "response": {"status": "failed", "error": None}},
            FaultClass.PROVIDER_ERROR,
            SEVERAL,
        ),
        (
            {
                "type": "response.failed",
                "response": {
                    "status": "failed",
                    "error": {"code": "rate_limit_exceeded", "message": "slow down"},
                },
            },
            FaultClass.RATE_LIMITED,
            12,
        ),
        ({"type": "error", "code": "server_error", "message": "no"}, FaultClass.PROVIDER_ERROR, 6),
        ({"type": "response.incomplete", "response": {}}, FaultClass.PROVIDER_ERROR, SEVERAL),
    ],
)
def test_ends_by_the_protocol_of_responses(
    last: dict[str, Any], kind: FaultClass | None, requests: int
) -> None:
    """Each of status, reason and error ends a reply."""
    step = make_event_step(make_text_event("responses", "fine"), last)
    _, diagnosis = judge_reply("responses", step)
    assert (diagnosis.rule.kind if diagnosis else None) is kind
    assert diagnosis is None or diagnosis.rule.tries == requests


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_text_is_read_in_every_protocol(protocol: Protocol) -> None:
    """The same readers serve a plain client without litellm."""
    heard = hear(protocol, make_reply_step(protocol, "fine", OWN[protocol]))
    assert heard.text == "fine"
    assert heard.answered_by == "really"
    assert (heard.usage.input, heard.usage.output) == (10, 25)
    assert heard.finish_reason == OWN[protocol]
    whole = hear(protocol, make_json_step(make_whole_reply(protocol, "fine", OWN[protocol])))
    assert (whole.text, whole.finish_reason) == ("fine", OWN[protocol])


GOOGLE = "/v1/projects/p/locations/l/publishers"


@pytest.mark.unit
@pytest.mark.parametrize(
    ("path", "reader"),
    [
        ("/v1/chat/completions", protocols.read_chat),
        ("/openai/deployments/gpt/chat/completions", protocols.read_chat),
        ("/v1/completions", protocols.read_chat),
        (f"{GOOGLE}/mistralai/models/m:streamRawPredict", protocols.read_chat),
        ("/v1/messages", protocols.read_messages),
        (f"{GOOGLE}/anthropic/models/claude:streamRawPredict", protocols.read_messages),
        (f"{GOOGLE}/anthropic/models/claude:rawPredict", protocols.read_messages),
        ("/v1beta/models/gemini:streamGenerateContent", protocols.read_gemini),
        ("/v1beta/models/gemini:generateContent", protocols.read_gemini),
        ("/v1/responses", protocols.read_responses),
        ("/model/m/converse-stream", None),
        ("/model/m/invoke-with-response-stream", None),
        ("/v2/chat", None),
        ("/api/chat", None),
        ("/v1/messages/count_tokens", None),
        (f"{GOOGLE}/else/models/m:streamRawPredict", None),
    ],
)
def test_a_path_has_its_reader(path: str, reader: object) -> None:
    """Paths of other protocols have no reader: their finish reasons stay unknown."""
    assert protocols.find_reader(path) is reader
