"""Differences as plain text for terminals: the headline, then tables that fit the width."""

from collections.abc import Iterator, Sequence

from generator.diff.data_diff import DataDiff, MovedRow
from generator.diff.runs_diff import Flip, RunsDiff
from generator.diff.words import (
    UNKNOWN,
    data_headline,
    percent_words,
    runs_headline,
    score_rows,
    uncompared_evals,
)
from records.shapes.run import Run
from records.text.plain_table import table_lines


def runs_text(diff: RunsDiff, width: int | None = None) -> str:
    """Return the differences between two sides; tables are at most ``width`` characters wide."""
    return "\n\n".join([runs_headline(diff), *_runs_parts(diff, width)])


def data_text(diff: DataDiff, width: int | None = None) -> str:
    """Return the differences between two states; tables are at most ``width`` characters wide."""
    parts = [data_headline(diff)]
    parts += _part("Reports", ("report",), [(path,) for path in diff.reports], width)
    for pair in diff.pairs:
        parts.append(f"{pair.after.label} after {pair.before.label}")
        parts.append(runs_headline(pair))
        parts += _runs_parts(pair, width)
    parts += _part("Scores and ranks that moved", _MOVED, list(map(_moved_row, diff.moved)), width)
    titles = {
        "New, without an earlier run to compare with": diff.new,
        "Removed or withdrawn": diff.gone,
    }
    for title, runs in titles.items():
        parts += _part(title, ("run", "model", "experiment"), list(map(_run, runs)), width)
    return "\n\n".join(parts)


def moves_text(rows: Sequence[MovedRow], width: int | None = None) -> str:
    """Return a table of the scores and ranks that move; empty for none."""
    return "".join(_part("Scores and ranks that move", _MOVED, list(map(_moved_row, rows)), width))


_FLIPPED = ("eval", "", "before", "after", "step", "why it failed")
_MOVED = ("model", "experiment", "score before", "score after", "rank before", "rank after")


def _runs_parts(diff: RunsDiff, width: int | None) -> Iterator[str]:
    flips = [
        *(_flip(flip, "fixed") for flip in diff.fixed),
        *(_flip(flip, "broken") for flip in diff.broken),
    ]
    yield from _part("Evals that flipped", _FLIPPED, flips, width)
    rows = [("", diff.before.label, diff.after.label)]
    rows += score_rows(diff)
    rows += [(flip.what, flip.before, flip.after) for flip in diff.inequalities]
    yield from _part("Both sides", ("", "before", "after"), rows, width)
    for title, names in uncompared_evals(diff).items():
        yield "\n".join([f"{title}:", *(f"  {name}" for name in names)])


def _part(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], width: int | None
) -> Iterator[str]:
    """Yield a table below its title; nothing if it has no rows."""
    if rows:
        inner = None if width is None else width - 2
        yield "\n".join([f"{title}:", *(f"  {line}" for line in table_lines(head, rows, inner))])


def _flip(flip: Flip, kind: str) -> tuple[str, ...]:
    step, reason = flip.step or UNKNOWN, flip.reason or UNKNOWN
    return (flip.eval, kind, flip.before, flip.after, step, reason)


def _moved_row(row: MovedRow) -> tuple[str, ...]:
    ranks = [rank.words if rank else "none" for rank in (row.rank_before, row.rank_after)]
    scores = map(percent_words, (row.score_before, row.score_after))
    return (row.slug, row.experiment, *scores, *ranks)


def _run(run: Run) -> tuple[str, ...]:
    return (run.run_id[:8], run.model.slug, run.experiment.name)
