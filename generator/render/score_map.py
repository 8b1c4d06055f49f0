"""The map of scores against an amount, and the whiskers of rows on one common axis, as SVG.

Strips at the sides of the map hold models that cost nothing, and those whose amount is not known,
so that no model is missing. Whiskers of rows have no view box: their places are percentages, so
that one drawing fits any width.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from markupsafe import escape

from generator.render.map_names import MOST_NAMES, SIZE, MapDot, Mark, NamePlaces, Rooms
from generator.render.plots import draw_name
from generator.render.text_width import measure_text
from generator.scores.best_value import select_frontier
from generator.scores.intervals import Interval
from records.text.escaping import mark_safe
from records.text.visible import make_visible

_MANY = 20
"""With more models, those behind that are on no line are dots without a whisker."""


class MapAxis(NamedTuple):
    """The amount across the map."""

    label: str
    """What the amount is, such as dollars for a pass."""
    unknown: str
    """The name of the strip of models whose amount is not known."""
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


def draw_row_whisker(percent: float, interval: Interval, floor: int, *, leads: bool) -> str:
    """Return a row's score and interval on the axis from ``floor`` to 100."""
    kind = " leads" if leads else ""
    grid = "".join(
        f'<line class="grid" x1="{x:.2f}%" x2="{x:.2f}%" y1="0" y2="100%"/>'
        for x in (_place(value, floor) for value in list_grid_values(floor))
    )
    low, high = (_place(100 * end, floor) for end in interval)
    ends = "".join(
        f'<line class="whisker{kind}" x1="{x:.2f}%" x2="{x:.2f}%" y1="-3.5" y2="3.5"/>'
        for x in (low, high)
    )
    # A drawing within the drawing, at half its height: the row may be of any height.
    drawn = (
        f'<svg y="50%" overflow="visible"><line class="whisker{kind}" x1="{low:.2f}%"'
        f' x2="{high:.2f}%"/>{ends}</svg>'
        f'<circle class="dot{kind}" cx="{_place(percent, floor):.2f}%" cy="50%" r="4"/>'
    )
    # Of a model below the axis there is nothing to see.
    drawn = drawn if percent >= floor else ""
    return mark_safe(f'<svg class="row" aria-hidden="true">{grid}{drawn}</svg>')


def draw_row_axis(floor: int) -> str:
    """Return the labels of the axis on which whiskers of rows stand."""
    labels = "".join(
        f'<text class="mid" x="{_place(value, floor):.2f}%" y="12">{value}</text>'
        for value in list_grid_values(floor)
    )
    return mark_safe(f'<svg class="row axis" aria-hidden="true">{labels}</svg>')


def _place(percent: float, floor: int) -> float:
    return 100 * max(0.0, percent - floor) / (100 - floor)


def select_line(dots: Sequence[MapDot]) -> list[MapDot]:
    """Return the models with an amount that score more than each with a smaller amount."""
    paid = sorted((dot.amount, dot.percent) for dot in dots if dot.amount)
    frontier = select_frontier(paid)
    line = [dot for dot in dots if dot.amount and (dot.amount, dot.percent) in frontier]
    return sorted(line, key=lambda dot: dot.percent)


def draw_score_map(dots: Sequence[MapDot], axis: MapAxis, *, narrow: bool = False) -> str:
    """Return the map of ``dots``, of which some have an amount above 0; ``narrow`` for phones."""
    return mark_safe(_Map(dots, axis, _PHONE if narrow else _DESK).draw())


class _Map:
    """A map with its scales."""

    def __init__(self, dots: Sequence[MapDot], axis: MapAxis, shape: _Shape) -> None:
        self._axis, self._shape, self._dots = axis, shape, dots
        self._floor = choose_floor(dot.interval for dot in dots)
        self._grid = list_grid_values(self._floor)
        self._line = select_line(dots)
        self._free = any(dot.amount == 0 for dot in dots)
        self._unknown = any(dot.amount is None for dot in dots)
        self._end = shape.width - _RIGHT
        self._base = shape.height - _BOTTOM
        # The edges of the part with an axis, between the strips.
        self._first = _LEFT + (shape.strip + _GAP if self._free else 0)
        self._last = self._end - (shape.strip + _GAP if self._unknown else 0)
        amounts = [math.log(dot.amount) for dot in dots if dot.amount]
        self._least, self._span = min(amounts), max(amounts) - min(amounts)
        # Above 100 is a lane for names, and a second one for those of many models.
        self._lanes = (_TOP + 8, _TOP + 22) if len(dots) > MOST_NAMES else (_TOP + 7,)
        self._corners = [
            (self._amount_to_x(dot.amount or 1), self._percent_to_y(dot.percent))
            for dot in self._line
        ]

    def _percent_to_y(self, percent: float) -> float:
        pad = 14 * len(self._lanes) + (6 if len(self._lanes) > 1 else 0)
        return self._base - (self._base - _TOP - pad) * (percent - self._floor) / (
            100 - self._floor
        )

    def _amount_to_x(self, amount: float) -> float:
        left, right = self._shape.pads
        room = self._last - self._first - left - right
        part = (math.log(amount) - self._least) / self._span if self._span else 0.5
        return self._first + left + room * part

    def draw(self) -> str:
        marks = self._place_marks()
        named = NamePlaces(marks, self._line, self._list_rooms()).place(self._lanes)
        # Dots without a whisker are below all others.
        drawn = "".join(
            self._draw_mark(mark, named.get(mark.dot.key))
            for mark in sorted(marks, key=lambda mark: not mark.bare)
        )
        body = "".join(
            [*self._draw_grounds(), *self._draw_axes(), self._draw_line(), *self._draw_legend()]
        )
        shape = self._shape
        axis = self._axis
        title = f"{axis.score} in percent against {axis.label[0].lower()}{axis.label[1:]}"
        return (
            f'<svg class="{shape.kind}" viewBox="0 0 {shape.width} {shape.height}" role="group"'
            f' aria-label="{escape(title)}; the table has the same numbers">{body}{drawn}</svg>'
        )

    def _draw_grounds(self) -> Iterator[str]:
        """Yield the strips, and the band from the first to the last of the leaders."""
        height = self._base - _TOP
        for x, there in ((_LEFT, self._free), (self._end - self._shape.strip, self._unknown)):
            if there:
                yield (
                    f'<rect class="strip" x="{x}" y="{_TOP}" width="{self._shape.strip}"'
                    f' height="{height}" rx="3"/>'
                )
        heights = [self._percent_to_y(dot.percent) for dot in self._dots if dot.leads]
        if heights:
            top, bottom = min(heights) - 7, max(heights) + 7
            yield (
                f'<rect class="band" x="{_LEFT}" y="{top:.1f}" width="{self._end - _LEFT}"'
                f' height="{bottom - top:.1f}"/>'
            )

    def _draw_axes(self) -> Iterator[str]:
        strip, base = self._shape.strip, self._base
        parts = [(self._first, self._last)]
        labels: list[tuple[float, str]] = []
        if self._free:
            parts.append((_LEFT, _LEFT + strip))
            labels.append((_LEFT + strip / 2, self._axis.write(0)))
        if self._unknown:
            parts.append((self._end - strip, self._end))
            labels.append((self._end - strip / 2, self._axis.unknown))
        for value in self._grid:
            y, kind = self._percent_to_y(value), "base" if value == self._floor else "grid"
            for start, end in parts:
                yield f'<path class="{kind}" d="M{start} {y:.1f}H{end}"/>'
            sign = "%" if value == self._grid[-1] else ""
            yield f'<text class="end" x="{_LEFT - 8}" y="{y + 4:.1f}">{value}{sign}</text>'
        for amount in self._choose_ticks():
            x = self._amount_to_x(amount)
            labels.append((x, self._axis.write(amount)))
            yield f'<path class="base" d="M{x:.1f} {base}v4"/>'
        for x, label in labels:
            yield f'<text class="mid" x="{x:.1f}" y="{base + 17}">{escape(label)}</text>'

    def _choose_ticks(self) -> list[float]:
        """Return at most as many round amounts as have room: 1, 2, 5, or 1, 3, or powers of ten."""
        left, right = self._shape.pads
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
            if len(ticks) <= self._shape.ticks:
                return ticks or [math.exp(self._least)]
        return ticks[:: -math.ceil(len(ticks) / self._shape.ticks)][::-1]

    def _draw_line(self) -> str:
        """Return the line of best value as a staircase: first across, then up."""
        (x, y), *steps = self._corners
        path = "".join(f"H{x:.1f}V{y:.1f}" for x, y in steps)
        return f'<path class="stair" d="M{x:.1f} {y:.1f}{path}"/>'

    def _draw_legend(self) -> Iterator[str]:
        """Yield the title of the score and the meanings of marks, from right to left."""
        yield f'<text x="0" y="11">{escape(self._axis.score)}, % passed</text>'
        right = float(self._end)
        drawings = {
            "line": (self._axis.line, 25, '<path class="stair" d="M{x} 11h8v-7h8"/>'),
            "range": (
                "95% range",
                14,
                '<path class="whisker" d="M{x} 1v12m-3 0h6m-6 -12h6" transform="translate(5)"/>',
            ),
            "behind": ("behind", 17, '<circle class="dot" cx="{x}" cy="7" r="4"/>'),
            "leads": ("shares the lead", 17, '<circle class="dot leads" cx="{x}" cy="7" r="4"/>'),
        }
        if sum(dot.leads for dot in self._dots) == 1:
            drawings["leads"] = ("leads", *drawings["leads"][1:])
        for kind in self._shape.legend:
            words, width, drawing = drawings[kind]
            yield f'<text class="end" x="{right:.0f}" y="11">{words}</text>'
            right -= measure_text(words, SIZE) + width
            yield drawing.format(x=f"{right + (4 if width == 17 else 0):.0f}")  # noqa: PLR2004
            right -= 18

    def _place_marks(self) -> list[Mark]:
        """Return the marks; models of a strip whose whiskers would meet are side by side."""
        marks: list[Mark] = []
        strip = self._shape.strip
        on_line = {dot.key for dot in self._line}
        for dot in self._dots:
            top, bottom = (
                self._percent_to_y(100 * end) for end in (dot.interval.high, dot.interval.low)
            )
            y = self._percent_to_y(dot.percent)
            bare = len(self._dots) > _MANY and not dot.leads and dot.key not in on_line
            if dot.amount:
                x = self._amount_to_x(dot.amount)
            else:
                middle = (self._end if dot.amount is None else _LEFT + strip) - strip / 2
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

    def _draw_mark(self, mark: Mark, name: str | None) -> str:
        """Return a model with its whisker and name, which come with the focus if not shown."""
        dot, kind = mark.dot, " leads" if mark.dot.leads else ""
        late = " late" if mark.bare else ""
        whisker = (
            f'<path class="whisker{kind}{late}" d="M{mark.x:.1f} {mark.top:.1f}V{mark.bottom:.1f}'
            f'm-3 0h6M{mark.x - 3:.1f} {mark.top:.1f}h6"/>'
        )
        if name is None:
            width = measure_text(dot.name, SIZE, bold=True) / 2
            x = min(max(mark.x, _LEFT + width), self._end - width)
            above = mark.top - 9 if mark.top > _TOP + SIZE else mark.bottom + 13
            name = draw_name(dot.name, f"name late{kind}", "mid", x, above)
        words = f"{dot.name}: {dot.note}"
        return (
            f'<a data-model="{escape(dot.key)}" href="{escape(dot.href)}">'
            f"<title>{escape(make_visible(words))}</title>{whisker}"
            f'<circle class="dot{kind}" cx="{mark.x:.1f}" cy="{mark.y:.1f}"'
            f' r="{3.5 if mark.bare else 4.5}"/>{name}</a>'
        )

    def _list_rooms(self) -> Rooms:
        top, bottom = _TOP, self._base
        return Rooms(
            free=(_LEFT - 2, top, self._last + 6, bottom),
            unknown=(self._first, top, self._shape.width, bottom),
            paid=(self._first, top, self._last + 6, bottom),
            lines=[self._percent_to_y(value) for value in self._grid],
            edges=[self._first - 4] * self._free + [self._last + 4] * self._unknown,
            corners=self._corners,
        )
