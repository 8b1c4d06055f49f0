"""The statistics that pages show, asked of `generator.scores` in one place."""

from collections.abc import Sequence

import numpy as np

from generator.scores.effect import EffectPart, Evidence, PairedChange
from generator.scores.intervals import mean_interval
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.ranks import ranking as compared
from generator.site.parts import Difference, Share


def interval(leaderboard: Leaderboard, entry: Entry, evals: Sequence[str]) -> tuple[float, float]:
    """Return the 95% interval of a standing's share of ``evals``, in percent."""
    places = [leaderboard.scored.place[name] for name in evals]
    pool = entry.row.pool
    found = mean_interval(pool.means[places], pool.judged[places].astype(np.float64))
    return 100 * found.low, 100 * found.high


def ranks(leaderboard: Leaderboard, entries: Sequence[Entry], evals: Sequence[str]) -> list[int]:
    """Return each standing's rank among them by ``evals`` alone."""
    if not entries:
        return []
    places = [leaderboard.scored.place[name] for name in evals]
    means = np.array([one.row.pool.means[places] for one in entries])
    return compared(means).ranks.tolist()


def difference(change: PairedChange | EffectPart, evidence: Evidence) -> Difference:
    """Return what the guidelines did, a share, in percentage points."""
    return Difference(
        points=100 * change.difference,
        low=100 * change.interval.low,
        high=100 * change.interval.high,
        real=evidence is Evidence.CLEAR,
    )


def attributed(entry: Entry) -> Share | None:
    """Return a model's share without failures that reports lay on graders, tasks, machinery."""
    found = entry.row.attributed
    if found is None or found.estimate is None:
        return None
    return Share(round(found.estimate.passed, 9), found.estimate.evals)
