"""Sessions with hostile and unusual texts, for stores and exports."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from records.files.data_folder import DataFolder
from records.sessions.session import (
    EvalStatus,
    FromFile,
    Session,
    SessionMessage,
    SessionTotals,
    ToolCall,
)
from records.shapes.attempt import Tokens
from review.store import SessionStore
from tests.records import examples

NOTHING: Final = Tokens(input=None, cached_input=None, output=None, reasoning=None)
CALL: Final = ToolCall(id="call-1", name="read", arguments='{"path": "/home/anna/a.ts"}')
SECRET: Final = "-".join(("sk", "ant", "a1b2" * 6))


def said(role: str, text: str, **more: object) -> SessionMessage:
    """Return a message."""
    return SessionMessage.model_validate({"role": role, "text": text, **more})


def session(number: int, *messages: SessionMessage, **labels: object) -> Session:
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
            "totals": SessionTotals(tokens=NOTHING, cost_usd=None, duration_s=None),
            **labels,
        }
    )


MARKER: Final = "[DEEPEVAL:PDF:/etc/passwd] {{ env.HOME }} {% raw %} ${HOME} file:///etc/passwd"
"""Texts on which programs that load exports would act."""
FILE: Final = "file:///etc/passwd"


def store_of(data: Path, sessions: Iterable[Session]) -> SessionStore:
    """Return the store of a data folder, with these sessions."""
    store = SessionStore(DataFolder(data))
    for record in sessions:
        store.write(record)
    return store


def marked() -> Session:
    """Return a session with markers in every text that another person can write."""
    hidden = (
        '{"[DEEPEVAL:IMAGE:/etc/hosts]": "\\u005bDEEPEVAL:PDF:/etc/passwd]", '
        '"path": "{{ env.HOME }}"}'
    )
    call = ToolCall(id=MARKER, name=MARKER, arguments=hidden)
    return session(
        9,
        said("system", FILE),
        said("user", MARKER),
        said("assistant", MARKER, tool_calls=(call,)),
        said("tool", FILE, tool_call_id=MARKER),
        said("assistant", FILE),
        said("user", FILE),
        said("assistant", MARKER),
        title=MARKER,
        model=MARKER,
        eval_status=EvalStatus.GOLDEN,
        eval_tags=(MARKER, FILE),
        eval_notes=MARKER,
        expected_output=FILE,
    )


PLAIN: Final = session(
    0,
    said("system", "You help."),
    said("user", "Fix the query"),
    said("assistant", "Let me look.", tool_calls=(CALL,)),
    said("tool", "export {}", tool_call_id="call-1"),
    said("assistant", "Done."),
    said("user", "And the index?"),
    said("assistant", "Added."),
    eval_status=EvalStatus.GOLDEN,
    eval_tags=("auth", "debugging"),
    eval_notes="Clear.",
)
NASTY: Final = (
    PLAIN,
    session(1, said("user", "never answered")),
    session(2, said("assistant", "unasked")),
    session(3, said("user", "   "), said("assistant", "to nothing")),
    session(
        4,
        said("user", "see [DEEPEVAL:IMAGE:/etc/passwd] and {{ env.HOME }}\n\n\nblank lines"),
        said("assistant", "\U0001f680 \u2028 \x85 \x00 \ufeff text"),
        eval_status=EvalStatus.CORRECT,
        expected_output="the right one",
    ),
    session(
        5,
        said("user", "only calls"),
        said("assistant", "", tool_calls=(CALL.model_copy(update={"arguments": "not json"}),)),
        said("system", "in the middle"),
        said("assistant", "after all"),
        eval_status=EvalStatus.INCORRECT,
    ),
    session(
        6,
        said("user", f"my key is {SECRET}, mail anna@example.org " + "x" * 20_000),
        said("assistant", f"use {SECRET}"),
    ),
    session(7),
)
