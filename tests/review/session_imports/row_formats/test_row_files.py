"""Rows in files of every form."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from review.session_imports.common.source_file import SourceFile
from tests.review.session_imports.reading_formats import (
    FORMATS,
    collect_facts,
    format_messages,
    make_source,
    read_fixture,
    read_row,
    read_source,
)

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "fixture", ["chat.jsonl", "sharegpt.jsonl", "dataset.jsonl", "own-huggingface.jsonl"]
)
def test_rows_come_in_parquet_too(fixture: str) -> None:
    """The sessions are the same, as far as a table can have the rows."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    row = read_fixture(fixture).head[1]
    session = read_row(row)
    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist([row]), file)
    (again,), problems = read_source(SourceFile(Path("rows.parquet"), file.getvalue()))
    assert problems == []
    assert format_messages(again) == format_messages(session)


def test_a_damaged_parquet_file_is_a_problem() -> None:
    """The problem has the reason of the reader."""
    source = SourceFile(Path("rows.parquet"), b"PAR1 no table PAR1")
    sessions, (problem,) = read_source(source, "dataset")
    assert sessions == []
    assert "is no Parquet file that can be read" in problem.reason


@pytest.mark.parametrize(
    ("fixture", "member"),
    [
        ("chatgpt.json", "conversations.json"),
        ("chatgpt.json", "export/conversations-000.json"),
        ("claude-ai.json", "data/conversations.json"),
    ],
)
def test_an_account_export_is_read_as_it_comes(fixture: str, member: str) -> None:
    """The ZIP has other files beside the conversations."""
    sessions, _ = read_source(read_fixture(fixture))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("user.json", json.dumps({"email": "a@example.com"}))
        archive.write(FORMATS / fixture, member)
    again, _ = read_source(SourceFile(Path("export.zip"), file.getvalue()))
    assert [collect_facts(item) for item in again] == [collect_facts(item) for item in sessions]


def test_a_torn_account_export_is_a_problem() -> None:
    """The problem has the reason, where the format is named."""
    sessions, (problem,) = read_source(SourceFile(Path("a.zip"), b"PK\x03\x04torn"), "chatgpt")
    assert sessions == []
    assert "is a ZIP file that cannot be read" in problem.reason


@pytest.mark.parametrize("field", ["data", "conversations", "chats", "samples"])
@pytest.mark.parametrize("fixture", ["chat.jsonl", "sharegpt.jsonl", "claude-ai.json"])
def test_rows_may_be_a_list_in_an_object(field: str, fixture: str) -> None:
    """Other fields of the object, such as a version, do not belong to a row."""
    rows = read_fixture(fixture).head[:2]
    alone, _ = read_source(make_source(json.dumps(rows)))
    wrapped, _ = read_source(make_source(json.dumps({"version": 1, field: rows})))
    assert wrapped
    assert list(map(format_messages, wrapped)) == list(map(format_messages, alone))
