"""Pairs of answers that people judge without models' names, and the log of their judgements.

The log is appended to, and never rewritten.

A judgement counts when its line is on the disk. A lock on the log lets one writer at a time write.
An incomplete line of a killed writer is cut off by the next writer.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

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
