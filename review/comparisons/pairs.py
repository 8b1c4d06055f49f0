"""Pairs of answers that people judge without names: their order, and which stands on which side."""

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
    standing_judgements,
)

SideChoice = Literal["a", "b", "equal"]
"""The choice of a person between two answers, A and B."""


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """One session's answers of two models."""

    number: int
    """Its place in the order of judging, from 1; it never changes."""
    item: ComparedSession
    first: str
    """The model that stands first in the record."""
    second: str
    swapped: bool
    """True if the answer of the first model stands at B."""

    @property
    def sides(self) -> tuple[str, str]:
        """The models whose answers are A and B."""
        return (self.second, self.first) if self.swapped else (self.first, self.second)

    def chosen(self, side: SideChoice) -> ComparisonChoice:
        """Return the model at a side."""
        if side == "equal":
            return "equal"
        return "first" if (side == "a") is not self.swapped else "second"

    def is_of(self, event: ComparisonJudgement) -> bool:
        """Return whether a judgement is of this pair."""
        pair = (self.item.session, self.first, self.second)
        return pair == (event.session, event.first, event.second)


def pairs(comparison: ModelComparison) -> list[ComparedPair]:
    """Return every pair of models at every session, in random order.

    The order and the sides follow from the seed. Of two models each stands at A in half of their
    sessions, or once more often than the other where their number is odd.
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
    """Return the pairs of which both answers are there: a fault is nothing to be judged."""
    texts = comparison.texts()
    return [
        pair
        for pair in pairs(comparison)
        if (pair.item.session, pair.first) in texts and (pair.item.session, pair.second) in texts
    ]


def waiting_pairs(
    comparison: ModelComparison, events: Sequence[ComparisonJudgement], reviewer: str | None
) -> list[ComparedPair]:
    """Return the pairs that this reviewer has not judged, in order."""
    own = [candidate for candidate in standing_judgements(events) if candidate.reviewer == reviewer]
    return [
        candidate
        for candidate in list_answered_pairs(comparison)
        if not any(candidate.is_of(event) for event in own)
    ]
