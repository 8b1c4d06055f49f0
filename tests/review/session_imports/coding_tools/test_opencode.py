"""Exports of OpenCode: a test for each kind of part, and for reverted messages."""

import json
from typing import Any

import pytest

from records.sessions.session import FromFile, Session
from review.session_imports.common.drafts import make_imported_session_id
from tests.review.session_imports.transcripts import (
    Record,
    list_flow,
    list_texts,
    read_data,
    read_one,
    read_records,
)

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
    return read_one(make_export(*messages, **info))


HELLO = (
    make_message_record("a", "user", "Why?"),
    make_message_record("b", "assistant", "No index."),
)


def make_tool_call(name: str, **state: object) -> Record:
    """Return a call of a tool in its state."""
    return {"type": "tool", "callID": name, "tool": "read", "state": {"input": {"p": 1}, **state}}


def test_cached_tokens_are_part_of_the_input() -> None:
    """OpenCode counts them separately."""
    tokens = {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 50}}
    time = {"created": 1_790_000_000_000, "completed": 1_790_000_001_500}
    more: dict[str, Any] = {"modelID": "claude", "tokens": tokens, "cost": 0.01, "time": time}
    session = read(HELLO[0], make_message_record("b", "assistant", "Hello", **more))
    counts = session.totals.tokens
    assert (counts.input, counts.cached_input, counts.output, counts.reasoning) == (160, 100, 5, 2)
    assert (session.totals.cost_usd, session.totals.duration_s) == (0.01, 1.5)
    assert (session.model, session.project) == ("claude", "shop")


@pytest.mark.parametrize(("total", "output"), [(167, 7), (165, 5), (None, 5)])
def test_reasoning_beside_the_output_is_part_of_it(total: int | None, output: int) -> None:
    """The total shows whether the output includes it; versions without a total include it."""
    tokens = {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 50}}
    session = read(
        HELLO[0], make_message_record("b", "assistant", "Hi", tokens=tokens | {"total": total})
    )
    assert session.totals.tokens.output == output


def test_a_title_that_the_program_made_up_is_none() -> None:
    """A session without a name is called by the time of its beginning."""
    generated = "New session - 2026-10-01T10:00:00.000Z"
    assert read(*HELLO, title=generated).title == "Why?"
    assert read(*HELLO, title=f"{generated}, copied").title == f"{generated}, copied"


def test_the_exports_session_is_its_identity() -> None:
    """The export may be an object, an array, or several lines."""
    for data in (make_export(*HELLO), [make_export(*HELLO)]):
        for indent in (None, 2):
            (session,), _ = read_data(json.dumps(data, indent=indent).encode(), "any.json")
            assert session.id == make_imported_session_id("opencode", "ses_1")
            assert isinstance(session.source, FromFile)
            assert session.source.identity == "ses_1"


def test_additions_of_the_program_are_its_own() -> None:
    """Contents of files, prompts for sub-agents, and marks of compactions are the program's."""
    read_file = {"type": "text", "text": "Called the Read tool", "synthetic": True}
    subtask = {"type": "subtask", "prompt": "Find the callers.", "agent": "explore"}
    session = read(
        make_message_record("a", "user", "Why?", read_file),
        make_message_record("b", "assistant", "No index."),
        make_message_record("c", "user", {"type": "compaction", "auto": True}),
        make_message_record("d", "assistant", "Summary of it.", summary=True),
        make_message_record("e", "user", subtask),
    )
    assert list_flow(session) == [
        ("user", "Why?"),
        ("program", "Called the Read tool"),
        ("assistant", "No index."),
        ("program", "[compaction]"),
        ("program", "Summary of it."),
        ("program", "Find the callers."),
    ]


def test_parts_that_are_no_text_are_named_or_counted() -> None:
    """Files and pictures are named in place, reasoning is counted, marks of steps are not."""
    session = read(
        make_message_record("a", "user", {"type": "file", "mime": "image/png"}, "What is wrong?"),
        make_message_record(
            "c", "user", {"type": "file", "mime": "text/plain", "filename": "a.ts"}
        ),
        make_message_record(
            "b",
            "assistant",
            *({"type": kind} for kind in ("step-start", "snapshot", "patch", "step-finish")),
            {"type": "reasoning", "text": "hm"},
            {"type": "hologram"},
            "A border.",
        ),
        make_message_record("d", "user", {"type": "agent", "name": "explore"}, "@explore it"),
    )
    assert list_texts(session, "user") == [
        "[image]\nWhat is wrong?",
        "[file: a.ts]",
        "@explore it",
    ]
    assert list_texts(session, "assistant") == ["[hologram]\nA border."]
    assert session.left_out == {"image": 1, "file": 1, "reasoning": 1, "hologram": 1}


def test_calls_have_their_results_or_errors() -> None:
    """A call that never ended has an empty result; pictures in results are named."""
    picture = [{"type": "file", "mime": "image/png", "url": "data:"}]
    session = read(
        HELLO[0],
        make_message_record(
            "b",
            "assistant",
            make_tool_call("1", status="completed", output="text", attachments=picture),
            make_tool_call("2", status="error", error="no such file"),
            make_tool_call("3", status="running"),
        ),
    )
    assert len(session.messages[1].tool_calls) == 3
    assert [reply.text for reply in session.messages[2:]] == ["text\n[image]", "no such file", ""]


def test_reverted_messages_are_gone() -> None:
    """Messages from the named message on are removed and counted."""
    later = (
        make_message_record("c", "user", "Delete all."),
        make_message_record("d", "assistant", "Deleted."),
    )
    session = read(*HELLO, *later, revert={"messageID": "c", "snapshot": "x"})
    assert list_texts(session, "user") == ["Why?"]
    assert session.left_out == {"message taken back": 2}


def test_a_session_that_was_reverted_from_its_beginning_is_no_fault() -> None:
    """Such a session is as empty as a session in which nobody spoke."""
    sessions, (problem,) = read_records(make_export(*HELLO, revert={"messageID": "a"}))
    assert not sessions
    assert not problem.wrong


def test_parts_of_a_message_can_be_reverted() -> None:
    """Parts before the part that the export names are kept."""
    cut = make_message_record("b", "assistant", "Kept.", "Reverted.")
    parts = [{**part, "id": f"p{n}"} for n, part in enumerate(cut["parts"])]
    revert = {"messageID": "b", "partID": "p1"}
    session = read(HELLO[0], {**cut, "parts": parts}, revert=revert)
    assert list_texts(session, "assistant") == ["Kept."]


def test_an_error_is_no_answer() -> None:
    """The error is the program's, beside the text that came before it."""
    error = {"name": "APIError", "data": {"message": "overloaded"}}
    session = read(
        HELLO[0],
        make_message_record("b", "assistant", error=error),
        make_message_record("c", "assistant", "Half an", error={"name": "MessageAbortedError"}),
    )
    assert list_flow(session)[1:] == [
        ("program", "APIError: overloaded"),
        ("assistant", "Half an"),
        ("program", "MessageAbortedError"),
    ]


def test_messages_that_stand_twice_count_once() -> None:
    """Their ids identify them."""
    assert len(read(*HELLO, *HELLO).messages) == 2


def test_a_sub_agents_session_belongs_to_its_parent() -> None:
    """The file is left out with that reason, which is no fault of the file."""
    sessions, (problem,) = read_data(json.dumps(make_export(*HELLO, parentID="ses_0")).encode())
    assert not sessions
    assert (problem.wrong, problem.left_out) == (False, "sub-agent transcript")
    assert "ses_0" in problem.reason


def test_one_bad_message_loses_no_other() -> None:
    """The problem names its number."""
    bad = make_message_record("c", "wizard", "x")
    (session,), (problem,) = read_data(json.dumps(make_export(*HELLO, bad)).encode())
    assert "message 3" in problem.reason
    assert len(session.messages) == 2
