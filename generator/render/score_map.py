"""The map of scores against an amount, which `blocks/score_map.html` draws, and axes of scores.

Strips at the sides of the map hold models that cost nothing, and those whose amount is not known,
so that no model is missing.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from generator.render.map_names import MOST_NAMES, SIZE, MapDot, Mark, NamePlaces, Rooms
from generator.render.plots import PlacedName
from generator.render.text_width import measure_text
from generator.scores.best_value import select_frontier
from generator.scores.intervals import Interval

_MANY = 20
"""With more models, those behind that are on no line are dots without a whisker."""


class MapAxis(NamedTuple):
    """The amount across the map."""

    label: str
    """What the amount is, such as dollars for a pass."""
    line: str
    """What the models on the line are."""
    write: Callable[[float], str]
    score: str = "Score"
    """What the height is the share of passed evals of, with a capital."""


class _Shape(NamedTuple):
    """The sizes of a map."""

    kind: str
    width: int
    height: int
    strip: int
    """The width of a strip."""
    pads: tuple[int, int]
    """The room for names left of the first dot, and right of the last."""
    ticks: int
    """The most ticks across."""
    legend: tuple[str, ...]


_LEFT, _RIGHT, _TOP, _BOTTOM, _GAP = 44, 4, 24, 20, 8
_DESK = _Shape("map", 730, 302, 84, (34, 52), 8, ("line", "range", "behind", "leads"))
_PHONE = _Shape("map narrow", 362, 300, 62, (22, 30), 4, ("line", "leads"))


def choose_floor(intervals: Iterable[Interval]) -> int:
    """Return the percentage at which axes begin: the lowest limit, rounded down to ten."""
    return min(90, max(0, math.floor(10 * min((each.low for each in intervals), default=0)) * 10))


def list_grid_values(floor: int) -> list[int]:
    """Return the percentages with a line; the first is the floor, and the last is 100."""
    step = {0: 20, 10: 30, 20: 20, 40: 20}.get(floor, 10)
    return list(range(floor, 101, step))


def place_on_axis(percent: float, floor: int) -> float:
    """Return the place of a score in percent of an axis from ``floor`` to 100."""
    return 100 * max(0.0, percent - floor) / (100 - floor)


def select_line(dots: Sequence[MapDot]) -> list[MapDot]:
    """Return the models with an amount that score more than each with a smaller amount."""
    paid = sorted((dot.amount, dot.percent) for dot in dots if dot.amount)
    frontier = select_frontier(paid)
    line = [dot for dot in dots if dot.amount and (dot.amount, dot.percent) in frontier]
    return sorted(line, key=lambda dot: dot.percent)


class LegendItem(NamedTuple):
    """A mark of a map and its meaning, with the places of both."""

    kind: str
    words: str
    end: int
    """The right end of the words."""
    x: int
    """The place of the mark, left of the words."""


class ScoreMap:
    """The map of models of which some have an amount above 0, with its scales and marks."""

    def __init__(self, dots: Sequence[MapDot], axis: MapAxis, *, narrow: bool = False) -> None:
        """Place the models; ``narrow`` is for phones."""
        self.axis = axis
        self.shape = _PHONE if narrow else _DESK
        self.left, self.top = _LEFT, _TOP
        self._dots = dots
        self._floor = choose_floor(dot.interval for dot in dots)
        self.grid = list_grid_values(self._floor)
        self._line = select_line(dots)
        free = any(dot.amount == 0 for dot in dots)
        unknown = any(dot.amount is None for dot in dots)
        self.end = self.shape.width - _RIGHT
        self.base = self.shape.height - _BOTTOM
        strip = self.shape.strip
        self.strips = [
            *([(_LEFT, axis.write(0))] if free else []),
            *([(self.end - strip, "unknown")] if unknown else []),
        ]
        """The left edge and the label of each strip."""
        # The edges of the part with an axis, between the strips.
        self._first = _LEFT + (strip + _GAP if free else 0)
        self._last = self.end - (strip + _GAP if unknown else 0)
        self.parts = [(self._first, self._last), *((x, x + strip) for x, _ in self.strips)]
        """The edges of the parts that the grid crosses."""
        amounts = [math.log(dot.amount) for dot in dots if dot.amount]
        self._least, self._span = min(amounts), max(amounts) - min(amounts)
        # Above 100 is a lane for names, and a second one for those of many models.
        self._lanes = (_TOP + 8, _TOP + 22) if len(dots) > MOST_NAMES else (_TOP + 7,)
        self.corners = [
            (self._amount_to_x(dot.amount or 1), self.percent_to_y(dot.percent))
            for dot in self._line
        ]
        """The corners of the line of best value, a staircase: first across, then up."""
        heights = [self.percent_to_y(dot.percent) for dot in dots if dot.leads]
        self.band = (min(heights) - 7, max(heights) + 7) if heights else None
        """The heights of the band from the first to the last of the leaders."""
        self.ticks = [(self._amount_to_x(tick), axis.write(tick)) for tick in self._choose_ticks()]
        marks = self._place_marks()
        rooms = Rooms(
            free=(_LEFT - 2, _TOP, self._last + 6, self.base),
            unknown=(self._first, _TOP, self.shape.width, self.base),
            paid=(self._first, _TOP, self._last + 6, self.base),
            lines=[self.percent_to_y(value) for value in self.grid],
            edges=[self._first - 4] * free + [self._last + 4] * unknown,
            corners=self.corners,
        )
        names = NamePlaces(marks, self._line, rooms).place(self._lanes)
        # Dots without a whisker are below all others.
        self.marks = [
            (mark, names.get(mark.dot.key) or self._place_late_name(mark))
            for mark in sorted(marks, key=lambda mark: not mark.bare)
        ]

    def percent_to_y(self, percent: float) -> float:
        """Return the height of a score in percent."""
        pad = 14 * len(self._lanes) + (6 if len(self._lanes) > 1 else 0)
        return self.base - (self.base - _TOP - pad) * (percent - self._floor) / (100 - self._floor)

    def _amount_to_x(self, amount: float) -> float:
        left, right = self.shape.pads
        room = self._last - self._first - left - right
        part = (math.log(amount) - self._least) / self._span if self._span else 0.5
        return self._first + left + room * part

    def _choose_ticks(self) -> list[float]:
        """Return at most as many round amounts as have room: 1, 2, 5, or 1, 3, or powers of ten."""
        left, right = self.shape.pads
        if not self._span:
            return [math.exp(self._least)]
        unit = self._span / (self._last - self._first - left - right)
        low = math.exp(self._least - (left - 14) * unit)
        high = math.exp(self._least + self._span + (right - 20) * unit)
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks: list[float] = []
        for digits in ((1, 2, 5), (1, 3), (1,)):
            ticks = [d * 10.0**power for power in powers for d in digits]
            ticks = [tick for tick in ticks if low <= tick <= high]
            if len(ticks) <= self.shape.ticks:
                return ticks or [math.exp(self._least)]
        return ticks[:: -math.ceil(len(ticks) / self.shape.ticks)][::-1]

    def list_legend(self) -> list[LegendItem]:
        """Return the meanings of marks, from right to left."""
        right = float(self.end)
        leads = "leads" if sum(dot.leads for dot in self._dots) == 1 else "shares the lead"
        # The words of each mark, its width, and how far its middle is from its left end.
        marks = {
            "line": (self.axis.line, 25, 0),
            "range": ("95% range", 14, 0),
            "behind": ("behind", 17, 4),
            "leads": (leads, 17, 4),
        }
        items: list[LegendItem] = []
        for kind in self.shape.legend:
            words, width, middle = marks[kind]
            end, right = right, right - measure_text(words, SIZE) - width
            items.append(LegendItem(kind, words, round(end), round(right + middle)))
            right -= 18
        return items

    def _place_marks(self) -> list[Mark]:
        """Return the marks; models of a strip whose whiskers would meet are side by side."""
        marks: list[Mark] = []
        strip = self.shape.strip
        on_line = {dot.key for dot in self._line}
        for dot in self._dots:
            top, bottom = (
                self.percent_to_y(100 * end) for end in (dot.interval.high, dot.interval.low)
            )
            y = self.percent_to_y(dot.percent)
            bare = len(self._dots) > _MANY and not dot.leads and dot.key not in on_line
            if dot.amount:
                x = self._amount_to_x(dot.amount)
            else:
                middle = (self.end if dot.amount is None else _LEFT + strip) - strip / 2
                beside = [mark for mark in marks if abs(mark.x - middle) <= strip / 2]
                shifts = [15 * k * sign for k in range(int(strip / 30) + 1) for sign in (1, -1)]
                x = middle + next(
                    (
                        shift
                        for shift in shifts
                        if not any(
                            abs(mark.x - middle - shift) < 14  # noqa: PLR2004 - caps and a gap
                            and top <= mark.bottom + 3
                            and bottom >= mark.top - 3
                            for mark in beside
                        )
                    ),
                    0,
                )
            marks.append(Mark(dot, x, y, top, bottom, bare))
        return marks

    def _place_late_name(self, mark: Mark) -> PlacedName:
        """Return a name that comes with the focus."""
        width = measure_text(mark.dot.name, SIZE, bold=True) / 2
        x = min(max(mark.x, _LEFT + width), self.end - width)
        above = mark.top - 9 if mark.top > _TOP + SIZE else mark.bottom + 13
        kind = "name late leads" if mark.dot.leads else "name late"
        return PlacedName(mark.dot.name, kind, "mid", x, above)
