"""A diff without line numbers: the changes of a variant in a file of the reference answer.

A context line begins with a blank, a removed line with ``-``, an added line with ``+``; an empty
line is an empty context line. A line ``@@`` separates two hunks. The file must have the context
lines and removed lines of a hunk in a row exactly once; the hunk applies there. So other changes of
the file do not affect the hunk, and a change of these lines is an error.

Texts are split at line feeds only, so a line feed at the end of a text makes an empty last line.
Thus texts with and without a line feed at their end need no special rule.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import count, pairwise
from typing import NamedTuple

_BETWEEN = "@@"
_MARKS = " -+"


class DiffError(ValueError):
    """A diff is malformed or does not apply; the message has a single line and names the hunk."""


class _Hunk(NamedTuple):
    """A change: lines of the file, and the lines that replace them, both with the context."""

    number: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def apply_diff(text: str, diff: str) -> str:
    """Return ``text`` with every hunk of ``diff`` applied.

    Raises:
        DiffError: the diff is malformed, the lines of a hunk are not in the text or are there
            several times, or two hunks overlap.
    """
    lines = text.split("\n")
    placed = sorted(
        ((_find_only_place(lines, hunk), hunk) for hunk in _parse_hunks(diff)),
        key=lambda each: each[0],
    )
    for (start, hunk), (next_start, other) in pairwise(placed):
        if next_start < start + len(hunk.old):
            first, second = sorted((hunk.number, other.number))
            raise DiffError(f"hunks {first} and {second} overlap: make one of them")
    for start, hunk in reversed(placed):
        lines[start : start + len(hunk.old)] = hunk.new
    return "\n".join(lines)


def write_diff(before: str, after: str, *, context: int = 0) -> str:
    """Return a diff that changes ``before`` to ``after``; empty if they are the same.

    Each hunk has ``context`` lines on both sides, and more if its lines would otherwise occur
    several times in the text.
    """
    old, new = before.split("\n"), after.split("\n")
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changes = [numbers for kind, *numbers in blocks if kind != "equal"]
    # The lines of each hunk; neighbours with at most a line between them are joined.
    windows: list[tuple[int, int]] = []
    for start, end in sorted(
        _find_unique_window(old, max(0, first - context), min(len(old), last + context))
        for first, last, _, _ in changes
    ):
        if windows and start <= windows[-1][1] + 1:
            windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
        else:
            windows.append((start, end))
    hunks: list[str] = []
    for start, end in windows:
        lines: list[str] = []
        position = start
        for first, last, new_first, new_last in changes:
            if start <= first and last <= end:
                lines += [f" {line}" if line else "" for line in old[position:first]]
                lines += [f"-{line}" for line in old[first:last]]
                lines += [f"+{line}" for line in new[new_first:new_last]]
                position = last
        lines += [f" {line}" if line else "" for line in old[position:end]]
        hunks.append("".join(f"{line}\n" for line in lines))
    return f"{_BETWEEN}\n".join(hunks)


def _parse_hunks(diff: str) -> Iterator[_Hunk]:
    lines: list[str] = []
    number = 1
    for line in [*diff.removesuffix("\n").split("\n"), _BETWEEN]:
        if line == _BETWEEN:
            old = tuple(line[1:] for line in lines if not line.startswith("+"))
            new = tuple(line[1:] for line in lines if not line.startswith("-"))
            if old == new:
                raise DiffError(f"hunk {number}: changes nothing")
            if not old:
                raise DiffError(
                    f"hunk {number}: only adds lines: put the line before them as context"
                )
            yield _Hunk(number, old, new)
            lines = []
            number += 1
        elif line and line[0] not in _MARKS:
            raise DiffError(f"hunk {number}: a line begins with blank, - or +, unlike {line!r}")
        else:
            lines.append(line)


def _find_only_place(lines: list[str], hunk: _Hunk) -> int:
    starts = _find_places(lines, hunk.old)
    if len(starts) == 1:
        return starts[0]
    if starts:
        problem = f"applies at {len(starts)} places: add lines around it as context"
    elif absent := [line for line in hunk.old if line not in lines]:
        problem = f"applies nowhere: no line is {absent[0]!r}"
    else:
        problem = f"applies nowhere: the lines from {hunk.old[0]!r} on are not in a row"
    raise DiffError(f"hunk {hunk.number}: {problem}")


def _find_places(lines: list[str], wanted: Sequence[str]) -> list[int]:
    """Return each index in ``lines`` at which the lines ``wanted`` (at least one) begin."""
    block = list(wanted)
    return [
        start
        for start, line in enumerate(lines)
        if line == block[0] and lines[start : start + len(block)] == block
    ]


def _find_unique_window(lines: list[str], start: int, end: int) -> tuple[int, int]:
    """Return the smallest range around ``start`` to ``end`` whose lines occur once in ``lines``.

    Of ranges of the same size the first is returned, because the line with the name of a function
    is above the changes in the function.
    """
    for more in count():
        for above in range(more, -1, -1):
            first, last = max(0, start - above), min(len(lines), end + more - above)
            if first < last and len(_find_places(lines, lines[first:last])) == 1:
                return first, last
    raise AssertionError("all lines together occur once")
