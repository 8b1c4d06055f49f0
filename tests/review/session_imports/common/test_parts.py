"""Parts of a message's content: texts are kept, other parts are named or counted."""

from collections import Counter
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.foreign.fields import UnknownShapeError
from review.session_imports.common.drafts import read_content_text

pytestmark = pytest.mark.unit


CONTENTS: Final[list[tuple[object, str, dict[str, int]]]] = [
    (None, "", {}),
    ("text", "text", {}),
    ([{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}, "c"], "a\nb\nc", {}),
    ({"type": "text", "text": "one part"}, "one part", {}),
    ([{"type": "text", "text": {"value": "a", "annotations": []}}], "a", {}),
    ([{"type": "refusal", "refusal": "I cannot."}], "I cannot.", {}),
    (
        [{"type": "image", "source": {}}, {"type": "text", "text": "?"}],
        "[image]\n?",
        {"image": 1},
    ),
    ([{"type": "image_url"}, {"type": "input_image"}], "[image]\n[image]", {"image": 2}),
    ([{"type": "input_audio"}], "[audio]", {"audio": 1}),
    ([{"type": "document", "text": "not here"}], "[document]", {"document": 1}),
    ([{"type": "thinking", "thinking": "hm"}], "", {"reasoning": 1}),
    ([{"type": "redacted_thinking"}, {"type": "reasoning", "text": "x"}], "", {"reasoning": 2}),
    ([{"type": "tool_use", "id": "t"}, {"type": "tool_result", "text": "x"}], "", {}),
    (
        [{"type": "server_tool_use", "name": "web_search", "input": {"query": "rain\nhere"}}],
        "[web search: rain here]",
        {"server tool call": 1},
    ),
    (
        [{"type": "web_search_tool_result", "content": []}],
        "",
        {"server tool result": 1},
    ),
    ([{"type": "hologram"}], "[hologram]", {"hologram": 1}),
    ([{"type": "of_tomorrow", "text": "still a text"}], "still a text", {}),
    ([7, None], "[unknown part]\n[unknown part]", {"unknown part": 2}),
    ([{"type": "text", "text": None}], "", {}),
]


@pytest.mark.parametrize(("content", "text", "left_out"), CONTENTS)
def test_a_part_is_text_or_named_or_counted(
    content: object, text: str, left_out: dict[str, int]
) -> None:
    """A reader sees where a picture was; nothing is lost without a count."""
    counts = Counter[str]()
    assert read_content_text(content, counts) == text
    assert counts == left_out


@pytest.mark.parametrize("content", [7, 1.5, True])
def test_a_content_of_another_type_is_refused(content: object) -> None:
    """The content is neither a text nor parts."""
    with pytest.raises(UnknownShapeError, match="neither a text nor a list of parts"):
        read_content_text(content, Counter())


@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.text(max_size=8)},
            optional={"text": st.text(max_size=8) | st.integers(), "name": st.integers()},
        )
        | st.none()
    )
)
def test_each_part_gives_text_or_counts(parts: list[object]) -> None:
    """This holds for any kind of part."""
    for part in parts:
        counts = Counter[str]()
        text = read_content_text([part], counts)
        has_text = isinstance(part, dict) and "text" in part
        assert text or has_text or counts or not part
