"""Reports before the first request: the possible cost of a run, and prompts that do not fit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from records.shapes.attempt import CostBasis
from records.shapes.registry import Limits, ModelEntry, Price
from runner.answers.prompt import render_prompt
from runner.evals.discovery import discover
from runner.models.costs import compute_most_input
from runner.runs import launch
from runner.runs.forecast import forecast_costs
from runner.runs.history import History
from runner.runs.plan import RunPlan
from tests.records import examples
from tests.runner.conftest import write_prose_suite
from tests.runner.models.asking import make_entry, make_model
from tests.runner.runs.planned import plan_run

pytestmark = pytest.mark.unit
PRICED = make_entry(price=Price(input=1.0, output=10.0), limits=Limits(max_output_tokens=1000))
UNKNOWN = make_entry("nobody/knows")


def make_example_history(name: str, *, cost_usd: float | None) -> History:
    """Return a history of one answer to ``name``."""
    basis = CostBasis.UNKNOWN if cost_usd is None else CostBasis.REPORTED
    answer = examples.make_generation(cost_usd, cost_basis=basis)
    attempt = examples.make_attempt(name, generation=answer)
    run = examples.make_run(planned=(name,), attempts=(attempt,))
    return History([run], is_local=False)


def test_earlier_tokens_are_counted_at_todays_prices(prose_suite: Path) -> None:
    """The old bills do not count, and an eval without an answer takes the mean of the others."""
    first, second, *_ = discover(prose_suite).evals
    tokens = examples.make_generation().tokens
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


SERVER = "http://127.0.0.1:9/v1"


@pytest.fixture
def plan(tmp_path: Path) -> RunPlan:
    """A run of two evals at a self-hosted server, with long guidelines."""
    write_prose_suite(tmp_path, 2)
    return plan_run(make_model(SERVER), discover(tmp_path).evals, "Write it well. " * 1000)


def _make_answer(length: int | None) -> Callable[[object, str], int | None]:
    """Return an answer of a server with a context of ``length`` tokens."""

    def answer_length(entry: object, address: str) -> int | None:
        assert isinstance(entry, ModelEntry)
        assert address == SERVER
        return length

    return answer_length


def test_prompts_that_are_too_long_are_reported(
    plan: RunPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report has the context, the longest prompt and the number of prompts that do not fit."""
    monkeypatch.setattr(launch, "find_context_length", _make_answer(2048))
    warning = launch.find_length_warning(plan)
    assert warning is not None
    assert warning.startswith("2 of 2 prompts do not fit into the context of local/scripted")
    assert "2,048 tokens" in warning
    assert launch.find_length_warning(plan._replace(guidelines=None)) is None


@pytest.mark.parametrize("length", [None, 1_000_000])
def test_prompts_that_fit_or_are_unknown_are_not_reported(
    plan: RunPlan, monkeypatch: pytest.MonkeyPatch, length: int | None
) -> None:
    """There is no warning for prompts that fit, or for a server that reports no context."""
    monkeypatch.setattr(launch, "find_context_length", _make_answer(length))
    assert launch.find_length_warning(plan) is None


@pytest.mark.parametrize(
    ("fields", "variable", "asked"),
    [
        ({}, None, SERVER),
        ({"litellm_id": "ollama/tiny", "api_base": None}, None, "http://127.0.0.1:11434"),
        (
            {"litellm_id": "openai/tiny", "api_base": None},
            "http://192.168.0.7:8000/v1",
            "http://192.168.0.7:8000/v1",
        ),
        ({"litellm_id": "openai/tiny", "api_base": None}, "https://gateway.example.org/v1", None),
        ({"litellm_id": "openai/tiny", "api_base": None}, None, None),
    ],
)
def test_only_a_server_of_ones_own_is_asked(
    plan: RunPlan,
    monkeypatch: pytest.MonkeyPatch,
    fields: dict[str, Any],
    variable: str | None,
    asked: str | None,
) -> None:
    """Only a server at an address of this network, from an entry or a variable, is asked."""
    monkeypatch.delenv("OLLAMA_API_BASE", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    if variable is not None:
        monkeypatch.setenv("OPENAI_BASE_URL", variable)
    addresses: list[str] = []

    def note_address(_: object, address: str) -> None:
        addresses.append(address)

    monkeypatch.setattr(launch, "find_context_length", note_address)
    entry = make_model(SERVER).model_copy(update=fields)
    assert launch.find_length_warning(plan._replace(entry=entry)) is None
    assert addresses == ([] if asked is None else [asked])
