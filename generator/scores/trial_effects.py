"""The effects of the editions of the guidelines in a trial."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from generator.read.summaries import RunSummary
from generator.scores.differences.difference import (
    PairedDifference,
    compare_sides,
    correct_differences,
)
from generator.scores.inputs import EvalCounts, SideCounts
from records.shapes.trial import Edition, GuidelinesTrial, TrialRun


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

    @property
    def model_name(self) -> str:
        """The name of the model; its slug without runs."""
        run = next(iter(self.runs.values()), None)
        return run.name if run else self.trial.runs[0].model


def compute_trial_effects(
    runs: Sequence[TrialRun], results: Mapping[str, Mapping[str, EvalCounts]]
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
        family = {
            run_id: effect.difference
            for run_id, effect in effects.items()
            if effect.run.edition is edition and effect.difference is not None
        }
        corrected = correct_differences([*family.values()])
        for run_id, difference in zip(family, corrected, strict=True):
            effects[run_id] = effects[run_id]._replace(difference=difference, family=len(family))
    return list(effects.values())


def _compare_texts(
    run: TrialRun, whole: TrialRun, results: Mapping[str, Mapping[str, EvalCounts]]
) -> PairedDifference | None:
    """Return the difference between an edition and the whole text, not corrected for others."""
    first, second = results.get(whole.run_id, {}), results.get(run.run_id, {})
    evals = sorted(
        name for name, (_, judged) in first.items() if judged and second.get(name, (0, 0))[1]
    )
    if not evals:
        return None
    sides = [SideCounts.collect(results, evals) for results in (first, second)]
    if run.edition is Edition.BEFORE:
        sides.reverse()
    return compare_sides(*sides, evals=evals)
