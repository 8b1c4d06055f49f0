"""Shares, differences and amounts as pages show them, and functions that compute them."""

from collections.abc import Iterable, Sequence
from math import isclose
from typing import Final, NamedTuple

import numpy as np

from generator.read.summaries import EvalResult, RunSummary
from generator.render.template_filters import round_half_up
from generator.scores.differences.difference import LEVEL, Conclusion
from generator.scores.guidelines_effect import EffectPart, PairedChange
from generator.scores.health import EvalHealth
from generator.scores.intervals import Interval, compute_difference_interval, compute_mean_interval
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import FEW_EVALS
from generator.scores.score_table import RankRange, rank_ranges


class Share(NamedTuple):
    """A share: the passed out of the judged evals or attempts."""

    passed: float
    """The number of passed ones; a mean, and so a fraction, if an eval has several attempts."""
    judged: int

    @property
    def percent(self) -> float:
        """The share in percent, from 0 to 100."""
        return 100 * self.passed / self.judged

    @property
    def few(self) -> bool:
        """Whether too few were judged for a percentage; pages then show the counts first."""
        return self.judged < FEW_EVALS

    @property
    def passes(self) -> str:
        """The number of passed ones as text, such as ``55``, or ``54.5`` for a mean."""
        whole = round(self.passed)
        # A sum of thirds can miss a whole number by a rounding error, and would be shown as 2.0.
        return f"{whole}" if isclose(self.passed, whole) else round_half_up(self.passed, 1)


class Difference(NamedTuple):
    """A paired difference of two shares over the same evals."""

    points: float
    """Percentage points; positive if the first side does better."""
    low: float | None
    """Lower end of the 95% interval in percentage points; None if there is no interval."""
    high: float | None
    """Upper end of the 95% interval in percentage points; None if there is no interval."""
    real: bool
    """Whether the sides differ by more than chance."""


def compute_share(results: Iterable[EvalResult]) -> Share | None:
    """Return the share of passed evals; an eval with several attempts counts as their mean.

    None if no eval was judged.
    """
    rates = [result.passed / result.judged for result in results if result.judged]
    return Share(_tidy(sum(rates)), len(rates)) if rates else None


def compute_run_share(run: RunSummary) -> Share | None:
    """Return the share of passed evals of a run; None if no eval was judged."""
    tally = run.tally
    return Share(_tidy(tally.evals_passed), tally.evals_judged) if tally.evals_judged else None


def compute_entry_share(entry: Entry, evals: Sequence[str]) -> Share:
    """Return the share of ``evals`` that an entry passes; there must be at least one eval."""
    return Share(_tidy(entry.sum_passes(evals)), len(evals))


def add_shares(shares: Iterable[Share]) -> Share | None:
    """Return the sum of shares; None if nothing was judged."""
    all_shares = list(shares)
    judged = sum(each.judged for each in all_shares)
    return Share(_tidy(sum(each.passed for each in all_shares)), judged) if judged else None


def compute_share_at_eval(entries: Sequence[Entry], name: str) -> Share | None:
    """Return the share of ``entries`` that pass an eval, their pass rates added; None for none."""
    passed = sum([entry.passes[name] for entry in entries])
    return Share(_tidy(passed), len(entries)) if entries else None


def compute_health_share(health: EvalHealth) -> Share:
    """Return the share of models asked with guidelines that pass an eval, their rates added."""
    return Share(_tidy(sum(health.rates)), health.models)


def _tidy(value: float) -> float:
    """Return a sum of floats without its rounding errors, which depend on the order."""
    return round(value, 9)


SHOWN: Final = frozenset({Conclusion.BETTER, Conclusion.WORSE})
"""The conclusions of which a difference is more than chance."""

RANKED_EVALS: Final = 30
"""With fewer evals, models are not ranked."""

CONCLUSIONS: Final = {
    Conclusion.BETTER: "better",
    Conclusion.WORSE: "worse",
    Conclusion.NOISE: "may be chance",
    Conclusion.TOO_FEW: "too few evals",
}
"""The words for conclusions about a difference."""


def conclude_in_words(
    conclusion: Conclusion, interval: Interval, uncorrected: float | None, compared: str
) -> str:
    """Return a conclusion in words; add the reason if the interval alone would show more.

    Args:
        conclusion: the conclusion by the p-value that is corrected for other comparisons.
        interval: the uncorrected interval of the difference.
        uncorrected: the p-value before the correction; None for too few evals.
        compared: the plural noun for the compared items, such as ``pairs``.
    """
    words = CONCLUSIONS[conclusion]
    if conclusion is not Conclusion.NOISE:
        return words
    if uncorrected is not None and uncorrected < LEVEL:
        return f"{words}, because many {compared} are compared"
    if interval.low > 0 or interval.high < 0:
        return f"{words}, because only one of two tests shows it"
    return words


def compute_share_interval(
    leaderboard: Leaderboard, entry: Entry, evals: Sequence[str]
) -> tuple[float, float]:
    """Return the 95% interval of an entry's share of ``evals``, in percent."""
    indexes = [leaderboard.scored.place[name] for name in evals]
    pool = entry.row.pool
    bounds = compute_mean_interval(pool.means[indexes], pool.judged[indexes].astype(np.float64))
    return 100 * bounds.low, 100 * bounds.high


def compute_ranks(
    leaderboard: Leaderboard, entries: Sequence[Entry], evals: Sequence[str]
) -> Sequence[RankRange | None]:
    """Return the ranks that each of ``entries`` may have among these, by ``evals`` alone.

    With fewer evals than `RANKED_EVALS`, all are None, because so few hardly separate models.
    """
    if not entries or len(evals) < RANKED_EVALS:
        return [None] * len(entries)
    indexes = np.array([leaderboard.scored.place[name] for name in evals])
    return rank_ranges([entry.row.pool.side.select_evals(indexes) for entry in entries])


def convert_effect_to_points(
    change: PairedChange | EffectPart, conclusion: Conclusion
) -> Difference:
    """Return an effect of the guidelines in percentage points."""
    return convert_to_points(change.difference, change.interval, conclusion)


def convert_to_points(
    value: float, interval: Interval, conclusion: Conclusion | None = None
) -> Difference:
    """Return a difference in percentage points; without a test, it never is more than chance."""
    return Difference(100 * value, 100 * interval.low, 100 * interval.high, conclusion in SHOWN)


def compute_difference_from_field(
    entry: Entry, others: Sequence[Entry], evals: Sequence[str]
) -> Difference | None:
    """Return a model's difference from the mean of ``others`` over ``evals``, in percentage points.

    No test is made, so it never counts as more than chance. None without others, or with fewer
    evals than `FEW_EVALS`.
    """
    if not others or len(evals) < FEW_EVALS:
        return None
    field = np.array([[other.passes[name] for name in evals] for other in others]).mean(axis=0)
    differences = np.array([entry.passes[name] for name in evals]) - field
    interval = compute_difference_interval(differences)
    return convert_to_points(float(differences.mean()), interval)


def compute_entry_attributed_share(entry: Entry) -> Share | None:
    """Return a model's share without failures that reports blame on grader, task or machinery.

    None without such reports.
    """
    score = entry.row.attributed
    if score is None or score.estimate is None:
        return None
    return Share(round(score.estimate.passed, 9), score.estimate.evals)
