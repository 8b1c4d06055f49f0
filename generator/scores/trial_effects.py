"""Effects of the editions of the guidelines in a trial, by the one standard for differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from generator.scores.differences.difference import (
    Conclusion,
    PairedDifference,
    conclusion,
    difference,
    holm,
)
from generator.scores.inputs import SideCounts
from records.shapes.trial import Edition, TrialRun

EvalCounts = Mapping[str, tuple[int, int]]
"""Attempts passed, and attempts judged, by eval."""


@dataclass(frozen=True, slots=True)
class EditionEffect:
    """One edition against the whole text; for the edition before, the whole text against it."""

    run: TrialRun
    """The run that sent the edition."""
    whole: TrialRun
    """The run that sent the whole text."""
    difference: PairedDifference | None
    """None where no eval was judged with both texts."""
    p_value: float | None
    """Corrected for the number of sections (Holm 1979)."""
    family: int
    """How many sections that is; 1 for a change of the text."""
    conclusion: Conclusion | None
    """By the corrected p-value."""
    gained: tuple[str, ...]
    """Evals at which a higher share of attempts passes with the second text."""
    lost: tuple[str, ...]
    """The other way round."""
    scores: tuple[float, float] | None
    """Mean pass rate with the first text and the second over the evals of both, 0 to 1."""


@dataclass(frozen=True, slots=True)
class _Compared:
    run: TrialRun
    evals: Sequence[str]
    difference: PairedDifference | None
    scores: tuple[float, float] | None


def trial_effects(
    runs: Sequence[TrialRun], results: Mapping[str, EvalCounts]
) -> list[EditionEffect]:
    """Return the effect of each edition on one model, in the order of ``runs``.

    Sections that are left out are a family of comparisons, and so are replaced sections:
    p-values are corrected within each.

    Args:
        runs: the trial's runs of one model.
        results: passed evals of each run, by its id; a missing run has no result yet.
    """
    (whole,) = [run for run in runs if run.edition is Edition.WHOLE]
    effects = [
        _compared(run, results.get(whole.run_id, {}), results.get(run.run_id, {}))
        for run in runs
        if run is not whole
    ]
    corrected: dict[str, tuple[float, int]] = {}
    for edition in Edition:
        p_values = [
            (run.run.run_id, run.difference.p_value)
            for run in effects
            if run.run.edition is edition and run.difference is not None
        ]
        for (run_id, _), p_value in zip(p_values, holm([p for _, p in p_values]), strict=True):
            corrected[run_id] = p_value, len(p_values)
    return [_effect(run, whole, corrected.get(run.run.run_id)) for run in effects]


def _compared(run: TrialRun, whole: EvalCounts, edition: EvalCounts) -> _Compared:
    evals = sorted(
        name for name, (_, judged) in whole.items() if judged and edition.get(name, (0, 0))[1]
    )
    if not evals:
        return _Compared(run, evals, None, None)
    sides = [_side(evals, whole), _side(evals, edition)]
    if run.edition is Edition.BEFORE:
        sides.reverse()
    first, second = sides
    scores = float(first.means.mean()), float(second.means.mean())
    return _Compared(run, evals, difference(first, second), scores)


def _side(evals: Sequence[str], results: EvalCounts) -> SideCounts:
    return SideCounts(
        passed=np.array([results[name][0] for name in evals], dtype=np.int32),
        judged=np.array([results[name][1] for name in evals], dtype=np.int32),
    )


def _effect(one: _Compared, whole: TrialRun, corrected: tuple[float, int] | None) -> EditionEffect:
    paired = one.difference
    p_value, family = corrected or (None, 0)
    return EditionEffect(
        run=one.run,
        whole=whole,
        difference=paired,
        p_value=p_value,
        family=family,
        conclusion=None
        if paired is None or p_value is None
        else conclusion(paired.value, paired.evals, p_value),
        gained=() if paired is None else tuple(one.evals[at] for at in paired.fixed),
        lost=() if paired is None else tuple(one.evals[at] for at in paired.broken),
        scores=one.scores,
    )
