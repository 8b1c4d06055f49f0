"""Fields between fences above markdown."""

from contextlib import suppress
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.files.front_matter import DEEPEST, FrontMatterError, find_line, join, split

pytestmark = pytest.mark.unit

text: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
values: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(text, values, max_size=5), text)
def test_written_files_are_read(fields: dict[str, object], body: str) -> None:
    """Any text in any field comes back: quotes, fences, control characters, `yes` and `1:30`."""
    again, below = split(join(fields, body))
    assert again == fields
    assert below.strip() == body.strip()


@given(st.text(max_size=60))
def test_any_text_splits_or_is_refused(written: str) -> None:
    """No text crashes the reader, with any fence above it."""
    for whole in (written, f"+++\n{written}\n+++\n", f"---\n{written}", f"---\n{written}\n---\n"):
        with suppress(FrontMatterError):
            split(whole)


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("a: &x [1]\nb: *x", "alias"),
        ("a: 1\na: 2", "'a' twice"),
        ("a: {b: 1, b: 2}", "'b' twice"),
        ("a: " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "nested deeper"),
        ("a: " + "[" * 50_000, "nested deeper|not YAML"),
        ("- a", "`name: value`"),
        ("", "`name: value`"),
        ("a: !!python/object/apply:os.system [ls]", "line 2: quote the value"),
        ("a: 2026-99-99", "not YAML"),
        ("a: b: c", "line 2: quote the value"),
    ],
)
def test_harmful_or_ambiguous_values_are_refused(front: str, reason: str) -> None:
    """Aliases that grow without end, objects of Python, depth and repeated names are refused."""
    with pytest.raises(FrontMatterError, match=reason):
        split(f"---\n{front}\n---\n")


@pytest.mark.parametrize(
    ("place", "line"),
    [("planned", 2), ("failures[a/b].class", 5), ("failures[1].note", 7), ("passed", None)],
)
def test_a_field_has_the_line_at_which_it_begins(place: str, line: int | None) -> None:
    """Fields of entries are found by the name or the number of the entry."""
    entries = "- eval: a/b\n  class: x\n- eval: a/c\n  note: y\n"
    assert find_line(f"---\nplanned: 7\nfailures:\n{entries}---\nplanned: 8\n", place) == line
