"""The statistics that pages show, asked of `generator.scores` in one place."""

from collections.abc import Sequence

import numpy as np

from generator.contexts.shared import Difference, Share
from generator.pages.boards import Board, Standing
from generator.scores.effect import Change, Evidence, Part
from generator.scores.intervals import mean_interval
from generator.scores.ranks import standing as compared


def interval(board: Board, standing: Standing, evals: Sequence[str]) -> tuple[float, float]:
    """Return the 95% interval of a standing's share of ``evals``, in percent."""
    places = [board.scored.place[name] for name in evals]
    pool = standing.row.pool
    found = mean_interval(pool.means[places], pool.judged[places].astype(np.float64))
    return 100 * found.low, 100 * found.high


def ranks(board: Board, standings: Sequence[Standing], evals: Sequence[str]) -> list[int]:
    """Return each standing's rank among them by ``evals`` alone."""
    if not standings:
        return []
    places = [board.scored.place[name] for name in evals]
    means = np.array([one.row.pool.means[places] for one in standings])
    return compared(means).ranks.tolist()


def difference(change: Change | Part, evidence: Evidence) -> Difference:
    """Return what the guidelines did, a share, in percentage points."""
    return Difference(
        points=100 * change.difference,
        low=100 * change.interval.low,
        high=100 * change.interval.high,
        real=evidence is Evidence.CLEAR,
    )


def attributed(standing: Standing) -> Share | None:
    """Return a standing's share without what reports blame on graders, tasks and machinery."""
    found = standing.row.attributed
    if found is None or found.estimate is None:
        return None
    return Share(round(found.estimate.passed, 9), found.estimate.evals)
