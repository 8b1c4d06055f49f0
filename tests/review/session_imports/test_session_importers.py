"""Sessions of other programs: read unchanged, or refused by line and reason."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import InvalidRecordError
from records.sessions.session import Session
from review.session_imports.common.source_file import BadLine, SourceFile
from review.session_imports.session_importers import IMPORTERS, import_sessions, read_sessions

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


CLAUDE: Final = (
    {"type": "summary", "summary": "Fixing"},
    {
        "type": "user",
        "sessionId": "s",
        "cwd": "/home/anna/app",
        "timestamp": "2026-11-24T10:00:00Z",
        "message": {"role": "user", "content": "Fix the query"},
    },
    {"type": "user", "isMeta": True, "sessionId": "s", "message": {"role": "user", "content": "x"}},
    {
        "type": "assistant",
        "sessionId": "s",
        "timestamp": "2026-11-24T10:00:05Z",
        "message": {
            "id": "m1",
            "role": "assistant",
            "model": "claude-opus-5.5",
            "content": [{"type": "text", "text": "Let me look."}],
            "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 7},
        },
    },
    {
        "type": "assistant",
        "sessionId": "s",
        "message": {
            "id": "m1",
            "role": "assistant",
            "model": "claude-opus-5.5",
            "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"p": 1}}],
            "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 7},
        },
    },
    {
        "type": "user",
        "sessionId": "s",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "export {}"}],
        },
    },
    {
        "type": "assistant",
        "isSidechain": True,
        "sessionId": "s",
        "message": {"id": "m9", "role": "assistant", "content": "a helper"},
    },
    {
        "type": "assistant",
        "sessionId": "s",
        "message": {
            "id": "m2",
            "role": "assistant",
            "content": [{"type": "text", "text": "Done."}],
        },
    },
)


def test_claude_code(tmp_path: Path) -> None:
    """Lines of a message are read together, its usage counts once; side chains are counted."""
    session = import_only(write_lines(tmp_path / "a.jsonl", *CLAUDE))
    roles = [message.role for message in session.messages]
    assert roles == ["user", "program", "assistant", "tool", "assistant"]
    assert session.left_out == {"sub-agent record": 1}
    looked = session.messages[2]
    assert (looked.text, looked.tool_calls[0].name) == ("Let me look.", "Read")
    assert session.messages[3].tool_call_id == looked.tool_calls[0].id
    assert (session.totals.tokens.input, session.totals.tokens.output) == (15, 7)
    assert (session.model, session.project) == ("claude-opus-5.5", "app")
    assert session.title == "Fix the query"


CODEX: Final[Sequence[Mapping[str, object]]] = (
    {"type": "session_meta", "payload": {"cwd": "/srv/app"}},
    {
        "type": "response_item",
        "timestamp": "2026-11-24T10:00:00Z",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Fix it"}],
        },
    },
    {"type": "event_msg", "payload": {"type": "user_message", "message": "Fix it"}},
    {"type": "response_item", "payload": {"type": "reasoning", "summary": []}},
    {
        "type": "response_item",
        "payload": {
            "type": "function_call",
            "name": "shell",
            "arguments": "{}",
            "call_id": "c",
        },
    },
    {
        "type": "response_item",
        "payload": {"type": "function_call_output", "call_id": "c", "output": "ok"},
    },
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Done."}],
        },
    },
)


def test_codex(tmp_path: Path) -> None:
    """Only response items count; calls and results are joined by their ids."""
    path = write_lines(tmp_path / "rollout.jsonl", *CODEX)
    session = import_only(path)
    assert [message.role for message in session.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert session.messages[2].tool_call_id == session.messages[1].tool_calls[0].id == "c"
    assert session.project == "app"


OPENCODE: Final = {
    "info": {"id": "s", "title": "Fixing", "directory": "/srv/app"},
    "messages": [
        {
            "info": {"role": "user", "time": {"created": 1_795_000_000_000}},
            "parts": [{"type": "text", "text": "Fix it"}],
        },
        {
            "info": {
                "role": "assistant",
                "modelID": "gpt-6",
                "cost": 0.25,
                "tokens": {"input": 3, "output": 4, "reasoning": 0, "cache": {"read": 1}},
            },
            "parts": [
                {
                    "type": "tool",
                    "callID": "c",
                    "tool": "read",
                    "state": {"input": {"p": 1}, "output": "text"},
                },
                {"type": "text", "text": "Done."},
            ],
        },
    ],
}


def test_opencode(tmp_path: Path) -> None:
    """Parts of a message are its text and its calls; results follow as their own messages."""
    path = tmp_path / "export.json"
    path.write_text(json.dumps(OPENCODE))
    session = import_only(path)
    assert [message.role for message in session.messages] == ["user", "assistant", "tool"]
    assert (session.title, session.model, session.totals.cost_usd) == ("Fixing", "gpt-6", 0.25)


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


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "type",
                        "payload",
                        "message",
                        "messages",
                        "role",
                        "content",
                        "info",
                        "parts",
                        "id",
                    ]
                ),
                inner | st.sampled_from(["user", "assistant", "message", "response_item", "tool"]),
                max_size=5,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_survived(value: object) -> None:
    """A line of any shape is a session or a problem."""
    data = json.dumps(value).encode()
    for adapter in IMPORTERS.values():
        source = SourceFile(Path("a.jsonl"), data)
        assert adapter.recognises(source) in {True, False}
        for part in read_sessions(source, adapter.NAME):
            assert isinstance(part, Session | BadLine)
