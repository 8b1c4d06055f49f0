"""The map of scores against an amount, which `blocks/score_map.html` draws, and axes of scores.

Strips at the sides of the map hold models that cost nothing, and those whose amount is not known,
so that no model is missing.

Names are near their dots where there is room, else further away with a line. No name covers a mark
or another name. A name beside the whisker of another model would be read as that model's, so such
places come last.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from generator.render.plots import PlacedName, TakenBoxes, find_left
from generator.scores.best_value import select_frontier
from generator.scores.intervals import Interval
from records.text.visible import make_visible

_MOST_NAMES = 12
"""The most names that a map shows at once; the others come with the focus."""
_SIZE = 12
"""The size of letters."""
_LONGEST = 20
"""The letters that are left of a name without room for all."""
_MANY = 20
"""With more models, those behind that are on no line are dots without a whisker."""


class MapDot(NamedTuple):
    """A model of the map."""

    key: str
    """The slug of the model, the key of its row in the table."""
    name: str
    percent: float
    interval: Interval
    leads: bool
    """Whether no other model is better."""
    amount: float | None
    note: str
    """The end of the tooltip."""


class Mark(NamedTuple):
    """A model with its place on the map."""

    dot: MapDot
    x: float
    y: float
    top: float
    bottom: float
    bare: bool
    """Whether it is a dot without a whisker."""


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


_WIDTHS = (
    "22 24 34 58 58 74 65 18 31 31 56 58 22 27 22 30 58 58 58 58 58 58 58 58 58 58 22 22 58 58 58"
    " 50 85 64 63 70 71 59 57 71 73 26 54 61 57 87 72 74 60 73 62 58 61 68 62 95 63 58 59 31 30 29"
    " 58 50 30 53 61 53 61 55 29 61 59 24 23 52 25 85 59 59 61 61 33 46 31 59 51 78 48 51 46 30 25"
    " 30 58"
)
"""The widths of the letters of the site's own face, from space to tilde, in hundredths of an em."""
_LETTERS = {chr(32 + place): int(width) for place, width in enumerate(_WIDTHS.split())}
_OTHER = 100
"""The width of a letter of another face, which may be as wide as it is high."""
_BOLDER = 1.04
"""Bold letters are at most so much wider."""


def _measure_text(text: str, *, bold: bool = False) -> float:
    """Return the width of a text, so that drawings keep letters apart."""
    width = _SIZE * sum(_LETTERS.get(letter, _OTHER) for letter in text) / 100
    return width * _BOLDER if bold else width


class _Spot(NamedTuple):
    """A place for a name."""

    x: float
    y: float
    anchor: str
    far: bool
    """Whether a line leads from the name to its dot."""


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
        # The models with an amount that score more than each with a smaller amount.
        frontier = select_frontier((dot.amount, dot.percent) for dot in dots if dot.amount)
        line = [dot for dot in dots if dot.amount and (dot.amount, dot.percent) in frontier]
        self._line = sorted(line, key=lambda dot: dot.percent)
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
        self._lanes = (_TOP + 8, _TOP + 22) if len(dots) > _MOST_NAMES else (_TOP + 7,)
        self.corners = [
            (self._amount_to_x(dot.amount or 1), self.percent_to_y(dot.percent))
            for dot in self._line
        ]
        """The corners of the line of best value, a staircase: first across, then up."""
        heights = [self.percent_to_y(dot.percent) for dot in dots if dot.leads]
        self.band = (min(heights) - 7, max(heights) + 7) if heights else None
        """The heights of the band from the first to the last of the leaders."""
        self.ticks = [(self._amount_to_x(tick), axis.write(tick)) for tick in self._choose_ticks()]
        # Models of a strip whose whiskers would meet are side by side.
        marks: list[Mark] = []
        strip = self.shape.strip
        for dot in self._dots:
            top, bottom = (
                self.percent_to_y(100 * end) for end in (dot.interval.high, dot.interval.low)
            )
            y = self.percent_to_y(dot.percent)
            bare = len(self._dots) > _MANY and not dot.leads and dot not in self._line
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
        self._lines = [self.percent_to_y(value) for value in self.grid]
        self._edges = [self._first - 4] * free + [self._last + 4] * unknown
        self._taken = TakenBoxes()
        self._whiskers = [mark for mark in marks if not mark.bare]
        names = self._place_names(marks)
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

    def list_legend(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield each kind of mark, from right to left, with its meaning and the places of both.

        The first place is the right end of the words, the other that of the mark left of them.
        """
        right = float(self.end)
        leads = "leads" if sum(dot.leads for dot in self._dots) == 1 else "shares the lead"
        # The words of each mark, its width, and how far its middle is from its left end.
        marks = {
            "line": (self.axis.line, 25, 0),
            "range": ("95% range", 14, 0),
            "behind": ("behind", 17, 4),
            "leads": (leads, 17, 4),
        }
        for kind in self.shape.legend:
            words, width, middle = marks[kind]
            end, right = right, right - _measure_text(words) - width
            yield kind, words, round(end), round(right + middle)
            right -= 18

    def _place_names(self, marks: Sequence[Mark]) -> dict[str, PlacedName]:
        """Return the names by the keys of models; those without room are left out."""
        for (x, y), (next_x, next_y) in pairwise(self.corners):
            self._taken.add((x, y - 1, next_x, y + 1))
            self._taken.add((next_x - 1, min(y, next_y), next_x + 1, max(y, next_y)))
        for mark in marks:
            x, y, radius = mark.x, mark.y, 4.5 if mark.bare else 6
            self._taken.add((x - radius, y - radius, x + radius, y + radius))
            if not mark.bare:
                self._taken.add((x - 1.5, mark.top, x + 1.5, mark.bottom))
                self._taken.add((x - 4, mark.top - 1, x + 4, mark.top + 1))
                self._taken.add((x - 4, mark.bottom - 1, x + 4, mark.bottom + 1))
        first = sorted(
            self._whiskers, key=lambda mark: (not mark.dot.leads, mark.dot not in self._line)
        )
        names: dict[str, PlacedName] = {}
        for mark in first[:_MOST_NAMES]:
            whole = make_visible(mark.dot.name)
            cut = whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 1]}…"
            if name := self._place_name(mark, whole) or self._place_name(mark, cut):
                names[mark.dot.key] = name
        return names

    def _place_name(self, mark: Mark, text: str) -> PlacedName | None:
        leads, amount = mark.dot.leads, mark.dot.amount
        width = _measure_text(text, bold=leads)
        start = _LEFT - 2 if amount == 0 else self._first
        end = self.shape.width if amount is None else self._last + 6
        spots = [(self._judge(spot, width, mark), spot) for spot in _list_spots(mark, self._lanes)]
        # First the good spots near the dot, then the good ones away from it; a spot beside the
        # whisker of another model comes last, since the name would be read as that model's.
        spots.sort(key=lambda judged: (judged[0] > 1, judged[1].far, judged[0]))
        for _, spot in spots:
            left, y = find_left(spot.x, spot.anchor, width), spot.y
            box = (left - 2, y - 7, left + width + 2, y + 7)
            inside = box[0] >= start and box[2] <= end and box[1] >= _TOP and box[3] <= self.base
            if not inside or not self._taken.is_free(box):
                continue
            self._taken.add(box)
            leader = None
            if spot.far:
                x = min(max(mark.x, left), left + width)
                tip, edge = (mark.bottom + 1, y - 7) if y > mark.y else (mark.top - 1, y + 6)
                leader = mark.x, tip, x, edge
            kind = "name leads" if leads else "name"
            return PlacedName(text, kind, spot.anchor, spot.x, y, leader)
        return None

    def _judge(self, spot: _Spot, width: float, own: Mark) -> int:
        """Return 0 for a good spot, 1 across a line, and 2 or more beside another whisker."""
        left = find_left(spot.x, spot.anchor, width)
        near = any(
            left - 13 < mark.x < left + width + 13
            and spot.y - 8 < mark.bottom
            and spot.y + 8 > mark.top
            for mark in self._whiskers
            if mark is not own
        )
        crossing = any(abs(spot.y - line) < 7 for line in self._lines)  # noqa: PLR2004
        across = any(left < edge < left + width for edge in self._edges)
        return 2 * near + (crossing or across)

    def _place_late_name(self, mark: Mark) -> PlacedName:
        """Return a name that comes with the focus."""
        width = _measure_text(mark.dot.name, bold=True) / 2
        x = min(max(mark.x, _LEFT + width), self.end - width)
        above = mark.top - 9 if mark.top > _TOP + _SIZE else mark.bottom + 13
        kind = "name late leads" if mark.dot.leads else "name late"
        return PlacedName(mark.dot.name, kind, "mid", x, above)


def _list_spots(mark: Mark, lanes: Sequence[float]) -> Iterator[_Spot]:
    """Yield the places for a name, the best first."""
    x, y, top, bottom = mark.x, mark.y, mark.top, mark.bottom
    for at, height, anchor in (
        *((x + 9, y, "start"), (x - 9, y, "end"), (x, top - 9, "mid"), (x, bottom + 10, "mid")),
        *((x + 7, top - 5, "start"), (x - 7, top - 5, "end")),
        *((x + 7, bottom + 6, "start"), (x - 7, bottom + 6, "end")),
        *((x + 9, y - 9, "start"), (x + 9, y + 9, "start")),
        *((x - 9, y - 9, "end"), (x - 9, y + 9, "end")),
    ):
        yield _Spot(at, height, anchor, far=False)
    for away in (18, 28, 40, 54):
        for height in (top - away, bottom + away):
            for shift, anchor in (
                (0, "mid"),
                (6, "start"),
                (-6, "end"),
                (18, "start"),
                (-18, "end"),
            ):
                yield _Spot(x + shift, height, anchor, far=True)
    for shift in range(0, 240, 12):
        for lane in lanes:
            for sign in (1, -1):
                yield _Spot(x + sign * shift, lane, "mid", far=True)
