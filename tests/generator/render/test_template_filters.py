"""Figures and sources as pages write them."""

import pytest

from generator.render.template_filters import (
    MISSING,
    build_source_href,
    format_dollars_or_dash,
    format_p_value,
    format_percent,
    format_points,
    format_seconds,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (format_percent(None), MISSING),
        (format_percent(100.0), "100.0"),
        (format_points(-0.04), "0.0"),
        (format_points(-3.26), "\N{MINUS SIGN}3.3"),
        (format_points(12.1), "+12.1"),
        (format_dollars_or_dash(None), MISSING),
        (format_dollars_or_dash(0.0), "$0"),
        (format_dollars_or_dash(0.0123), "$0.012"),
        (format_dollars_or_dash(0.00005), "$0.00005"),
        (format_dollars_or_dash(12.3), "$12.30"),
        (format_seconds(0.25), "250 ms"),
        (format_seconds(3.21), "3.2 s"),
        (format_seconds(600.0), "10 min"),
        (format_p_value(0.0), "< 0.001"),
        (format_p_value(0.0574), "0.057"),
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
    assert build_source_href(source) == href


def test_an_end_of_an_interval_that_is_not_0_is_not_shown_as_0() -> None:
    """With whole points, 0.3 has a digit more; 0 and larger values have none."""
    assert [format_points(value, 0) for value in (0.3, -0.3, 0.0, 1.2)] == [
        "+0.3",
        "\N{MINUS SIGN}0.3",
        "0",
        "+1",
    ]
