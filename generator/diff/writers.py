"""Writers of descriptions: Markdown for pull requests, and plain text for terminals.

Names and reasons come from models and forks. In Markdown they are in code spans, so that an `@name`
notifies nobody, no image is loaded and HTML is shown as text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from records.text.numbers import format_count, format_table_lines
from records.text.visible import make_one_line

MARK = "<!-- leaderboard:diff -->"
"""The first line of a comment, by which an earlier comment is found and updated."""
CUT = "\n\n*Cut here, {} left out: the JSON has the whole.*\n"
_LONGEST_NAME = 160
_MOST_ROWS = 40
"""The most rows of a table in Markdown; the JSON has all rows."""
_MOST_OPEN = 6
"""The most rows of a table that is not folded."""

Row = Sequence[str]


class MarkdownWriter(NamedTuple):
    """A writer of Markdown. Long tables are folded and cut."""

    address: str | None = None
    """The site to which names are links; None for no links."""
    longest: int | None = None
    """The most characters of a description, after which parts are left out; None for no limit."""

    def write_name(self, text: str, path: str | None = None) -> str:
        """Return a code span, as a link to ``path`` if there is a site."""
        code = format_code(text)
        return f"[{code}]({self.address.rstrip('/')}/{path})" if self.address and path else code

    def join_names(self, names: Sequence[str], most: int = _MOST_ROWS) -> str:
        """Return the first names as code, and the number of the others."""
        more = f" and {len(names) - most} more" if len(names) > most else ""
        return ", ".join(map(format_code, names[:most])) + more

    def write_table(
        self, title: str, head: Row, rows: Sequence[Row], *, folds: bool = True
    ) -> Iterator[str]:
        """Yield a table with its title, folded if it is long; nothing if it has no rows."""
        if not rows:
            return
        lines = [f"| {' | '.join(row)} |" for row in rows[:_MOST_ROWS]]
        text = "\n".join([f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines])
        if len(rows) > _MOST_ROWS:
            text += f"\n\n… and {len(rows) - _MOST_ROWS} more"
        if folds and len(rows) > _MOST_OPEN:
            yield self.fold(f"{title}: {format_count(len(rows), 'row')}", [text])
        else:
            yield f"**{title}**\n\n{text}"

    def fold(self, title: str, parts: Iterable[str]) -> str:
        """Return parts that a click on their title shows."""
        text = "\n\n".join(parts)
        return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"

    def compose(self, headline: str, parts: Iterable[str]) -> str:
        """Return the headline, and further whole parts while they fit into the limit."""
        text, later = f"{MARK}\n**{headline}**", list(parts)
        for number, part in enumerate(later):
            cut = CUT.format(format_count(len(later) - number, "part"))
            if self.longest is not None and len(text) + len(part) + len(cut) + 2 > self.longest:
                return text + cut
            text += f"\n\n{part}"
        return f"{text}\n"


class TextWriter(NamedTuple):
    """A writer of plain text, whose tables fit a terminal."""

    width: int | None = None
    """The most characters of a table's line; None for no limit."""

    def write_name(self, text: str, path: str | None = None) -> str:  # noqa: ARG002 - no links
        """Return the text in one line."""
        return make_one_line(text)

    def join_names(self, names: Sequence[str], most: int = 0) -> str:  # noqa: ARG002 - none is cut
        """Return all names."""
        return ", ".join(map(make_one_line, names))

    def write_table(
        self,
        title: str,
        head: Row,
        rows: Sequence[Row],
        *,
        folds: bool = True,  # noqa: ARG002 - a terminal scrolls
    ) -> Iterator[str]:
        """Yield a table below its title; nothing if it has no rows."""
        if rows:
            lines = format_table_lines(head, rows, None if self.width is None else self.width - 2)
            yield "\n".join([f"{title}:", *(f"  {line}" for line in lines)])

    def fold(self, title: str, parts: Iterable[str]) -> str:  # noqa: ARG002 - the parts have titles
        """Return the parts."""
        return "\n\n".join(parts)

    def compose(self, headline: str, parts: Iterable[str]) -> str:
        """Return the headline and all parts."""
        return "\n\n".join([headline, *parts])


DescriptionWriter = MarkdownWriter | TextWriter
"""A writer of the parts of a description."""


def format_code(text: str) -> str:
    """Return foreign text as a code span of one line, safe in a table's cell."""
    line = make_one_line(text, _LONGEST_NAME).replace("|", "\\|") or " "
    fence = "`" * (1 + max((len(ticks) for ticks in re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"
