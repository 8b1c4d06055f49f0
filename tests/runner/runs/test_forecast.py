"""The possible cost of a run, reported before the first request."""

from pathlib import Path

import pytest

from records.shapes.attempt import CostBasis
from records.shapes.registry import Limits, ModelEntry, Price
from runner.answers.prompt import render_prompt
from runner.evals.discovery import discover
from runner.models.costs import compute_most_input
from runner.runs.forecast import forecast_costs
from runner.runs.history import History
from tests.records import examples
from tests.records.examples import make_generation

pytestmark = pytest.mark.unit
PRICED = ModelEntry(
    slug="maker/model",
    name="M",
    provider="Maker",
    litellm_id="maker/model",
    price=Price(input=1.0, output=10.0),
    limits=Limits(max_output_tokens=1000),
)
UNKNOWN = ModelEntry(slug="maker/other", name="O", provider="Maker", litellm_id="nobody/knows")


def make_example_history(name: str, *, cost_usd: float | None) -> History:
    """Return a history of one answer to ``name``."""
    basis = CostBasis.UNKNOWN if cost_usd is None else CostBasis.REPORTED
    answer = make_generation().model_copy(update={"cost_usd": cost_usd, "cost_basis": basis})
    attempt = examples.make_attempt(name).model_copy(update={"generation": answer})
    run = examples.make_run().model_copy(update={"planned": (name,), "attempts": (attempt,)})
    return History([run], is_local=False)


def test_earlier_tokens_are_counted_at_todays_prices(prose_suite: Path) -> None:
    """The old bills do not count, and an eval without an answer takes the mean of the others."""
    first, second, *_ = discover(prose_suite).evals
    tokens = make_generation().tokens
    assert tokens.input is not None
    assert tokens.output is not None
    cached = tokens.cached_input or 0
    each = (tokens.input - cached + cached + 10 * tokens.output) / 1e6
    estimate = forecast_costs(
        PRICED, [first, second], 3, None, make_example_history(first.name, cost_usd=99.0)
    )
    assert estimate.expected_usd == pytest.approx(6 * each)
    assert estimate.answers == 1


def test_without_a_price_earlier_costs_count(prose_suite: Path) -> None:
    """The highest possible cost is unknown without a price."""
    first, *_ = discover(prose_suite).evals
    estimate = forecast_costs(
        UNKNOWN, [first], 1, None, make_example_history(first.name, cost_usd=0.25)
    )
    assert (estimate.expected_usd, estimate.most_usd) == (0.25, None)


def test_nothing_is_guessed(prose_suite: Path) -> None:
    """A model without earlier answers has only a highest cost: what a budget sets aside for it."""
    first, *_ = discover(prose_suite).evals
    messages = render_prompt(first, None)
    estimate = forecast_costs(PRICED, [first], 2, None, None)
    assert estimate.expected_usd is None
    assert estimate.most_usd == pytest.approx(2 * (compute_most_input(messages) + 10 * 1000) / 1e6)
