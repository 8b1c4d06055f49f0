"""Fields of other programs' JSON: a wrong value is a missing one, or an error with its place."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.foreign.fields import (
    LONGEST_WORD,
    UnknownShapeError,
    as_count,
    as_dollars,
    as_word,
    find_text,
    get_count,
    get_object,
    get_text,
    list_objects,
    parse_dollars,
    parse_json,
    parse_moment,
    require_list,
    require_object,
    require_objects,
    require_text_or_null,
)
from records.foreign.files import ForeignFile
from records.shapes.base import LARGEST_COUNT
from records.shapes.totals import sum_known

pytestmark = pytest.mark.unit
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, LARGEST_COUNT, LARGEST_COUNT + 1, -(2**63)])
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["\ud800", "2026-11-27", "1795774272", "9" * 400, "nan"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(json_values)
def test_a_value_of_any_type_is_known_or_missing(value: Any) -> None:  # noqa: ANN401 - any JSON
    """No value ends a reader, and a number that a record cannot hold is not known."""
    fields = {"a": value}
    count, dollars, word = as_count(value), as_dollars(value), as_word(value)
    assert count == get_count(fields, "a")
    assert count is None or (count == value and 0 <= count <= LARGEST_COUNT)
    assert dollars is None or (dollars == value and 0 <= dollars <= LARGEST_COUNT)
    assert word is None or (0 < len(word) <= LONGEST_WORD and word.encode())
    assert parse_dollars(value) is None or isinstance(value, str)
    assert get_text(fields, "a") == (value if isinstance(value, str) else "")
    assert find_text(fields, "b", "a") in (value, None)
    assert get_object(fields, "a") in (value, {})
    assert all(isinstance(item, dict) for item in list_objects(value))
    moment = parse_moment(value)
    assert moment is None or moment.utcoffset() == timedelta(0)


@given(json_values)
def test_a_required_value_is_returned_or_named(value: Any) -> None:  # noqa: ANN401 - any JSON
    """The error has the place of the wrong value."""
    for read in (require_list, require_object, require_text_or_null, require_objects):
        fault: object = None
        result: object = None
        try:
            result = read(value, "turn")
        except UnknownShapeError as error:
            fault = str(error)
        else:
            assert result in (value, [value]) or (value is None and not result)
        assert fault in {None, "turn is no list", "turn is no object", "turn is no text"}


@given(json_values)
def test_json_in_a_text_is_parsed_without_halves_of_characters(value: Any) -> None:  # noqa: ANN401 - any JSON
    """What is parsed can be written to a file; all else stays as it was."""
    parsed = parse_json(json.dumps(value))
    assert json.dumps(parsed, ensure_ascii=False).encode()
    if "\\ud" not in json.dumps(value):
        assert json.dumps(parsed) == json.dumps(value)


@given(st.lists(st.none() | st.integers(0, 9)))
def test_a_sum_of_nothing_known_is_not_known(numbers: list[int | None]) -> None:
    """It is never 0, which would be a known number."""
    known = [number for number in numbers if number is not None]
    assert sum_known(numbers) == (sum(known) if known else None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("20261127", "2026-11-27T00:00:00"),
        ("2026-11-27", "2026-11-27T00:00:00"),
        ("20261127T101112Z", "2026-11-27T10:11:12"),
        ("2026-11-27T10:11:12+02:00", "2026-11-27T08:11:12"),
        (1795774272, "2026-11-27T10:11:12"),
        ("1795774272.5", "2026-11-27T10:11:12"),
        ("1712011512345", "2024-04-01T22:45:12"),
        ("202611", None),
        (20261127, None),
        ("٢٠٢٦١١٢٧", None),
        ([], None),
        (10**400, None),
    ],
)
def test_digits_are_a_day_or_the_time_since_1970(value: object, expected: str | None) -> None:
    """Eight digits are a day; fewer than nine digits are never seconds."""
    moment = parse_moment(value)
    assert (moment and f"{moment:%Y-%m-%dT%H:%M:%S}") == expected


def test_blank_lines_at_the_beginning_are_counted() -> None:
    """The number of a line in a message is that of an editor."""
    file = ForeignFile(Path("a.jsonl"), b'\xef\xbb\xbf\n \n{"a": 1}\n\n{"a": 2}\n', str)
    assert [part.place for part in file.read_lines()] == ["line 3", "line 5"]


@given(st.lists(st.sampled_from([b"", b" ", b"\r", b"a", b" b "]), max_size=8))
def test_numbers_are_those_of_all_lines(lines: list[bytes]) -> None:
    """Each line that is not blank comes once, in order, with its own number."""
    numbered_lines = ForeignFile(Path("a"), b"\n".join(lines)).number_lines()
    expected = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    assert [(number, line.strip()) for number, line in numbered_lines] == expected


def test_halves_of_surrogate_pairs_become_question_marks() -> None:
    """No file and no terminal can hold them; whole pairs stay."""
    data = json.dumps({"a\ud800": ["\udc00", "\U0001f600", 1]}).encode()
    assert ForeignFile(Path("a"), data, str).document == {"a?": ["?", "\U0001f600", 1]}


def test_a_wrong_field_is_named_with_its_path() -> None:
    """A reader finds it in the file; a missing or null amount is not known, and no fault."""
    file = ForeignFile(
        Path("a"), b'{"runs": [{"cost": null}, {"cost": -1, "name": 3, "at": "no"}]}'
    )
    good, wrong = file.root.list_parts("runs")
    assert good.get_number("cost") is None
    assert good.get_moment("at") is None
    for read, expected in (
        (wrong.get_number, "a: runs.1.cost: is no number from 0 to 1000000000"),
        (wrong.get_text, "a: runs.1.name: is no text"),
        (wrong.get_moment, "a: runs.1.at: is no time in ISO 8601, and none since 1970"),
        (wrong.require_list, "a: runs.1.name: is no list"),
        (wrong.require_part, "a: runs.1.name: is no object"),
    ):
        with pytest.raises(InvalidRecordError) as raised:
            read(re.split(r"[.:]", expected)[3])
        assert str(raised.value) == expected
