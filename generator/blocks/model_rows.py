"""Rows of models in a table, with later counts of publishers, and the sentences on these."""

from collections.abc import Sequence

from generator.blocks.leaderboard_columns import build_amount_cells
from generator.blocks.run_lines import link_model
from generator.blocks.shares import HeatCell, build_heat_cell
from generator.render.template_filters import choose_percent_writer
from generator.render.templates import Row
from generator.scores.leaderboards import Entry, Leaderboard, compute_corrected_count
from generator.scores.score_estimate import Estimate, Share
from generator.scores.score_table import RankRange
from generator.site_data import SiteData
from generator.site_links import list_in_prose
from records.suites.experiments import DEFAULT, NO_GUIDELINES
from records.text.escaping import mark_name, render_sentence

_MANY = 3
"""If so many rows or more share the best value of a column, it is not marked."""


def build_model_group(title: str, note: str, rows: Sequence[Row]) -> Row:
    """Return rows that are compared with one another."""
    imported = all(row.entry.newest.source is not None for row in rows)
    return Row(title=title, note=note, imported=imported, rows=rows)


def align_cells(groups: list[Row]) -> list[Row]:
    """Return the groups of a table with the shares of each column written with equal digits."""
    rows = [row for group in groups for row in group.rows]
    writers = [
        choose_percent_writer([cell.share.percent for cell in cells if cell])
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
    shares = [[part.share for part in entry.row.categories.values()] for entry in entries]
    tops: list[float | None] = []
    for column in zip(*shares, strict=True):
        percents = [share.percent for share in column]
        telling = best and len(entries) > 1 and not column[0].few
        top = max(percents, default=0.0)
        tops.append(top if telling and percents.count(top) < _MANY else None)
    # Of all entries, so that a column has the same unit in all groups of the table.
    every = [*leaderboard.entries, *leaderboard.unranked]
    amounts = build_amount_cells(site, every)
    by_key = {entry.key: cells for entry, cells in zip(every, amounts, strict=True)}
    rows: list[Row] = []
    for entry, cells in zip(entries, shares, strict=True):
        newest = entry.newest
        bare = leaderboard.find(newest.slug, NO_GUIDELINES)
        compared = newest.experiment == DEFAULT and not newest.baseline
        effect = leaderboard.find_effect(newest.slug) if compared else None
        heated = [build_heat_cell(share, top) for share, top in zip(cells, tops, strict=True)]
        row = build_plain_row(entry, entry.row.score, heated, entry.row.rank if best else None)
        row.amounts = by_key[entry.key]
        row.corrected = compute_corrected_share(leaderboard, entry)
        row.without = bare and bare.row.score.share
        row.effect = effect and effect.difference
        rows.append(row)
    return rows


def build_plain_row(
    entry: Entry, score: Estimate, cells: Sequence[HeatCell | None], rank: RankRange | None
) -> Row:
    """Return an entry's row, without the values that need all evals of a version."""
    return Row(
        model=link_model(entry.newest),
        rank=rank,
        score=score,
        hard=entry.row.hard,
        corrected=None,
        cells=cells,
        without=None,
        effect=None,
        amounts={},
        entry=entry,
        local=any(run.local for run in entry.runs),
        leads=False,
    )


def compute_corrected_share(leaderboard: Leaderboard, entry: Entry) -> Share | None:
    """Return an entry's share by its publisher's later counts; None if there are none."""
    evals = leaderboard.list_eval_names()
    count = compute_corrected_count(entry, evals)
    return None if count is None else Share(round(count, 9), len(evals))


def render_correction_note(leaderboard: Leaderboard, entries: Sequence[Entry]) -> str | None:
    """Return a note on later counts of ranked ``entries`` and the first model by them, as HTML.

    The entries are in the order of their table. None if no count was corrected.
    """
    shares = [compute_corrected_share(leaderboard, entry) for entry in entries]
    names = [mark_name(entry.newest.name) for entry in entries]
    corrected = [
        f"{name} {later.passes} (was {entry.row.score.share.passes})"
        for name, entry, later in zip(names, entries, shares, strict=True)
        if later is not None
    ]
    if not corrected:
        return None
    whose, first = "Its publisher", ""
    if len(entries) > 1:
        recorded = [entry.row.score.share for entry in entries]
        later = [share or before for share, before in zip(shares, recorded, strict=True)]
        # The first models by the recorded counts, and by the later counts.
        was, now = (
            [name for name, share in zip(names, counts, strict=True) if share == max(counts)]
            for counts in (recorded, later)
        )
        still = "still be first" if was == now else "be first"
        together = " together" if was != now and len(now) > 1 else ""
        whose, first = "Their publisher", f"; {list_in_prose(now)} would {still}{together}"
    unknown = [name for name, share in zip(names, shares, strict=True) if share is None]
    no_count = f" No later count is known of {list_in_prose(unknown)}." if unknown else ""
    return render_sentence(
        f"{whose} later corrected graders and counts these passes of"
        f" {len(leaderboard.list_eval_names())} evals: {list_in_prose(corrected, len(corrected))}"
        f"{first}.{no_count} The scores and ranks here cannot be corrected,"
        " because the later counts do not say which evals changed."
    )
