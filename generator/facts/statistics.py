"""The statistics that pages show, asked of `generator.scores` in one place."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from generator.facts.shares import Difference, Share
from generator.scores.differences.difference import LEVEL, Conclusion, PairedDifference
from generator.scores.guidelines_effect import EffectPart, PairedChange
from generator.scores.intervals import Interval, difference_interval, mean_interval
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.ranks import RankRange, rank_ranges
from generator.scores.score_estimate import FEW_EVALS

SHOWN: Final = frozenset({Conclusion.BETTER, Conclusion.WORSE})
"""Conclusions on a difference that is more than noise."""

RANKED_EVALS: Final = 30
"""Evals by which models are ranked at least."""

CONCLUSIONS: Final = {
    Conclusion.BETTER: "better",
    Conclusion.WORSE: "worse",
    Conclusion.NOISE: "may be chance",
    Conclusion.TOO_FEW: "too few evals",
}
"""Conclusions on a difference, in a reader's words."""


def conclude_in_words(
    conclusion: Conclusion, interval: Interval, uncorrected: float | None, compared: str
) -> str:
    """Return a conclusion in words, with the reason where its interval alone would show more.

    Args:
        conclusion: by the p-value that is corrected for other comparisons.
        interval: of the difference, not corrected.
        uncorrected: the p-value before that; None for too few evals.
        compared: what is compared, in the plural, such as ``pairs``.
    """
    words = CONCLUSIONS[conclusion]
    if conclusion is not Conclusion.NOISE:
        return words
    if uncorrected is not None and uncorrected < LEVEL:
        return f"{words}, because many {compared} are compared"
    if interval.low > 0 or interval.high < 0:
        return f"{words}, because only one of two tests shows it"
    return words


def interval(leaderboard: Leaderboard, entry: Entry, evals: Sequence[str]) -> tuple[float, float]:
    """Return the 95% interval of a standing's share of ``evals``, in percent."""
    places = [leaderboard.scored.place[name] for name in evals]
    pool = entry.row.pool
    bounds = mean_interval(pool.means[places], pool.judged[places].astype(np.float64))
    return 100 * bounds.low, 100 * bounds.high


def ranks(
    leaderboard: Leaderboard, entries: Sequence[Entry], evals: Sequence[str]
) -> Sequence[RankRange | None]:
    """Return the places that each standing may have among them by ``evals`` alone.

    None for all with fewer than `RANKED_EVALS`, which hardly separate any two.
    """
    if not entries or len(evals) < RANKED_EVALS:
        return [None] * len(entries)
    places = np.array([leaderboard.scored.place[name] for name in evals])
    return rank_ranges([entry.row.pool.side.at(places) for entry in entries])


def difference(change: PairedChange | EffectPart, conclusion: Conclusion) -> Difference:
    """Return the effect of the guidelines, a share, in percentage points."""
    return Difference(
        points=100 * change.difference,
        low=100 * change.interval.low,
        high=100 * change.interval.high,
        real=conclusion in SHOWN,
    )


def from_field(entry: Entry, others: Sequence[Entry], evals: Sequence[str]) -> Difference | None:
    """Return a model's difference from the mean of ``others`` over ``evals``, in percentage points.

    No test goes with it. None without others, or over fewer than `FEW_EVALS`.
    """
    if not others or len(evals) < FEW_EVALS:
        return None
    field = np.array([[other.passes[name] for name in evals] for other in others]).mean(axis=0)
    differences = np.array([entry.passes[name] for name in evals]) - field
    bounds = difference_interval(differences)
    return Difference(
        points=100 * float(differences.mean()),
        low=100 * bounds.low,
        high=100 * bounds.high,
        real=False,
    )


def attributed_effect(found: PairedDifference | None) -> Difference | None:
    """Return the effect without failures that reports set aside, in percentage points."""
    if found is None:
        return None
    return Difference(
        points=100 * found.value,
        low=100 * found.interval.low,
        high=100 * found.interval.high,
        real=found.conclusion in SHOWN,
    )


def attributed(entry: Entry) -> Share | None:
    """Return a model's share without failures that reports lay on graders, tasks, machinery."""
    score = entry.row.attributed
    if score is None or score.estimate is None:
        return None
    return Share(round(score.estimate.passed, 9), score.estimate.evals)
