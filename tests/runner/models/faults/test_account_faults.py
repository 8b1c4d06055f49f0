"""Errors that are not about the prompt: a wrong key, no credit, a request that never fits."""

import asyncio
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.shapes.attempt import FaultClass
from runner.models.ask import GenerationResult
from runner.models.concurrency.provider_queue import ProviderQueues
from runner.models.faults.diagnosis import extract_essence
from tests.runner.models import asking
from tests.runner.models.provider import Provider, Step
from tests.runner.models.requests.wire_forms import make_json_step

pytestmark = pytest.mark.integration

CLAUDE = "anthropic/claude-opus-5-5"
GEMINI = "gemini/gemini-4-argon"
CHAT = "openai/scripted"


def _make_anthropic_error(kind: str, message: str, status: int = 400) -> Step:
    error = {"type": kind, "message": message}
    return make_json_step(
        {"type": "error", "error": error, "request_id": "req_011CSHoE"}, status=status
    )


def _make_google_error(reason: str, code: int = 400, status: str = "INVALID_ARGUMENT") -> Step:
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}
    error = {"code": code, "message": "Not allowed.", "status": status, "details": [detail]}
    return make_json_step({"error": error}, status=code)


def _ask_forty(
    litellm_id: str, steps: Sequence[Step], *, prompts: int = 40
) -> tuple[list[GenerationResult], Provider, list[str]]:
    """Ask forty questions with ``prompts`` different prompts in one queue."""
    provider = asking.make_provider(*steps)
    notes: list[str] = []

    async def ask(address: str) -> list[GenerationResult]:
        queues = ProviderQueues(1, pace=asking.ENDURING, noted=notes.append)
        entry = asking.make_model(address, litellm_id=litellm_id)
        questions = (f"Question {number % prompts}." for number in range(40))
        return await asyncio.gather(*(asking.ask_model(entry, text, queues) for text in questions))

    return asking.ask_at(provider, ask), provider, notes


NO_CREDIT = "Your credit balance is too low to access the Anthropic API."
INVALID = [{"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}}]
ARREARS = {"error": {"code": "Arrearage", "message": "Access denied"}}

ENDS = {
    "Anthropic, no credit": (
        CLAUDE,
        _make_anthropic_error("invalid_request_error", NO_CREDIT),
        FaultClass.REFUSED_REQUEST,
    ),
    "Anthropic, wrong key": (
        CLAUDE,
        _make_anthropic_error("authentication_error", "invalid x-api-key", 401),
        FaultClass.AUTHENTICATION,
    ),
    "Google": (GEMINI, _make_google_error("API_KEY_INVALID"), FaultClass.AUTHENTICATION),
    "Google, no billing": (
        GEMINI,
        _make_google_error("BILLING_DISABLED", 403, "PERMISSION_DENIED"),
        FaultClass.REFUSED_REQUEST,
    ),
    "Google, service not enabled": (
        GEMINI,
        _make_google_error("SERVICE_DISABLED", 403, "PERMISSION_DENIED"),
        FaultClass.AUTHENTICATION,
    ),
    "Google by the OpenAI protocol": (
        CHAT,
        make_json_step(INVALID, 400),
        FaultClass.AUTHENTICATION,
    ),
    "402": (CHAT, make_json_step({}, 402), FaultClass.REFUSED_REQUEST),
    "404": (CHAT, make_json_step({}, 404), FaultClass.REFUSED_REQUEST),
    "no such model": (
        CHAT,
        make_json_step({"error": {"code": "model_not_found"}}, 400),
        FaultClass.REFUSED_REQUEST,
    ),
    "no quota": (
        CHAT,
        make_json_step({"error": {"code": "insufficient_quota"}}, 429),
        FaultClass.RATE_LIMITED,
    ),
    "DashScope, no credit": (CHAT, make_json_step(ARREARS, 400), FaultClass.REFUSED_REQUEST),
}


@pytest.mark.parametrize(("litellm_id", "step", "kind"), ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("prompts", [1, 40])
def test_a_wrong_key_and_no_credit_stop_everything_after_three(
    litellm_id: str, step: Step, kind: FaultClass, prompts: int
) -> None:
    """Three errors in the own words of each provider stop all prompts."""
    results, provider, notes = _ask_forty(litellm_id, [step], prompts=prompts)
    assert len(provider.requests) == 3
    assert asking.count_causes(results) == {kind: 40}
    assert sum("not asked" in (result.fault.evidence if result.fault else "") for result in results)
    assert len(notes) == 1


def _make_refusals(status: int, *messages: str) -> list[Step]:
    return [make_json_step({"error": {"message": message}}, status) for message in messages]


@pytest.mark.parametrize("status", [400, 413, 422])
def test_equal_refusals_of_different_prompts_stop_the_model(status: int) -> None:
    """Ids, numbers and times differ from reply to reply, and do not make refusals different."""
    steps = _make_refusals(
        status,
        "Project proj_9fA3x is over its cap of 2026-11-26T06:12:08Z (request 17)",
        "Project proj_77bQk is over its cap of 2026-11-26T06:12:09Z (request 18)",
        "Project proj_1zzGh is over its cap of 2026-11-26T06:12:11Z (request 301)",
        "not reached",
    )
    results, provider, notes = _ask_forty(CHAT, steps)
    assert len(provider.requests) == 3
    assert asking.count_causes(results) == {FaultClass.REFUSED_REQUEST: 40}
    assert "over its cap" in notes[0]


def test_equal_refusals_of_one_prompt_stop_nothing() -> None:
    """The prompt itself may be the cause: samples of one eval prove nothing about other evals."""
    results, provider, _ = _ask_forty(CHAT, _make_refusals(400, "no"), prompts=2)
    assert len(provider.requests) == 40
    assert asking.count_causes(results) == {FaultClass.REFUSED_REQUEST: 40}


def test_different_refusals_stop_nothing() -> None:
    """Each refusal is about its own prompt."""
    words = [f"word {'x' * number} is not allowed" for number in range(40)]
    _, provider, _ = _ask_forty(CHAT, _make_refusals(400, *words))
    assert len(provider.requests) == 40


def test_a_success_between_equal_refusals_makes_good_for_them() -> None:
    """Some prompts are too long for the model, and it answers the others."""
    too_long = _make_refusals(400, "maximum context length is 4096 tokens")
    steps = [*too_long, *too_long, Step(text="fine")] * 13 + [Step(text="fine")]
    results, provider, _ = _ask_forty(CHAT, steps)
    assert len(provider.requests) == 40
    assert asking.count_causes(results) == {None: 14, FaultClass.REFUSED_REQUEST: 26}


def test_such_errors_of_three_prompts_stop_the_model() -> None:
    """The model's context is too short for all three prompts."""
    step = make_json_step(
        {"error": {"message": "request (7608 tokens) exceeds the context size"}}, 500
    )
    results, provider, notes = _ask_forty(CHAT, [step])
    assert len(provider.requests) <= 3 * 3
    assert asking.count_causes(results) == {FaultClass.PROVIDER_ERROR: 40}
    assert len(notes) == 1


@pytest.mark.unit
@given(
    st.uuids(),
    st.datetimes(),
    st.integers(0, 10**20),
    st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=12, max_size=24),
)
def test_ids_digits_and_times_are_no_part_of_an_error(
    uuid: object, time: object, number: int, token: str
) -> None:
    """Errors of one cause are equal without such parts, and errors of two causes are not."""

    def format_error(words: str, *odd: object) -> str:
        first, second, third, fourth = odd
        return json.dumps(
            {"message": f"{words} {first} at {second}", "tokens": third, "request_id": fourth}
        )

    plain_words = extract_essence(format_error("not allowed", "1", "2", 3, "abc"))
    assert extract_essence(format_error("not allowed", uuid, time, number, token)) == plain_words
    assert extract_essence(format_error("too long", uuid, time, number, token)) != plain_words
