"""Results of a comparison: a row for each model, by the metric and by people."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from records.sessions.comparison import (
    ComparisonChoice,
    ComparisonJudgement,
    ModelComparison,
    standing_judgements,
)

IntervalOf = Callable[[Sequence[float], Sequence[int]], tuple[float, float]]
"""Computes the 95% interval of a mean over sessions: of each the mean of its values, 0 to 1, and of
how many values it is."""

_WORTH: Final[Mapping[ComparisonChoice, tuple[float, float]]] = {
    "first": (1.0, 0.0),
    "second": (0.0, 1.0),
    "equal": (0.5, 0.5),
}
"""Points of a judgement for the first and for the second model."""


@dataclass(frozen=True, slots=True)
class EstimatedMean:
    """A mean over sessions with its 95% interval, all 0 to 1."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Preferred:
    """How often people found a model's answer better, worse or as good as another's."""

    wins: int
    losses: int
    equal: int
    share: EstimatedMean
    """The share of judgements won, equal judgements as half: by session first, then their mean."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One model of a comparison."""

    model: str
    answers: int
    """Answers that were scored."""
    faults: int
    """Requests that ended in a fault; they are part of no mean."""
    score: EstimatedMean | None
    """By the metric; null without an answer. The interval is rather too wide than too narrow: it is
    that of passes and failures of the same mean, and scores between 0 and 1 spread no wider."""
    cost_usd: float | None
    """Sum over the answers whose cost is known; null where none is. Faults are not among them."""
    cost_known_for: int
    """How many these are."""
    preferred: Preferred | None
    """Null where nobody judged an answer of it."""


def compared_rows(
    comparison: ModelComparison, events: Sequence[ComparisonJudgement], interval_of: IntervalOf
) -> list[ComparedRow]:
    """Return a row for each model, in the order of the record."""
    judged = _worths(comparison, events)
    return [
        _row(comparison, model.slug, judged[model.slug], interval_of) for model in comparison.models
    ]


def _worths(
    comparison: ModelComparison, events: Sequence[ComparisonJudgement]
) -> Mapping[str, Mapping[str, list[float]]]:
    """Return the points of standing judgements by model and session.

    A pair that two people judged counts twice.
    """
    worths = {model.slug: defaultdict[str, list[float]](list) for model in comparison.models}
    for event in standing_judgements(events):
        if event.first in worths and event.second in worths:
            for slug, worth in zip((event.first, event.second), _WORTH[event.choice], strict=True):
                worths[slug][event.session].append(worth)
    return worths


def _row(
    comparison: ModelComparison,
    slug: str,
    judged: Mapping[str, Sequence[float]],
    interval_of: IntervalOf,
) -> ComparedRow:
    own = [answer for answer in comparison.answers if answer.model == slug]
    scores = [[answer.score] for answer in own if answer.score is not None]
    costs = [
        answer.generation.cost_usd
        for answer in own
        if answer.score is not None
        and answer.generation is not None
        and answer.generation.cost_usd is not None
    ]
    return ComparedRow(
        model=slug,
        answers=len(scores),
        faults=sum(answer.fault is not None for answer in own),
        score=_estimated(scores, interval_of) if scores else None,
        cost_usd=sum(costs) if costs else None,
        cost_known_for=len(costs),
        preferred=_preferred([*judged.values()], interval_of) if judged else None,
    )


def _preferred(sessions: Sequence[Sequence[float]], interval_of: IntervalOf) -> Preferred:
    worths = [worth for session_worths in sessions for worth in session_worths]
    return Preferred(
        wins=worths.count(1.0),
        losses=worths.count(0.0),
        equal=worths.count(0.5),
        share=_estimated(sessions, interval_of),
    )


def _estimated(sessions: Sequence[Sequence[float]], interval_of: IntervalOf) -> EstimatedMean:
    means = [fmean(values) for values in sessions]
    low, high = interval_of(means, [len(values) for values in sessions])
    return EstimatedMean(fmean(means), low, high)
