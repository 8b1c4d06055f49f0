"""Differences as plain text for terminals: the headline, then tables that fit the width."""

from collections.abc import Iterator, Sequence

from generator.diff.data_diff import DataDiff, MovedRow
from generator.diff.runs_diff import Flip, RunsDiff
from generator.diff.words import (
    UNKNOWN,
    build_score_rows,
    format_data_headline,
    format_runs_headline,
    format_share,
    group_uncompared_evals,
)
from records.shapes.run import Run
from records.text.plain_table import format_table_lines


def format_runs_text(diff: RunsDiff, width: int | None = None) -> str:
    """Return the differences between two sides; tables are at most ``width`` characters wide."""
    return "\n\n".join([format_runs_headline(diff), *_format_runs_parts(diff, width)])


def format_data_text(diff: DataDiff, width: int | None = None) -> str:
    """Return the differences between two states; tables are at most ``width`` characters wide."""
    parts = [format_data_headline(diff)]
    parts += _format_part("Reports", ("report",), [(path,) for path in diff.reports], width)
    for pair in diff.pairs:
        parts.append(f"{pair.after.label} after {pair.before.label}")
        parts.append(format_runs_headline(pair))
        parts += _format_runs_parts(pair, width)
    parts += _format_part(
        "Scores and ranks that moved", _MOVED, list(map(_build_moved_row, diff.moved)), width
    )
    titles = {
        "New, without an earlier run to compare with": diff.new,
        "Removed or withdrawn": diff.gone,
    }
    for title, runs in titles.items():
        parts += _format_part(
            title, ("run", "model", "experiment"), list(map(_build_run_row, runs)), width
        )
    return "\n\n".join(parts)


def format_moves_text(rows: Sequence[MovedRow], width: int | None = None) -> str:
    """Return a table of the scores and ranks that move; empty for none."""
    return "".join(
        _format_part("Scores and ranks that move", _MOVED, list(map(_build_moved_row, rows)), width)
    )


_FLIPPED = ("eval", "", "before", "after", "step", "why it failed")
_MOVED = ("model", "experiment", "score before", "score after", "rank before", "rank after")


def _format_runs_parts(diff: RunsDiff, width: int | None) -> Iterator[str]:
    flips = [
        *(_build_flip_row(flip, "fixed") for flip in diff.fixed),
        *(_build_flip_row(flip, "broken") for flip in diff.broken),
    ]
    yield from _format_part("Evals that flipped", _FLIPPED, flips, width)
    rows = [("", diff.before.label, diff.after.label)]
    rows += build_score_rows(diff)
    rows += [(flip.what, flip.before, flip.after) for flip in diff.inequalities]
    yield from _format_part("Both sides", ("", "before", "after"), rows, width)
    for title, names in group_uncompared_evals(diff).items():
        yield "\n".join([f"{title}:", *(f"  {name}" for name in names)])


def _format_part(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], width: int | None
) -> Iterator[str]:
    """Yield a table below its title; nothing if it has no rows."""
    if rows:
        inner = None if width is None else width - 2
        yield "\n".join(
            [f"{title}:", *(f"  {line}" for line in format_table_lines(head, rows, inner))]
        )


def _build_flip_row(flip: Flip, kind: str) -> tuple[str, ...]:
    step, reason = flip.step or UNKNOWN, flip.reason or UNKNOWN
    return (flip.eval, kind, flip.before, flip.after, step, reason)


def _build_moved_row(row: MovedRow) -> tuple[str, ...]:
    ranks = [rank.words if rank else "none" for rank in (row.rank_before, row.rank_after)]
    scores = map(format_share, (row.score_before, row.score_after))
    return (row.slug, row.experiment, *scores, *ranks)


def _build_run_row(run: Run) -> tuple[str, ...]:
    return (run.run_id[:8], run.model.slug, run.experiment.name)
