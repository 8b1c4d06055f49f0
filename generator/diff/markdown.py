"""A difference as markdown for pull requests: the verdict in words first, then what it rests on.

Names and reasons come from models and from forks. They stand in code spans, where a mention calls
nobody, an image loads nothing and HTML is text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from generator.diff.data import DataDiff, MovedRow
from generator.diff.runs import Flip, RunsDiff, Side
from generator.diff.words import data_headline, headline
from generator.render.filters import dollars, rounded
from generator.site.urls import attempt_anchor, attempt_path, model_path, report_path, run_path
from records.run import Run
from records.showing import one_line

MARK: Final = "<!-- leaderboard:diff -->"
"""The first line, by which the comment to update is found."""
LONGEST_REASON: Final = 160
MOST_ROWS: Final = 40
"""Rows of a table; the JSON has all."""
CUT: Final = "\n\n*Cut here: the artifact of this run has the whole.*\n"


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
    fence = "`" * (1 + max((len(found) for found in re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def runs_markdown(found: RunsDiff, links: SiteLinks, longest: int | None = None) -> str:
    """Return what two sides differ in; cut at ``longest`` characters."""
    return _fitted([_bold(headline(found)), *pair_parts(found, links)], longest)


def data_markdown(found: DataDiff, links: SiteLinks, longest: int | None = None) -> str:
    """Return what two states of a data folder differ in; cut at ``longest`` characters."""
    parts = [_bold(data_headline(found))]
    parts += _table("Reports", ["report"], [[_report(one, links)] for one in found.reports])
    for pair in found.pairs:
        parts.append(f"### {_side(pair.after, links)} after {_side(pair.before, links)}")
        parts.append(headline(pair))
        parts += pair_parts(pair, links)
    moved = [_moved(one, links) for one in found.moved]
    parts += _table("Scores and ranks that moved", _MOVED, moved)
    new = [[links.to(one.run_id[:8], run_path(one.run_id)), _name(one)] for one in found.new]
    parts += _table("New, without an earlier run to compare with", ["run", "model"], new)
    gone = [[code(one.run_id[:8]), _name(one)] for one in found.gone]
    parts += _table("Removed or withdrawn", ["run", "model"], gone)
    parts.append(f"{code(found.after.label)} compared with {code(found.before.label)}.")
    return _fitted(parts, longest)


def pair_parts(found: RunsDiff, links: SiteLinks) -> Iterator[str]:
    """Yield the tables of two sides: what flipped, and what else differs."""
    flips = [
        *(_flip(one, "fixed", links) for one in found.fixed),
        *(_flip(one, "broken", links) for one in found.broken),
    ]
    yield from _table("Evals that flipped", _FLIPPED, flips)
    sides = (found.before, found.after)
    rows = [["", *(_side(side, links) for side in sides)]]
    if found.scores is not None:
        rows.append(["score over the evals compared", *map(percent_words, found.scores)])
    rows.append(["cost per attempt", *map(_dollars, found.costs)])
    # Names of parameters and tools come from records, as values do.
    rows += [[code(one.what), code(one.before), code(one.after)] for one in found.inequalities]
    yield from _table("Both sides", ["", "before", "after"], rows)
    left_out = {
        "Not compared, for task or grader changed": found.changed_evals,
        "Only before": found.only_before,
        "Only after": found.only_after,
    }
    for title, names in left_out.items():
        if names:
            yield f"{title}: {', '.join(map(code, names[:MOST_ROWS]))}{_more(len(names))}"


_FLIPPED: Final = ["eval", "", "before", "after", "step", "why it failed"]


def _flip(flip: Flip, what: str, links: SiteLinks) -> list[str]:
    place = attempt_path(flip.run_id, flip.eval, flip.sample)
    row = f"{run_path(flip.run_id)}#{attempt_anchor(flip.eval, flip.sample)}"
    return [
        links.to(flip.eval, place if flip.archived else row),
        what,
        flip.before,
        flip.after,
        flip.step or "not published",
        code(flip.reason) if flip.reason else "not published",
    ]


_MOVED: Final = ["model", "experiment", "score before", "score after", "rank before", "rank after"]


def _moved(one: MovedRow, links: SiteLinks) -> list[str]:
    return [
        links.to(one.slug, model_path(one.slug)),
        code(one.experiment),
        *map(percent_words, (one.score_before, one.score_after)),
        *("none" if rank is None else rank.words for rank in (one.rank_before, one.rank_after)),
    ]


def _name(run: Run) -> str:
    return f"{code(run.model.slug)} {code(run.experiment.name)}"


def percent_words(share: float | None) -> str:
    """Return a share of 1 as a percentage, ``none`` where there is none."""
    return "none" if share is None else f"{rounded(100 * share, 1)}%"


def _report(path: str, links: SiteLinks) -> str:
    _, provider, model, name = path.split("/")
    return links.to(path, report_path(f"{provider}/{model}", name))


def _side(side: Side, links: SiteLinks) -> str:
    if len(side.runs) > 1:
        return f"{code(side.label)} ({len(side.runs)} runs)"
    return links.to(side.label, run_path(side.runs[0].run_id))


def _dollars(value: float | None) -> str:
    return "not known" if value is None else dollars(value)


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows[:MOST_ROWS]]
    yield f"**{title}**\n\n" + "\n".join(lines) + _more(len(rows))


def _more(number: int) -> str:
    return f"\n\n… and {number - MOST_ROWS} more" if number > MOST_ROWS else ""


def _bold(text: str) -> str:
    return f"{MARK}\n**{text}**"


def _fitted(parts: Sequence[str], longest: int | None) -> str:
    """Join as many parts as fit, the first always: a part is never cut in its middle."""
    text = parts[0]
    for part in parts[1:]:
        if longest is not None and len(text) + len(part) + len(CUT) + 2 > longest:
            return text + CUT
        text += f"\n\n{part}"
    return f"{text}\n"
