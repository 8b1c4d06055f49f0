"""Comparison of the answer with the expected output, line by line."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

MOST_LINES: Final = 500
"""The most lines of one side. If a line, such as an empty line, is repeated between all others, the
time grows with the third power of the lines: 0.3 seconds for 500 lines, 20 seconds for 2,000."""
_LONGEST: Final = 200_000
_CONTEXT: Final = 3
"""Number of equal lines that are shown before and after a difference."""


class ComparedLine(NamedTuple):
    """A line of both sides; None if a side has no such line."""

    kind: str
    """same, changed, only answer, only expected, or left out."""
    answer: str | None
    expected: str | None
    left_out: int = 0
    """Number of equal lines that are left out here."""


def compare_lines(answer: str, expected: str) -> list[ComparedLine] | None:
    """Return the compared lines of both sides; None if there are too many lines."""
    answer_lines, expected_lines = answer.splitlines(), expected.splitlines()
    if (
        max(len(answer_lines), len(expected_lines)) > MOST_LINES
        or max(len(answer), len(expected)) > _LONGEST
    ):
        return None
    lines: list[ComparedLine] = []
    matcher = SequenceMatcher(None, answer_lines, expected_lines, autojunk=False)
    for tag, start, end, expected_start, expected_end in matcher.get_opcodes():
        if tag == "equal":
            lines += _fold_equal_lines(
                answer_lines[start:end], first=start == 0, last=end == len(answer_lines)
            )
        else:
            lines += _pair_lines(
                answer_lines[start:end], expected_lines[expected_start:expected_end]
            )
    return lines


def _pair_lines(left: Sequence[str], right: Sequence[str]) -> Iterator[ComparedLine]:
    for index in range(max(len(left), len(right))):
        answer = left[index] if index < len(left) else None
        expected = right[index] if index < len(right) else None
        kind = "only answer" if expected is None else "only expected"
        both = answer is not None and expected is not None
        yield ComparedLine("changed" if both else kind, answer, expected)


def _fold_equal_lines(lines: Sequence[str], *, first: bool, last: bool) -> list[ComparedLine]:
    """Return equal lines, without those far from a difference; if all are equal, return all."""
    equal_lines = [ComparedLine("same", line, line) for line in lines]
    head, tail = (0 if first else _CONTEXT), (0 if last else _CONTEXT)
    hidden = len(equal_lines) - head - tail
    if (first and last) or hidden <= _CONTEXT:
        return equal_lines
    gap = ComparedLine("left out", None, None, hidden)
    return [*equal_lines[:head], gap, *equal_lines[len(equal_lines) - tail :]]
