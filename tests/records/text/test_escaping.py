"""Names and sentences as they stand in a page."""

import pytest

from records.text.escaping import render_breakable, with_code

pytestmark = pytest.mark.unit


def test_a_name_may_break_behind_its_strokes_and_nowhere_hides_markup() -> None:
    """Breaks follow only strokes inside the name; markup in it is text."""
    assert render_breakable("a_b/c-d_") == "a_<wbr>b/<wbr>c-d_"
    assert render_breakable("<b>_x") == "&lt;b&gt;_<wbr>x"


def test_words_between_backticks_stand_as_code() -> None:
    """Both are escaped; a backtick without a partner stays."""
    assert with_code("At most `limit` <b>.") == "At most <code>limit</code> &lt;b&gt;."
    assert with_code("`<i>` and ` alone") == "<code>&lt;i&gt;</code> and ` alone"
