"""Differences as Markdown for pull requests: the conclusion first, then the tables.

Names and reasons come from models and forks. They are in code spans, so that an `@name` notifies
nobody, no image is loaded and HTML is shown as text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from generator.diff.runs_diff import Flip, RunsDiff, Side
from generator.diff.words import (
    UNKNOWN,
    build_score_rows,
    format_runs_headline,
    group_uncompared_evals,
)
from generator.facts.urls import build_attempt_anchor, build_attempt_path, build_run_path
from records.text.numbers import format_count
from records.text.visible import make_one_line

MARK: Final = "<!-- leaderboard:diff -->"
"""The first line of a comment, by which an earlier comment is found and updated."""
LONGEST_REASON: Final = 160
MOST_ROWS: Final = 40
"""The most rows of a table; the JSON has all rows."""
CUT: Final = "\n\n*Cut here, {} left out: the artifact of this run has the whole.*\n"


@dataclass(frozen=True, slots=True)
class SiteLinks:
    """Links to pages of a site; without an address, only their texts."""

    address: str | None

    def make_link(self, text: str, path: str) -> str:
        """Return ``text`` as a link to ``path`` below the root; without an address, no link."""
        return (
            f"[{format_code(text)}]({self.address.rstrip('/')}/{path})"
            if self.address
            else format_code(text)
        )


def format_code(text: str) -> str:
    """Return foreign text as a code span of one line, safe in a table's cell."""
    line = make_one_line(text, LONGEST_REASON).replace("|", "\\|") or " "
    fence = "`" * (1 + max((len(ticks) for ticks in re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def format_runs_markdown(diff: RunsDiff, links: SiteLinks, longest: int | None = None) -> str:
    """Return the differences between two sides, in at most ``longest`` characters."""
    return fit_parts(
        [f"{MARK}\n**{format_runs_headline(diff)}**", *format_pair_parts(diff, links)], longest
    )


def format_pair_parts(diff: RunsDiff, links: SiteLinks) -> Iterator[str]:
    """Yield the tables of two sides: flipped evals, other differences, evals not compared."""
    flips = [
        *(_format_flip(inequality, "fixed", links) for inequality in diff.fixed),
        *(_format_flip(inequality, "broken", links) for inequality in diff.broken),
    ]
    yield from _format_table("Evals that flipped", _FLIPPED, flips)
    sides = (diff.before, diff.after)
    rows = [["", *(_format_side(side, links) for side in sides)]]
    rows += map(list, build_score_rows(diff))
    # The names of parameters and tools are foreign text, too: they come from records.
    rows += [
        [
            format_code(inequality.what),
            format_code(inequality.before),
            format_code(inequality.after),
        ]
        for inequality in diff.inequalities
    ]
    yield from _format_table("Both sides", ["", "before", "after"], rows)
    for title, names in group_uncompared_evals(diff).items():
        yield f"{title}: {', '.join(map(format_code, names[:MOST_ROWS]))}{write_rest(len(names))}"


_FLIPPED: Final = ["eval", "", "before", "after", "step", "why it failed"]


def _format_flip(flip: Flip, what: str, links: SiteLinks) -> list[str]:
    path = build_attempt_path(flip.run_id, flip.eval, flip.sample)
    row = f"{build_run_path(flip.run_id)}#{build_attempt_anchor(flip.eval, flip.sample)}"
    return [
        links.make_link(flip.eval, path if flip.archived else row),
        what,
        flip.before,
        flip.after,
        flip.step or UNKNOWN,
        format_code(flip.reason) if flip.reason else UNKNOWN,
    ]


def _format_side(side: Side, links: SiteLinks) -> str:
    if len(side.runs) > 1:
        return f"{format_code(side.label)} ({len(side.runs)} runs)"
    return links.make_link(side.label, build_run_path(side.runs[0].run_id))


def _format_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows[:MOST_ROWS]]
    yield f"**{title}**\n\n" + "\n".join(lines) + write_rest(len(rows))


def write_rest(number: int) -> str:
    """Return how many of ``number`` rows are left out; empty if none is."""
    return f"\n\n… and {number - MOST_ROWS} more" if number > MOST_ROWS else ""


def fit_parts(parts: Sequence[str], longest: int | None) -> str:
    """Return the first part, and further whole parts while they fit into ``longest`` characters."""
    text = parts[0]
    for number, part in enumerate(parts[1:], 1):
        cut = CUT.format(format_count(len(parts) - number, "part"))
        if longest is not None and len(text) + len(part) + len(cut) + 2 > longest:
            return text + cut
        text += f"\n\n{part}"
    return f"{text}\n"
