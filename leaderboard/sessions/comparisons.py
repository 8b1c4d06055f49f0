"""The lines of a comparison of models on sessions, for the terminal: one for each model."""

from records.text.numbers import format_count, format_dollars
from review.comparisons.results import ComparedRow, EstimatedMean


def format_compared_row(row: ComparedRow) -> str:
    """Return a row as a line of text, with a dash for an unknown value."""
    faults = f", {format_count(row.faults, 'fault')}" if row.faults else ""
    cost = "\N{EN DASH}"
    if row.cost_usd is not None:
        cost = f"{format_dollars(row.cost_usd)} for {row.cost_known_for}"
    people = "\N{EN DASH}"
    if row.preferred is not None:
        preference = row.preferred
        people = (
            f"preferred {_format_estimate(preference.share)}; "
            f"{preference.wins} won, {preference.losses} lost, {preference.equal} equal"
        )
    return (
        f"{row.model}  n={row.answers}{faults}  mean {_format_estimate(row.score)}  cost {cost}  "
        f"people: {people}"
    )


def _format_estimate(mean: EstimatedMean | None) -> str:
    if mean is None:
        return "\N{EN DASH}"
    return f"{mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f})"
