"""Figures and sources as pages write them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from generator.render import template_filters
from records.text.escaping import escape_html, render_content

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (template_filters.format_percent(None), template_filters.MISSING),
        (template_filters.format_percent(100.0), "100.0"),
        (template_filters.format_points(-0.04), "0.0"),
        (template_filters.format_points(-3.26), "\N{MINUS SIGN}3.3"),
        (template_filters.format_points(12.1), "+12.1"),
        (template_filters.format_dollars_or_dash(None), template_filters.MISSING),
        (template_filters.format_dollars_or_dash(0.0), "$0"),
        (template_filters.format_dollars_or_dash(0.0123), "$0.012"),
        (template_filters.format_dollars_or_dash(0.00005), "$0.00005"),
        (template_filters.format_dollars_or_dash(12.3), "$12.30"),
        (template_filters.format_seconds(0.25), "250 ms"),
        (template_filters.format_seconds(3.21), "3.2 s"),
        (template_filters.format_seconds(600.0), "10 min"),
        (template_filters.format_p_value(0.0), "< 0.001"),
        (template_filters.format_p_value(0.0574), "0.057"),
    ],
)
def test_figures_are_written_as_tables_align_them(text: str, expected: str) -> None:
    """An unknown value is a dash, minus is a true minus, and no p-value is zero."""
    assert text == expected


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
    assert template_filters.build_source_href(source) == href


def test_an_end_of_an_interval_that_is_not_0_is_not_shown_as_0() -> None:
    """With whole points, 0.3 has a digit more; 0 and larger values have none."""
    assert [template_filters.format_points(value, 0) for value in (0.3, -0.3, 0.0, 1.2)] == [
        "+0.3",
        "\N{MINUS SIGN}0.3",
        "0",
        "+1",
    ]


_AMOUNTS = st.lists(st.none() | st.floats(0, 1e5, allow_nan=False), max_size=8)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0.03, 0.025], ["$0.030", "$0.025"]),
        ([0.01, 0.019, None], ["$0.010", "$0.019", "\N{EN DASH}"]),
        ([12.5, 0.5, 0.0], ["$12.50", "$0.50", "$0"]),
        ([1234.5, 0.25], ["$1,234.50", "$0.25"]),
        ([0.5, 0.00004, 0.00006], ["$0.5000", "< $0.0001", "$0.0001"]),
        ([0.0, 0.0], ["$0", "$0"]),
        ([None], ["\N{EN DASH}"]),
    ],
)
def test_dollars_have_as_many_digits_as_the_smallest_needs(
    values: list[float | None], texts: list[str]
) -> None:
    """Two digits that count, at most four after the point; no paid amount reads as 0."""
    assert list(map(template_filters.choose_dollars_writer(values), values)) == texts


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([107.8, 121.0, 149.0, 71.04], ["107.8 s", "121.0 s", "149.0 s", "71.0 s"]),
        ([121.2, 149.4], ["121 s", "149 s"]),
        ([0.25, 0.0304], ["250 ms", "30 ms"]),
        ([0.25, 1.5, 0.01], ["0.3 s", "1.5 s", "< 0.1 s"]),
        ([90.0, 5400.0], ["1.5 min", "90.0 min"]),
        ([5.0, 1500.0], ["5.0 s", "1,500.0 s"]),
        ([0.0, None], ["0.0 s", "\N{EN DASH}"]),
    ],
)
def test_durations_have_one_unit(values: list[float | None], texts: list[str]) -> None:
    """Minutes need a shortest value of a minute, milliseconds a longest value below a second."""
    assert list(map(template_filters.choose_seconds_writer(values), values)) == texts


def test_shares_are_whole_unless_one_would_be_all_or_none_by_rounding() -> None:
    """Then all values have one decimal, and only all is 100 and only none is 0."""
    whole, exact = [83.3, 100.0, 0.0], [83.3, 99.97, 100.0, 0.01, 0.0]
    assert list(map(template_filters.choose_percent_writer(whole), whole)) == ["83", "100", "0"]
    assert list(map(template_filters.choose_percent_writer(exact), exact)) == [
        "83.3",
        "99.9",
        "100.0",
        "0.1",
        "0.0",
    ]


@given(_AMOUNTS)
def test_any_amounts_share_unit_and_digits(values: list[float | None]) -> None:
    """This holds for any amounts in a column; only 0 is written as 0, in dollars without digits."""
    for column in (template_filters.choose_dollars_writer, template_filters.choose_seconds_writer):
        texts = list(map(column(values), values))
        assert (
            len({_describe_form(text) for text in texts if text not in {"\N{EN DASH}", "$0"}}) <= 1
        )
        for value, text in zip(values, texts, strict=True):
            reads_as_nothing = not re.search("[1-9]", text) and text != "\N{EN DASH}"
            assert reads_as_nothing is (value == 0)


def _describe_form(text: str) -> str:
    """Return an amount's unit and digits after the point."""
    return re.sub(r"[\d,]+", "0", text.removeprefix("< "), count=1).replace(
        "0." + text.partition(".")[2].partition(" ")[0],
        f"0.{len(text.partition('.')[2].partition(' ')[0])}",
    )


@given(st.text())
def test_quotes_stay_in_the_text_of_an_element(text: str) -> None:
    """A browser reads the same text as with every quote escaped."""
    texts = [
        LexborHTMLParser(f"<p>x{escape(text)}x</p>") for escape in (render_content, escape_html)
    ]
    assert texts[0].text() == texts[1].text()
    assert render_content("\"'") == "\"'"
