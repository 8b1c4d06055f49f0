"""Tables in markdown. Long tables are folded and cut; the number of rows left out is shown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from generator.diff.markdown_text import MOST_ROWS, SiteLinks, format_code, write_rest
from records.text.numbers import format_count

MOST_SHOWN: Final = 6
"""The most rows of a table that is not folded."""
_PER_CELL: Final = 5
"""The most names in a cell."""

Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class TableWriter:
    """A writer of tables and folds, with links to a site."""

    links: SiteLinks
    folded: bool
    """True to fold long tables, for which HTML is needed."""

    def write(self, title: str, head: Row, rows: Sequence[Row]) -> Iterator[str]:
        """Yield a table with its title, folded if it is long; nothing if it has no rows."""
        if not rows:
            return
        lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
        lines += [f"| {' | '.join(row)} |" for row in rows[:MOST_ROWS]]
        text = "\n".join(lines) + write_rest(len(rows))
        if len(rows) <= MOST_SHOWN:
            yield f"**{title}**\n\n{text}"
        else:
            yield self.fold(f"{title}: {format_count(len(rows), 'row')}", text)

    def fold(self, title: str, text: str) -> str:
        """Return a text that a click on its title shows; without folds, title and text."""
        if self.folded:
            return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"
        return f"**{title}**\n\n{text}"


def join_names(names: Sequence[str]) -> str:
    """Return the first names as code, and the number of the others."""
    more = f" and {len(names) - _PER_CELL} more" if len(names) > _PER_CELL else ""
    return ", ".join(map(format_code, names[:_PER_CELL])) + more
