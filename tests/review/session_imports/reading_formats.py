"""Fixtures of the formats of transcripts, and sessions as short texts that tests compare."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from records.sessions.session import FromFile, Session, SessionMessage
from review.session_imports.common.source_file import BadLine, SourceFile
from review.session_imports.session_importers import read_sessions

FORMATS = Path(__file__).parent / "formats"
_EXPECTED = ".expected.json"


def list_fixture_names() -> list[str]:
    """Return the names of all files of transcripts."""
    names = (path.name for path in FORMATS.iterdir())
    return sorted(name for name in names if not name.endswith(_EXPECTED))


def list_record_cases() -> list[ParameterSet]:
    """Return the cases of all formats: few records, and why they give the expected sessions."""
    files = sorted(Path(__file__).with_name("records").iterdir())
    return [
        pytest.param(case, id=f"{path.stem}: {case['name']}")
        for path in files
        for case in json.loads(path.read_text("utf-8"))
    ]


def read_expected(name: str) -> Mapping[str, Any]:
    """Return the expected sessions, left-out parts and problems of a file."""
    return json.loads((FORMATS / f"{name.rpartition('.')[0]}{_EXPECTED}").read_text("utf-8"))


def read_fixture(name: str) -> SourceFile:
    """Return a file of transcripts."""
    path = FORMATS / name
    return SourceFile(path, path.read_bytes())


def make_source(text: str, name: str = "rows.jsonl") -> SourceFile:
    """Return a file with a text."""
    return SourceFile(Path(name), text.encode())


def read_source(
    source: SourceFile, importer: str | None = None
) -> tuple[list[Session], list[BadLine]]:
    """Return the sessions and the problems of a file."""
    parts = list(read_sessions(source, importer))
    sessions = [part for part in parts if isinstance(part, Session)]
    return sessions, [part for part in parts if isinstance(part, BadLine)]


def import_sessions(path: Path, importer: str | None = None) -> Iterator[Session | BadLine]:
    """Yield the sessions and the problems of the file at ``path``."""
    return read_sessions(SourceFile(path, path.read_bytes()), importer)


def read_rows(*rows: object) -> tuple[list[Session], list[BadLine]]:
    """Return the sessions and the problems of rows of JSONL."""
    return read_source(make_source("".join(f"{json.dumps(row)}\n" for row in rows)))


def read_row(*rows: object) -> Session:
    """Return the only session of rows without problems."""
    (session,), problems = read_rows(*rows)
    assert problems == []
    return session


def format_message(message: SessionMessage) -> str:
    """Return a message in one text: ``role#call: text name#call(arguments)``."""
    answers = f"#{message.tool_call_id}" if message.tool_call_id is not None else ""
    calls = "".join(f" {call.name}#{call.id}({call.arguments})" for call in message.tool_calls)
    return f"{message.role}{answers}: {message.text}{calls}"


def format_messages(session: Session) -> list[str]:
    """Return all messages of a session as texts."""
    return [format_message(message) for message in session.messages]


def collect_facts(session: Session) -> Mapping[str, Any]:
    """Return the facts of a session that a fixture states."""
    source = session.source
    assert isinstance(source, FromFile)
    fields = session.model_dump(mode="json")
    labels = ("evalReady", "evalStatus", "evalNotes", "evalTags", "expectedOutput")
    return {
        "id": session.id,
        "labels": [fields[name] for name in labels],
        "identity": source.identity,
        "part": source.part,
        "title": session.title,
        "model": session.model,
        "project": session.project,
        "created_at": fields["created_at"],
        "messages": format_messages(session),
        "models": [message.model for message in session.messages if message.role == "assistant"],
        "answer_tokens": [m["tokens"] for m in fields["messages"] if m["role"] == "assistant"],
        "times": [message["at"] for message in fields["messages"]],
        "forked_from": source.forked_from,
        **fields["totals"],
        "left_out": fields["left_out"],
    }
