"""The forecast of the cost of asking models about sessions, for `--plan`."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from leaderboard.runs.run_forecasts import format_cost_line
from leaderboard.sessions.prompt_asking import Prompt, resolve_asked_entries
from leaderboard.terminal.streams import say_result
from records.files.data_folder import DataFolder
from records.sessions.asked import AskedRecord, PromptAnswer
from records.shapes.attempt import Generation
from records.shapes.registry import ModelEntry
from runner.models.costs.prices import estimate_upper_usd, find_rates
from runner.runs.forecast import Forecast, compute_answer_cost
from runner.runs.settings import RunSettings


def say_forecasts(
    data: DataFolder,
    settings: RunSettings,
    prompts: Sequence[Prompt],
    earlier: Iterable[AskedRecord[Any, Any]],
    *,
    as_json: bool,
) -> None:
    """Print for each model the possible cost of its answers to ``prompts``; no model is asked.

    The expected cost is computed from the answers in ``earlier``, which are records of this kind.

    Raises:
        UsageError: no model is named.
        UserError: a model is unknown, or its parameters would not be sent.
    """
    entries = resolve_asked_entries(data, settings, with_keys=False)
    generations = _group_generations(answer for record in earlier for answer in record.answers)
    rows: list[dict[str, object]] = []
    lines: list[str] = []
    for entry in entries:
        forecast = _forecast_cost(entry, prompts, generations.get(entry.slug, ()))
        price_known = find_rates(entry) is not None
        costs = {"expected_usd": forecast.expected_usd, "most_usd": forecast.most_usd}
        rows.append(
            {"model": entry.slug, "requests": len(prompts), **costs, "price_known": price_known}
        )
        priced = "" if price_known else "; no price known"
        lines.append(
            f"{entry.slug}: {len(prompts)} requests, {format_cost_line([forecast])}{priced}"
        )
    say_result(rows, lines, as_json=as_json)


def _group_generations(answers: Iterable[PromptAnswer]) -> Mapping[str, Sequence[Generation]]:
    """Return the generations of answers without a fault, by model."""
    by_model: dict[str, list[Generation]] = {}
    for answer in answers:
        if answer.answer is not None and answer.generation is not None:
            by_model.setdefault(answer.model, []).append(answer.generation)
    return by_model


def _forecast_cost(
    entry: ModelEntry, prompts: Sequence[Prompt], earlier: Sequence[Generation]
) -> Forecast:
    """Return the expected cost of answers to all prompts, by earlier answers, and the greatest."""
    rates = find_rates(entry)
    costs = [compute_answer_cost(generation, rates) for generation in earlier]
    known_costs = [cost for cost in costs if cost is not None]
    bounds = [estimate_upper_usd(entry, rates, prompt) for prompt in prompts]
    return Forecast(
        expected_usd=len(prompts) * fmean(known_costs) if known_costs else None,
        answers=len(known_costs),
        most_usd=None if None in bounds else sum(bound or 0.0 for bound in bounds),
    )
