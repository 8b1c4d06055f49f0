"""The lines of a comparison of models on sessions, for the terminal: one for each model."""

from typing import Final

from records.text.numbers import format_count, format_dollars
from review.comparisons.results import ComparedRow

_UNKNOWN: Final = "\N{EN DASH}"


def format_compared_row(row: ComparedRow) -> str:
    """Return a row as a line of text, with a dash for an unknown value."""
    faults = f", {format_count(row.faults, 'fault')}" if row.faults else ""
    cost = _UNKNOWN
    if row.cost_usd is not None:
        cost = f"{format_dollars(row.cost_usd)} for {row.cost_known_for}"
    people = _UNKNOWN
    if row.preferred is not None:
        preference = row.preferred
        people = (
            f"preferred {preference.share}; "
            f"{preference.wins} won, {preference.losses} lost, {preference.equal} equal"
        )
    return (
        f"{row.model}  n={row.answers}{faults}  mean {row.score or _UNKNOWN}  cost {cost}  "
        f"people: {people}"
    )
