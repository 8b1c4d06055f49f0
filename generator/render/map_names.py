"""Names on a map of scores: near their dots where there is room, else further away with a line.

No name covers a mark or another name. A name beside the whisker of another model would be read as
that model's, so such places come last.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from generator.render.plots import Box, PlacedName, TakenBoxes, find_left
from generator.render.text_width import measure_text
from generator.scores.intervals import Interval
from records.text.visible import make_visible

MOST_NAMES = 12
"""The most names that a map shows at once; the others come with the focus."""
SIZE = 12
"""The size of letters."""
_LONGEST = 20
"""The letters that are left of a name without room for all."""


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


class Rooms(NamedTuple):
    """Where names may be written, and what they should keep away from."""

    free: Box
    unknown: Box
    paid: Box
    lines: Sequence[float]
    """The heights of grid lines."""
    edges: Sequence[float]
    """The edges of strips."""
    corners: Sequence[tuple[float, float]]
    """The corners of the line of best value."""


class _Spot(NamedTuple):
    """A place for a name."""

    x: float
    y: float
    anchor: str
    far: bool
    """Whether a line leads from the name to its dot."""


class NamePlaces:
    """Finds a free place for each name: near its dot, else further away with a line to it."""

    def __init__(self, marks: Sequence[Mark], line: Sequence[MapDot], rooms: Rooms) -> None:
        self._rooms = rooms
        self._taken = TakenBoxes()
        self._whiskers = [mark for mark in marks if not mark.bare]
        for (x, y), (next_x, next_y) in pairwise(rooms.corners):
            self._taken.add((x, y - 1, next_x, y + 1))
            self._taken.add((next_x - 1, min(y, next_y), next_x + 1, max(y, next_y)))
        for mark in marks:
            x, y, radius = mark.x, mark.y, 4.5 if mark.bare else 6
            self._taken.add((x - radius, y - radius, x + radius, y + radius))
            if not mark.bare:
                self._taken.add((x - 1.5, mark.top, x + 1.5, mark.bottom))
                self._taken.add((x - 4, mark.top - 1, x + 4, mark.top + 1))
                self._taken.add((x - 4, mark.bottom - 1, x + 4, mark.bottom + 1))
        keys = {dot.key for dot in line}
        first = sorted(
            self._whiskers, key=lambda mark: (not mark.dot.leads, mark.dot.key not in keys)
        )
        self._chosen = first[:MOST_NAMES]

    def place(self, lanes: Sequence[float]) -> dict[str, PlacedName]:
        """Return the names by the keys of models; those without room are left out."""
        placed_names: dict[str, PlacedName] = {}
        for mark in self._chosen:
            name = make_visible(mark.dot.name)
            short = f"{name[: _LONGEST - 1]}…" if len(name) > _LONGEST else None
            for text in (name, short):
                if text is not None and (placed := self._place_name(mark, text, lanes)):
                    placed_names[mark.dot.key] = placed
                    break
        return placed_names

    def _place_name(self, mark: Mark, text: str, lanes: Sequence[float]) -> PlacedName | None:
        leads, rooms = mark.dot.leads, self._rooms
        width = measure_text(text, SIZE, bold=leads)
        room = rooms.paid if mark.dot.amount else rooms.free
        room = rooms.unknown if mark.dot.amount is None else room
        spots = [(self._judge(spot, width, mark), spot) for spot in _list_spots(mark, lanes)]
        # First the good spots near the dot, then the good ones away from it; a spot beside the
        # whisker of another model comes last, since the name would be read as that model's.
        spots.sort(key=lambda judged: (judged[0] > 1, judged[1].far, judged[0]))
        for _, spot in spots:
            left = find_left(spot.x, spot.anchor, width)
            box = (left - 2, spot.y - 7, left + width + 2, spot.y + 7)
            inside = box[0] >= room[0] and box[2] <= room[2]
            if not inside or box[1] < room[1] or box[3] > room[3] or not self._taken.is_free(box):
                continue
            self._taken.add(box)
            leader = None
            if spot.far:
                x, below = min(max(mark.x, left), left + width), spot.y > mark.y
                start, end = (mark.bottom + 1, spot.y - 7) if below else (mark.top - 1, spot.y + 6)
                leader = mark.x, start, x, end
            kind = "name leads" if leads else "name"
            return PlacedName(text, kind, spot.anchor, spot.x, spot.y, leader)
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
        crossing = any(abs(spot.y - line) < 7 for line in self._rooms.lines)  # noqa: PLR2004
        across = any(left < edge < left + width for edge in self._rooms.edges)
        return 2 * near + (crossing or across)


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
