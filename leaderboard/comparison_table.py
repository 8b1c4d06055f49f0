"""The table of a comparison of models on sessions: a row for each model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from generator.scores.intervals import Interval, mean_interval
from records.comparison import ComparisonJudgement, ModelComparison
from review.comparisons.pairs import Preferred, preferences


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One model of a comparison."""

    model: str
    answers: int
    """Answers that were scored."""
    faults: int
    """Requests that ended in a fault; they are part of no mean."""
    mean: float | None
    """Mean score of the answers, 0 to 1; null without one."""
    interval: Interval | None
    """Wilson's interval with the mean in place of a share: scores between 0 and 1 spread no wider
    than passes and failures of the same mean, so that it is rather too wide than too narrow."""
    cost_usd: float | None
    """Sum over the answers whose cost is known; null where none is."""
    cost_known_for: int
    preferred: Preferred


def rows_of(
    comparison: ModelComparison, events: Sequence[ComparisonJudgement]
) -> list[ComparedRow]:
    """Return a row for each model, in the order of the record."""
    liked = preferences(comparison, events)
    return [_row(comparison, one.slug, liked[one.slug]) for one in comparison.models]


def _row(comparison: ModelComparison, slug: str, preferred: Preferred) -> ComparedRow:
    own = [one for one in comparison.answers if one.model == slug]
    scores = np.array([one.score for one in own if one.score is not None], dtype=np.float64)
    costs = [
        one.generation.cost_usd
        for one in own
        if one.generation is not None and one.generation.cost_usd is not None
    ]
    return ComparedRow(
        model=slug,
        answers=len(scores),
        faults=sum(one.fault is not None for one in own),
        mean=float(scores.mean()) if len(scores) else None,
        interval=mean_interval(scores, np.ones_like(scores)) if len(scores) else None,
        cost_usd=sum(costs) if costs else None,
        cost_known_for=len(costs),
        preferred=preferred,
    )


def line_of(row: ComparedRow) -> str:
    """Return a row as a line of text; what is not known is a stroke."""
    mean = "mean \N{EN DASH}"
    if row.mean is not None and row.interval is not None:
        mean = f"mean {row.mean:.3f} ({row.interval.low:.3f} to {row.interval.high:.3f})"
    cost = "cost \N{EN DASH}"
    if row.cost_usd is not None:
        cost = f"${row.cost_usd:.4f} for {row.cost_known_for}"
    people = row.preferred
    judged = f"{people.wins} won, {people.losses} lost, {people.equal} equal of {people.judged}"
    faults = f", {row.faults} faults" if row.faults else ""
    return f"{row.model}  n={row.answers}{faults}  {mean}  {cost}  people: {judged}"
