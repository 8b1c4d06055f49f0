"""Two versions of a file side by side."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from generator.pages.pair import SideBySideRow, build_side_by_side_rows, can_be_compared
from generator.render.environment import make_environment
from records.text.visible import make_visible
from tests.generator.contexts import ROOT

pytestmark = pytest.mark.unit

_SOURCE = st.text(alphabet="ab\n{}<>&'\"`/*$\t\u202e\x00", max_size=60)


@given(answer=_SOURCE, reference=_SOURCE)
def test_a_diff_shows_every_line_of_both_sides_once_and_in_order(
    answer: str, reference: str
) -> None:
    """Line numbers of each side count up from 1 without a gap, folded stretches included."""
    rows = build_side_by_side_rows(answer, reference)
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
    assert left_numbers[-1] == make_visible(answer).rstrip("\n").count("\n") + 1
    assert right_numbers[-1] == make_visible(reference).rstrip("\n").count("\n") + 1


def test_long_equal_stretches_are_folded_and_whole_equal_files_are_not() -> None:
    """A change keeps four lines around it; a file without a change is shown whole."""
    lines = [f"const line{number} = {number};" for number in range(60)]
    changed = [*lines[:30], "const other = 0;", *lines[31:]]
    rows = build_side_by_side_rows("\n".join(changed), "\n".join(lines))
    assert [row.folded for row in rows if row.kind == "folded"] == [26, 25]
    assert len(rows) == 1 + 4 + 1 + 4 + 1
    assert len(build_side_by_side_rows("\n".join(lines), "\n".join(lines))) == 60


@given(before=_SOURCE, after=_SOURCE)
def test_rows_of_a_diff_are_its_lines_as_a_table(before: str, after: str) -> None:
    """Numbers, lines and hidden words are in four cells; no text of a line becomes an element."""
    rows = build_side_by_side_rows(before, after)
    table = LexborHTMLParser(f"<table>{_render_rows(rows)}</table>")
    cells = [[cell.text() for cell in row.css("td")] for row in table.css("tr")]
    expected = [
        [f"{row.folded} equal lines"]
        if row.folded
        else [
            "" if row.left is None else f"{row.left}",
            _format_words(row.kind, row.left, "before") + row.left_text,
            "" if row.right is None else f"{row.right}",
            _format_words(row.kind, row.right, "after") + row.right_text,
        ]
        for row in rows
    ]
    assert cells == expected
    assert {node.tag for node in table.css("td *")} <= {"span"}


def _render_rows(rows: Sequence[SideBySideRow]) -> str:
    templates = make_environment(ROOT / "site_templates")
    return str(templates.get_template("blocks/diff_view.html").module.diff_rows(rows))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType] - a macro


def _format_words(kind: str, line: int | None, word: str) -> str:
    return "" if kind == "same" or line is None else f"{word}: "


def test_a_line_of_one_side_stands_alone() -> None:
    """The other side of the row is empty, and no number stands there."""
    table = LexborHTMLParser(f"<table>{_render_rows(build_side_by_side_rows('a', None))}</table>")
    assert [cell.text() for cell in table.css("td")] == ["1", "before: a", "", ""]
    assert table.css_first("td.r.none") is not None


def test_files_too_large_are_not_compared() -> None:
    """A diff of megabytes would hold up the build and the browser."""
    assert can_be_compared("a", None, "b")
    assert not can_be_compared("a" * 200_001)
    assert not can_be_compared("\n" * 3_001)
