"""A file of an answer beside the reference's: aligned line by line, coloured by syntax."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from records.text.escaping import trusted
from records.text.highlight import highlighted_lines
from records.text.visible import visible


class SideBySideRow(NamedTuple):
    """One line of a diff, or a run of equal lines folded away."""

    kind: str
    """same, changed, added, removed or folded."""
    left: int | None
    """Line number in the answer; None where it has no such line."""
    left_html: str
    right: int | None
    """Line number in the reference."""
    right_html: str
    folded: int
    """Lines folded away."""


LONGEST: Final = 200_000
"""Characters of a file that is still compared; a longer one is shown as it is."""
_MOST_LINES: Final = 3_000
_CONTEXT: Final = 4
"""Equal lines shown around a difference; longer stretches are folded away."""
_DIFFERENT: Final = ("changed", "added", "removed")
"""Kinds of rows whose two sides differ."""
_FOLDED: Final = 12
"""Equal lines that are worth folding."""


def comparable(*texts: str | None) -> bool:
    """Return whether files are small enough to be compared."""
    return all(len(text) <= LONGEST and text.count("\n") <= _MOST_LINES for text in texts if text)


def side_by_side(path: str, answer: str | None, reference: str | None) -> list[SideBySideRow]:
    """Align ``answer`` (left) with ``reference`` (right); one of them may be missing."""
    answer_lines, right = _lines(answer), _lines(reference)
    left_html, right_html = _coloured(path, answer), _coloured(path, reference)
    rows: list[SideBySideRow] = []
    matcher = SequenceMatcher(None, answer_lines, right, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            same = [_same(left_html, i + step, j + step) for step in range(i_end - i)]
            rows += _fold(
                same, first=i == 0, last=i_end == len(answer_lines) and j_end == len(right)
            )
        else:
            rows += _unequal(left_html[i:i_end], right_html[j:j_end], i, j)
    return rows


def rows_html(rows: Sequence[SideBySideRow], before: str | None = None, after: str = "") -> str:
    """Return rows of a table of four columns: number and line of the left and of the right.

    They are made here and not in a template, because pages have thousands of them.

    Args:
        rows: the rows, as `side_by_side` returns them.
        before: the word that screen readers read before the left line of a difference; null for
            the kind of the difference.
        after: the word before the right line; empty for none.
    """
    words = {kind: f'<span class="vh">{before or kind}: </span>' for kind in _DIFFERENT}
    word_right = f'<span class="vh">{after}: </span>' if after else ""
    html: list[str] = []
    for kind, old, left_html, right, right_html, folded in rows:
        if folded:
            html.append(f'<tr class="folded"><td colspan="4">{folded} equal lines</td></tr>\n')
            continue
        left_cell = (
            '<td class="n"></td><td class="a none">'
            if old is None
            else f'<td class="n">{old}</td><td class="a">{words.get(kind, "")}'
        )
        right_cell = (
            '<td class="n"></td><td class="r none">'
            if right is None
            else f'<td class="n">{right}</td><td class="r">{word_right if kind in words else ""}'
        )
        html.append(
            f'<tr class="{kind}">{left_cell}{left_html}</td>{right_cell}{right_html}</td></tr>'
        )
    return trusted("".join(html))


def _lines(text: str | None) -> list[str]:
    return [] if text is None else visible(text).rstrip("\n").split("\n")


def _same(html: Sequence[str], left: int, right: int) -> SideBySideRow:
    return SideBySideRow("same", left + 1, html[left], right + 1, html[left], 0)


def _unequal(left: Sequence[str], right: Sequence[str], i: int, j: int) -> Iterator[SideBySideRow]:
    """Put changed lines beside one another, and the surplus of one side below."""
    for step in range(max(len(left), len(right))):
        here, there = step < len(left), step < len(right)
        yield SideBySideRow(
            kind="changed" if here and there else "added" if here else "removed",
            left=i + step + 1 if here else None,
            left_html=left[step] if here else "",
            right=j + step + 1 if there else None,
            right_html=right[step] if there else "",
            folded=0,
        )


def _fold(rows: list[SideBySideRow], *, first: bool, last: bool) -> list[SideBySideRow]:
    """Keep a few equal lines around differences; files that are wholly equal stay whole."""
    if first and last:
        return rows
    head, tail = (0 if first else _CONTEXT), (0 if last else _CONTEXT)
    hidden = len(rows) - head - tail
    if hidden < _FOLDED:
        return rows
    gap = SideBySideRow("folded", None, "", None, "", hidden)
    return [*rows[:head], gap, *rows[len(rows) - tail :]]


def _coloured(path: str, text: str | None) -> Sequence[str]:
    return () if text is None else highlighted_lines(path, text)
