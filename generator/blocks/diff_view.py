"""A file before and after a change, aligned line by line."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from records.text.visible import visible


class SideBySideRow(NamedTuple):
    """One line of a diff, or a run of equal lines folded away."""

    kind: str
    """same, changed, added, removed or folded."""
    left: int | None
    """Line number before the change; None where there was no such line."""
    left_text: str
    right: int | None
    """Line number after the change."""
    right_text: str
    folded: int
    """Lines folded away."""


_LONGEST: Final = 200_000
"""Characters of a file that is still compared."""
_MOST_LINES: Final = 3_000
_CONTEXT: Final = 4
"""Equal lines shown around a difference; longer stretches are folded away."""
_FOLDED: Final = 12
"""Equal lines that are worth folding."""


def comparable(*texts: str | None) -> bool:
    """Return whether files are small enough to be compared."""
    return all(len(text) <= _LONGEST and text.count("\n") <= _MOST_LINES for text in texts if text)


def side_by_side(before: str | None, after: str | None) -> list[SideBySideRow]:
    """Align ``before`` (left) with ``after`` (right); one of them may be missing."""
    left, right = _lines(before), _lines(after)
    rows: list[SideBySideRow] = []
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            same = [_same(left, i + step, j + step) for step in range(i_end - i)]
            rows += _fold(same, first=i == 0, last=i_end == len(left) and j_end == len(right))
        else:
            rows += _unequal(left[i:i_end], right[j:j_end], i, j)
    return rows


def _lines(text: str | None) -> list[str]:
    return [] if text is None else visible(text).rstrip("\n").split("\n")


def _same(lines: Sequence[str], left: int, right: int) -> SideBySideRow:
    return SideBySideRow("same", left + 1, lines[left], right + 1, lines[left], 0)


def _unequal(left: Sequence[str], right: Sequence[str], i: int, j: int) -> Iterator[SideBySideRow]:
    """Put changed lines beside one another, and the surplus of one side below."""
    for step in range(max(len(left), len(right))):
        here, there = step < len(left), step < len(right)
        yield SideBySideRow(
            kind="changed" if here and there else "removed" if here else "added",
            left=i + step + 1 if here else None,
            left_text=left[step] if here else "",
            right=j + step + 1 if there else None,
            right_text=right[step] if there else "",
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
