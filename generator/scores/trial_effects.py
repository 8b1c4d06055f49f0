"""The effects of the editions of the guidelines in a trial."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from generator.scores.differences.difference import (
    Conclusion,
    PairedDifference,
    compare_sides,
    correct_by_holm,
    draw_conclusion,
)
from generator.scores.inputs import SideCounts
from records.shapes.trial import Edition, TrialRun

EvalCounts = Mapping[str, tuple[int, int]]
"""The numbers of passed and of judged attempts, by eval."""


@dataclass(frozen=True, slots=True)
class EditionEffect:
    """The difference of an edition from the whole text, which is the first text.

    For the edition ``before``, it is the difference of the whole text from that edition.
    """

    run: TrialRun
    """The run that sent the edition."""
    whole: TrialRun
    """The run that sent the whole text."""
    difference: PairedDifference | None
    """The difference of the second text from the first; None if no eval was judged with both."""
    p_value: float | None
    """The p-value, corrected for the number of sections (Holm 1979); None without a difference."""
    family: int
    """The number of sections for which the p-value is corrected; 1 for a change of the text."""
    conclusion: Conclusion | None
    """The conclusion by the corrected p-value; None without a difference."""
    gained: tuple[str, ...]
    """The evals at which a higher share of attempts passes with the second text."""
    lost: tuple[str, ...]
    """The evals at which a higher share of attempts passes with the first text."""
    scores: tuple[float, float] | None
    """The mean pass rates with both texts over the evals judged with both, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class _ComparedTexts:
    run: TrialRun
    evals: Sequence[str]
    difference: PairedDifference | None
    scores: tuple[float, float] | None


def compute_trial_effects(
    runs: Sequence[TrialRun], results: Mapping[str, EvalCounts]
) -> list[EditionEffect]:
    """Return the effect of each edition on one model, in the order of ``runs``.

    P-values are corrected for the number of sections that are left out, and separately for the
    number of sections that are replaced.

    Args:
        runs: the trial's runs of one model.
        results: the results of each run by its id; a missing run has no result yet.
    """
    (whole,) = [run for run in runs if run.edition is Edition.WHOLE]
    effects = [
        _compare_texts(run, results.get(whole.run_id, {}), results.get(run.run_id, {}))
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
        for (run_id, _), p_value in zip(
            p_values, correct_by_holm([p for _, p in p_values]), strict=True
        ):
            corrected[run_id] = p_value, len(p_values)
    return [_build_effect(run, whole, corrected.get(run.run.run_id)) for run in effects]


def _compare_texts(run: TrialRun, whole: EvalCounts, edition: EvalCounts) -> _ComparedTexts:
    evals = sorted(
        name for name, (_, judged) in whole.items() if judged and edition.get(name, (0, 0))[1]
    )
    if not evals:
        return _ComparedTexts(run, evals, None, None)
    sides = [_build_side(evals, whole), _build_side(evals, edition)]
    if run.edition is Edition.BEFORE:
        sides.reverse()
    first, second = sides
    scores = float(first.means.mean()), float(second.means.mean())
    return _ComparedTexts(run, evals, compare_sides(first, second), scores)


def _build_side(evals: Sequence[str], results: EvalCounts) -> SideCounts:
    return SideCounts(
        passed=np.array([results[name][0] for name in evals], dtype=np.int32),
        judged=np.array([results[name][1] for name in evals], dtype=np.int32),
    )


def _build_effect(
    compared: _ComparedTexts, whole: TrialRun, corrected: tuple[float, int] | None
) -> EditionEffect:
    paired = compared.difference
    p_value, family = corrected or (None, 0)
    return EditionEffect(
        run=compared.run,
        whole=whole,
        difference=paired,
        p_value=p_value,
        family=family,
        conclusion=None
        if paired is None or p_value is None
        else draw_conclusion(paired.value, paired.evals, p_value),
        gained=() if paired is None else tuple(compared.evals[at] for at in paired.fixed),
        lost=() if paired is None else tuple(compared.evals[at] for at in paired.broken),
        scores=compared.scores,
    )
