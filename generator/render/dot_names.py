"""The names of the dots of a plot, beside the dots, or in a numbered key below the plot.

All lengths are in the units of the drawing.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import escape

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

Point = tuple[float, float]


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


def draw_names(dots: Sequence[NamedDot], room: Room, lines: Sequence[Point]) -> DrawnNames:
    """Return the names of the dots; ``lines`` are the corners of a line that names do not cross."""
    boxes = _TakenBoxes()
    for dot in dots:
        boxes.add((dot.x - 5, dot.y - 5, dot.x + 5, dot.y + 5))
    for x, y in _list_points(lines):
        boxes.add((x - 3, y - 3, x + 3, y + 3))
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


def _list_points(lines: Sequence[Point]) -> Iterator[Point]:
    """Yield points of a line that are at most 6 units apart."""
    for (x, top), (right, bottom) in pairwise(lines):
        steps = max(1, math.ceil(math.hypot(right - x, bottom - top) / 6))
        for step in range(steps + 1):
            part = step / steps
            yield x + (right - x) * part, top + (bottom - top) * part


def _place_name_beside(
    dot: NamedDot, text: str, kind: str, room: Room, taken: "_TakenBoxes"
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
            return _draw_text(text, kind, at, anchor, line)
    return None


def _place_name_with_leader(
    dot: NamedDot, text: str, room: Room, taken: "_TakenBoxes"
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
                return line + _draw_text(text, "number", x, "mid", y)
    return None


def _take_box(  # noqa: PLR0913, PLR0917 - a box has a corner, an anchor and a size
    at: float, anchor: str, line: float, width: float, room: Room, taken: "_TakenBoxes"
) -> bool:
    """Reserve the box of a text if it is free and inside the room; return whether it was."""
    start = at - {"start": 0, "mid": width / 2, "end": width}[anchor]
    box = (start, line - 6, start + width, line + 6)
    inside = start > room.left and box[2] <= room.right and box[1] > 0 and line < room.floor
    if not inside or not taken.is_free(box):
        return False
    taken.add(box)
    return True


def _draw_text(text: str, kind: str, at: float, anchor: str, line: float) -> str:
    words = escape(make_visible(text))
    return f'<text class="{kind} {anchor}" x="{at:.1f}" y="{line + 4:.1f}">{words}</text>'


def _draw_key(names: Sequence[str], top: float, columns: int) -> Iterator[str]:
    """Yield the numbers and names of the key, column by column."""
    rows = -(-len(names) // columns)
    for number, name in enumerate(names):
        x, y = 8 + _COLUMN * (number // rows), top + _ROW * (number % rows)
        words = escape(make_visible(name))
        yield f'<text class="axis end" x="{x + 14}" y="{y:.1f}">{number + 1}</text>'
        yield f'<text class="key" x="{x + 20}" y="{y:.1f}">{words}</text>'


_Box = tuple[float, float, float, float]
"""The left, top, right and bottom edges of a box."""


class _TakenBoxes:
    """The drawn boxes, sorted by bands so that a new box is compared with few others."""

    def __init__(self) -> None:
        self._bands: defaultdict[int, list[_Box]] = defaultdict(list)

    def add(self, box: _Box) -> None:
        for band in self._list_bands(box):
            self._bands[band].append(box)

    def is_free(self, box: _Box) -> bool:
        start, top, right, bottom = box
        return not any(
            start <= other[2] and right >= other[0] and top <= other[3] and bottom >= other[1]
            for band in self._list_bands(box)
            for other in self._bands[band]
        )

    def _list_bands(self, box: _Box) -> Iterable[int]:
        return range(int(box[1] // _BAND), int(box[3] // _BAND) + 1)
