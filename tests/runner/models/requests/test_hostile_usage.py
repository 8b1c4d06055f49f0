"""Tokens and costs that a provider reports: used where plausible, else counted or unknown."""

import json
from typing import Final

import pytest

from records.shapes.attempt import FaultClass, TokensBasis
from tests.runner.models.conftest import ask_provider, assert_fault, get_generation
from tests.runner.models.provider import Step
from tests.runner.models.requests.wire_forms import (
    DONE,
    format_journal_line,
    make_chunk,
    make_event_step,
    make_text_chunk,
)

pytestmark = pytest.mark.integration

WRONG_USAGE: Final[tuple[object, ...]] = (
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


BROKEN_OFF: Final = Step(kind="reset_midway", repeat=50)


REFUSED: Final = Step(kind="status", status=503)


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
