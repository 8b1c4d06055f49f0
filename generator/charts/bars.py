"""Bars in table cells: a share with its whisker, a count, a difference around zero.

The drawings stretch to the width of their cell (``preserveAspectRatio="none"``); the style sheet
keeps the width of strokes (``vector-effect``). The drawings are hidden from screen readers, because
the cells beside them have the same numbers as text.
"""

from collections.abc import Iterable
from typing import Final

from records.text.escaping import mark_safe

_TEN: Final = 10


def draw_whisker_bar(percent: float, low: float | None, high: float | None) -> str:
    """Return a bar of ``percent``, with the interval as a whisker across its end, as SVG."""
    whisker = "" if low is None or high is None else _draw_whisker(low, high)
    return _draw_svg(f'<rect width="{percent:.1f}" height="10"/>{whisker}')


def draw_count_bar(value: int, largest: int) -> str:
    """Return a count as a bar on a scale from 0 to ``largest``, as SVG."""
    return _draw_svg(f'<rect width="{100 * value / max(largest, 1):.1f}" height="10"/>')


def draw_difference_bar(value: float, low: float | None, high: float | None, reach: float) -> str:
    """Return a difference and its interval on a scale from minus to plus ``reach``, as SVG."""

    def place(number: float) -> float:
        return 50 + 50 * max(-1.0, min(1.0, number / reach if reach else 0))

    start, end = sorted([50.0, place(value)])
    kind = "gain" if value > 0 else "loss"
    bar = f'<rect class="{kind}" x="{start:.1f}" width="{end - start:.1f}" height="10"/>'
    zero = '<path class="zero" d="M50 0v10"/>'
    whisker = "" if low is None or high is None else _draw_whisker(place(low), place(high))
    return _draw_svg(bar + zero + whisker)


def round_up_to_tens(ends: Iterable[float | None]) -> float:
    """Return the multiple of ten above the absolute values of all known ``ends``."""
    furthest = max((abs(end) for end in ends if end is not None), default=0)
    return _TEN * (furthest // _TEN + 1)


def draw_marked_bar(value: float, other: float | None) -> str:
    """Return a bar of ``value`` percent, with a mark at ``other`` percent, as SVG."""
    mark = "" if other is None else f'<path class="other" d="M{other:.1f} -1v12"/>'
    return _draw_svg(f'<rect width="{value:.1f}" height="10"/>{mark}')


def _draw_whisker(low: float, high: float) -> str:
    return f'<path d="M{low:.1f} 2v6M{low:.1f} 5H{high:.1f}M{high:.1f} 2v6"/>'


def _draw_svg(content: str) -> str:
    return mark_safe(
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f"{content}</svg>"
    )
