"""Errors and redirects that a provider may send: each is a fault in its own words."""

from collections.abc import Sequence
from typing import Final

import pytest

from records.shapes.attempt import FaultClass
from runner.models.ask import GenerationResult, generate
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.requests.transport import LARGEST_ERROR, REDIRECTS
from tests.runner.models.conftest import QUICK, asked, assert_fault, model, running
from tests.runner.models.provider import Provider, Rule, Script, Step, serving
from tests.runner.models.requests.provider_replies import (
    DONE,
    OK,
    chunk,
    events,
    plain,
    text,
    written,
)

pytestmark = pytest.mark.integration

QUOTED: Final = "CUDA out of memory"


@pytest.mark.parametrize(
    ("step", "kind", "requests", "said"),
    [
        pytest.param(
            plain({"error": QUOTED}), FaultClass.PROVIDER_ERROR, 6, QUOTED, id="200 with an error"
        ),
        pytest.param(
            plain({"detail": QUOTED}), FaultClass.MALFORMED_REPLY, 3, QUOTED, id="200 with a detail"
        ),
        pytest.param(
            events({"error": {"message": QUOTED}}), FaultClass.PROVIDER_ERROR, 6, QUOTED, id="event"
        ),
        pytest.param(
            events("event: error\n", {"message": QUOTED}),
            FaultClass.PROVIDER_ERROR,
            6,
            QUOTED,
            id="named event",
        ),
        pytest.param(
            events(text("half"), {"error": {"message": "no", "code": 401}}),
            FaultClass.AUTHENTICATION,
            1,
            "no",
            id="event with a code",
        ),
        pytest.param(
            events({"message": QUOTED, "object": "error"}),
            FaultClass.MALFORMED_REPLY,
            3,
            QUOTED,
            id="an event of something else",
        ),
        pytest.param(
            events(text("half"), "data: {nonsense\n\n", *OK),
            FaultClass.MALFORMED_REPLY,
            3,
            "{nonsense",
            id="no JSON",
        ),
        pytest.param(
            events("data: " + "[" * 100_000 + "\n\n", *OK),
            FaultClass.MALFORMED_REPLY,
            3,
            "no JSON",
            id="nested without end",
        ),
        pytest.param(
            events('data: {"choices": ' + "9" * 9999 + "}\n\n", *OK),
            FaultClass.MALFORMED_REPLY,
            3,
            "no JSON",
            id="a number of 9,999 digits",
        ),
        *(
            pytest.param(events(odd, *OK), FaultClass.MALFORMED_REPLY, 3, "", id=f"odd {odd}"[:40])
            for odd in (
                chunk(choices="some"),
                chunk(choices=[1]),
                chunk({"content": 7}),
                chunk([1]),
                chunk("text"),
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
            events(text("half")), FaultClass.CONNECTION_LOST, 6, "unfinished", id="no end"
        ),
        pytest.param(
            events(text("half", "error")), FaultClass.PROVIDER_ERROR, 6, "error", id="ends by error"
        ),
        pytest.param(
            events(chunk({"refusal": "I cannot"}), chunk(finish="stop")),
            FaultClass.CONTENT_FILTER,
            1,
            "refusal",
            id="refusal beside the text",
        ),
        pytest.param(
            plain('{"error": {"message": "\\ud83d", "code": "\\udc00"}}', status=400),
            FaultClass.REFUSED_REQUEST,
            1,
            "HTTP 400",
            id="half a surrogate pair in an error",
        ),
        pytest.param(
            plain({"error": {"message": QUOTED, "code": "9" * 5000}}, status=500),
            FaultClass.PROVIDER_ERROR,
            6,
            QUOTED,
            id="a code of 5,000 digits",
        ),
        pytest.param(
            plain("[" * 60_000, status=400), FaultClass.REFUSED_REQUEST, 1, "", id="nested error"
        ),
        pytest.param(
            plain("", status=999), FaultClass.PROVIDER_ERROR, 6, "HTTP 999", id="no such status"
        ),
        pytest.param(
            plain(QUOTED, status=500, **{"Content-Encoding": "gzip"}),
            FaultClass.PROVIDER_ERROR,
            6,
            "HTTP 500",
            id="an error in broken gzip",
        ),
        pytest.param(
            plain("", status=302, Location="/v1/other"),
            FaultClass.PROVIDER_ERROR,
            1,
            "/v1/other",
            id="a redirect that would lose the prompt",
        ),
        pytest.param(
            plain("", status=307, Location="http://a:b/"),
            FaultClass.PROVIDER_ERROR,
            1,
            "no address",
            id="a redirect to nonsense",
        ),
        pytest.param(
            plain("", status=307), FaultClass.PROVIDER_ERROR, 1, "nowhere", id="redirected nowhere"
        ),
    ],
)
def test_what_is_no_reply_is_a_fault_in_the_providers_words(
    step: Step, kind: FaultClass, requests: int, said: str
) -> None:
    """The cause is right after as many requests as may help, and quotes the provider."""
    generated, provider = asked(step)
    assert_fault(generated, kind, said)
    assert len(provider.requests) == requests
    assert written(generated)


@pytest.mark.parametrize("said", [(text("half"),), ()], ids=["half a text", "nothing"])
@pytest.mark.parametrize("reason", ["content_filter", "refusal", "SAFETY"])
def test_what_a_filter_kept_back_is_the_providers(said: Sequence[object], reason: str) -> None:
    """The filter has a cause of its own, with or without a text, and another try does not help."""
    generated, provider = asked(events(*said, chunk(finish=reason), DONE))
    assert_fault(generated, FaultClass.CONTENT_FILTER, reason)
    assert generated.reply == ("half" if said else "")
    assert len(provider.requests) == 1
    assert written(generated)


def test_an_error_of_fifty_megabytes_is_read_no_further_than_it_says_something() -> None:
    """The start of the error is quoted, and no time is lost with the rest."""
    step = Step(kind="raw", status=500, raw=(b"Sorry. " * 150_000,), repeat=50)
    generated, provider = asked(step)
    fault = assert_fault(generated, FaultClass.PROVIDER_ERROR, "Sorry.")
    assert len(fault.evidence) < LARGEST_ERROR
    assert len(provider.requests) == 6


def test_a_redirect_within_the_origin_is_followed() -> None:
    """A server may move its own path; the prompt follows."""
    there = plain("", status=307, Location="/v1/chat/completions")
    generated, provider = asked(there, there, Step(text="fine"))
    assert generated.reply == "fine"
    assert provider.requests[2]["messages"] == provider.requests[0]["messages"]


def test_redirects_in_circles_are_counted() -> None:
    """The redirects end after a few, and are not tried again."""
    generated, provider = asked(plain("", status=308, Location="/v1/chat/completions"))
    assert_fault(generated, FaultClass.PROVIDER_ERROR, "redirected 6 times")
    assert len(provider.requests) == REDIRECTS + 1


def test_no_prompt_goes_to_another_origin() -> None:
    """A redirect to another origin is a fault that names the target, which gets no request."""
    elsewhere = Provider(Script())
    results: list[GenerationResult] = []

    async def ask() -> None:
        async with serving(elsewhere) as other:
            there = plain("", status=307, Location=f"{other}/chat/completions")
            async with serving(Provider(Script(rules=(Rule(match="", then=there),)))) as address:
                question = [{"role": "user", "content": "Write it."}]
                results.append(
                    await generate(
                        model(address),
                        question,
                        queues=ProviderQueues(),
                        budget=Budget(),
                        retry_policy=QUICK,
                    )
                )

    running(ask)
    assert elsewhere.requests == []
    fault = results[0].fault
    assert fault is not None
    assert "another origin" in fault.evidence
