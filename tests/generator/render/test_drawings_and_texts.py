"""The parts of pages: diffs, prose, figures, charts."""

import re
from datetime import date
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from generator.blocks.diff_view import comparable, rows_html, side_by_side
from generator.charts.bars import around_zero, whisker
from generator.charts.plots import Dot, history, scatter
from generator.facts.page_frame import frame
from generator.facts.titles import eval_label
from generator.facts.urls import attempt_path, model_path
from generator.render.template_filters import (
    MISSING,
    dollars,
    p_value,
    percent,
    points,
    seconds,
    source_href,
)
from records.text.escaping import breakable, with_code
from records.text.highlight import highlighted_lines
from records.text.markdown import markdown, prose
from records.text.visible import visible

pytestmark = pytest.mark.unit

_SOURCE = st.text(alphabet="ab\n{}<>&'\"`/*$\t\u202e\x00", max_size=60)


@given(answer=_SOURCE, reference=_SOURCE)
def test_a_diff_shows_every_line_of_both_sides_once_and_in_order(
    answer: str, reference: str
) -> None:
    """Line numbers of each side count up from 1 without a gap, folded stretches included."""
    rows = side_by_side("convex/a.ts", answer, reference)
    left_numbers, right_numbers = [0], [0]
    for row in rows:
        if row.folded:
            left_numbers.append(left_numbers[-1] + row.folded)
            right_numbers.append(right_numbers[-1] + row.folded)
            continue
        if row.left is not None:
            assert row.left == left_numbers[-1] + 1
            left_numbers.append(row.left)
        if row.right is not None:
            assert row.right == right_numbers[-1] + 1
            right_numbers.append(row.right)
    assert left_numbers[-1] == visible(answer).rstrip("\n").count("\n") + 1
    assert right_numbers[-1] == visible(reference).rstrip("\n").count("\n") + 1


@given(answer=_SOURCE)
def test_highlighting_changes_no_character(answer: str) -> None:
    """A browser shows each line unchanged, except for names of control characters."""
    lines = [
        _text(f"<pre>\n{row.left_html}</pre>", "pre")
        for row in side_by_side("convex/a.ts", answer, None)
    ]
    assert "\n".join(lines) == visible(answer).rstrip("\n")


def test_texts_of_a_suite_are_coloured_once_though_they_come_in_turns() -> None:
    """A suite has 600 texts in turn; a smaller cache would never have the next text."""
    texts = [f"export const value = {number};" for number in range(1000)]
    first, second = ([highlighted_lines("convex/a.ts", text) for text in texts] for _ in range(2))
    assert all(earlier is later for earlier, later in zip(first, second, strict=True))


def _text(html: str, selector: str) -> str:
    node = LexborHTMLParser(html).css_first(selector)
    assert node is not None
    return node.text()


def test_long_equal_stretches_are_folded_and_whole_equal_files_are_not() -> None:
    """A change keeps four lines around it; a file without a change is shown whole."""
    lines = [f"const line{number} = {number};" for number in range(60)]
    changed = [*lines[:30], "const other = 0;", *lines[31:]]
    rows = side_by_side("a.ts", "\n".join(changed), "\n".join(lines))
    assert [row.folded for row in rows if row.kind == "folded"] == [26, 25]
    assert len(rows) == 1 + 4 + 1 + 4 + 1
    assert len(side_by_side("a.ts", "\n".join(lines), "\n".join(lines))) == 60


@given(answer=_SOURCE, reference=_SOURCE)
def test_rows_of_a_diff_are_its_lines_as_a_table(answer: str, reference: str) -> None:
    """Numbers, lines and hidden words are in four cells; no text of a line becomes an element."""
    rows = side_by_side("convex/a.ts", answer, reference)
    table = LexborHTMLParser(f"<table>{rows_html(rows, 'before', 'after')}</table>")
    cells = [[cell.text() for cell in row.css("td")] for row in table.css("tr")]
    expected = [
        [f"{row.folded} equal lines"]
        if row.folded
        else [
            "" if row.left is None else f"{row.left}",
            _words(row.kind, row.left, "before") + _text(f"<p>{row.left_html}</p>", "p"),
            "" if row.right is None else f"{row.right}",
            _words(row.kind, row.right, "after") + _text(f"<p>{row.right_html}</p>", "p"),
        ]
        for row in rows
    ]
    assert cells == expected
    assert {node.tag for node in table.css("td *")} <= {"span"}


def _words(kind: str, line: int | None, word: str) -> str:
    return "" if kind == "same" or line is None else f"{word}: "


def test_rows_name_the_kind_of_a_difference_where_no_word_is_named() -> None:
    """The page of an attempt names the kind at the answer's line; the reference has no words."""
    table = LexborHTMLParser(f"<table>{rows_html(side_by_side('a.ts', 'a', 'b'))}</table>")
    assert [cell.text() for cell in table.css("td")] == ["1", "changed: a", "1", "b"]
    added = LexborHTMLParser(f"<table>{rows_html(side_by_side('a.ts', 'a', None))}</table>")
    assert [cell.text() for cell in added.css("td")] == ["1", "added: a", "", ""]
    assert added.css_first("td.r.none") is not None


def test_files_too_large_are_not_compared() -> None:
    """A diff of megabytes would hold up the build and the browser."""
    assert comparable("a", None, "b")
    assert not comparable("a" * 200_001)
    assert not comparable("\n" * 3_001)


def test_prose_is_sanitised() -> None:
    """Neither markup nor addresses that run code get through; tables and headings do."""
    html = prose(
        "# Title\n\n## Part\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1))"
        " ![i](http://a.test/x.png) [in](other.md)\n\n|a|\n|-|\n|1|\n"
    )
    tree = LexborHTMLParser(html.html)
    assert html.title == "Title"
    assert [section.anchor for section in html.sections] == ["text-part"]
    assert tree.css("script, img, [onerror]") == []
    assert [node.attributes.get("href") for node in tree.css("a")] == ["http://a.test/x.png", None]
    assert _text(html.html, "a") == "picture: i"
    assert _text(html.html, "table td") == "1"


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_prose_that_is_nested_too_deeply_says_that_something_is_left_out(mark: str) -> None:
    """Forty levels are shown; of two hundred the first are, and a sentence marks the cut."""
    assert "innermost" in prose(f"{mark * 40}innermost").html
    deep = prose(f"{mark * 200}innermost").html
    assert "innermost" not in deep
    assert "the rest is not shown" in deep


def test_prose_takes_relative_links_from_its_base() -> None:
    """The method page's links into the repository lead there."""
    html = prose(
        "[scores](../generator/scores/score_table.py) [here](#x)", base="https://r.test/docs/"
    )
    addresses = re.findall(r'href="([^"]*)"', html.html)
    assert addresses[0] == "https://r.test/generator/scores/score_table.py"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (percent(None), MISSING),
        (percent(100.0), "100.0"),
        (points(-0.04), "0.0"),
        (points(-3.26), "\N{MINUS SIGN}3.3"),
        (points(12.1), "+12.1"),
        (dollars(None), MISSING),
        (dollars(0.0), "$0"),
        (dollars(0.0123), "$0.012"),
        (dollars(0.00005), "$0.00005"),
        (dollars(12.3), "$12.30"),
        (seconds(0.25), "250 ms"),
        (seconds(3.21), "3.2 s"),
        (seconds(600.0), "10 min"),
        (p_value(0.0), "< 0.001"),
        (p_value(0.0574), "0.057"),
    ],
)
def test_figures_are_written_as_tables_align_them(shown: str, expected: str) -> None:
    """An unknown value is a dash, minus is a true minus, and no p-value is zero."""
    assert shown == expected


@pytest.mark.parametrize(
    ("source", "href"),
    [
        ("https://github.com/a/b", "https://github.com/a/b"),
        ("a/b@6c087d3:reports/x.md", "https://github.com/a/b/blob/6c087d3/reports/x.md"),
        ("javascript:alert(1)", None),
        ("https://a.dev/?q=<script>", None),
        ("a/b@6c087d3:../../c/d", None),
        ("a letter from the publisher", None),
    ],
)
def test_only_sources_that_can_be_opened_are_links(source: str, href: str | None) -> None:
    """Records may come from anywhere: an invalid address, or code in an address, stays text."""
    assert source_href(source) == href


def test_direction_marks_and_control_characters_are_named() -> None:
    """Text cannot hide or turn around its visible letters."""
    assert visible("a\u202eb\x00\tc\r\nd\u200b") == "a⟦U+202E⟧b⟦U+0000⟧\tc\nd⟦U+200B⟧"


def test_charts_carry_neither_styles_nor_unescaped_names() -> None:
    """SVG of a build obeys the strict policy, and a hostile name in it is text."""
    dots = [
        Dot("<b onload=x>", "../m/?a=1&b", 0.5, 80.0, 70.0, 90.0, marked=True),
        Dot("second", "../n/", 5.0, 95.0, None, None, marked=True),
    ]
    for chart in (
        scatter(dots),
        history([dots[0]], [date(2026, 1, 1)]),
        whisker(50.0, 40.0, 60.0),
        around_zero(-5.0, -10.0, 0.0, 10.0),
    ):
        tree = LexborHTMLParser(chart)
        assert tree.css("[style], b, [onload]") == []
    assert "&lt;b" in scatter(dots)


def test_the_frontier_is_named_before_other_models_and_axes_say_what_they_are() -> None:
    """The frontier's dot gets the name where two dots share a place; tooltips have the costs."""
    dots = [
        Dot("Other", "../", 1.0, 81.0, None, None, marked=False, note="$1.00"),
        Dot("Frontier", "../", 1.0, 80.0, None, None, marked=True, note="$1.00"),
        Dot("Cheap", "../", 0.01, 50.0, None, None, marked=True),
    ]
    for plot in _drawn(scatter(dots)):
        first = next(label.text() for label in plot.css("text.name") if label.text() != "Cheap")
        assert first == "Frontier"
        axes = [label.text() for label in plot.css("text.axis:not(.mid)")]
        assert "Score" in axes
        assert any(label.startswith("Cost per attempt") for label in axes)
        assert "Other: 81.0%, $1.00" in [label.text() for label in plot.css("a > title")]


def _drawn(plots: str) -> list[LexborNode]:
    """Return the drawings of one plot, for a desk and for a phone."""
    desk, phone = LexborHTMLParser(plots).css("svg.plot")
    assert (desk.attributes["class"], phone.attributes["class"]) == ("plot", "plot narrow")
    return [desk, phone]


def test_the_dearest_model_stands_within_the_drawing() -> None:
    """The model fits for any powers of ten of costs, and any ticks left out for room."""
    for dearest in (0.02, 3.0, 47.6, 900.0):
        dots = [
            Dot("Cheap", "../", 0.0008, 50.0, None, None, marked=False),
            Dot("Dear", "../", dearest, 90.0, None, None, marked=False),
        ]
        for plot in _drawn(scatter(dots)):
            width = float((plot.attributes["viewBox"] or "").split()[2])
            assert all(0 < _number(circle, "cx") < width for circle in plot.css("circle"))


_DAYS = st.integers(min_value=0, max_value=40)


@given(st.lists(st.tuples(_DAYS, st.floats(min_value=50, max_value=100)), min_size=2))
def test_names_of_dots_cover_neither_dots_nor_one_another(places: list[tuple[int, float]]) -> None:
    """A name without a free place beside its dot becomes a number there, explained in a key."""
    first = date(2026, 1, 1).toordinal()
    dots = [
        Dot(f"run {number}", "../", first + day, share, None, None, marked=True)
        for number, (day, share) in enumerate(places)
    ]
    days = [date.fromordinal(first + day) for day, _ in places]
    for plot in _drawn(history(dots, days)):
        boxes = [_box(text) for text in plot.css("text.name, text.number")]
        assert len(boxes) == len(dots) or len(dots) > 30
        assert len(plot.css("text.key")) == len(plot.css("text.number"))
        middles = [(_number(dot, "cx"), _number(dot, "cy")) for dot in plot.css("circle")]
        assert len(middles) == len(dots)
        for number, (left, top, right, bottom) in enumerate(boxes):
            assert not any(left < x < right and top < y < bottom for x, y in middles)
            for other in boxes[:number]:
                assert right < other[0] or left > other[2] or bottom < other[1] or top > other[3]


def test_the_frontier_goes_through_no_name() -> None:
    """The frontier connects the best models of each cost, and names keep clear of it."""
    dots = [
        Dot(f"Model of {cost}", "../", cost, share, None, None, marked=True)
        for cost, share in ((0.01, 70.0), (0.012, 71.0), (0.1, 72.0), (0.11, 90.0), (1.0, 91.0))
    ]
    for plot in _drawn(scatter(dots)):
        (edge,) = plot.css("polyline.frontier")
        corners = [
            (float(x), float(y))
            for x, y in (point.split(",") for point in (edge.attributes["points"] or "").split())
        ]
        for left, top, right, bottom in map(_box, plot.css("text.name, text.number")):
            for (x, y), (next_x, next_y) in pairwise(corners):
                between = [
                    (x + (next_x - x) * k / 99, y + (next_y - y) * k / 99) for k in range(100)
                ]
                assert not any(left < at < right and top < up < bottom for at, up in between)


def test_a_name_without_room_on_either_side_stands_above_or_below() -> None:
    """Three models in a row with equal scores all have names, on a phone too."""
    days = [date(2026, 1, day) for day in (1, 14, 28)]
    dots = [
        Dot(f"A longer model {day.day}", "../", day.toordinal(), 80, None, None, marked=True)
        for day in days
    ]
    for plot in _drawn(history(dots, days)):
        assert len(plot.css("text.name")) == 3


@given(st.lists(st.tuples(_DAYS, st.text("MWiamx -", min_size=1, max_size=40)), min_size=2))
def test_no_name_of_a_dot_runs_past_the_axis(named: list[tuple[int, str]]) -> None:
    """Where there is no room on either side, the tooltip alone has the name."""
    first = date(2026, 1, 1).toordinal()
    dots = [
        Dot(name, "../", first + day, 60.0 + at % 40, None, None, marked=True)
        for at, (day, name) in enumerate(named)
    ]
    for plot in _drawn(history(dots, [date.fromordinal(first + day) for day, _ in named])):
        lines = re.findall(r'd="M(\S+) (\S+)H(\S+)"', plot.html or "")
        (axis,) = {float(line[2]) for line in lines}
        assert all(_box(text)[2] <= axis for text in plot.css("text.name"))


def _box(text: LexborNode) -> tuple[float, float, float, float]:
    """Return the box of a name: 6.2 wide for each letter, 12 high."""
    x, y, width = _number(text, "x"), _number(text, "y") - 4, 6.2 * len(text.text())
    anchor = (text.attributes["class"] or "").split(" ")[1]
    left = x - {"start": 0, "mid": width / 2, "end": width}[anchor]
    return left, y - 5.9, left + width, y + 5.9


def _number(node: LexborNode, name: str) -> float:
    return float(node.attributes[name] or "nan")


def test_pages_stand_where_no_two_collide() -> None:
    """A colon in a slug gets its own character, and samples get folders of their own."""
    assert model_path("a/b:free") != model_path("a/b-free")
    assert attempt_path("r", "0-a/1-b", 1) == "runs/r/0-a/1-b/"
    assert attempt_path("r", "0-a/1-b", 2) == "runs/r/0-a/1-b/2/"
    assert frame("t", "runs/r/", "d").root == "../../"
    assert eval_label("002-queries/009-text_search") == "Text search"


def test_a_name_may_break_behind_its_strokes_and_nowhere_hides_markup() -> None:
    """Breaks follow only strokes inside the name; markup in it is text."""
    assert breakable("a_b/c-d_") == "a_<wbr>b/<wbr>c-d_"
    assert breakable("<b>_x") == "&lt;b&gt;_<wbr>x"


def test_words_between_backticks_stand_as_code() -> None:
    """Both are escaped; a backtick without a partner stays."""
    assert with_code("At most `limit` <b>.") == "At most <code>limit</code> &lt;b&gt;."
    assert with_code("`<i>` and ` alone") == "<code>&lt;i&gt;</code> and ` alone"


def test_a_free_model_is_drawn_at_the_left_end_and_joined_to_the_frontier() -> None:
    """A logarithmic axis has no 0: a free model is in a part of its own, alone as well."""
    dots = [
        Dot(label, "a/", cost, 80.0 + cost, None, None, marked=True)
        for label, cost in (("Free", 0.0), ("Cheap", 0.01), ("Dear", 10.0))
    ]
    for some in (dots, dots[:1]):
        for plot in _drawn(scatter(some)):
            names = [title.text().split(":")[0] for title in plot.css("a > title")]
            places = [_number(dot, "cx") for dot in plot.css("a > circle")]
            assert [name for _, name in sorted(zip(places, names, strict=True))] == [
                point.label for point in some
            ]
            assert [tick.text() for tick in plot.css("text.axis.mid")].count("free") == 1
            (edge,) = plot.css("polyline.frontier")
            assert len((edge.attributes["points"] or "").split()) == len(some)


def test_an_axis_of_costs_has_few_ticks_however_far_it_reaches() -> None:
    """Costs reach from a billionth of a dollar to a billion dollars, the limit of a record."""
    dots = [Dot("a", "a/", cost, 80.0, None, None, marked=False) for cost in (1e-9, 1e9)]
    desk, phone = _drawn(scatter(dots))
    assert len(desk.css("text.axis.mid")) <= 14
    assert len(phone.css("text.axis.mid")) <= 6


def test_an_end_of_an_interval_that_is_not_0_is_not_shown_as_0() -> None:
    """With whole points, 0.3 has a digit more; 0 and larger values have none."""
    assert [points(value, 0) for value in (0.3, -0.3, 0.0, 1.2)] == [
        "+0.3",
        "\N{MINUS SIGN}0.3",
        "0",
        "+1",
    ]


@pytest.fixture(scope="module")
def plain_s() -> float:
    """The processor seconds of emphasis, to compare others of its length with."""
    return min(_measure("*a " * 10_000) for _ in range(2))


@pytest.mark.parametrize(
    ("repeated", "end"),
    [("[", ""), ("![", ""), ("[", "]"), ("![", "]"), ("[a](", ""), ("[[a]", ""), ("[", "](x)")],
)
def test_brackets_cost_little_more_than_other_signs(
    plain_s: float, repeated: str, end: str
) -> None:
    """Measured against emphasis of the same length, by processor time."""
    text = repeated * (30_000 // len(repeated)) + end
    assert min(_measure(text) for _ in range(2)) < 16 * plain_s


def _measure(text: str) -> float:
    """Return the processor seconds of one rendering."""
    start = process_time()
    markdown(text)
    return process_time() - start


def test_links_and_pictures_are_found_beside_lone_brackets() -> None:
    """Brackets that begin no link are text; nested brackets still hold links."""
    text = "[a](https://x.example) ![p](https://x.example/q) [[b](https://x.example/b)] [c ![d [e"
    html = markdown(text)
    assert html.count("<a ") == 3
    assert "picture: p" in html
    assert html.rstrip().endswith("[c ![d [e</p>")
    assert markdown("[" * 300) == f"<p>{'[' * 300}</p>\n"
