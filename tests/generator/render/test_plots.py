"""Plots of scores against days."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from generator.render.plots import Dot, Plot, label_ends, plot_history
from tests.generator.contexts import render_block
from tests.generator.scores.making import make_against

pytestmark = pytest.mark.unit


def test_charts_carry_neither_styles_nor_unescaped_names() -> None:
    """SVG of a build obeys the strict policy, and a hostile name in it is text."""
    dots = [
        Dot("<b onload=x>", "../m/?a=1&b", 0.5, 80.0, marked=True),
        Dot("second", "../n/", 5.0, 95.0, marked=True),
    ]
    plots = plot_history(dots[:1], label_ends([date(2026, 1, 1)]), "Day")
    for chart in (
        render_block("plot", "", plots, macro="draw_plots"),
        render_block("bars", 50.0, 40.0, macro="bar"),
        render_block("bars", make_against(-0.05, (-0.1, 0.0)), 10.0, macro="difference_bar"),
    ):
        tree = LexborHTMLParser(chart)
        assert tree.css("[style], b, [onload]") == []
    assert "&lt;b" in render_block("plot", "", plots, macro="draw_plots")


def _find_drawings(plots: list[Plot]) -> list[LexborNode]:
    """Return the drawings of one plot, for a desk and for a phone."""
    drawn = render_block("plot", "", plots, macro="draw_plots")
    desk, phone = LexborHTMLParser(drawn).css("svg.plot")
    assert (desk.attributes["class"], phone.attributes["class"]) == ("plot", "plot narrow")
    return [desk, phone]


_DAYS = st.integers(min_value=0, max_value=40)


@given(st.lists(st.tuples(_DAYS, st.floats(min_value=50, max_value=100)), min_size=2))
def test_names_of_dots_cover_neither_dots_nor_one_another(points: list[tuple[int, float]]) -> None:
    """A name without a free place beside its dot becomes a number there, explained in a key."""
    first = date(2026, 1, 1).toordinal()
    dots = [
        Dot(f"run {number}", "../", first + day, share, marked=True)
        for number, (day, share) in enumerate(points)
    ]
    days = [date.fromordinal(first + day) for day, _ in points]
    for plot in _find_drawings(plot_history(dots, label_ends(days), "Day")):
        boxes = [_compute_box(text) for text in plot.css("text.name, text.number")]
        assert len(boxes) == len(dots) or len(dots) > 30
        assert len(plot.css("text.key")) == len(plot.css("text.number"))
        middles = [(_read_number(dot, "cx"), _read_number(dot, "cy")) for dot in plot.css("circle")]
        assert len(middles) == len(dots)
        for number, (left, top, right, bottom) in enumerate(boxes):
            assert not any(left < x < right and top < y < bottom for x, y in middles)
            for other in boxes[:number]:
                assert right < other[0] or left > other[2] or bottom < other[1] or top > other[3]


def test_a_name_without_room_on_either_side_stands_above_or_below() -> None:
    """Three models in a row with equal scores all have names, on a phone too."""
    days = [date(2026, 1, day) for day in (1, 14, 28)]
    dots = [
        Dot(f"A longer model {day.day}", "../", day.toordinal(), 80, marked=True) for day in days
    ]
    for plot in _find_drawings(plot_history(dots, label_ends(days), "Day")):
        assert len(plot.css("text.name")) == 3


@given(st.lists(st.tuples(_DAYS, st.text("MWiamx -", min_size=1, max_size=40)), min_size=2))
def test_no_name_of_a_dot_runs_past_the_axis(named: list[tuple[int, str]]) -> None:
    """Where there is no room on either side, the tooltip alone has the name."""
    first = date(2026, 1, 1).toordinal()
    dots = [
        Dot(name, "../", first + day, 60.0 + at % 40, marked=True)
        for at, (day, name) in enumerate(named)
    ]
    for plot in _find_drawings(
        plot_history(dots, label_ends([date.fromordinal(first + day) for day, _ in named]), "Day")
    ):
        lines = re.findall(r'd="M(\S+) (\S+)H(\S+)"', plot.html or "")
        (axis,) = {float(line[2]) for line in lines}
        assert all(_compute_box(text)[2] <= axis for text in plot.css("text.name"))


def _compute_box(text: LexborNode) -> tuple[float, float, float, float]:
    """Return the box of a name: 6.2 wide for each letter, 12 high."""
    x, y, width = _read_number(text, "x"), _read_number(text, "y") - 4, 6.2 * len(text.text())
    anchor = (text.attributes["class"] or "").split(" ")[1]
    left = x - {"start": 0, "mid": width / 2, "end": width}[anchor]
    return left, y - 5.9, left + width, y + 5.9


def _read_number(node: LexborNode, name: str) -> float:
    return float(node.attributes[name] or "nan")
