"""Sessions of other programs: read unchanged, or refused by line and reason."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.sessions.session import Session
from review.session_imports.common.source_file import BadLine, SourceFile
from review.session_imports.session_importers import IMPORTERS, read_sessions
from tests.review.session_imports.reading_formats import import_sessions

pytestmark = pytest.mark.unit


def write_lines(path: Path, *objects: object) -> Path:
    """Write a JSONL file."""
    path.write_text("".join(f"{json.dumps(record)}\n" for record in objects), "utf-8")
    return path


def import_only(path: Path) -> Session:
    """Import a file with one session and no problem."""
    (session,) = import_sessions(path)
    assert isinstance(session, Session)
    return session


def test_one_bad_line_does_not_lose_the_rest(tmp_path: Path) -> None:
    """A problem has the number of its line and the reason."""
    path = tmp_path / "chats.jsonl"
    good = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
    bad = {"messages": [{"role": "wizard", "content": "q"}]}
    path.write_text(f"{json.dumps(good)}\n{{half\n{json.dumps(bad)}\n{json.dumps(good)}\n")
    parts = list(import_sessions(path))
    assert [type(part) for part in parts] == [Session, BadLine, BadLine, Session]
    assert [part.line for part in parts if isinstance(part, BadLine)] == [2, 3]
    sessions = [part for part in parts if isinstance(part, Session)]
    assert len({part.id for part in sessions}) == 2


def test_older_chats_join_calls_by_the_functions_name(tmp_path: Path) -> None:
    """Each message has at most one call, in `function_call`, without an id."""
    called = {"name": "read", "arguments": "{}"}
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "function_call": called},
        {"role": "function", "name": "read", "content": "text"},
        {"role": "assistant", "content": "a"},
    ]
    _, call, result, _ = import_only(
        write_lines(tmp_path / "a.jsonl", {"messages": messages})
    ).messages
    assert [(tool_call.name, tool_call.arguments) for tool_call in call.tool_calls] == [
        ("read", "{}")
    ]
    assert (result.role, result.tool_call_id) == ("tool", call.tool_calls[0].id)


def test_unknown_shapes_are_refused(tmp_path: Path) -> None:
    """The error names all importers."""
    path = tmp_path / "notes.txt"
    path.write_text("just notes")
    with pytest.raises(InvalidRecordError, match="claude_code, codex, opencode, gemini_cli"):
        list(import_sessions(path))


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_survived(data: bytes) -> None:
    """An importer gives only sessions and reasons for any file."""
    for adapter in IMPORTERS.values():
        source = SourceFile(Path("a.jsonl"), data)
        assert adapter.recognises(source) in {True, False}
        for part in read_sessions(source, adapter.NAME):
            assert isinstance(part, Session | BadLine)
