"""The statistics that pages show, asked of `generator.scores` in one place."""

from collections.abc import Sequence

import numpy as np

from generator.contexts.shared import Difference, Share
from generator.pages.boards import Board, Standing
from generator.scores.intervals import Interval, mean_interval
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


def difference(points: float, found: Interval) -> Difference:
    """Return a paired difference, a share, in percentage points."""
    return Difference(
        points=100 * points,
        low=100 * found.low,
        high=100 * found.high,
        real=found.low > 0 or found.high < 0,
    )


def attributed(standing: Standing) -> Share | None:
    """Return a standing's share without what reports blame on graders, tasks and machinery."""
    found = standing.row.attributed
    if found is None or found.estimate is None or not found.set_aside:
        return None
    return Share(round(found.estimate.passed, 9), found.estimate.evals)
