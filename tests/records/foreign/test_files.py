import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.foreign.files import ForeignFile

pytestmark = pytest.mark.unit


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
