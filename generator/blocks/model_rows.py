"""Rows of models in a table: scores, cells of categories, the effect of the guidelines."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from generator.blocks.corrections import compute_corrected_share
from generator.blocks.leaderboard_columns import AmountCell, build_amount_cells
from generator.blocks.score_cell import HeatCell, Score, build_entry_score, build_heat_cell
from generator.facts.run_lines import link_model
from generator.facts.shares import (
    DescribedEntry,
    Difference,
    Share,
    compute_entry_share,
    convert_effect_to_points,
)
from generator.facts.site_data import SiteData
from generator.facts.urls import ModelLink, build_run_path
from generator.render.cells import choose_percent_writer
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import FEW_EVALS
from generator.scores.score_table import RankRange
from records.suites.experiments import DEFAULT, NO_GUIDELINES


class ModelRow(NamedTuple):
    """A row of a table: a model under an experiment."""

    model: ModelLink
    rank: RankRange | None
    """The ranks that the model may have; None if the row is not ranked."""
    score: Score
    corrected: Share | None
    """The share by the publisher's later counts; None if there are none."""
    cells: Sequence[HeatCell | None]
    """The cells of categories, in the order of the table's columns; None if nothing was judged."""
    without: Share | None
    """The same model's share without guidelines."""
    effect: Difference | None
    """Effect of the guidelines; None unless the model ran with and without them."""
    effect_chart: str | None
    """The effect as a bar from zero, SVG, on one scale for the whole table."""
    amounts: Mapping[str, AmountCell]
    """The cells of the optional columns, by key; empty in the table of one category."""
    attempts: int
    """The number of attempts with a verdict, in all runs that count."""
    runs: int
    latest: date
    day_of_import: bool
    """Whether ``latest`` is the day of an import, because the source names none."""
    latest_href: str
    source: str | None
    """The address at which imported results were published; None for our own runs."""
    local: bool


class ModelGroup(NamedTuple):
    """Rows that are compared with one another."""

    title: str
    note: str
    imported: bool
    """Whether the results of all rows are imported."""
    rows: Sequence[ModelRow]


_MANY: Final = 3
"""If so many rows or more share the best value of a column, it is not marked."""


def build_model_group(title: str, note: str, rows: Sequence[ModelRow]) -> ModelGroup:
    """Return a group of a table."""
    return ModelGroup(title, note, all(row.source is not None for row in rows), rows)


def align_cells(groups: Sequence[ModelGroup]) -> list[ModelGroup]:
    """Return the groups of a table with the shares of each column written with equal digits."""
    rows = [row for group in groups for row in group.rows]
    writers = [
        choose_percent_writer([cell.share.percent for cell in cells if cell and not cell.share.few])
        for cells in zip(*(row.cells for row in rows), strict=True)
    ]
    return [
        group._replace(rows=[_align_row(row, writers) for row in group.rows]) for group in groups
    ]


def _align_row(row: ModelRow, writers: Sequence[Callable[[float], str]]) -> ModelRow:
    cells = [
        cell and cell._replace(text=write(cell.share.percent))
        for cell, write in zip(row.cells, writers, strict=True)
    ]
    return row._replace(cells=cells)


def build_model_rows(
    site: SiteData, leaderboard: Leaderboard, entries: Sequence[Entry], *, best: bool
) -> list[ModelRow]:
    """Return a row for each entry, with a cell for each category.

    With ``best``, rows have ranks, and the best share of each column is marked.
    """
    columns = [leaderboard.list_eval_names(key) for key in leaderboard.list_categories()]
    described = [_describe_entry(site, entry) for entry in leaderboard.entries]
    amounts = dict(zip(map(id, leaderboard.entries), build_amount_cells(described), strict=True))
    placed = [standing.row.rank if best else None for standing in entries]
    tops = _find_tops(entries, columns) if best else [None] * len(columns)
    return [
        _build_row(leaderboard, entry, rank, _build_cells(entry, columns, tops))._replace(
            amounts=amounts[id(entry)]
        )
        for entry, rank in zip(entries, placed, strict=True)
    ]


def _describe_entry(site: SiteData, entry: Entry) -> DescribedEntry:
    model = site.summaries.registry.get(entry.newest.slug)
    return DescribedEntry(entry, model, site.summaries.prices.find_price(model))


def _find_tops(entries: Sequence[Entry], columns: Sequence[Sequence[str]]) -> list[float | None]:
    """Return the best percentage of each column, or None if it is not to be marked.

    It is not marked if there is only one entry, if the column has too few evals, or if `_MANY`
    entries or more share it.
    """
    if len(entries) < 2:  # noqa: PLR2004 - one row is not the best of anything
        return [None] * len(columns)
    tops: list[float | None] = []
    for column in columns:
        shares = [compute_entry_share(entry, column).percent for entry in entries]
        best = max(shares)
        telling = len(column) >= FEW_EVALS and shares.count(best) < _MANY
        tops.append(best if telling else None)
    return tops


def _build_cells(
    entry: Entry, columns: Sequence[Sequence[str]], tops: Sequence[float | None]
) -> list[HeatCell | None]:
    return [
        build_heat_cell(compute_entry_share(entry, column), top)
        for column, top in zip(columns, tops, strict=True)
    ]


def _build_row(
    leaderboard: Leaderboard,
    entry: Entry,
    rank: RankRange | None,
    cells: Sequence[HeatCell | None],
) -> ModelRow:
    newest = entry.newest
    evals = leaderboard.list_eval_names()
    bare = leaderboard.find(newest.slug, NO_GUIDELINES)
    compared = newest.experiment == DEFAULT and not newest.baseline
    effect = leaderboard.find_effect(newest.slug) if compared else None
    return build_plain_row(leaderboard, entry, evals, cells, rank)._replace(
        corrected=compute_corrected_share(leaderboard, entry),
        without=compute_entry_share(bare, evals) if bare else None,
        effect=convert_effect_to_points(effect.change, effect.conclusion) if effect else None,
    )


def build_plain_row(
    leaderboard: Leaderboard,
    entry: Entry,
    evals: Sequence[str],
    cells: Sequence[HeatCell | None],
    rank: RankRange | None,
) -> ModelRow:
    """Return an entry's row over ``evals``, without the values that need all evals of a version."""
    newest = entry.newest
    return ModelRow(
        model=link_model(newest),
        rank=rank,
        score=build_entry_score(leaderboard, entry, evals),
        corrected=None,
        cells=cells,
        without=None,
        effect=None,
        effect_chart=None,
        amounts={},
        attempts=int(entry.row.pool.judged.sum()),
        runs=len(entry.runs),
        latest=newest.date,
        day_of_import=newest.day_of_import,
        latest_href=build_run_path(newest.run_id),
        source=newest.source,
        local=any(run.local for run in entry.runs),
    )
