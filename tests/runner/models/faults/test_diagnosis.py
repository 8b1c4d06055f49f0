"""Every answer of a provider to a request, over real HTTP, and the result of the attempt."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.shapes.attempt import FaultClass
from records.shapes.registry import Limits
from runner.models.faults.diagnosis import retry_after
from tests.runner.models.conftest import (
    ask_provider,
    assert_fault,
    get_generation,
    list_request_times,
)
from tests.runner.models.provider import Step

pytestmark = pytest.mark.integration

GOOD = Step(text="fine")
ZERO = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


@pytest.mark.parametrize(
    "trouble",
    [
        Step(kind="status", status=429),
        Step(kind="status", status=429, headers={"Retry-After": "0.01"}),
        Step(kind="status", status=500),
        Step(kind="status", status=503),
        Step(kind="reset"),
        Step(kind="reset_midway", repeat=50),
        Step(kind="end_midway", repeat=50),
        Step(kind="malformed", repeat=50),
        Step(kind="wrong_type"),
        Step(kind="error_in_stream", repeat=50, body='{"error": {"message": "busy", "code": 503}}'),
        Step(text="", usage=ZERO),
    ],
    ids=lambda step: f"{step.kind} {step.status} {sorted(step.headers)}",
)
def test_passing_trouble_is_asked_through(trouble: Step) -> None:
    """A provider that recovers gives a whole reply, without a part of the broken reply."""
    generated, _ = ask_provider(trouble, trouble, GOOD)
    assert generated.fault is None
    assert generated.reply == "fine"
    assert get_generation(generated).tries == 3


def test_the_cause_of_a_wait_is_reported() -> None:
    """The watcher gets the rate limit, the time of its end, and the start of the next try."""
    heard: list[tuple[str, float | None]] = []

    def tell(what: str, until: float | None = None) -> None:
        heard.append((what, until))

    ask_provider(Step(kind="status", status=429), GOOD, tell=tell)
    (limit, until) = next(pair for pair in heard if pair[1] is not None)
    assert limit == "rate limit"
    assert until is not None
    assert until <= monotonic()
    assert heard[-1] == ("rest of the reply", None)


@pytest.mark.more
@pytest.mark.parametrize("kind", ["hang", "hang_midway"])
def test_silence_ends(kind: str) -> None:
    """A provider that goes silent, before or in a reply, is given up on after timeout_s."""
    # The time is enough for each try to reach the provider on a busy machine.
    generated, provider = ask_provider(
        Step.model_validate({"kind": kind, "repeat": 50}), timeout_s=1.2
    )
    assert_fault(generated, FaultClass.PROVIDER_TIMEOUT, "1.2 s")
    assert len(provider.requests) == 3


def test_a_slow_reply_is_not_silence() -> None:
    """The limit is on the wait for the next piece, not on the whole reply."""
    generated, _ = ask_provider(
        Step(text="abcd", piece=1, repeat=4, piece_delay_s=0.1), timeout_s=0.8
    )
    assert generated.reply == "abcd" * 4
    generation = get_generation(generated)
    assert (generation.duration_s or 0) >= 1.5
    first = generation.time_to_first_token_s
    assert first is not None
    assert first < 0.8


def test_retry_after_is_obeyed() -> None:
    """The next request comes no earlier than the provider asked."""
    generated, provider = ask_provider(
        Step(kind="status", status=429, headers={"Retry-After": "1"}), GOOD
    )
    assert generated.reply == "fine"
    assert 1.0 <= list_request_times(provider)[1] < 3.0


@pytest.mark.parametrize("text", ["cut off", ""])
def test_a_reply_cut_at_the_models_limit_is_the_models(text: str) -> None:
    """The limit is the model's also where all of the reply went into reasoning."""
    usage = {"prompt_tokens": 9, "completion_tokens": 990, "total_tokens": 999}
    generated, _ = ask_provider(Step(text=text, finish="length", usage=usage))
    assert generated.fault is None
    assert generated.reply == text
    assert get_generation(generated).finish_reason == "length"


def test_an_empty_reply_that_cost_tokens_is_the_models() -> None:
    """The model ended the reply by itself, after counted output, without a text."""
    usage = {"prompt_tokens": 9, "completion_tokens": 40, "total_tokens": 49}
    generated, provider = ask_provider(Step(text="", usage=usage))
    assert generated.fault is None
    assert generated.reply == ""
    assert len(provider.requests) == 1


def test_two_megabytes_are_fine() -> None:
    """A long reply arrives whole."""
    limits = Limits(max_output_tokens=128_000)
    generated, _ = ask_provider(Step(text="0123456789", piece=8000, repeat=200_000), limits=limits)
    assert generated.fault is None
    assert generated.reply == "0123456789" * 200_000


@given(st.integers(0, 86_400))
def test_retry_after_is_read_in_both_forms(seconds: int) -> None:
    """Retry-after may be in seconds or be a date."""
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    date = format_datetime(now + timedelta(seconds=seconds), usegmt=True)
    assert retry_after({"Retry-After": str(seconds)}, now) == seconds
    assert retry_after({"retry-after": date}, now) == seconds
    assert retry_after({"retry-after-ms": str(seconds * 1000)}, now) == seconds


@given(st.text(max_size=40))
def test_a_retry_after_that_cannot_be_read_is_ignored(text: str) -> None:
    """The text never raises, and never makes a negative wait."""
    wait = retry_after({"retry-after": text})
    assert wait is None or wait >= 0
