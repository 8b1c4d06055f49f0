"""A difference as markdown for pull requests: the verdict in words first, then its grounds.

Names and reasons come from models and from forks. They stand in code spans, where a mention calls
nobody, an image loads nothing and HTML is text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from generator.diff.runs_diff import Flip, RunsDiff, Side
from generator.diff.words import UNKNOWN, headline, score_rows, uncompared_evals
from generator.facts.urls import attempt_anchor, attempt_path, run_path
from records.text.visible import counted, one_line

MARK: Final = "<!-- leaderboard:diff -->"
"""The first line, by which the comment to update is found."""
LONGEST_REASON: Final = 160
MOST_ROWS: Final = 40
"""Rows of a table; the JSON has all."""
CUT: Final = "\n\n*Cut here, {} left out: the artifact of this run has the whole.*\n"


@dataclass(frozen=True, slots=True)
class SiteLinks:
    """Links to pages of a site; without an address, only their texts."""

    address: str | None

    def to(self, text: str, path: str) -> str:
        """Return a link to ``path`` below the site's root."""
        return f"[{code(text)}]({self.address.rstrip('/')}/{path})" if self.address else code(text)


def code(text: str) -> str:
    """Return foreign text as a code span that holds in a table: one line, nothing in it acts."""
    line = one_line(text, LONGEST_REASON).replace("|", "\\|") or " "
    fence = "`" * (1 + max((len(ticks) for ticks in re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def runs_markdown(found: RunsDiff, links: SiteLinks, longest: int | None = None) -> str:
    """Return the differences of two sides; cut at ``longest`` characters."""
    return fit_parts([f"{MARK}\n**{headline(found)}**", *pair_parts(found, links)], longest)


def pair_parts(found: RunsDiff, links: SiteLinks) -> Iterator[str]:
    """Yield the tables of two sides: flipped evals, and other differences."""
    flips = [
        *(_flip(inequality, "fixed", links) for inequality in found.fixed),
        *(_flip(inequality, "broken", links) for inequality in found.broken),
    ]
    yield from _table("Evals that flipped", _FLIPPED, flips)
    sides = (found.before, found.after)
    rows = [["", *(_side(side, links) for side in sides)]]
    rows += map(list, score_rows(found))
    # Names of parameters and tools come from records, as values do.
    rows += [
        [code(inequality.what), code(inequality.before), code(inequality.after)]
        for inequality in found.inequalities
    ]
    yield from _table("Both sides", ["", "before", "after"], rows)
    for title, names in uncompared_evals(found).items():
        yield f"{title}: {', '.join(map(code, names[:MOST_ROWS]))}{write_rest(len(names))}"


_FLIPPED: Final = ["eval", "", "before", "after", "step", "why it failed"]


def _flip(flip: Flip, what: str, links: SiteLinks) -> list[str]:
    path = attempt_path(flip.run_id, flip.eval, flip.sample)
    row = f"{run_path(flip.run_id)}#{attempt_anchor(flip.eval, flip.sample)}"
    return [
        links.to(flip.eval, path if flip.archived else row),
        what,
        flip.before,
        flip.after,
        flip.step or UNKNOWN,
        code(flip.reason) if flip.reason else UNKNOWN,
    ]


def _side(side: Side, links: SiteLinks) -> str:
    if len(side.runs) > 1:
        return f"{code(side.label)} ({len(side.runs)} runs)"
    return links.to(side.label, run_path(side.runs[0].run_id))


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows[:MOST_ROWS]]
    yield f"**{title}**\n\n" + "\n".join(lines) + write_rest(len(rows))


def write_rest(number: int) -> str:
    """Return how many of so many rows are left out; nothing where none is."""
    return f"\n\n… and {number - MOST_ROWS} more" if number > MOST_ROWS else ""


def fit_parts(parts: Sequence[str], longest: int | None) -> str:
    """Join as many parts as fit, the first always: a part is never cut in its middle."""
    text = parts[0]
    for number, part in enumerate(parts[1:], 1):
        cut = CUT.format(counted(len(parts) - number, "part"))
        if longest is not None and len(text) + len(part) + len(cut) + 2 > longest:
            return text + cut
        text += f"\n\n{part}"
    return f"{text}\n"
