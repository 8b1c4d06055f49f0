"""Files in every layout and encoding, and parts of a message's content: nothing is lost unseen."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.foreign.fields import UnknownShapeError
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import HEAD, BadLine, SourceFile

pytestmark = pytest.mark.unit
RECORDS = [
    {"messages": [{"role": "user", "content": f"q{number} \u00e9"}], "nested": {"a": [1, {"b": 2}]}}
    for number in range(3)
]


def parse_records(data: bytes) -> list[tuple[int, Any]]:
    """Return the numbered records of a file of these bytes."""
    return list(SourceFile(Path("a.json"), data).parse_records())


def as_lines(values: list[Any]) -> str:
    """Return values as JSONL."""
    return "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)


LAYOUTS: dict[str, Callable[[], str]] = {
    "lines": lambda: as_lines(RECORDS),
    "without an end of line": lambda: as_lines(RECORDS).rstrip("\n"),
    "CRLF": lambda: as_lines(RECORDS).replace("\n", "\r\n"),
    "blank lines": lambda: "\n \n" + as_lines(RECORDS).replace("\n", "\n\n\t\n"),
    "array": lambda: json.dumps(RECORDS),
    "indented array": lambda: "\n" + json.dumps(RECORDS, indent=2),
    "objects over several lines": lambda: "\n".join(json.dumps(r, indent=1) for r in RECORDS),
}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_and_encoding_gives_the_same_records(layout: str, encoding: str) -> None:
    """The head that recognises a file has them as well."""
    data = LAYOUTS[layout]().encode(encoding)
    assert [record for _, record in parse_records(data)] == RECORDS
    assert SourceFile(Path("a"), data).head == RECORDS


def test_numbers_are_those_of_the_lines() -> None:
    """Blank lines at the beginning and between count; a broken line has its own number."""
    numbered = parse_records(b'\n\n{"a": 1}\n\n{half\n[1]\n"text"\n{"b": 2}')
    assert [(number, isinstance(record, BadLine)) for number, record in numbered] == [
        (3, False),
        (5, True),
        (6, True),
        (7, True),
        (8, False),
    ]


def test_a_broken_first_line_hides_no_other() -> None:
    """This holds for any beginning of the line."""
    for first in ("{half", "[half", "garbage", '{"a": 1} more'):
        (_, bad), (number, good) = parse_records(f'{first}\n{{"b": 2}}\n'.encode())
        assert isinstance(bad, BadLine)
        assert (bad.line, number, good) == (1, 2, {"b": 2})


def test_items_of_an_array_are_named_by_their_number() -> None:
    """A line number would be wrong: an array may be one line."""
    source = SourceFile(Path("a.json"), b'[{"a": 1}, 7]')
    _, (number, bad) = source.parse_records()
    assert (number, str(bad)) == (2, "a.json: item 2: is no JSON object")


def test_one_object_is_distinguished_from_lines() -> None:
    """Its layout does not matter; two lines are two records."""
    for text in ('{"a": 1}', '{"a": 1}\n\n', '{\n"a":\n1}'):
        assert SourceFile(Path("a"), text.encode()).fields == {"a": 1}
    for text in ('{"a": 1}\n{"a": 2}', "[1]", "", "text"):
        assert SourceFile(Path("a"), text.encode()).fields == {}


def test_the_head_is_a_beginning() -> None:
    """Only the first records of a large file are parsed twice."""
    source = SourceFile(Path("a"), as_lines([{"n": n} for n in range(1000)]).encode())
    assert [record["n"] for record in source.head] == list(range(HEAD))


def test_lists_of_messages_are_chats() -> None:
    """Lists may be in an array, or on their own lines; a list of other values is no record."""
    chats = [[{"role": "user", "content": text}] for text in ("a", "b")]
    for text in (json.dumps([*chats, [1], []]), as_lines([*chats, [1], []])):
        numbered = list(SourceFile(Path("a.json"), text.encode()).parse_records())
        good = [record for _, record in numbered if not isinstance(record, BadLine)]
        assert good == [{"messages": chat} for chat in chats]
        assert len(numbered) == 4


@given(st.binary(max_size=60) | st.text('{}[]"a:,\n\ufeff \r', max_size=60).map(str.encode))
def test_any_bytes_are_read_as_records_or_problems(data: bytes) -> None:
    """No file stops the reader, and every record is an object."""
    for _, record in parse_records(data):
        assert isinstance(record, BadLine | dict)


CONTENTS: list[tuple[object, str, dict[str, int]]] = [
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
    draft = Draft()
    assert draft.read_text(content) == text
    assert draft.left_out == left_out


@pytest.mark.parametrize("content", [7, 1.5, True])
def test_a_content_of_another_type_is_refused(content: object) -> None:
    """The content is neither a text nor parts."""
    with pytest.raises(UnknownShapeError, match="neither a text nor a list of parts"):
        Draft().read_text(content)


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
        draft = Draft()
        text = draft.read_text([part])
        has_text = isinstance(part, dict) and "text" in part
        assert text or has_text or draft.left_out or not part
