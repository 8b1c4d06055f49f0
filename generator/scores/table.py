"""The leaderboard of one version under one experiment: scores, categories, ranks, amounts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from generator.scores.attribution import Attributed, attributed
from generator.scores.estimates import (
    Estimate,
    Known,
    PartialCredit,
    estimate,
    mean_known,
    partial_credit,
)
from generator.scores.inputs import ScoredVersion
from generator.scores.ranks import RankRange, display_order, ranking
from generator.scores.selection import Pool, Selection
from records.experiments import DEFAULT


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """A model under an experiment, scored."""

    pool: Pool
    """The runs and per-eval results that everything here is computed from."""
    rank: RankRange | None
    """The places it may have in the table; None for a baseline."""
    score: Estimate
    """Over all evals of the version."""
    categories: Mapping[str, Estimate]
    """By category, sorted."""
    tests: PartialCredit | None
    """Mean share of tests passed; None where no tests are known."""
    attributed: Attributed | None
    """Beside the score; None where no run has a report."""
    cost_usd: Known
    """US dollars per run."""
    generation_s: Known
    """Seconds of generation per run."""


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The leaderboard of one version under one experiment."""

    version: ScoredVersion
    """What was asked."""
    experiment: str
    """The condition."""
    rows: tuple[ScoredRow, ...]
    """Models as they are displayed: by score, then slug."""
    baselines: tuple[ScoredRow, ...]
    """Best score first; not ranked."""


def table(version: ScoredVersion, selection: Selection, experiment: str) -> ScoreTable:
    """Score and rank what ``selection`` took of ``experiment``."""
    pools = [one for one in selection.pools if one.experiment == experiment]
    models = [one for one in pools if not one.baseline]
    baselines = [_row(version, one, None) for one in pools if one.baseline]
    return ScoreTable(
        version=version,
        experiment=experiment,
        rows=tuple(_ranked(version, models)),
        baselines=tuple(sorted(baselines, key=lambda row: (-row.score.value, row.pool.slug))),
    )


def experiments(selection: Selection) -> tuple[str, ...]:
    """Return the experiments that have a table, ``default`` first."""
    names = {one.experiment for one in selection.pools}
    return tuple(sorted(names, key=lambda name: (name != DEFAULT, name)))


def _ranked(version: ScoredVersion, models: Sequence[Pool]) -> list[ScoredRow]:
    if not models:
        return []
    ranges = ranking([one.side for one in models]).ranges
    scores = np.array([one.means.mean() for one in models])
    order = display_order(scores, [one.slug for one in models])
    return [_row(version, models[place], ranges[place]) for place in order]


def _row(version: ScoredVersion, one: Pool, rank: RankRange | None) -> ScoredRow:
    means, attempts = one.means, one.judged.astype(np.float64)
    score = estimate(means, attempts)
    if score is None:
        raise AssertionError(f"{one.slug} counts but has nothing judged")
    parts = {
        category: estimate(means[places], attempts[places])
        for category, places in version.by_category.items()
    }
    return ScoredRow(
        pool=one,
        rank=rank,
        score=score,
        categories={category: part for category, part in parts.items() if part is not None},
        tests=partial_credit([run.test_shares for run in one.runs]),
        attributed=attributed(one),
        cost_usd=mean_known(run.cost_usd for run in one.runs),
        generation_s=mean_known(run.generation_s for run in one.runs),
    )
