"""Two versions of a file side by side, aligned line by line."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from records.text.visible import make_visible


class SideBySideRow(NamedTuple):
    """A line of the aligned files, or a stretch of equal lines that is folded away."""

    kind: str
    """``same``, ``changed``, ``added``, ``removed`` or ``folded``."""
    left: int | None
    """Line number in the file before the change; None if it has no such line."""
    left_text: str
    right: int | None
    """Line number in the file after the change; None if it has no such line."""
    right_text: str
    folded: int
    """The number of lines folded away; 0 for a single line."""


_LONGEST: Final = 200_000
"""Files with more characters are not compared."""
_MOST_LINES: Final = 3_000
_CONTEXT: Final = 4
"""Equal lines shown around a difference; longer stretches are folded away."""
_FOLDED: Final = 12
"""Fewer equal lines are not folded."""


def can_be_compared(*texts: str | None) -> bool:
    """Return whether all files are small enough to be compared."""
    return all(len(text) <= _LONGEST and text.count("\n") <= _MOST_LINES for text in texts if text)


def build_side_by_side_rows(before: str | None, after: str | None) -> list[SideBySideRow]:
    """Return the rows of ``before`` (left) and ``after`` (right); None is a missing file."""
    left, right = _split_lines(before), _split_lines(after)
    rows: list[SideBySideRow] = []
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            same = [_build_same_row(left, i + step, j + step) for step in range(i_end - i)]
            rows += _fold(same, first=i == 0, last=i_end == len(left) and j_end == len(right))
        else:
            rows += _build_unequal_rows(left[i:i_end], right[j:j_end], i, j)
    return rows


def _split_lines(text: str | None) -> list[str]:
    return [] if text is None else make_visible(text).rstrip("\n").split("\n")


def _build_same_row(lines: Sequence[str], left: int, right: int) -> SideBySideRow:
    return SideBySideRow("same", left + 1, lines[left], right + 1, lines[left], 0)


def _build_unequal_rows(
    left: Sequence[str], right: Sequence[str], i: int, j: int
) -> Iterator[SideBySideRow]:
    """Yield changed lines side by side, and then the further lines of the longer side."""
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
    """Fold equal lines except a few beside differences; equal files are not folded."""
    if first and last:
        return rows
    head, tail = (0 if first else _CONTEXT), (0 if last else _CONTEXT)
    hidden = len(rows) - head - tail
    if hidden < _FOLDED:
        return rows
    gap = SideBySideRow("folded", None, "", None, "", hidden)
    return [*rows[:head], gap, *rows[len(rows) - tail :]]
