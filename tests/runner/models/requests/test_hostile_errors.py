"""Errors and redirects that a provider may send: each is a fault in its own words."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from records.shapes.attempt import FaultClass
from runner.models.ask import GenerationResult
from runner.models.costs import Budget
from runner.models.requests.transport import REDIRECTS
from tests.runner.models import asking
from tests.runner.models.provider import Provider, Script, Step, serve_provider
from tests.runner.models.requests.wire_forms import (
    DONE,
    OK,
    USAGE,
    format_journal_line,
    make_chunk,
    make_end_event,
    make_event_step,
    make_first_events,
    make_json_step,
    make_text_chunk,
    make_text_event,
)

pytestmark = pytest.mark.integration

CHAT = "openai/scripted"
CLAUDE = "anthropic/claude-opus-5-5"
GEMINI = "gemini/gemini-4-argon"


class Case(NamedTuple):
    """An answer, the cause of its fault with the number of requests, and words of the evidence."""

    step: Step
    expected: tuple[FaultClass, int]
    words: str = ""

    @property
    def is_free(self) -> bool:
        """True if the provider itself refuses the request; a gateway may be billed."""
        return self.step.kind == "status" and self.step.status != 504


QUOTED = "CUDA out of memory"
GARBLED = FaultClass.MALFORMED_REPLY, 3
BROKEN = FaultClass.PROVIDER_ERROR, 6
MOVED = FaultClass.PROVIDER_ERROR, 1
REFUSED = FaultClass.REFUSED_REQUEST, 1
HALF = make_text_chunk("half")
UNKNOWN_CHOICES: list[dict[str, Any]] = [
    {"index": 0, "delta": {"output": "fine"}},
    {"index": 0, "delta": {}, "output_text": "fine"},
    {"index": 0, "outputs": [{"content": "fine"}]},
]
"""Text in no field that is known."""
REFUSAL = make_chunk({"refusal": "I cannot"})
TOO_LONG = {"error": "the prompt is too long: 7608 tokens"}
"""An error about the request: it comes again at each further try."""


def _make_page(text: str) -> Step:
    kind = {"Content-Type": "text/html; charset=utf-8"}
    return Step(kind="raw", raw=(text.encode(),), headers=kind)


CASES: dict[str, Case] = {
    "200 with an error": Case(make_json_step({"error": QUOTED}), BROKEN, QUOTED),
    "200 with a detail": Case(make_json_step({"detail": QUOTED}), GARBLED, QUOTED),
    "too long for the server": Case(
        make_json_step(TOO_LONG, status=500), (BROKEN[0], 3), "too long"
    ),
    "too long, in an event": Case(make_event_step(TOO_LONG), (BROKEN[0], 3), "too long"),
    "too long, by a code": Case(
        make_json_step({"error": {"type": "exceed_context_size_error", "message": "no"}}, 500),
        (BROKEN[0], 3),
        "no",
    ),
    "event": Case(make_event_step({"error": {"message": QUOTED}}), BROKEN, QUOTED),
    "named event": Case(make_event_step("event: error\n", {"message": QUOTED}), BROKEN, QUOTED),
    "event with a code": Case(
        make_event_step(HALF, {"error": {"message": "no", "code": 401}}),
        (FaultClass.AUTHENTICATION, 1),
        "no",
    ),
    "an event of something else": Case(
        make_event_step({"message": QUOTED, "object": "error"}),
        GARBLED,
        QUOTED,
    ),
    "no JSON": Case(make_event_step(HALF, "data: {nonsense\n\n", *OK), GARBLED, "{nonsense"),
    "nested without end": Case(
        make_event_step("data: " + "[" * 100_000 + "\n\n", *OK),
        GARBLED,
        "no JSON",
    ),
    "a number of 9,999 digits": Case(
        make_event_step('data: {"choices": ' + "9" * 9999 + "}\n\n", *OK),
        GARBLED,
        "no JSON",
    ),
    "choices that are a text": Case(make_event_step(make_chunk(choices="some"), *OK), GARBLED),
    "a choice that is a number": Case(make_event_step(make_chunk(choices=[1]), *OK), GARBLED),
    "content that is a number": Case(make_event_step(make_chunk({"content": 7}), *OK), GARBLED),
    "a delta that is a list": Case(make_event_step(make_chunk([1]), *OK), GARBLED),
    "a delta that is a text": Case(make_event_step(make_chunk("text"), *OK), GARBLED),
    "broken gzip": Case(
        Step(kind="raw", raw=(b"junk",), headers={"Content-Encoding": "gzip"}),
        GARBLED,
        "unpacked",
    ),
    "packed otherwise": Case(
        Step(kind="raw", raw=(b"junk",), headers={"Content-Encoding": "br"}),
        GARBLED,
        "packed as br",
    ),
    "endless line": Case(
        Step(kind="raw", raw=(b"data: " + b"x" * 2**20,) + (b"x" * 2**20,) * 40),
        (FaultClass.MALFORMED_REPLY, 1),
        "one event",
    ),
    "no end": Case(make_event_step(HALF), (FaultClass.CONNECTION_LOST, 6), "unfinished"),
    "ends by error": Case(make_event_step(make_text_chunk("half", "error")), BROKEN, "error"),
    **{
        f"refusal in the stream, {number}": Case(
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
    "half a surrogate pair in an error": Case(
        make_json_step('{"error": {"message": "\\ud83d", "code": "\\udc00"}}', status=400),
        REFUSED,
        "HTTP 400",
    ),
    "a code of 5,000 digits": Case(
        make_json_step({"error": {"message": QUOTED, "code": "9" * 5000}}, status=500),
        BROKEN,
        QUOTED,
    ),
    "nested error": Case(make_json_step("[" * 60_000, status=400), REFUSED),
    "no such status": Case(make_json_step("", status=999), BROKEN, "HTTP 999"),
    "an error in broken gzip": Case(
        make_json_step(QUOTED, status=500, **{"Content-Encoding": "gzip"}),
        BROKEN,
        "HTTP 500",
    ),
    "a redirect that would lose the prompt": Case(
        make_json_step("", status=302, Location="/v1/other"),
        MOVED,
        "/v1/other",
    ),
    "a redirect to nonsense": Case(
        make_json_step("", status=307, Location="http://a:b/"),
        MOVED,
        "no address",
    ),
    "redirected nowhere": Case(make_json_step("", status=307), MOVED, "nowhere"),
    **{
        f"redirected to {where}": Case(make_json_step("", status=307, Location=where), MOVED, words)
        for where, words in (
            ("http://user:secret@127.0.0.1/v1/chat/completions", "redirected"),
            ("/v1/chät", "no plain address"),
            ("/v1/\u2603", "no plain address"),
        )
    },
    "redirected in circles": Case(
        make_json_step("", status=308, Location="/v1/chat/completions"),
        (FaultClass.PROVIDER_ERROR, REDIRECTS + 1),
        "redirected 6 times",
    ),
    "words of another status": Case(
        make_json_step({"error": {"message": "rate limit: invalid api key"}}, status=500),
        BROKEN,
        "rate limit",
    ),
    "a context that is too long": Case(
        make_json_step({"error": {"code": "context_length_exceeded"}}, status=400),
        REFUSED,
        "context_length_exceeded",
    ),
    **{
        f"text in no field that is known, {number}": Case(
            make_event_step({"choices": [choice]}, make_chunk(finish="stop", usage=USAGE), DONE),
            GARBLED,
            "fine",
        )
        for number, choice in enumerate(UNKNOWN_CHOICES)
    },
}


ACCESS = FaultClass.AUTHENTICATION, 1
CREDIT = FaultClass.REFUSED_REQUEST, 1
LIMITED = FaultClass.RATE_LIMITED, 12
OVERLOADED = FaultClass.PROVIDER_ERROR, 12
GATEWAY = FaultClass.PROVIDER_TIMEOUT, 6
LOST = FaultClass.CONNECTION_LOST, 6

TROUBLES: dict[str, Case] = {
    **{
        f"HTTP {status}": Case(Step(kind="status", status=status), expected)
        for status, expected in {
            **dict.fromkeys((401, 403), ACCESS),
            **dict.fromkeys((402, 404), REFUSED),
            429: LIMITED,
            500: BROKEN,
            503: BROKEN,
            504: GATEWAY,
            529: OVERLOADED,
        }.items()
    },
    "reset": Case(Step(kind="reset"), LOST),
    "reset midway": Case(Step(kind="reset_midway", repeat=50), LOST),
    "end midway": Case(Step(kind="end_midway", repeat=50), LOST),
    "malformed midway": Case(Step(kind="malformed", repeat=50), GARBLED),
    "empty": Case(Step(text="", report_usage=False), (FaultClass.EMPTY_REPLY, 3)),
    "empty, zeros": Case(
        Step(text="", usage=dict.fromkeys(("prompt_tokens", "completion_tokens"), 0)),
        (FaultClass.EMPTY_REPLY, 3),
    ),
    "a gateway's page": Case(_make_page("<html><title>502 Bad Gateway</title></html>"), BROKEN),
}

FREE: dict[str, Case] = {
    "402": Case(make_json_step({"error": {"message": "Insufficient", "code": 402}}), CREDIT),
    "text": Case(make_event_step({"error": {"message": "no", "code": "429"}}), LIMITED),
    "after a role": Case(
        make_event_step(make_chunk({"role": "assistant"}), {"error": {"code": 403}}), ACCESS
    ),
    "word alone": Case(make_json_step({"error": "rate_limit_exceeded"}), LIMITED),
    "quota": Case(
        make_json_step({"error": {"type": "insufficient_quota"}}), (FaultClass.RATE_LIMITED, 1)
    ),
    "code beside the error": Case(make_json_step({"error": True, "code": 401}), ACCESS),
    "bare": Case(make_json_step({"statusCode": 401, "message": "Unauthorized"}), ACCESS),
    "SSE": Case(make_event_step({"code": "TooManyRequests", "message": "slow"}), LIMITED),
    "MiniMax": Case(make_json_step({"base_resp": {"status_code": 1008}}), CREDIT),
    "a message without code": Case(make_json_step({"detail": "busy"}), GARBLED, "busy"),
    "a filter": Case(
        make_json_step({"error": {"code": "content_filter"}}), (FaultClass.CONTENT_FILTER, 1)
    ),
    "a page to sign in": Case(
        _make_page("\n<!DOCTYPE html><title>Sign in</title><form><input type='password'>"), ACCESS
    ),
    "another page": Case(_make_page("<html><body>Be right back"), GARBLED, "Be right back"),
}
"""Refusals before any piece of a reply, with the HTTP status of a reply: no model was asked."""

EXHAUSTED = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}
ANTHROPICS = {
    "rate_limit_error": LIMITED,
    "overloaded_error": OVERLOADED,
    "invalid_request_error": REFUSED,
    "authentication_error": ACCESS,
    "permission_error": ACCESS,
    "not_found_error": REFUSED,
    "timeout_error": GATEWAY,
    "api_error": BROKEN,
    "an_error_to_come": BROKEN,
}
"""Errors by their types, which stand for HTTP statuses, in the midst of a reply."""


def _make_anthropics_error(kind: str) -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": "Sorry."}}


BY_OTHERS = {
    **{
        f"Anthropic, {kind}": (
            CLAUDE,
            make_event_step(
                *make_first_events("messages"),
                make_text_event("messages", "half"),
                _make_anthropics_error(kind),
            ),
            expected,
            "Sorry.",
        )
        for kind, expected in ANTHROPICS.items()
    },
    "Anthropic, JSON": (
        CLAUDE,
        make_json_step(_make_anthropics_error("rate_limit_error")),
        LIMITED,
        "Sorry.",
    ),
    "Anthropic, event": (
        CLAUDE,
        make_event_step("event: error\n", _make_anthropics_error("overloaded_error")),
        OVERLOADED,
        "Sorry.",
    ),
    "Gemini": (GEMINI, make_json_step(EXHAUSTED), LIMITED, ""),
    "Gemini, list": (GEMINI, make_json_step([EXHAUSTED]), LIMITED, ""),
    "Gemini, a list that is no stream": (
        GEMINI,
        make_json_step([make_text_event("gemini", "fine"), make_end_event("gemini", "STOP")]),
        GARBLED,
        "fine",
    ),
}


@pytest.mark.parametrize(
    ("litellm_id", "step", "expected", "words", "is_free"),
    [
        *(pytest.param(CHAT, *case, False, id=name) for name, case in CASES.items()),
        *(
            pytest.param(CHAT, *case, case.is_free, id=name, marks=pytest.mark.more)
            for name, case in TROUBLES.items()
        ),
        *(
            pytest.param(CHAT, *case, True, id=name, marks=pytest.mark.more)
            for name, case in FREE.items()
        ),
        *(pytest.param(*case, False, id=name) for name, case in BY_OTHERS.items()),
    ],
)
def test_a_failed_request_has_its_cause(
    litellm_id: str, step: Step, expected: tuple[FaultClass, int], words: str, *, is_free: bool
) -> None:
    """The cause is right after as many requests as may help, and quotes the provider."""
    budget = Budget(1e6)
    price = {"input": 12.5, "output": 400}
    generated, provider = asking.ask_provider(
        step, litellm_id=litellm_id, price=price, budget=budget
    )
    fault = asking.assert_fault(generated, expected[0], words)
    assert (fault.kind, len(provider.requests)) == expected
    assert "Traceback" not in fault.evidence
    assert format_journal_line(generated)
    assert not is_free or (generated.failed_tries_usd, budget.spent_usd) == (0.0, 0.0)


@pytest.mark.parametrize("chunks", [(HALF,), ()], ids=["half a text", "nothing"])
@pytest.mark.parametrize("reason", ["content_filter", "refusal", "SAFETY"])
def test_a_text_kept_back_by_a_filter_is_the_providers_doing(
    chunks: Sequence[object], reason: str
) -> None:
    """The filter has a cause of its own, with or without a text, and another try does not help."""
    generated, provider = asking.ask_provider(
        make_event_step(*chunks, make_chunk(finish=reason), DONE)
    )
    asking.assert_fault(generated, FaultClass.CONTENT_FILTER, reason)
    assert generated.reply == ("half" if chunks else "")
    assert len(provider.requests) == 1
    assert format_journal_line(generated)


def test_a_redirect_within_the_origin_is_followed() -> None:
    """A server may move its own path; the prompt follows."""
    there = make_json_step("", status=307, Location="/v1/chat/completions")
    generated, provider = asking.ask_provider(there, there, Step(text="fine"))
    assert generated.reply == "fine"
    assert provider.requests[2]["messages"] == provider.requests[0]["messages"]


def test_no_prompt_goes_to_another_origin() -> None:
    """A redirect to another origin is a fault that names the target, which gets no request."""
    elsewhere = Provider(Script())

    async def ask(other: str) -> GenerationResult:
        there = make_json_step("", status=307, Location=f"{other}/chat/completions")
        async with serve_provider(asking.make_provider(there)) as address:
            return await asking.ask_model(asking.make_model(address))

    generated = asking.ask_at(elsewhere, ask)
    assert elsewhere.requests == []
    asking.assert_fault(generated, FaultClass.PROVIDER_ERROR, "another origin")
