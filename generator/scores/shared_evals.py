"""The comparison of models of two benchmark versions, over the evals that are the same in both."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from generator.scores.differences.difference import (
    FEWEST_EVALS,
    PairedDifference,
    compare_sides,
)
from generator.scores.differences.model_pairs import compute_pair_p_values
from generator.scores.inputs import SideCounts
from generator.scores.leaderboards import Entry, Leaderboard
from records.suites.benchmark import Benchmark, EvalDigests


class Unequal(StrEnum):
    """The reason why models of two versions cannot be compared."""

    NO_DIGESTS = "no digests"
    """A version has no digest of its prompt, its guidelines or its evals."""
    ASKED_OTHERWISE = "asked otherwise"
    """The prompt, the guidelines or the rules of grading differ."""
    TOO_FEW = "too few"
    """Too few evals are the same."""


class SharedEvals(NamedTuple):
    """The evals that two versions share, and whether they suffice to compare models."""

    named: int
    """The number of evals with the same name in both versions."""
    equal: tuple[str, ...]
    """The names of evals whose task, grader and configuration have equal digests, sorted."""
    unequal: Unequal | None
    """The reason why models cannot be compared; None if they can."""


_WHOLE = ("protocol", "system_prompt", "guidelines")


def find_shared_evals(benchmark: Benchmark, other: Benchmark) -> SharedEvals:
    """Return the evals that two versions share, and whether models can be compared over them."""
    common = sorted(benchmark.evals.keys() & other.evals.keys())
    equal = tuple(
        name
        for name in common
        if benchmark.evals[name] == other.evals[name] and _is_known(benchmark.evals[name])
    )
    wholes = [(getattr(benchmark, part), getattr(other, part)) for part in _WHOLE]
    unequal = None
    if any(None in pair for pair in wholes) or not any(
        _is_known(benchmark.evals[n]) for n in common
    ):
        unequal = Unequal.NO_DIGESTS
    elif any(first != second for first, second in wholes):
        unequal = Unequal.ASKED_OTHERWISE
    elif len(equal) < FEWEST_EVALS:
        unequal = Unequal.TOO_FEW
    return SharedEvals(len(common), equal, unequal)


def _is_known(digests: EvalDigests) -> bool:
    return None not in {digests.task, digests.grader, digests.config}


def compare_across(
    here: Leaderboard,
    ranked: Sequence[Entry],
    there: Leaderboard,
    entries: Sequence[Entry],
    evals: Sequence[str],
) -> list[PairedDifference]:
    """Return the differences of ``entries`` of another version from the first of ``ranked``.

    ``evals`` are the shared evals. The first entry was chosen for its score among ``ranked``, the
    entries of this version, and this choice alone can make it look better. So the p-values are
    corrected for all pairs of an entry of this version and an entry of the other.
    """
    sides = [_select_side(here, entry, evals) for entry in ranked]
    compared_sides = [_select_side(there, entry, evals) for entry in entries]
    corrected = correct_for_choice(sides, compared_sides)
    return [
        replace(compare_sides(sides[0], side), p_value=p_value)
        for side, p_value in zip(compared_sides, corrected, strict=True)
    ]


def correct_for_choice(here: Sequence[SideCounts], there: Sequence[SideCounts]) -> list[float]:
    """Return the p-values of the first side ``here`` with each side ``there``.

    They are corrected for all pairs of a side here and a side there.
    """
    sides = [*here, *there]
    pairs = [
        (first, len(here) + second) for first in range(len(here)) for second in range(len(there))
    ]
    return [p.corrected for p in compute_pair_p_values(sides, pairs)[: len(there)]]


def _select_side(leaderboard: Leaderboard, entry: Entry, evals: Sequence[str]) -> SideCounts:
    indexes = np.array([leaderboard.scored.place[name] for name in evals], dtype=np.intp)
    return entry.row.pool.select_evals(indexes)
