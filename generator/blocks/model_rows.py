"""Rows of models in a table: scores, cells of categories, the effect of the guidelines."""

from collections.abc import Sequence
from typing import Final

from generator.blocks.corrections import compute_corrected_share
from generator.blocks.leaderboard_columns import build_amount_cells
from generator.blocks.score_cell import HeatCell, build_entry_score, build_heat_cell
from generator.facts.run_lines import link_model
from generator.facts.shares import compute_entry_share, convert_effect_to_points
from generator.facts.site_data import SiteData
from generator.facts.urls import build_run_path
from generator.render.cells import choose_percent_writer
from generator.render.environment import Row
from generator.scores.leaderboards import Entry, Leaderboard
from generator.scores.score_estimate import FEW_EVALS
from generator.scores.score_table import RankRange
from records.suites.experiments import DEFAULT, NO_GUIDELINES

_MANY: Final = 3
"""If so many rows or more share the best value of a column, it is not marked."""


def build_model_group(title: str, note: str, rows: Sequence[Row]) -> Row:
    """Return rows that are compared with one another."""
    imported = all(row.source is not None for row in rows)
    return Row(title=title, note=note, imported=imported, rows=rows)


def align_cells(groups: list[Row]) -> list[Row]:
    """Return the groups of a table with the shares of each column written with equal digits."""
    rows = [row for group in groups for row in group.rows]
    writers = [
        choose_percent_writer([cell.share.percent for cell in cells if cell and not cell.share.few])
        for cells in zip(*(row.cells for row in rows), strict=True)
    ]
    for row in rows:
        row.cells = [
            cell and cell._replace(text=write(cell.share.percent))
            for cell, write in zip(row.cells, writers, strict=True)
        ]
    return groups


def build_model_rows(
    site: SiteData, leaderboard: Leaderboard, entries: Sequence[Entry], *, best: bool
) -> list[Row]:
    """Return a row for each entry, with a cell for each category.

    With ``best``, rows have ranks, and the best share of each column is marked. It is not marked if
    there is only one entry, if the column has too few evals, or if `_MANY` entries or more share
    it.
    """
    evals = leaderboard.list_eval_names()
    columns = [leaderboard.list_eval_names(key) for key in leaderboard.list_categories()]
    shares = [[compute_entry_share(entry, column) for column in columns] for entry in entries]
    tops: list[float | None] = []
    for number, column in enumerate(columns):
        percents = [row[number].percent for row in shares]
        telling = best and len(entries) > 1 and len(column) >= FEW_EVALS
        top = max(percents, default=0.0)
        tops.append(top if telling and percents.count(top) < _MANY else None)
    # Of all entries, so that a column has the same unit in all groups of the table.
    amounts = build_amount_cells(site, leaderboard.entries)
    by_key = {entry.key: cells for entry, cells in zip(leaderboard.entries, amounts, strict=True)}
    rows: list[Row] = []
    for entry, cells in zip(entries, shares, strict=True):
        newest = entry.newest
        bare = leaderboard.find(newest.slug, NO_GUIDELINES)
        compared = newest.experiment == DEFAULT and not newest.baseline
        effect = leaderboard.find_effect(newest.slug) if compared else None
        heated = [build_heat_cell(share, top) for share, top in zip(cells, tops, strict=True)]
        row = build_plain_row(leaderboard, entry, evals, heated, entry.row.rank if best else None)
        row.amounts = by_key[entry.key]
        row.corrected = compute_corrected_share(leaderboard, entry)
        row.without = compute_entry_share(bare, evals) if bare else None
        row.effect = effect and convert_effect_to_points(effect.change, effect.conclusion)
        rows.append(row)
    return rows


def build_plain_row(
    leaderboard: Leaderboard,
    entry: Entry,
    evals: Sequence[str],
    cells: Sequence[HeatCell | None],
    rank: RankRange | None,
) -> Row:
    """Return an entry's row over ``evals``, without the values that need all evals of a version."""
    newest = entry.newest
    return Row(
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
