"""Models as rows of a table: scores, cells of categories, the effect of the guidelines."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from generator.blocks.corrections import corrected_share
from generator.blocks.leaderboard_columns import AmountCell, amount_cells
from generator.blocks.score_cell import HeatCell, Score, heat_cell, score
from generator.facts.entry_amounts import DescribedEntry
from generator.facts.links import ModelLink
from generator.facts.run_lines import linked
from generator.facts.shares import Difference, Share, entry_share
from generator.facts.site_data import SiteData
from generator.facts.statistics import difference, interval
from generator.facts.urls import run_path
from generator.render.column_units import percent_column
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.ranks import RankRange
from generator.scores.score_estimate import FEW_EVALS
from records.suites.experiments import DEFAULT, NO_GUIDELINES


class ModelRow(NamedTuple):
    """A model under an experiment, in a table."""

    model: ModelLink
    rank: RankRange | None
    """The places that the model may have; None where the row is not ranked."""
    score: Score
    corrected: Share | None
    """By the publisher's later counts; None where they change nothing."""
    cells: Sequence[HeatCell | None]
    """In the order of the table's columns; None where nothing was judged."""
    without: Share | None
    """The same model's share without guidelines."""
    effect: Difference | None
    """Effect of the guidelines; None unless the model ran with and without them."""
    effect_chart: str | None
    """The effect as a bar from zero, SVG, on one scale for the whole table."""
    amounts: Mapping[str, AmountCell]
    """In the optional columns, by their keys; empty over the evals of one category."""
    attempts: int
    """Attempts with a verdict, in all runs that count."""
    runs: int
    latest: date
    latest_href: str
    source: str | None
    """Where the results were published, for imported runs."""
    local: bool


class ModelGroup(NamedTuple):
    """Rows that are compared with one another."""

    title: str
    note: str
    imported: bool
    """The results of every row were published elsewhere."""
    rows: Sequence[ModelRow]


_MANY: Final = 3
"""Rows that share the best of a column: from so many on it is not marked."""


def group_of(title: str, note: str, rows: Sequence[ModelRow]) -> ModelGroup:
    """Return rows as a group of a table."""
    return ModelGroup(title, note, all(row.source is not None for row in rows), rows)


def align_cells(groups: Sequence[ModelGroup]) -> list[ModelGroup]:
    """Write the shares of each column with equal digits in all groups of a table."""
    rows = [row for group in groups for row in group.rows]
    writers = [
        percent_column([cell.share.percent for cell in cells if cell and not cell.share.few])
        for cells in zip(*(row.cells for row in rows), strict=True)
    ]
    return [group._replace(rows=[_aligned(row, writers) for row in group.rows]) for group in groups]


def _aligned(row: ModelRow, writers: Sequence[Callable[[float], str]]) -> ModelRow:
    cells = [
        cell and cell._replace(text=write(cell.share.percent))
        for cell, write in zip(row.cells, writers, strict=True)
    ]
    return row._replace(cells=cells)


def rows_of(
    site: SiteData, leaderboard: Leaderboard, entries: Sequence[Entry], *, best: bool
) -> list[ModelRow]:
    """Return entries as rows, a cell per category; ``best`` marks the best of each column."""
    columns = [leaderboard.evals(key) for key in leaderboard.categories()]
    described = [_described(site, entry) for entry in leaderboard.entries]
    amounts = dict(zip(map(id, leaderboard.entries), amount_cells(described), strict=True))
    placed = [standing.row.rank if best else None for standing in entries]
    tops = _tops_of(entries, columns) if best else [None] * len(columns)
    return [
        _row(leaderboard, entry, rank, _cells(entry, columns, tops))._replace(
            amounts=amounts[id(entry)]
        )
        for entry, rank in zip(entries, placed, strict=True)
    ]


def _described(site: SiteData, entry: Entry) -> DescribedEntry:
    model = site.summaries.registry.get(entry.newest.slug)
    return DescribedEntry(entry, model, site.summaries.prices.price_of(model))


def _tops_of(entries: Sequence[Entry], columns: Sequence[Sequence[str]]) -> list[float | None]:
    """Return the best percentage of each column; None with nobody to be better than.

    None too where a column has too few evals, or too many models share the best.
    """
    if len(entries) < 2:  # noqa: PLR2004 - one row is not the best of anything
        return [None] * len(columns)
    tops: list[float | None] = []
    for column in columns:
        shares = [entry_share(entry, column).percent for entry in entries]
        best = max(shares)
        telling = len(column) >= FEW_EVALS and shares.count(best) < _MANY
        tops.append(best if telling else None)
    return tops


def _cells(
    entry: Entry, columns: Sequence[Sequence[str]], tops: Sequence[float | None]
) -> list[HeatCell | None]:
    return [
        heat_cell(entry_share(entry, column), top)
        for column, top in zip(columns, tops, strict=True)
    ]


def _row(
    leaderboard: Leaderboard,
    entry: Entry,
    rank: RankRange | None,
    cells: Sequence[HeatCell | None],
) -> ModelRow:
    newest = entry.newest
    evals = leaderboard.evals()
    bare = leaderboard.find(newest.slug, NO_GUIDELINES)
    effects = {each.slug: each for each in leaderboard.effects}
    compared = newest.experiment == DEFAULT and not newest.baseline
    effect = effects.get(newest.slug) if compared else None
    return plain_row(leaderboard, entry, evals, cells, rank)._replace(
        corrected=corrected_share(leaderboard, entry),
        without=entry_share(bare, evals) if bare else None,
        effect=difference(effect.change, effect.conclusion) if effect else None,
    )


def plain_row(
    leaderboard: Leaderboard,
    entry: Entry,
    evals: Sequence[str],
    cells: Sequence[HeatCell | None],
    rank: RankRange | None,
) -> ModelRow:
    """Return an entry's row over ``evals``, without values that only whole versions have."""
    newest = entry.newest
    return ModelRow(
        model=linked(newest),
        rank=rank,
        score=score(entry_share(entry, evals), *interval(leaderboard, entry, evals)),
        corrected=None,
        cells=cells,
        without=None,
        effect=None,
        effect_chart=None,
        amounts={},
        attempts=int(entry.row.pool.judged.sum()),
        runs=len(entry.runs),
        latest=newest.date,
        latest_href=run_path(newest.run_id),
        source=newest.source,
        local=any(run.local for run in entry.runs),
    )
