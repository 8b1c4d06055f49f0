import json
from pathlib import Path
from typing import Any

import pytest

from records.errors import InvalidRecordError
from records.files.data_folder import DataFolder
from runner.published_results.result_file import ResultFile
from tests.runner.published_results.results import FILES, catch_refusal

pytestmark = pytest.mark.unit


def describe_moment(value: Any) -> str:  # noqa: ANN401 - any JSON
    """Return the moment that a value names, in ISO 8601, or why it names none."""
    try:
        return f"{ResultFile(Path('a'), b'', str).parse_moment(value, 'date'):%Y-%m-%dT%H:%M:%S}"
    except InvalidRecordError as error:
        return error.reason


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
        ("202611", "is no time in ISO 8601, and none since 1970"),
        (20261127, "is no time in ISO 8601, and none since 1970"),
        ("٢٠٢٦١١٢٧", "is no time in ISO 8601, and none since 1970"),
        ([], "is no time in ISO 8601, and none since 1970"),
        (10**400, "is no time in ISO 8601, and none since 1970"),
    ],
)
def test_digits_are_a_day_or_the_time_since_1970(value: object, expected: str) -> None:
    """Eight digits are a day; fewer than nine digits are never seconds."""
    assert describe_moment(value) == expected


def test_blank_lines_at_the_beginning_are_counted() -> None:
    """The number of a line in a message is that of an editor."""
    file = ResultFile(Path("a.jsonl"), b'\xef\xbb\xbf\n \n{"a": 1}\n\n{"a": 2}\n', str)
    assert [part.place for part in file.read_lines()] == ["line 3", "line 5"]


def test_halves_of_surrogate_pairs_become_question_marks() -> None:
    """No file and no terminal can hold them; whole pairs stay."""
    data = json.dumps({"a\ud800": ["\udc00", "\U0001f600", 1]}).encode()
    assert ResultFile(Path("a"), data, str).document == {"a?": ["?", "\U0001f600", 1]}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'\n{"evalId": 1, "results": {', "is not JSON: Expecting property name"),
        (b'{"evalId": "\xff"}', "is not JSON: 'utf-8' codec can't decode"),
        (b"[1, 2", "is not JSON: Expecting ',' delimiter"),
        (b"[" * 300, "is nested more than 200 levels deep"),
        (b"{}", "its format is not known"),
        (b"[1]", "its format is not known"),
    ],
)
def test_broken_json_is_refused_with_its_fault(
    tmp_path: Path, folder: DataFolder, data: bytes, reason: str
) -> None:
    """A cut file is not called a file of an unknown format."""
    path = tmp_path / "results.json"
    path.write_bytes(data)
    assert catch_refusal(folder, path).startswith(reason)


@pytest.mark.parametrize("format_name", ["inspect", "promptfoo"])
def test_the_fault_is_named_for_a_named_format_too(
    tmp_path: Path, folder: DataFolder, format_name: str
) -> None:
    """A file whose end is missing is no file without a field."""
    path = tmp_path / "results.json"
    path.write_bytes((FILES / "promptfoo-sums.json").read_bytes()[:-20])
    assert catch_refusal(folder, path, format_name=format_name).startswith("is not JSON: ")
