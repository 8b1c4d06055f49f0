"""The text on the possible cost of runs."""

from collections.abc import Sequence

from records.text.numbers import format_count, format_dollars
from runner.runs.forecast import Forecast


def format_cost_line(forecasts: Sequence[Forecast]) -> str:
    """Return the expected and the greatest cost of a run in words; unknown costs are left out."""
    unknown = sum(forecast.expected_usd is None for forecast in forecasts)
    expected = sum(forecast.expected_usd or 0 for forecast in forecasts)
    answers = sum(forecast.answers for forecast in forecasts)
    parts: list[str] = []
    if answers:
        left_out = (
            f", {unknown} of {format_count(len(forecasts), 'model')} without any left out"
            if unknown
            else ""
        )
        parts.append(
            f"about {format_dollars(expected)} by the cost of {answers} earlier answers{left_out}"
        )
    if any(forecast.most_usd is None for forecast in forecasts):
        parts.append("the greatest cost is not known: price or output limit is missing")
    else:
        most = sum(forecast.most_usd or 0 for forecast in forecasts)
        parts.append(
            f"at most {format_dollars(most)} if each answer uses the model's whole output limit"
        )
    return "; ".join(parts)
