"""Pairs of answers that people judge without models' names: their order and their sides."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from records.sessions.comparison import (
    ComparedSession,
    ComparisonChoice,
    ComparisonJudgement,
    ModelComparison,
    select_standing_judgements,
)

SideChoice = Literal["a", "b", "equal"]
"""The choice of a person between two answers, A and B."""


@dataclass(frozen=True, slots=True)
class ComparedPair:
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
        pair = (self.item.session, self.first, self.second)
        return pair == (event.session, event.first, event.second)


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
