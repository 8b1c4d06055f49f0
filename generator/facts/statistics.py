"""The statistics of pages: values of `generator.scores` in percent and in words."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from generator.facts.shares import Difference, Share
from generator.scores.differences.difference import LEVEL, Conclusion, PairedDifference
from generator.scores.guidelines_effect import EffectPart, PairedChange
from generator.scores.intervals import Interval, compute_difference_interval, compute_mean_interval
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.ranks import RankRange, rank_ranges
from generator.scores.score_estimate import FEW_EVALS

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
    return _convert_to_points(change.difference, change.interval, real=conclusion in SHOWN)


def _convert_to_points(value: float, interval: Interval, *, real: bool) -> Difference:
    return Difference(100 * value, 100 * interval.low, 100 * interval.high, real)


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
    return _convert_to_points(float(differences.mean()), interval, real=False)


def convert_attributed_to_points(difference: PairedDifference | None) -> Difference | None:
    """Return the effect without the failures that reports set aside, in percentage points."""
    if difference is None:
        return None
    real = difference.conclusion in SHOWN
    return _convert_to_points(difference.value, difference.interval, real=real)


def compute_entry_attributed_share(entry: Entry) -> Share | None:
    """Return a model's share without failures that reports blame on grader, task or machinery.

    None without such reports.
    """
    score = entry.row.attributed
    if score is None or score.estimate is None:
        return None
    return Share(round(score.estimate.passed, 9), score.estimate.evals)
