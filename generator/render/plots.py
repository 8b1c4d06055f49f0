"""Plots with axes (score over time), names of their dots, and bars in cells.

Each plot is drawn twice, wide and narrow, because the letters of a wide plot would be too small on
a phone. The style sheet shows one of the drawings.

Bars stretch to the width of their cell (``preserveAspectRatio="none"``); the style sheet
keeps the width of strokes (``vector-effect``). They are hidden from screen readers, because
the cells beside them have the same numbers as text.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from markupsafe import escape

from generator.render.template_filters import format_percent
from generator.scores.differences.difference import Difference
from generator.scores.score_estimate import Estimate
from records.text.escaping import mark_safe
from records.text.visible import make_visible

_LONGEST = 32
_LETTER = 6.2
"""The width of a letter."""
_BAND = 12
"""The height of the horizontal bands into which drawn boxes are sorted."""
_MOST_NUMBERED = 40
"""With more dots, no key is drawn, because it would be longer than the plot."""
_RADII = range(20, 120, 10)
_ANGLES = range(0, 360, 30)
_ROW = 16
"""The height of a row of the key."""
_COLUMN = 230
"""The width of a column of the key."""


class NamedDot(NamedTuple):
    """A dot with its name and its position."""

    name: str
    x: float
    y: float
    first: bool
    """Whether its name is placed before the names of other dots."""


class Room(NamedTuple):
    """The part of a plot in which names may be written."""

    left: float
    right: float
    floor: float


class DrawnNames(NamedTuple):
    """The names of a plot as SVG."""

    drawn: Sequence[str]
    """The names and numbers beside dots."""
    key: Sequence[str]
    """The numbers and their names below the plot."""
    height: int
    """The height of the key."""


def draw_names(dots: Sequence[NamedDot], room: Room) -> DrawnNames:
    """Return the names of the dots."""
    boxes = TakenBoxes()
    for dot in dots:
        boxes.add((dot.x - 5, dot.y - 5, dot.x + 5, dot.y + 5))
    drawn: list[str] = []
    numbered: list[str] = []
    for dot in sorted(dots, key=lambda dot: not dot.first):
        name = dot.name if len(dot.name) <= _LONGEST else dot.name[: _LONGEST - 1] + "…"
        label = _place_name_beside(dot, name, "name", room, boxes)
        if label is None and len(dots) <= _MOST_NUMBERED:
            number = str(len(numbered) + 1)
            label = _place_name_beside(dot, number, "number", room, boxes)
            label = label or _place_name_with_leader(dot, number, room, boxes)
            numbered += [name] if label else []
        drawn += [label] if label else []
    top, columns = room.floor + 60, max(1, int((room.right - room.left + 60) // _COLUMN))
    return DrawnNames(
        drawn, [*_draw_key(numbered, top, columns)], _ROW * -(-len(numbered) // columns)
    )


def _place_name_beside(
    dot: NamedDot, text: str, kind: str, room: Room, taken: "TakenBoxes"
) -> str | None:
    """Return a text at the first free position beside its dot; None if none is free."""
    x, y, width = dot.x, dot.y, _LETTER * len(text)
    # A text above or below its dot is centred, and moved inwards at an edge.
    middle = min(max(x, room.left + 1 + width / 2), room.right - 1 - width / 2)
    for at, anchor, line in (
        (x + 8, "start", y),
        (x - 8, "end", y),
        (middle, "mid", y - 14),
        (middle, "mid", y + 14),
        (x + 6, "start", y - 11),
        (x + 6, "start", y + 11),
        (x - 6, "end", y - 11),
        (x - 6, "end", y + 11),
    ):
        if _take_box(at, anchor, line, width, room, taken):
            return draw_name(text, kind, anchor, at, line)
    return None


def _place_name_with_leader(
    dot: NamedDot, text: str, room: Room, taken: "TakenBoxes"
) -> str | None:
    """Return a text at the nearest free position around its dot, with a line to the dot.

    None if no position is free.
    """
    width = _LETTER * len(text)
    for radius in _RADII:
        for angle in _ANGLES:
            x = dot.x + radius * math.cos(math.radians(angle))
            y = dot.y + radius * math.sin(math.radians(angle))
            if _take_box(x, "mid", y, width, room, taken):
                part = 1 - 9 / radius
                end_x, end_y = dot.x + (x - dot.x) * part, dot.y + (y - dot.y) * part
                line = (
                    f'<path class="leader" d="M{dot.x:.1f} {dot.y:.1f}L{end_x:.1f} {end_y:.1f}"/>'
                )
                return line + draw_name(text, "number", "mid", x, y)
    return None


def _take_box(  # noqa: PLR0913, PLR0917 - a box has a corner, an anchor and a size
    at: float, anchor: str, line: float, width: float, room: Room, taken: "TakenBoxes"
) -> bool:
    """Reserve the box of a text if it is free and inside the room; return whether it was."""
    start = find_left(at, anchor, width)
    box = (start, line - 6, start + width, line + 6)
    inside = start > room.left and box[2] <= room.right and box[1] > 0 and line < room.floor
    if not inside or not taken.is_free(box):
        return False
    taken.add(box)
    return True


def draw_name(name: str, kind: str, anchor: str, x: float, y: float) -> str:
    """Return a name as SVG, with the middle of its letters at ``y``."""
    words = escape(make_visible(name))
    return f'<text class="{kind} {anchor}" x="{x:.1f}" y="{y + 4:.1f}">{words}</text>'


def find_left(x: float, anchor: str, width: float) -> float:
    """Return the left end of a text that stands at ``x``."""
    return x - {"start": 0, "end": width, "mid": width / 2}[anchor]


def _draw_key(names: Sequence[str], top: float, columns: int) -> Iterator[str]:
    """Yield the numbers and names of the key, column by column."""
    rows = -(-len(names) // columns)
    for number, name in enumerate(names):
        x, y = 8 + _COLUMN * (number // rows), top + _ROW * (number % rows)
        words = escape(make_visible(name))
        yield f'<text class="axis end" x="{x + 14}" y="{y:.1f}">{number + 1}</text>'
        yield f'<text class="key" x="{x + 20}" y="{y:.1f}">{words}</text>'


Box = tuple[float, float, float, float]
"""The left, top, right and bottom edges of a box."""


class TakenBoxes:
    """The drawn boxes, sorted by bands so that a new box is compared with few others."""

    def __init__(self) -> None:
        self._bands: defaultdict[int, list[Box]] = defaultdict(list)

    def add(self, box: Box) -> None:
        """Take the room of a box."""
        for band in self._list_bands(box):
            self._bands[band].append(box)

    def is_free(self, box: Box) -> bool:
        """Return whether no taken box touches a box."""
        start, top, right, bottom = box
        return not any(
            start <= other[2] and right >= other[0] and top <= other[3] and bottom >= other[1]
            for band in self._list_bands(box)
            for other in self._bands[band]
        )

    def _list_bands(self, box: Box) -> Iterable[int]:
        return range(int(box[1] // _BAND), int(box[3] // _BAND) + 1)


_TEN = 10


def draw_score_bar(score: Estimate) -> str:
    """Return a score as a bar, with its interval as a whisker across the bar's end, as SVG."""
    whisker = _draw_whisker(100 * score.interval.low, 100 * score.interval.high)
    return _draw_svg(f'<rect width="{score.share.percent:.1f}" height="10"/>{whisker}')


def draw_difference_bar(difference: Difference, reach: float) -> str:
    """Return a difference and its interval on a scale from minus to plus ``reach``, as SVG."""

    def place(number: float) -> float:
        return 50 + 50 * max(-1.0, min(1.0, number / reach if reach else 0))

    start, end = sorted([50.0, place(difference.points)])
    kind = "gain" if difference.value > 0 else "loss"
    bar = f'<rect class="{kind}" x="{start:.1f}" width="{end - start:.1f}" height="10"/>'
    zero = '<path class="zero" d="M50 0v10"/>'
    return _draw_svg(bar + zero + _draw_whisker(place(difference.low), place(difference.high)))


def choose_reach(differences: Iterable[Difference]) -> float:
    """Return the multiple of ten above all ends of the intervals of differences."""
    ends = (end for each in differences for end in (each.low, each.points, each.high))
    return _TEN * (max(map(abs, ends), default=0.0) // _TEN + 1)


def draw_bar(value: float, other: float | None = None) -> str:
    """Return a bar of ``value`` percent, with a mark at ``other`` percent if given, as SVG."""
    mark = "" if other is None else f'<path class="other" d="M{other:.1f} -1v12"/>'
    return _draw_svg(f'<rect width="{value:.1f}" height="10"/>{mark}')


def _draw_whisker(low: float, high: float) -> str:
    return f'<path d="M{low:.1f} 2v6M{low:.1f} 5H{high:.1f}M{high:.1f} 2v6"/>'


def _draw_svg(content: str) -> str:
    return mark_safe(
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f"{content}</svg>"
    )


_WIDTH = 720
_NARROW = 340
"""The width on a phone."""
_HEIGHT = 300
_LEFT = 44
_RIGHT = 28
_TOP = 26
_BOTTOM = 50
_TENTHS = 10


class Dot(NamedTuple):
    """A labelled point of a plot."""

    label: str
    href: str
    """The address of the dot's link, relative to the page."""
    x: float
    y: float
    marked: bool
    """Whether the dot is filled, and its name placed before others."""
    note: str = ""
    """The text of the tooltip after name and score."""
    group: int = 0
    """The number of the dot's group, which has a tone, and a line through its best dots; 0 for
    none."""


_MONTH = 60
"""The width of the label of a month."""
TONES = 4
"""The tones of the style sheet; a fifth group has the tone of the first."""


def choose_tone(group: int) -> str:
    """Return the class with the tone of a group, by its number from 1 on."""
    return f"tone{1 + (group - 1) % TONES}"


def draw_history(dots: Sequence[Dot], ticks: Mapping[date, str], axis: str) -> str:
    """Return a plot of scores in percent over time, as SVG; an x is the ordinal number of a day.

    A line connects the best dots of a group.
    """
    return mark_safe(
        _draw_history(dots, ticks, axis, _WIDTH) + _draw_history(dots, ticks, axis, _NARROW)
    )


def label_ends(days: Sequence[date]) -> dict[date, str]:
    """Return the labels of an axis on which only the first and the last day are written."""
    return {day: f"{day}" for day in (min(days), max(days))}


def _draw_history(dots: Sequence[Dot], ticks: Mapping[date, str], across: str, width: int) -> str:
    first, last = min(ticks).toordinal(), max(ticks).toordinal()
    span = max(last - first, 1)

    def day_to_x(day: float) -> float:
        inner = width - _LEFT - _RIGHT - 80
        return _LEFT + 40 + inner * ((day - first) / span if last > first else 0.5)

    step = math.ceil(len(ticks) / (width // _MONTH))
    floor = _choose_floor(dots)
    best: dict[int, dict[float, float]] = {}
    for dot in (dot for dot in dots if dot.group):
        of_group = best.setdefault(dot.group, {})
        of_group[dot.x] = max(dot.y, of_group.get(dot.x, 0.0))
    axis = [
        *_draw_titles(width, across),
        # The last tick is always kept.
        *(
            _draw_tick(day_to_x(day.toordinal()), ticks[day])
            for day in sorted(ticks)[::-step][::-1]
        ),
        *(
            f'<polyline class="frontier {choose_tone(group)}" points="'
            + " ".join(
                f"{day_to_x(x):.1f},{_percent_to_y(y, floor):.1f}"
                for x, y in sorted(points.items())
            )
            + '"/>'
            for group, points in best.items()
        ),
    ]
    placed = [(dot, day_to_x(dot.x)) for dot in dots]
    return _draw_plot("Score in percent over time", width, axis, placed)


def _choose_floor(dots: Iterable[Dot]) -> float:
    """Return the percentage at which the axis begins: a multiple of ten below every dot."""
    lowest = min(dot.y for dot in dots)
    return min(80.0, max(0.0, math.floor((lowest - 1) / _TENTHS) * _TENTHS))


def _percent_to_y(percent: float, floor: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (percent - floor) / (100 - floor)


def _draw_score_axis(floor: float, width: int) -> list[str]:
    step = 20 if floor < 30 else 10  # noqa: PLR2004 - at most seven lines
    lines: list[str] = []
    for value in range(int(math.ceil(floor / step) * step), 101, step):
        y = _percent_to_y(value, floor)
        lines.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{width - _RIGHT}"/>')
        lines.append(f'<text class="axis end" x="{_LEFT - 6}" y="{y + 4:.1f}">{value}%</text>')
    return lines


def _draw_tick(x: float, label: str) -> str:
    return f'<text class="axis mid" x="{x:.1f}" y="{_HEIGHT - 30}">{escape(label)}</text>'


def _draw_titles(width: int, across: str) -> list[str]:
    """Return the titles of both axes."""
    return [
        f'<text class="axis" x="{_LEFT - 36}" y="12">Score</text>',
        f'<text class="axis end" x="{width - _RIGHT}" y="{_HEIGHT - 8}">{escape(across)}</text>',
    ]


def _draw_dot(dot: Dot, x: float, y: float) -> str:
    kind = "dot marked" if dot.marked else "dot"
    kind += f" {choose_tone(dot.group)}" if dot.group else ""
    parts = [f"{dot.label}: {format_percent(dot.y)}%", *([dot.note] if dot.note else [])]
    name = escape(make_visible(", ".join(parts)))
    return (
        f'<a href="{escape(dot.href)}"><title>{name}</title>'
        f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/></a>'
    )


def _draw_plot(
    title: str,
    width: int,
    axis: Sequence[str],
    placed: Sequence[tuple[Dot, float]],
) -> str:
    """Return a drawing of dots, each with its x; marked dots have their names placed first."""
    floor = _choose_floor(dot for dot, _ in placed)
    by_height = sorted(placed, key=lambda dot_and_x: (-dot_and_x[0].y, dot_and_x[1]))
    heights = [_percent_to_y(dot.y, floor) for dot, _ in by_height]
    drawn = [_draw_dot(dot, x, y) for (dot, x), y in zip(by_height, heights, strict=True)]
    names = draw_names(
        [
            NamedDot(dot.label, x, y, dot.marked)
            for (dot, x), y in zip(by_height, heights, strict=True)
        ],
        Room(_LEFT, width - _RIGHT, _HEIGHT - _BOTTOM),
    )
    kind = "plot narrow" if width == _NARROW else "plot"
    body = "".join([*_draw_score_axis(floor, width), *axis, *drawn, *names.drawn, *names.key])
    return (
        f'<svg class="{kind}" viewBox="0 0 {width} {_HEIGHT + names.height}" role="group"'
        f' aria-label="{escape(title)}">{body}</svg>'
    )
