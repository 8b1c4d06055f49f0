"""Comparisons of models on golden sessions: pairs of answers that people judge, and the results.

The log of judgements is appended to, and never rewritten.

A judgement counts when its line is on the disk. A lock on the log lets one writer at a time write.
An incomplete line of a killed writer is cut off by the next writer.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal, NamedTuple

from pydantic import ConfigDict

from records.files.data_folder import DataFolder
from records.files.plain_files import Log
from records.reader import read_record
from records.sessions.asked import (
    ComparedSession,
    ComparisonChoice,
    ComparisonJudgement,
    ModelComparison,
    select_standing_judgements,
)
from records.sessions.events import choose_event_time, make_event_id, read_log, select_standing

SideChoice = Literal["a", "b", "equal"]
"""The choice of a person between two answers, A and B."""


class ComparedPair(NamedTuple):
    """The answers of two models to one session's prompt."""

    number: int
    """Number of the pair in the order of judging, from 1; it never changes."""
    item: ComparedSession
    first: str
    """The earlier of the two models in the order of the record."""
    second: str
    swapped: bool
    """True if the answer of the first model is B."""

    @property
    def sides(self) -> tuple[str, str]:
        """The models whose answers are A and B."""
        return (self.second, self.first) if self.swapped else (self.first, self.second)

    def resolve_side(self, side: SideChoice) -> ComparisonChoice:
        """Return the choice of a model for the choice of a side."""
        if side == "equal":
            return "equal"
        return "first" if (side == "a") is not self.swapped else "second"

    def is_of(self, event: ComparisonJudgement) -> bool:
        """Return whether a judgement is about this pair."""
        return event.pair == (self.item.session, self.first, self.second)


def list_compared_pairs(comparison: ModelComparison) -> list[ComparedPair]:
    """Return each pair of models for each session, in random order.

    The seed of the comparison determines the order and the sides. Each of two models is A in half
    of the sessions, or in one session more than the other if their number is odd.
    """
    slugs = [entry.slug for entry in comparison.models]
    drawn: list[tuple[ComparedSession, str, str, bool]] = []
    for first, second in combinations(slugs, 2):
        chance = random.Random(f"{comparison.seed} {first} {second}")  # noqa: S311 - repeatable
        start = chance.randrange(2)
        swaps = [bool((start + index) % 2) for index in range(len(comparison.items))]
        chance.shuffle(swaps)
        drawn += [
            (item, first, second, swapped)
            for item, swapped in zip(comparison.items, swaps, strict=True)
        ]
    random.Random(comparison.seed).shuffle(drawn)  # noqa: S311 - see above
    return [ComparedPair(number, *entry) for number, entry in enumerate(drawn, 1)]


def list_answered_pairs(comparison: ModelComparison) -> list[ComparedPair]:
    """Return the pairs that have both answers; a fault cannot be judged."""
    texts = comparison.get_answer_texts()
    return [
        pair
        for pair in list_compared_pairs(comparison)
        if (pair.item.session, pair.first) in texts and (pair.item.session, pair.second) in texts
    ]


def list_waiting_pairs(
    comparison: ModelComparison, events: Sequence[ComparisonJudgement], reviewer: str | None
) -> list[ComparedPair]:
    """Return the pairs with both answers that this reviewer has not judged, in order."""
    own = [
        candidate
        for candidate in select_standing_judgements(events)
        if candidate.reviewer == reviewer
    ]
    return [
        candidate
        for candidate in list_answered_pairs(comparison)
        if not any(candidate.is_of(event) for event in own)
    ]


class ComparisonStore:
    """The comparisons of a data folder, with the judgements of people."""

    def __init__(self, folder: DataFolder) -> None:
        """Take the local data folder, because comparisons are not published."""
        self._folder = folder

    def list_comparisons(self) -> list[ModelComparison]:
        """Return the comparisons, the newest first.

        Raises:
            InvalidRecordError: a comparison cannot be read.
        """
        comparisons = [
            read_record(ModelComparison, path) for path in self._folder.comparisons.list_files()
        ]
        return sorted(
            comparisons,
            key=lambda comparison: (comparison.began_at, comparison.comparison_id),
            reverse=True,
        )

    def read(self, comparison_id: str) -> ModelComparison:
        """Return a comparison.

        Raises:
            MissingRecordError: there is no comparison with this id.
            InvalidRecordError: the comparison cannot be read.
        """
        return read_record(ModelComparison, self._folder.comparisons.get_file(comparison_id))

    def read_log(self, comparison_id: str) -> list[ComparisonJudgement]:
        """Return the log of a comparison, in the order of its events.

        Raises:
            InvalidRecordError: a line is not a judgement.
        """
        return read_log(ComparisonJudgement, self._folder.judgements.get_file(comparison_id))

    def judge(
        self, comparison_id: str, pair: ComparedPair, side: SideChoice | None, reviewer: str | None
    ) -> None:
        """Append a judgement of a pair, which replaces this reviewer's earlier judgement of it.

        If ``side`` is None, the latest judgement of the pair is taken back, if there is one.
        """
        path = self._folder.judgements.get_file(comparison_id)
        with Log(path, make=True) as log:
            log.cut()
            events = read_log(ComparisonJudgement, path)
            own = [event for event in events if event.reviewer == reviewer and pair.is_of(event)]
            standing = select_standing(own)
            if side is None and not standing:
                return
            at = choose_event_time(events)
            event = ComparisonJudgement(
                id=make_event_id(at),
                at=at,
                replaces=own[-1].id if own else None,
                undoes=standing[-1].id if side is None else None,
                reviewer=reviewer,
                session=pair.item.session,
                first=pair.first,
                second=pair.second,
                choice=standing[-1].choice if side is None else pair.resolve_side(side),
            )
            log.append(f"{event.model_dump_json()}\n".encode())


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

_WORTH: Mapping[ComparisonChoice, tuple[float, float]] = {
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
    comparison: ModelComparison,
    events: Sequence[ComparisonJudgement],
    interval_of: IntervalOf,
) -> list[ComparedRow]:
    """Return a row for each model, in the order of the record.

    If two people judged a pair, both judgements count. Judgements taken back do not count.
    """
    judged = {model.slug: defaultdict[str, list[float]](list) for model in comparison.models}
    for event in select_standing_judgements(events):
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
