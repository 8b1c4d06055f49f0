"""The places of dots, names and lines of plots with axes (score over time), and scales of bars.

Each plot is drawn twice, wide and narrow, because the letters of a wide plot would be too small on
a phone. The style sheet shows one of the drawings. The templates `blocks/plot.html` and
`blocks/bars.html` draw.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import product
from typing import NamedTuple

from generator.scores.differences.difference import Difference

_LONGEST = 32
_LETTER = 6.2
"""The width of a letter."""
_BAND = 12
"""The height of the horizontal bands into which drawn boxes are sorted."""
_MOST_NUMBERED = 40
"""With more dots, no key is drawn, because it would be longer than the plot."""
_COLUMN = 230
"""The width of a column of the key."""


class Dot(NamedTuple):
    """A labelled point of a plot."""

    label: str
    href: str
    """The address of the dot's link, below the site's root."""
    x: float
    y: float
    marked: bool
    """Whether the dot is filled, and its name placed before others."""
    note: str = ""
    """The text of the tooltip after name and score."""
    group: int = 0
    """The number of the dot's group, which has a tone, and a line through its best dots; 0 for
    none."""


class PlacedDot(NamedTuple):
    """A dot with its place in a plot."""

    dot: Dot
    x: float
    y: float


class PlacedName(NamedTuple):
    """A name, or its number, with its place in a plot."""

    text: str
    kind: str
    """The classes of the style sheet."""
    anchor: str
    x: float
    y: float
    """The height of the middle of its letters."""
    leader: tuple[float, float, float, float] | None = None
    """The ends of the line between the name and its dot; None if it is beside its dot."""


class Room(NamedTuple):
    """The part of a plot in which names may be written."""

    left: float
    right: float
    floor: float


class Plot(NamedTuple):
    """A plot at one width."""

    narrow: bool
    room: Room
    grid: Sequence[tuple[int, float]]
    """The percentages with a line, each with its height."""
    across: str
    """The title of the axis of days."""
    ticks: Sequence[tuple[float, str]]
    lines: Mapping[int, Sequence[tuple[float, float]]]
    """The corners of each group's line."""
    dots: Sequence[PlacedDot]
    """By height."""
    names: Sequence[PlacedName]
    key: Sequence[str]
    """The names of dots that have numbers, in the order of these."""
    key_rows: int


def _place_names(
    dots: Sequence[PlacedDot], room: Room
) -> tuple[Sequence[PlacedName], Sequence[str]]:
    """Return the names and numbers beside dots, and the names of these numbers."""
    boxes = TakenBoxes()
    for placed in dots:
        boxes.add((placed.x - 5, placed.y - 5, placed.x + 5, placed.y + 5))
    drawn: list[PlacedName] = []
    numbered: list[str] = []
    for placed in sorted(dots, key=lambda placed: not placed.dot.marked):
        name = placed.dot.label
        name = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
        label = _place_name(placed, name, "name", room, boxes)
        if label is None and len(dots) <= _MOST_NUMBERED:
            label = _place_name(placed, str(len(numbered) + 1), "number", room, boxes)
            numbered += [name] if label else []
        drawn += [label] if label else []
    return drawn, numbered


def _place_name(
    dot: PlacedDot, text: str, kind: str, room: Room, taken: "TakenBoxes"
) -> PlacedName | None:
    """Return a text at its first free position that is inside the room; None if none is free."""
    width = _LETTER * len(text)
    for name in _list_positions(dot, text, kind, room, width):
        start, line = find_left(name.x, name.anchor, width), name.y
        box = (start, line - 6, start + width, line + 6)
        inside = start > room.left and box[2] <= room.right and box[1] > 0 and line < room.floor
        if inside and taken.is_free(box):
            taken.add(box)
            return name
    return None


def _list_positions(
    dot: PlacedDot, text: str, kind: str, room: Room, width: float
) -> Iterator[PlacedName]:
    """Yield the positions of a text beside its dot; of a number also around it, with a line."""
    x, y = dot.x, dot.y
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
        yield PlacedName(text, kind, anchor, at, line)
    radii = range(20, 120, 10) if kind == "number" else ()
    for radius, angle in product(radii, range(0, 360, 30)):
        at = x + radius * math.cos(math.radians(angle))
        line = y + radius * math.sin(math.radians(angle))
        part = 1 - 9 / radius
        end = x + (at - x) * part, y + (line - y) * part
        yield PlacedName(text, kind, "mid", at, line, (x, y, *end))


def find_left(x: float, anchor: str, width: float) -> float:
    """Return the left end of a text that stands at ``x``."""
    return x - {"start": 0, "end": width, "mid": width / 2}[anchor]


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


def place_on_scale(points: float, reach: float) -> float:
    """Return the place of a difference on a scale of 100 from minus to plus ``reach``."""
    return 50 + 50 * max(-1.0, min(1.0, points / reach))


def choose_reach(differences: Iterable[Difference]) -> float:
    """Return the multiple of ten above all ends of the intervals of differences."""
    ends = (end for each in differences for end in (each.low, each.points, each.high))
    return _TEN * (max(map(abs, ends), default=0.0) // _TEN + 1)


_WIDTHS = {False: 720, True: 340}
"""The width of a plot on a desk and, if it is narrow, on a phone."""
_HEIGHT = 300
_LEFT = 44
_RIGHT = 28
_TOP = 26
_BOTTOM = 50
_MONTH = 60
"""The width of the label of a month."""
TONES = 4
"""The tones of the style sheet; a fifth group has the tone of the first."""


def choose_tone(group: int) -> str:
    """Return the class with the tone of a group, by its number from 1 on."""
    return f"tone{1 + (group - 1) % TONES}"


def label_ends(days: Sequence[date]) -> dict[date, str]:
    """Return the labels of an axis on which only the first and the last day are written."""
    return {day: f"{day}" for day in (min(days), max(days))}


def plot_history(dots: Sequence[Dot], ticks: Mapping[date, str], across: str) -> list[Plot]:
    """Return the plots of scores in percent over time; an x is the ordinal number of a day.

    A line connects the best dots of a group.
    """
    return [_plot_history(dots, ticks, across, narrow=narrow) for narrow in _WIDTHS]


def _plot_history(
    dots: Sequence[Dot], ticks: Mapping[date, str], across: str, *, narrow: bool
) -> Plot:
    width = _WIDTHS[narrow]
    room = Room(_LEFT, width - _RIGHT, _HEIGHT - _BOTTOM)
    first, last = min(ticks).toordinal(), max(ticks).toordinal()
    # The axis begins at a multiple of ten below every dot.
    lowest = min(dot.y for dot in dots)
    floor = min(80.0, max(0.0, math.floor((lowest - 1) / _TEN) * _TEN))

    def day_to_x(day: float) -> float:
        inner = width - _LEFT - _RIGHT - 80
        return _LEFT + 40 + inner * ((day - first) / (last - first) if last > first else 0.5)

    def percent_to_y(percent: float) -> float:
        return room.floor - (room.floor - _TOP) * (percent - floor) / (100 - floor)

    best: dict[int, dict[float, float]] = {}
    for dot in (dot for dot in dots if dot.group):
        of_group = best.setdefault(dot.group, {})
        of_group[dot.x] = max(dot.y, of_group.get(dot.x, 0.0))
    placed = [PlacedDot(dot, day_to_x(dot.x), percent_to_y(dot.y)) for dot in dots]
    placed.sort(key=lambda each: (-each.dot.y, each.x))
    names, key = _place_names(placed, room)
    grid_step = 20 if floor < 30 else 10  # noqa: PLR2004 - at most seven lines
    grid = range(int(math.ceil(floor / grid_step) * grid_step), 101, grid_step)
    tick_step = math.ceil(len(ticks) / (width // _MONTH))
    return Plot(
        narrow=narrow,
        room=room,
        grid=[(value, percent_to_y(value)) for value in grid],
        across=across,
        # The last tick is always kept.
        ticks=[
            (day_to_x(day.toordinal()), ticks[day]) for day in sorted(ticks)[::-tick_step][::-1]
        ],
        lines={
            group: [(day_to_x(x), percent_to_y(y)) for x, y in sorted(points.items())]
            for group, points in best.items()
        },
        dots=placed,
        names=names,
        key=key,
        key_rows=-(-len(key) // max(1, int((room.right - room.left + 60) // _COLUMN))),
    )
