"""Exports of OpenCode: a test for each kind of part, and for reverted messages."""

import json

import pytest

from records.sessions.session import FromFile, Session
from review.session_imports.common.drafts import make_imported_session_id
from tests.review.session_imports.reading_formats import make_source, read_row, read_source
from tests.review.session_imports.transcripts import Record

pytestmark = pytest.mark.unit


def make_message_record(name: str, role: str, *parts: object, **info: object) -> Record:
    """Return a message; a text is a part."""
    listed = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    time = {"created": 1_790_000_000_000}
    return {"info": {"id": name, "role": role, "time": time, **info}, "parts": listed}


def make_export(*messages: Record, **info: object) -> Record:
    """Return an export."""
    head = {"id": "ses_1", "title": "Fixing", "directory": "/projects/shop", **info}
    return {"info": head, "messages": list(messages)}


def read(*messages: Record, **info: object) -> Session:
    """Return the session of an export of these messages."""
    return read_row(make_export(*messages, **info))


HELLO = (
    make_message_record("a", "user", "Why?"),
    make_message_record("b", "assistant", "No index."),
)


@pytest.mark.parametrize(("total", "output"), [(167, 7), (165, 5), (None, 5)])
def test_reasoning_beside_the_output_is_part_of_it(total: int | None, output: int) -> None:
    """The total shows whether the output includes it; versions without a total include it."""
    tokens = {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 50}}
    session = read(
        HELLO[0], make_message_record("b", "assistant", "Hi", tokens=tokens | {"total": total})
    )
    assert session.totals.tokens.output == output


def test_the_exports_session_is_its_identity() -> None:
    """The export may be an object, an array, or several lines."""
    for data in (make_export(*HELLO), [make_export(*HELLO)]):
        for indent in (None, 2):
            (session,), _ = read_source(make_source(json.dumps(data, indent=indent), "any.json"))
            assert session.id == make_imported_session_id("opencode", "ses_1")
            assert isinstance(session.source, FromFile)
            assert session.source.identity == "ses_1"
