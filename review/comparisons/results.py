"""Results of a comparison: a row for each model, with its score and people's preferences."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from pydantic import ConfigDict

from records.sessions import asked

_DESCRIBED = ConfigDict(use_attribute_docstrings=True)
"""The setting of the rows by which the API's document has their docstrings."""


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A number with its 95% interval, estimated from a sample."""

    __pydantic_config__ = _DESCRIBED

    value: float
    """The number."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


IntervalOf = Callable[[Sequence[float], Sequence[int]], tuple[float, float]]
"""A function that returns the 95% interval of a mean over sessions. Its arguments are the mean of
each session's values, 0 to 1, and the number of these values."""

_WORTH: Mapping[asked.ComparisonChoice, tuple[float, float]] = {
    "first": (1.0, 0.0),
    "second": (0.0, 1.0),
    "equal": (0.5, 0.5),
}
"""Points of a judgement for the first and for the second model."""


@dataclass(frozen=True, slots=True)
class Preferred:
    """Judgements of people who compared answers of a model with other answers, without names."""

    __pydantic_config__ = _DESCRIBED

    wins: int
    """Number of judgements that the model's answer is better."""
    losses: int
    """Number of judgements that the other answer is better."""
    equal: int
    """Number of judgements that both are as good."""
    share: IntervalEstimate
    """The share of judgements for the model, in which an equal judgement is half: the mean over
    sessions of the mean in each session."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """The results of one model of a comparison."""

    __pydantic_config__ = _DESCRIBED

    model: str
    """The model."""
    answers: int
    """Number of scored answers."""
    faults: int
    """Number of requests that ended with a fault; they are in no mean."""
    score: IntervalEstimate | None
    """The mean score by the metric; null without an answer. The interval may be too wide: it is
    computed as for passes and failures with this mean, which vary more than scores between 0 and
    1."""
    cost_usd: float | None
    """Sum of the known costs of answers, in US dollars; null if no cost is known. Faults are left
    out."""
    cost_known_for: int
    """Number of answers whose cost is known."""
    preferred: Preferred | None
    """People's judgements of the model's answers; null if there are none."""


def make_comparison_rows(
    comparison: asked.ModelComparison,
    events: Sequence[asked.ComparisonJudgement],
    interval_of: IntervalOf,
) -> list[ComparedRow]:
    """Return a row for each model, in the order of the record.

    If two people judged a pair, both judgements count. Judgements taken back do not count.
    """
    judged = {model.slug: defaultdict[str, list[float]](list) for model in comparison.models}
    for event in asked.select_standing_judgements(events):
        if event.first in judged and event.second in judged:
            for slug, worth in zip((event.first, event.second), _WORTH[event.choice], strict=True):
                judged[slug][event.session].append(worth)
    rows: list[ComparedRow] = []
    for model in comparison.models:
        own = [answer for answer in comparison.answers if answer.model == model.slug]
        scores = [[answer.score] for answer in own if answer.score is not None]
        costs = [
            answer.generation.cost_usd
            for answer in own
            if answer.score is not None
            and answer.generation is not None
            and answer.generation.cost_usd is not None
        ]
        sessions = [*judged[model.slug].values()]
        worths = [worth for session_worths in sessions for worth in session_worths]
        preferred = None
        if sessions:
            preferred = Preferred(
                wins=worths.count(1.0),
                losses=worths.count(0.0),
                equal=worths.count(0.5),
                share=_estimate_mean(sessions, interval_of),
            )
        rows.append(
            ComparedRow(
                model=model.slug,
                answers=len(scores),
                faults=sum(answer.fault is not None for answer in own),
                score=_estimate_mean(scores, interval_of) if scores else None,
                cost_usd=sum(costs) if costs else None,
                cost_known_for=len(costs),
                preferred=preferred,
            )
        )
    return rows


def _estimate_mean(
    sessions: Sequence[Sequence[float]], interval_of: IntervalOf
) -> IntervalEstimate:
    means = [fmean(values) for values in sessions]
    low, high = interval_of(means, [len(values) for values in sessions])
    return IntervalEstimate(fmean(means), low, high)
