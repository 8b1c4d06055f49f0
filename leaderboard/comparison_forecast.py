"""Forecast of the cost of a comparison of models on sessions, before any model is asked."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from leaderboard.menu_lines import cost_line
from leaderboard.streams import say, say_json
from records.comparison import ComparedSession
from records.folder import DataFolder
from records.reader import read_comparison
from records.registry import ModelEntry
from records.run import Generation
from runner.models.costs.estimates import most
from runner.models.costs.prices import rates_of
from runner.runs.forecast import Forecast, cost_of_answer


def say_forecasts(
    data: DataFolder,
    items: Sequence[ComparedSession],
    entries: Sequence[ModelEntry],
    *,
    as_json: bool = False,
) -> None:
    """Say of each model what its answers to ``items`` may cost; nobody is asked.

    Raises:
        InvalidRecordError: an earlier comparison cannot be read.
    """
    earlier = _earlier_answers(data)
    rows: list[dict[str, object]] = []
    for entry in entries:
        found = _forecast(entry, items, earlier.get(entry.slug, ()))
        price_known = rates_of(entry) is not None
        costs = {"expected_usd": found.expected_usd, "most_usd": found.most_usd}
        rows.append(
            {"model": entry.slug, "requests": len(items), **costs, "price_known": price_known}
        )
        if as_json:
            continue
        priced = "" if price_known else "; no price known"
        say(f"{entry.slug}: {len(items)} requests, {cost_line([found])}{priced}")
    if as_json:
        say_json(rows)


def _earlier_answers(data: DataFolder) -> Mapping[str, Sequence[Generation]]:
    """Return how the answers of all comparisons came about, by model."""
    found: dict[str, list[Generation]] = {}
    for path in data.local.comparison_files():
        for one in read_comparison(path).answers:
            if one.answer is not None and one.generation is not None:
                found.setdefault(one.model, []).append(one.generation)
    return found


def _forecast(
    entry: ModelEntry, items: Sequence[ComparedSession], earlier: Sequence[Generation]
) -> Forecast:
    """Return the cost of one answer to each item, by earlier answers and at most."""
    rates = rates_of(entry)
    costs = [cost_of_answer(one, rates) for one in earlier]
    known = [one for one in costs if one is not None]
    bounds = [most(entry, rates, [one.model_dump() for one in item.messages]) for item in items]
    return Forecast(
        expected_usd=len(items) * fmean(known) if known else None,
        answers=len(known),
        most_usd=None if None in bounds else sum(one or 0.0 for one in bounds),
    )
