"""The effects of the editions of the guidelines in a trial."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from generator.read.summaries import RunSummary
from generator.scores.differences.difference import (
    PairedDifference,
    compare_sides,
    correct_by_holm,
)
from generator.scores.inputs import SideCounts
from records.shapes.trial import Edition, GuidelinesTrial, TrialRun

EvalCounts = Mapping[str, tuple[int, int]]
"""The numbers of passed and of judged attempts, by eval."""


class EditionEffect(NamedTuple):
    """The difference of an edition from the whole text, which is the first text.

    For the edition ``before``, it is the difference of the whole text from that edition.
    """

    run: TrialRun
    """The run that sent the edition."""
    whole: TrialRun
    """The run that sent the whole text."""
    difference: PairedDifference | None
    """The difference of the second text from the first, with a p-value that is corrected for the
    number of sections (Holm 1979); None if no eval was judged with both."""
    family: int = 0
    """The number of sections for which the p-value is corrected; 1 for a change of the text."""


class Ablation(NamedTuple):
    """An ablation with its effects."""

    trial: GuidelinesTrial
    runs: Mapping[str, RunSummary]
    """Its runs that have a record and were not withdrawn, by id."""
    effects: Sequence[EditionEffect]
    """The effect of each edition by these runs."""


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
    effects = {
        run.run_id: EditionEffect(run, whole, _compare_texts(run, whole, results))
        for run in runs
        if run is not whole
    }
    for edition in Edition:
        family = [
            (run_id, effect.difference)
            for run_id, effect in effects.items()
            if effect.run.edition is edition and effect.difference is not None
        ]
        corrected = correct_by_holm([difference.p_value for _, difference in family])
        for (run_id, difference), p_value in zip(family, corrected, strict=True):
            corrected_difference = replace(difference, p_value=p_value)
            effects[run_id] = EditionEffect(
                effects[run_id].run, whole, corrected_difference, len(family)
            )
    return list(effects.values())


def _compare_texts(
    run: TrialRun, whole: TrialRun, results: Mapping[str, EvalCounts]
) -> PairedDifference | None:
    """Return the difference between an edition and the whole text, not corrected for others."""
    first, second = results.get(whole.run_id, {}), results.get(run.run_id, {})
    evals = sorted(
        name for name, (_, judged) in first.items() if judged and second.get(name, (0, 0))[1]
    )
    if not evals:
        return None
    sides = [_build_side(evals, first), _build_side(evals, second)]
    if run.edition is Edition.BEFORE:
        sides.reverse()
    return compare_sides(*sides, evals=evals)


def _build_side(evals: Sequence[str], results: EvalCounts) -> SideCounts:
    return SideCounts(
        passed=np.array([results[name][0] for name in evals], dtype=np.int32),
        judged=np.array([results[name][1] for name in evals], dtype=np.int32),
    )
