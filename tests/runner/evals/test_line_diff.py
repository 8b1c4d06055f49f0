"""Diffs of calibrations apply at their one place, or are refused with the reason."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runner.evals.line_diff import DiffError, apply_diff, write_diff

pytestmark = pytest.mark.unit

TEXT = """\
export const list = query({
  args: {},
  handler: async () => [],
});

export const count = query({
  args: {},
  handler: async () => 0,
});
"""
LINES = st.sampled_from(["", "a", "b", "});", " ", "@@", "-a", "+a", "a\r", "a\u2028b"])
TEXTS = st.one_of(st.lists(LINES, max_size=25).map("\n".join), st.text(max_size=30))
CONTEXT = st.integers(0, 4)


def find_refusal(text: str, diff: str) -> str | None:
    """Return the reason why a diff does not apply to a text; None where it applies."""
    try:
        apply_diff(text, diff)
    except DiffError as error:
        return str(error)
    return None


@given(TEXTS, TEXTS, CONTEXT)
def test_a_diff_makes_one_text_of_the_other(before: str, after: str, context: int) -> None:
    """The diff of any two texts leads from one to the other exactly."""
    assume(before != after)
    assert apply_diff(before, write_diff(before, after, context=context)) == after


@given(TEXTS, CONTEXT)
def test_texts_that_are_the_same_have_no_diff(text: str, context: int) -> None:
    """Equal texts give an empty diff, and an empty diff is refused."""
    assert write_diff(text, text, context=context) == ""
    with pytest.raises(DiffError, match="hunk 1: changes nothing"):
        apply_diff(text, "")


@given(TEXTS, TEXTS, CONTEXT)
def test_a_diff_is_refused_where_its_place_is_not_the_only_one(
    before: str, after: str, context: int
) -> None:
    """In a text that holds the file twice, every hunk has two places."""
    assume(before != after)
    with pytest.raises(DiffError, match="hunk 1: applies at "):
        apply_diff(f"{before}\n{before}", write_diff(before, after, context=context))


@given(TEXTS, TEXTS, TEXTS)
def test_files_written_elsewhere_stay(before: str, after: str, added: str) -> None:
    """New lines above the file keep a diff as it is, unless they make its place unclear."""
    assume(before != after)
    diff = write_diff(before, after)
    refused = find_refusal(f"{added}\n{before}", diff)
    if refused is None:
        assert apply_diff(f"{added}\n{before}", diff) == f"{added}\n{after}"
    else:
        assert "applies at" in refused


@given(TEXTS, st.one_of(TEXTS, st.text(alphabet=" -+@a\n", max_size=30)))
def test_any_text_is_a_diff_or_refused_in_one_line(text: str, diff: str) -> None:
    """Mistakes of authors raise the error of diffs, and no other error."""
    assert "\n" not in (find_refusal(text, diff) or "")


def test_a_diff_shows_the_fault_alone() -> None:
    """Lines around a change are there only where its place would not be clear without them."""
    assert write_diff(TEXT, TEXT.replace("async () => 0", "async () => 1")) == (
        "-  handler: async () => 0,\n+  handler: async () => 1,\n"
    )
    public = TEXT.replace(
        "query({\n  args: {},\n  handler: async () => 0", "query({\n  handler: async () => 0"
    )
    assert write_diff(TEXT, public) == " export const count = query({\n-  args: {},\n"


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        ("-  args: {},\n", "hunk 1: applies at 2 places: add lines around it as context"),
        ("-  args: 1,\n", "hunk 1: applies nowhere: no line is '  args: 1,'"),
        ("-});\n-  args: {},\n", "hunk 1: applies nowhere: the lines from '}\\);' on are not in"),
        (" });\n", "hunk 1: changes nothing"),
        ("+});\n", "hunk 1: only adds lines"),
        ("-  handler: async () => 0,\n@@\n", "hunk 2: changes nothing"),
        ("const a = 1;\n", "hunk 1: a line begins with blank, - or \\+, unlike 'const a = 1;'"),
        (
            "-  handler: async () => 0,\n-});\n@@\n   handler: async () => 0,\n+\n",
            "hunks 1 and 2 overlap",
        ),
    ],
)
def test_a_diff_that_cannot_be_applied_gives_the_reason(diff: str, message: str) -> None:
    """The message names the hunk and the line, and the correction."""
    with pytest.raises(DiffError, match=message):
        apply_diff(TEXT, diff)


def test_hunks_may_stand_in_any_order() -> None:
    """Each hunk finds its place by its own lines in the reference, not by the earlier hunks."""
    diff = "-  handler: async () => 0,\n+  b,\n@@\n-  handler: async () => [],\n+  a,\n"
    assert apply_diff(TEXT, diff) == (
        TEXT.replace("  handler: async () => 0,", "  b,").replace(
            "  handler: async () => [],", "  a,"
        )
    )
