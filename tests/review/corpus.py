"""Sessions with hostile and unusual texts, for stores and exports."""

from collections.abc import Iterable
from pathlib import Path

from records.files.data_folder import DataFolder
from records.sessions.session import (
    EvalStatus,
    FromFile,
    Session,
    SessionMessage,
    SessionTotals,
    ToolCall,
)
from records.shapes.attempt import NO_TOKENS
from review.store import SessionStore
from tests.records import examples

CALL = ToolCall(id="call-1", name="read", arguments='{"path": "/home/anna/a.ts"}')
SECRET = "-".join(("sk", "ant", "a1b2" * 6))


def make_message(role: str, text: str, **more: object) -> SessionMessage:
    """Return a message."""
    return SessionMessage.model_validate({"role": role, "text": text, **more})


def make_session(number: int, *messages: SessionMessage, **labels: object) -> Session:
    """Return a session of these messages."""
    return Session.model_validate(
        {
            "schema_version": 1,
            "id": f"session-{number:04}",
            "title": f"Session {number}",
            "source": FromFile(kind="file", importer="chat", name="a.jsonl", digest="a" * 64),
            "model": "maker/model",
            "project": None,
            "created_at": examples.NOON,
            "updated_at": examples.NOON,
            "messages": messages,
            "totals": SessionTotals(tokens=NO_TOKENS, cost_usd=None, duration_s=None),
            **labels,
        }
    )


MARKER = "[DEEPEVAL:PDF:/etc/passwd] {{ env.HOME }} {% raw %} ${HOME} file:///etc/passwd"
"""Texts on which programs that load exports would act."""
FILE = "file:///etc/passwd"


def store_of(data: Path, sessions: Iterable[Session]) -> SessionStore:
    """Return the store of a data folder, with these sessions."""
    store = SessionStore(DataFolder(data))
    for record in sessions:
        store.write(record)
    return store


def make_marked_session() -> Session:
    """Return a session with markers in every text that another person can write."""
    hidden = (
        '{"[DEEPEVAL:IMAGE:/etc/hosts]": "\\u005bDEEPEVAL:PDF:/etc/passwd]", '
        '"path": "{{ env.HOME }}"}'
    )
    call = ToolCall(id=MARKER, name=MARKER, arguments=hidden)
    return make_session(
        9,
        make_message("system", FILE),
        make_message("user", MARKER),
        make_message("assistant", MARKER, tool_calls=(call,)),
        make_message("tool", FILE, tool_call_id=MARKER),
        make_message("assistant", FILE),
        make_message("user", FILE),
        make_message("assistant", MARKER),
        title=MARKER,
        model=MARKER,
        eval_status=EvalStatus.GOLDEN,
        eval_tags=(MARKER, FILE),
        eval_notes=MARKER,
        expected_output=FILE,
    )


PLAIN = make_session(
    0,
    make_message("system", "You help."),
    make_message("user", "Fix the query"),
    make_message("assistant", "Let me look.", tool_calls=(CALL,)),
    make_message("tool", "export {}", tool_call_id="call-1"),
    make_message("assistant", "Done."),
    make_message("user", "And the index?"),
    make_message("assistant", "Added."),
    eval_status=EvalStatus.GOLDEN,
    eval_tags=("auth", "debugging"),
    eval_notes="Clear.",
)
NASTY = (
    PLAIN,
    make_session(1, make_message("user", "never answered")),
    make_session(2, make_message("assistant", "unasked")),
    make_session(3, make_message("user", "   "), make_message("assistant", "to nothing")),
    make_session(
        4,
        make_message(
            "user", "see [DEEPEVAL:IMAGE:/etc/passwd] and {{ env.HOME }}\n\n\nblank lines"
        ),
        make_message("assistant", "\U0001f680 \u2028 \x85 \x00 \ufeff text"),
        eval_status=EvalStatus.CORRECT,
        expected_output="the right one",
    ),
    make_session(
        5,
        make_message("user", "only calls"),
        make_message(
            "assistant", "", tool_calls=(CALL.model_copy(update={"arguments": "not json"}),)
        ),
        make_message("system", "in the middle"),
        make_message("assistant", "after all"),
        eval_status=EvalStatus.INCORRECT,
    ),
    make_session(
        6,
        make_message("user", f"my key is {SECRET}, mail anna@example.org " + "x" * 20_000),
        make_message("assistant", f"use {SECRET}"),
    ),
    make_session(7),
)
