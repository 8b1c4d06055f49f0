"""The score of a run: raw, and attributed, which is without failures that are no fault of models.

The classes of the run's report decide which failures these are.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from statistics import fmean

from records.shapes.attempt import Outcome
from records.shapes.failure_classes import SET_ASIDE
from records.shapes.report import ClassedFailure
from records.shapes.run import Run


@dataclass(frozen=True, slots=True)
class RunScore:
    """The score of one run."""

    passed: int
    judged: int
    """Attempts with a verdict, without the attempts set aside."""
    score: float | None
    """The share of attempts that passed, from 0 to 1, as the mean over evals; null if no attempt
    has a verdict."""

    def __str__(self) -> str:
        share = "no score" if self.score is None else f"{100 * self.score:.1f}%"
        return f"{self.passed} of {self.judged} ({share})"


def compute_run_score(run: Run, aside: Collection[tuple[str, int]] = ()) -> RunScore:
    """Return the score of ``run`` without the attempts in ``aside``: their evals and samples."""
    verdicts: defaultdict[str, list[bool]] = defaultdict(list)
    for attempt in run.attempts:
        judged = attempt.outcome in {Outcome.PASSED, Outcome.FAILED}
        if judged and (attempt.eval, attempt.sample) not in aside:
            verdicts[attempt.eval].append(attempt.outcome is Outcome.PASSED)
    passed = sum(sum(passes) for passes in verdicts.values())
    judged = sum(len(passes) for passes in verdicts.values())
    return RunScore(passed, judged, fmean(map(fmean, verdicts.values())) if verdicts else None)


def describe_impact(run: Run, failures: Collection[ClassedFailure]) -> str:
    """Return sentences with the raw and the attributed score of ``run``, for its report."""
    raw = compute_run_score(run)
    aside = _find_set_aside(run, failures)
    unclassed = sum(failure.failure_class is None for failure in failures)
    open_ones = f" {unclassed} of the failures listed have no class yet." if unclassed else ""
    if not aside:
        return f"Raw score: {raw}. No failure is set aside.{open_ones}"
    attributed = compute_run_score(run, aside)
    return f"Raw score: {raw}. Attributed score, {len(aside)} set aside: {attributed}.{open_ones}"


def _find_set_aside(run: Run, failures: Collection[ClassedFailure]) -> set[tuple[str, int]]:
    """Return the failed attempts, by eval and sample, whose class is no fault of the model."""
    classes = {(failure.eval, failure.sample): failure.failure_class for failure in failures}
    failed = [(a.eval, a.sample) for a in run.attempts if a.outcome is Outcome.FAILED]
    return {
        (name, sample)
        for name, sample in failed
        if classes.get((name, sample), classes.get((name, None))) in SET_ASIDE
    }
