"""Tables of a description in markdown: long ones folded and cut, with a count of the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from generator.diff.markdown import SiteLinks, code
from leaderboard.changes.sentence import count_nouns

MOST_SHOWN: Final = 6
"""Rows of a table that is not folded."""
MOST_ROWS: Final = 40
"""Rows of a table; the rest is counted, and the JSON has all."""
CUT: Final = "\n\n*Cut here, {} left out: the artifact of this run has the whole.*\n"
_PER_CELL: Final = 5
"""Names in a cell."""

Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class TableWriter:
    """A writer of tables and folds, with links to a site."""

    links: SiteLinks
    folded: bool
    """True where long tables are folded, which takes HTML."""

    def write(self, title: str, head: Row, rows: Sequence[Row]) -> Iterator[str]:
        """Yield a table with its title, folded where it is long; nothing where it has no rows."""
        if not rows:
            return
        lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
        lines += [f"| {' | '.join(row)} |" for row in rows[:MOST_ROWS]]
        text = "\n".join(lines) + write_rest(len(rows))
        if len(rows) <= MOST_SHOWN:
            yield f"**{title}**\n\n{text}"
        else:
            yield self.fold(f"{title}: {count_nouns(len(rows), 'row')}", text)

    def fold(self, title: str, text: str) -> str:
        """Return a text below a title that opens it."""
        if self.folded:
            return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"
        return f"**{title}**\n\n{text}"


def write_rest(number: int) -> str:
    """Return how many of so many rows are left out; nothing where none is."""
    return f"\n\n… and {number - MOST_ROWS} more" if number > MOST_ROWS else ""


def join_names(names: Sequence[str]) -> str:
    """Return the first names of a list as code, and the number of the others."""
    more = f" and {len(names) - _PER_CELL} more" if len(names) > _PER_CELL else ""
    return ", ".join(map(code, names[:_PER_CELL])) + more


def fit_parts(parts: Sequence[str], longest: int | None) -> str:
    """Join as many parts as fit, the first always: a part is never cut in its middle."""
    text = parts[0]
    for number, part in enumerate(parts[1:], 1):
        cut = CUT.format(count_nouns(len(parts) - number, "part"))
        if longest is not None and len(text) + len(part) + len(cut) + 2 > longest:
            return text + cut
        text += f"\n\n{part}"
    return f"{text}\n"
