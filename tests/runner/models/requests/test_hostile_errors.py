"""Errors and redirects that a provider may send: each is a fault in its own words."""

from collections.abc import Sequence
from typing import Any, Final

import pytest

from records.shapes.attempt import FaultClass
from runner.models.ask import GenerationResult
from runner.models.requests.transport import REDIRECTS
from tests.runner.models.conftest import (
    ask_at,
    ask_model,
    ask_provider,
    assert_fault,
    make_model,
    make_provider,
)
from tests.runner.models.provider import Provider, Script, Step, serve_provider
from tests.runner.models.requests.provider_replies import (
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

QUOTED: Final = "CUDA out of memory"
GARBLED: Final = FaultClass.MALFORMED_REPLY, 3
BROKEN: Final = FaultClass.PROVIDER_ERROR, 6
MOVED: Final = FaultClass.PROVIDER_ERROR, 1
REFUSED: Final = FaultClass.REFUSED_REQUEST, 1
HALF: Final = make_text_chunk("half")
UNKNOWN_CHOICES: Final[list[dict[str, Any]]] = [
    {"index": 0, "delta": {"output": "fine"}},
    {"index": 0, "delta": {}, "output_text": "fine"},
    {"index": 0, "outputs": [{"content": "fine"}]},
]
"""Text in no field that is known."""
REFUSAL: Final = make_chunk({"refusal": "I cannot"})

CASES: Final[dict[str, tuple[Step, tuple[FaultClass, int], str]]] = {
    "200 with an error": (make_json_step({"error": QUOTED}), BROKEN, QUOTED),
    "200 with a detail": (make_json_step({"detail": QUOTED}), GARBLED, QUOTED),
    "event": (make_event_step({"error": {"message": QUOTED}}), BROKEN, QUOTED),
    "named event": (make_event_step("event: error\n", {"message": QUOTED}), BROKEN, QUOTED),
    "event with a code": (
        make_event_step(HALF, {"error": {"message": "no", "code": 401}}),
        (FaultClass.AUTHENTICATION, 1),
        "no",
    ),
    "an event of something else": (
        make_event_step({"message": QUOTED, "object": "error"}),
        GARBLED,
        QUOTED,
    ),
    "no JSON": (make_event_step(HALF, "data: {nonsense\n\n", *OK), GARBLED, "{nonsense"),
    "nested without end": (
        make_event_step("data: " + "[" * 100_000 + "\n\n", *OK),
        GARBLED,
        "no JSON",
    ),
    "a number of 9,999 digits": (
        make_event_step('data: {"choices": ' + "9" * 9999 + "}\n\n", *OK),
        GARBLED,
        "no JSON",
    ),
    "choices that are a text": (make_event_step(make_chunk(choices="some"), *OK), GARBLED, ""),
    "a choice that is a number": (make_event_step(make_chunk(choices=[1]), *OK), GARBLED, ""),
    "content that is a number": (make_event_step(make_chunk({"content": 7}), *OK), GARBLED, ""),
    "a delta that is a list": (make_event_step(make_chunk([1]), *OK), GARBLED, ""),
    "a delta that is a text": (make_event_step(make_chunk("text"), *OK), GARBLED, ""),
    "broken gzip": (
        Step(kind="raw", raw=(b"junk",), headers={"Content-Encoding": "gzip"}),
        GARBLED,
        "unpacked",
    ),
    "packed otherwise": (
        Step(kind="raw", raw=(b"junk",), headers={"Content-Encoding": "br"}),
        GARBLED,
        "packed as br",
    ),
    "endless line": (
        Step(kind="raw", raw=(b"data: " + b"x" * 2**20,) + (b"x" * 2**20,) * 40),
        (FaultClass.MALFORMED_REPLY, 1),
        "one event",
    ),
    "no end": (make_event_step(HALF), (FaultClass.CONNECTION_LOST, 6), "unfinished"),
    "ends by error": (make_event_step(make_text_chunk("half", "error")), BROKEN, "error"),
    **{
        f"refusal in the stream, {number}": (
            make_event_step(*chunks, DONE),
            (FaultClass.CONTENT_FILTER, 1),
            "refusal",
        )
        for number, chunks in enumerate(
            (
                [REFUSAL, make_chunk(finish="stop")],
                [make_text_chunk("Sure: "), REFUSAL, make_chunk(finish="stop")],
                [make_text_chunk("Sure.", "stop"), REFUSAL],
                [make_text_chunk("Sure: "), REFUSAL],
            )
        )
    },
    "half a surrogate pair in an error": (
        make_json_step('{"error": {"message": "\\ud83d", "code": "\\udc00"}}', status=400),
        REFUSED,
        "HTTP 400",
    ),
    "a code of 5,000 digits": (
        make_json_step({"error": {"message": QUOTED, "code": "9" * 5000}}, status=500),
        BROKEN,
        QUOTED,
    ),
    "nested error": (make_json_step("[" * 60_000, status=400), REFUSED, ""),
    "no such status": (make_json_step("", status=999), BROKEN, "HTTP 999"),
    "an error in broken gzip": (
        make_json_step(QUOTED, status=500, **{"Content-Encoding": "gzip"}),
        BROKEN,
        "HTTP 500",
    ),
    "a redirect that would lose the prompt": (
        make_json_step("", status=302, Location="/v1/other"),
        MOVED,
        "/v1/other",
    ),
    "a redirect to nonsense": (
        make_json_step("", status=307, Location="http://a:b/"),
        MOVED,
        "no address",
    ),
    "redirected nowhere": (make_json_step("", status=307), MOVED, "nowhere"),
    **{
        f"redirected to {where}": (make_json_step("", status=307, Location=where), MOVED, words)
        for where, words in (
            ("http://user:secret@127.0.0.1/v1/chat/completions", "redirected"),
            ("/v1/chät", "no plain address"),
            ("/v1/\u2603", "no plain address"),
        )
    },
    "redirected in circles": (
        make_json_step("", status=308, Location="/v1/chat/completions"),
        (FaultClass.PROVIDER_ERROR, REDIRECTS + 1),
        "redirected 6 times",
    ),
    "words of another status": (
        make_json_step({"error": {"message": "rate limit: invalid api key"}}, status=500),
        BROKEN,
        "rate limit",
    ),
    "a context that is too long": (
        make_json_step({"error": {"code": "context_length_exceeded"}}, status=400),
        REFUSED,
        "context_length_exceeded",
    ),
    **{
        f"text in no field that is known, {number}": (
            make_event_step({"choices": [choice]}, make_chunk(finish="stop", usage=USAGE), DONE),
            GARBLED,
            "fine",
        )
        for number, choice in enumerate(UNKNOWN_CHOICES)
    },
}


@pytest.mark.parametrize(("step", "expected", "words"), CASES.values(), ids=CASES)
def test_a_body_that_is_no_reply_is_a_fault_in_the_providers_words(
    step: Step, expected: tuple[FaultClass, int], words: str
) -> None:
    """The cause is right after as many requests as may help, and quotes the provider."""
    generated, provider = ask_provider(step)
    fault = assert_fault(generated, expected[0], words)
    assert (fault.kind, len(provider.requests)) == expected
    assert format_journal_line(generated)


@pytest.mark.parametrize("chunks", [(HALF,), ()], ids=["half a text", "nothing"])
@pytest.mark.parametrize("reason", ["content_filter", "refusal", "SAFETY"])
def test_a_text_kept_back_by_a_filter_is_the_providers_doing(
    chunks: Sequence[object], reason: str
) -> None:
    """The filter has a cause of its own, with or without a text, and another try does not help."""
    generated, provider = ask_provider(make_event_step(*chunks, make_chunk(finish=reason), DONE))
    assert_fault(generated, FaultClass.CONTENT_FILTER, reason)
    assert generated.reply == ("half" if chunks else "")
    assert len(provider.requests) == 1
    assert format_journal_line(generated)


def test_a_redirect_within_the_origin_is_followed() -> None:
    """A server may move its own path; the prompt follows."""
    there = make_json_step("", status=307, Location="/v1/chat/completions")
    generated, provider = ask_provider(there, there, Step(text="fine"))
    assert generated.reply == "fine"
    assert provider.requests[2]["messages"] == provider.requests[0]["messages"]


def test_no_prompt_goes_to_another_origin() -> None:
    """A redirect to another origin is a fault that names the target, which gets no request."""
    elsewhere = Provider(Script())

    async def ask(other: str) -> GenerationResult:
        there = make_json_step("", status=307, Location=f"{other}/chat/completions")
        async with serve_provider(make_provider(there)) as address:
            return await ask_model(make_model(address))

    generated = ask_at(elsewhere, ask)
    assert elsewhere.requests == []
    assert_fault(generated, FaultClass.PROVIDER_ERROR, "another origin")
