"""Errors and redirects that a provider may send: each is a fault in its own words."""

from collections.abc import Sequence
from typing import Final

import pytest

from records.shapes.attempt import FaultClass
from runner.models.ask import GenerationResult, generate
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.requests.transport import LARGEST_ERROR, REDIRECTS
from tests.runner.models.conftest import QUICK, ask_provider, assert_fault, make_model, run_in_loop
from tests.runner.models.provider import Provider, Rule, Script, Step, serve_provider
from tests.runner.models.requests.provider_replies import (
    DONE,
    OK,
    format_journal_line,
    make_chunk,
    make_event_step,
    make_json_step,
    make_text_chunk,
)

pytestmark = pytest.mark.integration

QUOTED: Final = "CUDA out of memory"


@pytest.mark.parametrize(
    ("step", "kind", "requests", "words"),
    [
        pytest.param(
            make_json_step({"error": QUOTED}),
            FaultClass.PROVIDER_ERROR,
            6,
            QUOTED,
            id="200 with an error",
        ),
        pytest.param(
            make_json_step({"detail": QUOTED}),
            FaultClass.MALFORMED_REPLY,
            3,
            QUOTED,
            id="200 with a detail",
        ),
        pytest.param(
            make_event_step({"error": {"message": QUOTED}}),
            FaultClass.PROVIDER_ERROR,
            6,
            QUOTED,
            id="event",
        ),
        pytest.param(
            make_event_step("event: error\n", {"message": QUOTED}),
            FaultClass.PROVIDER_ERROR,
            6,
            QUOTED,
            id="named event",
        ),
        pytest.param(
            make_event_step(make_text_chunk("half"), {"error": {"message": "no", "code": 401}}),
            FaultClass.AUTHENTICATION,
            1,
            "no",
            id="event with a code",
        ),
        pytest.param(
            make_event_step({"message": QUOTED, "object": "error"}),
            FaultClass.MALFORMED_REPLY,
            3,
            QUOTED,
            id="an event of something else",
        ),
        pytest.param(
            make_event_step(make_text_chunk("half"), "data: {nonsense\n\n", *OK),
            FaultClass.MALFORMED_REPLY,
            3,
            "{nonsense",
            id="no JSON",
        ),
        pytest.param(
            make_event_step("data: " + "[" * 100_000 + "\n\n", *OK),
            FaultClass.MALFORMED_REPLY,
            3,
            "no JSON",
            id="nested without end",
        ),
        pytest.param(
            make_event_step('data: {"choices": ' + "9" * 9999 + "}\n\n", *OK),
            FaultClass.MALFORMED_REPLY,
            3,
            "no JSON",
            id="a number of 9,999 digits",
        ),
        *(
            pytest.param(
                make_event_step(odd, *OK), FaultClass.MALFORMED_REPLY, 3, "", id=f"odd {odd}"[:40]
            )
            for odd in (
                make_chunk(choices="some"),
                make_chunk(choices=[1]),
                make_chunk({"content": 7}),
                make_chunk([1]),
                make_chunk("text"),
            )
        ),
        pytest.param(
            Step(kind="raw", raw=(b"junk",), headers={"Content-Encoding": "gzip"}),
            FaultClass.MALFORMED_REPLY,
            3,
            "unpacked",
            id="broken gzip",
        ),
        pytest.param(
            Step(kind="raw", raw=(b"junk",), headers={"Content-Encoding": "br"}),
            FaultClass.MALFORMED_REPLY,
            3,
            "packed as br",
            id="packed otherwise",
        ),
        pytest.param(
            Step(kind="raw", raw=(b"data: " + b"x" * 2**20,) + (b"x" * 2**20,) * 40),
            FaultClass.MALFORMED_REPLY,
            1,
            "one event",
            id="endless line",
        ),
        pytest.param(
            make_event_step(make_text_chunk("half")),
            FaultClass.CONNECTION_LOST,
            6,
            "unfinished",
            id="no end",
        ),
        pytest.param(
            make_event_step(make_text_chunk("half", "error")),
            FaultClass.PROVIDER_ERROR,
            6,
            "error",
            id="ends by error",
        ),
        pytest.param(
            make_event_step(make_chunk({"refusal": "I cannot"}), make_chunk(finish="stop")),
            FaultClass.CONTENT_FILTER,
            1,
            "refusal",
            id="refusal beside the text",
        ),
        pytest.param(
            make_json_step('{"error": {"message": "\\ud83d", "code": "\\udc00"}}', status=400),
            FaultClass.REFUSED_REQUEST,
            1,
            "HTTP 400",
            id="half a surrogate pair in an error",
        ),
        pytest.param(
            make_json_step({"error": {"message": QUOTED, "code": "9" * 5000}}, status=500),
            FaultClass.PROVIDER_ERROR,
            6,
            QUOTED,
            id="a code of 5,000 digits",
        ),
        pytest.param(
            make_json_step("[" * 60_000, status=400),
            FaultClass.REFUSED_REQUEST,
            1,
            "",
            id="nested error",
        ),
        pytest.param(
            make_json_step("", status=999),
            FaultClass.PROVIDER_ERROR,
            6,
            "HTTP 999",
            id="no such status",
        ),
        pytest.param(
            make_json_step(QUOTED, status=500, **{"Content-Encoding": "gzip"}),
            FaultClass.PROVIDER_ERROR,
            6,
            "HTTP 500",
            id="an error in broken gzip",
        ),
        pytest.param(
            make_json_step("", status=302, Location="/v1/other"),
            FaultClass.PROVIDER_ERROR,
            1,
            "/v1/other",
            id="a redirect that would lose the prompt",
        ),
        pytest.param(
            make_json_step("", status=307, Location="http://a:b/"),
            FaultClass.PROVIDER_ERROR,
            1,
            "no address",
            id="a redirect to nonsense",
        ),
        pytest.param(
            make_json_step("", status=307),
            FaultClass.PROVIDER_ERROR,
            1,
            "nowhere",
            id="redirected nowhere",
        ),
    ],
)
def test_a_body_that_is_no_reply_is_a_fault_in_the_providers_words(
    step: Step, kind: FaultClass, requests: int, words: str
) -> None:
    """The cause is right after as many requests as may help, and quotes the provider."""
    generated, provider = ask_provider(step)
    assert_fault(generated, kind, words)
    assert len(provider.requests) == requests
    assert format_journal_line(generated)


@pytest.mark.parametrize("chunks", [(make_text_chunk("half"),), ()], ids=["half a text", "nothing"])
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


@pytest.mark.more
def test_an_error_of_fifty_megabytes_is_read_only_in_part() -> None:
    """The start of the error is quoted, and no time is lost with the rest."""
    step = Step(kind="raw", status=500, raw=(b"Sorry. " * 150_000,), repeat=50)
    generated, provider = ask_provider(step)
    fault = assert_fault(generated, FaultClass.PROVIDER_ERROR, "Sorry.")
    assert len(fault.evidence) < LARGEST_ERROR
    assert len(provider.requests) == 6


def test_a_redirect_within_the_origin_is_followed() -> None:
    """A server may move its own path; the prompt follows."""
    there = make_json_step("", status=307, Location="/v1/chat/completions")
    generated, provider = ask_provider(there, there, Step(text="fine"))
    assert generated.reply == "fine"
    assert provider.requests[2]["messages"] == provider.requests[0]["messages"]


def test_redirects_in_circles_are_counted() -> None:
    """The redirects end after a few, and are not tried again."""
    generated, provider = ask_provider(
        make_json_step("", status=308, Location="/v1/chat/completions")
    )
    assert_fault(generated, FaultClass.PROVIDER_ERROR, "redirected 6 times")
    assert len(provider.requests) == REDIRECTS + 1


def test_no_prompt_goes_to_another_origin() -> None:
    """A redirect to another origin is a fault that names the target, which gets no request."""
    elsewhere = Provider(Script())
    results: list[GenerationResult] = []

    async def ask() -> None:
        async with serve_provider(elsewhere) as other:
            there = make_json_step("", status=307, Location=f"{other}/chat/completions")
            async with serve_provider(
                Provider(Script(rules=(Rule(match="", then=there),)))
            ) as address:
                question = [{"role": "user", "content": "Write it."}]
                results.append(
                    await generate(
                        make_model(address),
                        question,
                        queues=ProviderQueues(),
                        budget=Budget(),
                        retry_policy=QUICK,
                    )
                )

    run_in_loop(ask)
    assert elsewhere.requests == []
    fault = results[0].fault
    assert fault is not None
    assert "another origin" in fault.evidence
