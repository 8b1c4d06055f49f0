"""What a provider may send that nobody asked for: each ends in a result that a journal can hold."""

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest

from records import journal
from records.run import FaultClass, TokensBasis
from runner.models.ask import GenerationResult, generate
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.costs.budget import Budget
from runner.models.requests.stream import LARGEST_REPLY
from runner.models.requests.transport import LARGEST_ERROR, REDIRECTS
from runner.models.retries import RetryPolicy
from tests.runner.models.conftest import QUICK, asked, model, running
from tests.runner.models.provider import Provider, Rule, Script, Step, serving

DONE: Final = "data: [DONE]\n\n"
JSON: Final = {"Content-Type": "application/json"}
USAGE: Final = {"prompt_tokens": 9, "completion_tokens": 40, "total_tokens": 49}


def chunk(delta: object = None, finish: object = None, **more: object) -> dict[str, Any]:
    """Return a piece of a reply, as the OpenAI protocol has it."""
    choice: object = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [choice]} | more


def text(said: str, finish: object = None, **more: object) -> dict[str, Any]:
    """Return a piece of a reply that holds text."""
    return chunk({"content": said}, finish, **more)


def events(*chunks: object) -> Step:
    """Answer by these events: objects as JSON, strings as they are."""
    written = (c if isinstance(c, str) else f"data: {json.dumps(c)}\n\n" for c in chunks)
    return Step(kind="raw", raw=tuple(piece.encode() for piece in written))


def plain(body: object, status: int = 200, **headers: str) -> Step:
    """Answer by one piece of JSON."""
    said = body if isinstance(body, str) else json.dumps(body)
    return Step(kind="raw", status=status, raw=(said.encode(),), headers=JSON | headers)


def written(generated: GenerationResult) -> bytes:
    """Return the line that a journal would hold."""
    entry = journal.Generated(
        eval="000-fundamentals/000-one",
        sample=1,
        messages=(),
        reply=generated.reply,
        generation=generated.generation,
        fault=generated.fault,
        failed_tries_usd=generated.failed_tries_usd,
    )
    return entry.model_dump_json().encode()


OK: Final = [text("fine"), chunk(finish="stop"), DONE]


@pytest.mark.parametrize(
    ("step", "reply"),
    [
        pytest.param(events("retry: 1000\n\n", *OK), "fine", id="retry alone"),
        pytest.param(events("id: 1\n", OK[0], ": ping\n\n", *OK[1:]), "fine", id="id, comment"),
        pytest.param(events("event: message\n", *OK), "fine", id="named event"),
        pytest.param(
            events("\ufeff", *(f"data:{json.dumps(c)}\r\n\r\n" for c in OK[:2])), "fine", id="CRLF"
        ),
        pytest.param(
            events(text("a\ud83d"), text("\ude00b"), chunk(finish="stop"), DONE),
            "a\U0001f600b",
            id="surrogate pair over two pieces",
        ),
        pytest.param(
            events(text("a\ud83d"), text("b", "stop")), "a\ufffdb", id="half a surrogate pair"
        ),
        pytest.param(
            events(
                chunk(choices=[{"index": 1, "delta": {"content": "second"}}]),
                chunk(
                    choices=[
                        {"index": 1, "delta": {"content": "second"}, "finish_reason": "length"},
                        {"index": 0, "delta": {"content": "first"}},
                    ]
                ),
                chunk(finish="stop"),
            ),
            "first",
            id="a second choice",
        ),
        pytest.param(
            plain(
                {
                    "model": "m",
                    "choices": [
                        {"index": 0, "message": {"content": "whole"}, "finish_reason": "stop"}
                    ],
                    "usage": USAGE,
                }
            ),
            "whole",
            id="unstreamed",
        ),
        pytest.param(
            events(chunk({"content": [{"type": "text", "text": "in parts"}]}), *OK[1:]),
            "in parts",
            id="content in parts",
        ),
        pytest.param(events(*OK, text("more"), DONE), "fine", id="more after the end"),
        pytest.param(events(text("x" * 6_000_00), *OK[1:]), "x" * 6_000_00, id="one large event"),
        pytest.param(events(text("fine", 7), DONE), "fine", id="finish reason 7"),
        pytest.param(events(text("fine", finish=True), DONE), "fine", id="finish reason true"),
        pytest.param(events(text("fine", "\ud83d"), DONE), "fine", id="half a finish reason"),
        pytest.param(events(text("fine", "x" * 10**6), DONE), "fine", id="long finish reason"),
        pytest.param(events(text("fine", "stop", model="\ud83d" * 9999), DONE), "fine", id="names"),
        pytest.param(
            Step(
                kind="raw",
                raw=(gzip.compress(b"".join(events(*OK).raw)),),
                headers={"Content-Encoding": "gzip"},
            ),
            "fine",
            id="gzip",
        ),
        pytest.param(
            Step(
                kind="raw",
                raw=tuple(bytes([one]) for one in b"".join(events(text("ä€", "stop")).raw)),
            ),
            "ä€",
            id="byte by byte",
        ),
    ],
)
def test_what_can_be_read_is_read(step: Step, reply: str) -> None:
    """A reply that came whole is a reply, whatever stands around it, and a journal can hold it."""
    generated, provider = asked(step)
    assert generated.fault is None, generated.fault
    assert generated.reply == reply
    assert len(provider.requests) == 1
    assert written(generated)
    assert generated.generation is not None
    assert generated.generation.tokens.output != 0
    assert len(generated.generation.finish_reason or "") <= 200


WRONG_USAGE: Final[tuple[object, ...]] = (
    {"completion_tokens": 200.5, "prompt_tokens": 9},
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
    """The reply is there; what was not said is counted, and marked so."""
    generated, provider = asked(events(text("fine", "stop", usage=usage), DONE))
    assert generated.reply == "fine"
    assert len(provider.requests) == 1
    assert generated.generation is not None
    assert generated.generation.tokens.output == 1
    assert generated.generation.tokens_basis is TokensBasis.COUNTED
    assert written(generated)


@pytest.mark.parametrize(
    "details",
    [
        {"completion_tokens_details": [1], "prompt_tokens_details": "x"},
        {"completion_tokens_details": {"reasoning_tokens": -4}, "prompt_tokens_details": None},
        {"prompt_tokens_details": {"cached_tokens": 1e999}},
    ],
)
def test_details_that_cannot_be_leave_the_rest(details: Mapping[str, object]) -> None:
    """The counts beside them hold."""
    usage = {**USAGE, **details}
    generated, _ = asked(events(text("fine", "stop", usage=usage), DONE))
    assert generated.generation is not None
    assert generated.generation.tokens.output == 40
    assert generated.generation.tokens.reasoning is None
    assert generated.generation.tokens_basis is TokensBasis.REPORTED


@pytest.mark.parametrize(
    "cost", ["1e999", "Infinity", "NaN", "-1", '"1"', "true", "1e30", '{"total_cost":NaN}', "[]"]
)
def test_a_cost_that_cannot_be_is_unknown(cost: str) -> None:
    """Whatever stands where the cost of a reply belongs, the reply counts."""
    usage = f'{{"prompt_tokens": 9, "completion_tokens": 4, "cost": {cost}}}'
    said = json.dumps(text("fine", "stop"))[:-1] + f', "usage": {usage}}}'
    generated, _ = asked(events(f"data: {said}\n\n", DONE))
    assert generated.reply == "fine"
    assert generated.generation is not None
    assert generated.generation.cost_usd is None
    assert generated.generation.tokens.output == 4
    assert written(generated)


@pytest.mark.parametrize("cost", ["nan", "inf", "-inf", "1e999", "-1", "x" * 5000, ""])
def test_a_cost_in_a_header_is_believed_no_further(cost: str) -> None:
    """Any server can send that header."""
    generated, _ = asked(Step(text="fine", headers={"x-litellm-response-cost": cost}))
    assert generated.reply == "fine"
    assert generated.generation is not None
    assert generated.generation.cost_usd is None
    assert written(generated)


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
    """The cause is the right one after as many requests as may help, and quotes what was said."""
    generated, provider = asked(step)
    assert generated.fault is not None
    assert generated.fault.kind == kind, generated.fault
    assert said in generated.fault.evidence
    assert len(provider.requests) == requests
    assert written(generated)


@pytest.mark.parametrize("said", [(text("half"),), ()], ids=["half a text", "nothing"])
@pytest.mark.parametrize("reason", ["content_filter", "refusal", "SAFETY"])
def test_what_a_filter_kept_back_is_the_providers(said: Sequence[object], reason: str) -> None:
    """It has a cause of its own, with or without a text, and asking again does not help."""
    generated, provider = asked(events(*said, chunk(finish=reason), DONE))
    assert generated.fault is not None
    assert generated.fault.kind is FaultClass.CONTENT_FILTER
    assert reason in generated.fault.evidence
    assert generated.reply == ("half" if said else "")
    assert len(provider.requests) == 1
    assert written(generated)


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
    """It thought or called tools and wrote nothing: one verdict, whether usage comes or not."""
    generated, provider = asked(events(chunk(delta), chunk(finish="stop", **usage), DONE))
    assert generated.fault is None
    assert generated.reply == ""
    assert len(provider.requests) == 1


def test_an_error_of_fifty_megabytes_is_read_no_further_than_it_says_something() -> None:
    """Its beginning is quoted, and no time is lost with the rest."""
    step = Step(kind="raw", status=500, raw=(b"Sorry. " * 150_000,), repeat=50)
    generated, provider = asked(step)
    assert generated.fault is not None
    assert generated.fault.kind is FaultClass.PROVIDER_ERROR
    assert "Sorry." in generated.fault.evidence
    assert len(generated.fault.evidence) < LARGEST_ERROR
    assert len(provider.requests) == 6


def test_a_packed_reply_is_unpacked_no_further_than_a_reply_can_be() -> None:
    """What unpacks to 600 megabytes takes the memory of one event at most."""
    packer = zlib.compressobj(level=1, wbits=31)
    bomb = b"".join(packer.compress(bytes(2**20)) for _ in range(600)) + packer.flush()
    step = Step(kind="raw", raw=(bomb,), headers={"Content-Encoding": "gzip"})
    tracemalloc.start()
    try:
        generated, provider = asked(step)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert generated.fault is not None
    assert generated.fault.kind is FaultClass.MALFORMED_REPLY
    assert len(provider.requests) == 1
    assert peak < 150 * 2**20


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
def test_a_model_that_rambles_is_heard_no_further(field: str) -> None:
    """Text or reasoning beyond any answer is the model's doing: its reply is what came so far."""
    endless = Step(kind="raw", raw=events(chunk({field: "again and " * 5000})).raw, repeat=200)
    generated, provider = asked(endless)
    assert generated.fault is None
    assert generated.generation is not None
    assert generated.generation.finish_reason is None
    assert generated.generation.tokens_basis is TokensBasis.COUNTED
    assert len(generated.reply or "") < LARGEST_REPLY + 100_000
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param(text("x"), id="text"),
        pytest.param(chunk({"reasoning_content": "x"}), id="reasoning"),
    ],
)
def test_a_reply_that_drips_for_ever_is_given_up(piece: Mapping[str, object]) -> None:
    """No piece is late, and the whole is: the provider's time-out, and no second try as long."""
    retry_policy = RetryPolicy(first_s=0.01, longest_s=0.02, longest_reply_s=2.0)
    drip = Step(kind="raw", raw=events(piece).raw, repeat=1000, piece_delay_s=0.1)
    generated, provider = asked(drip, retry_policy=retry_policy)
    assert generated.fault is not None
    assert generated.fault.kind is FaultClass.PROVIDER_TIMEOUT
    assert "did not end within 2 s" in generated.fault.evidence
    assert len(provider.requests) == 1


def test_keep_alives_are_no_reply() -> None:
    """Nothing but comments for as long as a model may be silent is silence, and told as it is."""
    drip = Step(kind="raw", raw=(b": keep-alive\n\n",), repeat=1000, piece_delay_s=0.1)
    generated, provider = asked(drip, timeout_s=1.2)
    assert generated.fault is not None
    assert generated.fault.kind is FaultClass.PROVIDER_TIMEOUT
    assert "no piece of the reply came for 1.2 s, though" in generated.fault.evidence
    assert len(provider.requests) == 3


def test_a_redirect_within_the_origin_is_followed() -> None:
    """A server may move its own path; the prompt goes along."""
    there = plain("", status=307, Location="/v1/chat/completions")
    generated, provider = asked(there, there, Step(text="fine"))
    assert generated.reply == "fine"
    assert provider.requests[2]["messages"] == provider.requests[0]["messages"]


def test_redirects_in_circles_are_counted() -> None:
    """They end after a few, and are not tried again."""
    generated, provider = asked(plain("", status=308, Location="/v1/chat/completions"))
    assert generated.fault is not None
    assert generated.fault.kind is FaultClass.PROVIDER_ERROR
    assert "redirected 6 times" in generated.fault.evidence
    assert len(provider.requests) == REDIRECTS + 1


def test_no_prompt_goes_to_another_origin() -> None:
    """A redirect elsewhere is a fault that names where to; nobody is asked there."""
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


def test_a_server_whose_streams_are_empty_is_asked_for_plain_words() -> None:
    """Some answer a prompt that is too long by an empty stream, and say why only without one."""
    empty = Step(kind="raw")
    words = "This model's maximum context length is 2048 tokens"
    generated, provider = asked(empty, empty, plain({"error": {"message": words}}, status=400))
    assert [request["stream"] for request in provider.requests] == [True, True, False]
    assert "stream_options" not in provider.requests[2]
    assert generated.fault is not None
    assert generated.fault.kind is FaultClass.REFUSED_REQUEST
    assert words in generated.fault.evidence


def test_a_server_that_cannot_stream_is_heard_all_the_same() -> None:
    """What it answers without streaming is a reply as any other."""
    whole = {"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]}
    generated, provider = asked(Step(kind="raw"), Step(kind="raw"), plain(whole))
    assert generated.reply == "fine"
    assert len(provider.requests) == 3


def test_streams_that_stay_empty_are_asked_for_in_one_piece_once() -> None:
    """The rest of the tries are as they were."""
    generated, provider = asked(Step(kind="raw"))
    assert generated.fault is not None
    assert generated.fault.kind is FaultClass.CONNECTION_LOST
    assert [request["stream"] for request in provider.requests] == [True, True, False, *[True] * 3]


def test_the_model_that_answered_is_recorded() -> None:
    """A server may serve another model than was asked for, and name it."""
    generated, _ = asked(events(text("fine", "stop", model="other\nmodel 7B"), DONE))
    assert generated.generation is not None
    assert generated.generation.answered_by == "other model 7B"
    nameless, _ = asked(events(text("fine", "stop", model=7), DONE))
    assert nameless.generation is not None
    assert nameless.generation.answered_by == "7"


def test_tokens_that_nobody_reported_are_counted() -> None:
    """Input, output and reasoning, marked as counted; the cost follows from them."""
    generated, _ = asked(
        events(chunk({"reasoning_content": "One two three."}), text("Four five.", "stop"), DONE),
        price={"input": 1_000_000, "output": 1_000_000},
    )
    assert generated.generation is not None
    tokens = generated.generation.tokens
    assert generated.generation.tokens_basis is TokensBasis.COUNTED
    assert tokens.input == 3
    assert tokens.reasoning == 4
    assert tokens.output == 4 + 3
    assert tokens.cached_input is None
    assert generated.generation.cost_usd == 10


def test_half_reported_usage_is_completed() -> None:
    """Input as the provider said it; output, of which it said 0 for a text, as counted here."""
    generated, _ = asked(events(text("One two.", "stop", usage={"prompt_tokens": 50}), DONE))
    assert generated.generation is not None
    assert generated.generation.tokens_basis is TokensBasis.COUNTED
    assert generated.generation.tokens.input == 50
    assert generated.generation.tokens.output == 3


def _words(count: int) -> Step:
    return Step(text=" word", repeat=count, piece=600, finish="length", report_usage=False)


def test_a_cut_reply_of_unknown_usage_is_judged_by_counted_tokens() -> None:
    """900 tokens of 1,000 are the model's own limit, by whatever tokenizer; 200 are not."""
    rambled, _ = asked(_words(900))
    assert rambled.fault is None
    cut, _ = asked(_words(200))
    assert cut.fault is not None
    assert cut.fault.kind is FaultClass.TRUNCATED_BY_SERVER
    assert "200 of 1000" in cut.fault.evidence


def test_a_reply_cut_where_no_limit_was_sent_is_the_servers() -> None:
    """No limit but the server's own can have ended it."""
    generated, provider = asked(Step(finish="length"), limits={})
    assert "max_tokens" not in provider.requests[0]
    assert generated.fault is not None
    assert generated.fault.kind is FaultClass.TRUNCATED_BY_SERVER
    assert generated.reply == "An answer."


BROKEN_OFF: Final = Step(kind="reset_midway", repeat=50)
REFUSED: Final = Step(kind="status", status=503)


@pytest.mark.parametrize(
    ("steps", "usd"),
    [((), 0.0), ((REFUSED, REFUSED), 0.0), ((BROKEN_OFF,), None), ((REFUSED, BROKEN_OFF), None)],
)
def test_what_failed_tries_may_have_cost_is_kept(
    steps: tuple[Step, ...], usd: float | None
) -> None:
    """Nothing where the provider refused; unknown where it broke off and has no known price."""
    generated, _ = asked(*steps, Step(text="fine"))
    assert generated.reply == "fine"
    assert generated.failed_tries_usd == usd


def test_tries_that_broke_off_cost_what_the_budget_counts() -> None:
    """With a known price they cost more than nothing, as much as was settled for them."""
    budget = Budget(100.0)
    generated, _ = asked(
        BROKEN_OFF, Step(text="fine"), budget=budget, price={"input": 9, "output": 9}
    )
    assert generated.generation is not None
    assert generated.failed_tries_usd
    total = generated.failed_tries_usd + (generated.generation.cost_usd or 0)
    assert total == pytest.approx(budget.spent_usd)
