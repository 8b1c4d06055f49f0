"""Account exports: contexts, models, and conversations without a message."""

import json
from typing import Any

import pytest

from tests.review.session_imports.reading_formats import (
    make_source,
    read_row,
    read_rows,
    read_source,
)
from tests.review.session_imports.transcripts import list_flow

pytestmark = pytest.mark.unit


def make_chatgpt_conversation(*messages: dict[str, Any], **more: object) -> dict[str, Any]:
    """Return a conversation of messages that follow one another."""
    nodes: dict[str, Any] = {"n0": {"parent": None, "message": None}}
    for number, message in enumerate(messages, 1):
        nodes[f"n{number}"] = {"parent": f"n{number - 1}", "message": message}
    return {"conversation_id": "c", "mapping": nodes, "current_node": f"n{len(messages)}"} | more


def make_chatgpt_message(role: str, content: object, **metadata: object) -> dict[str, Any]:
    """Return a message; a text is a content."""
    text_content = (
        {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
    )
    return {"author": {"role": role}, "content": text_content, "metadata": metadata}


def test_the_model_is_that_of_the_last_answer() -> None:
    """The default of the conversation is a setting; it counts only without an answer's model."""
    request, reply = (
        make_chatgpt_message("user", "Q"),
        make_chatgpt_message("assistant", "A", model_slug="gpt-5-thinking"),
    )
    setting = {"default_model_slug": "auto"}
    assert read_row(make_chatgpt_conversation(request, reply, **setting)).model == "gpt-5-thinking"
    assert (
        read_row(
            make_chatgpt_conversation(request, make_chatgpt_message("assistant", "A"), **setting)
        ).model
        == "auto"
    )


def test_memories_are_no_answers() -> None:
    """Memories are instructions, for any role that the export gives them."""
    memory = {"content_type": "model_editable_context", "model_set_context": "Likes tabs."}
    empty = {"content_type": "model_editable_context", "model_set_context": ""}
    records = [
        make_chatgpt_message("assistant", memory),
        make_chatgpt_message("assistant", empty),
        make_chatgpt_message("user", "Q"),
    ]
    assert list_flow(read_row(make_chatgpt_conversation(*records))) == [
        ("system", "Likes tabs."),
        ("user", "Q"),
    ]


@pytest.mark.parametrize(
    "row", [make_chatgpt_conversation(title="New chat"), {"uuid": "u", "chat_messages": []}]
)
def test_a_conversation_in_which_nobody_spoke_is_no_fault(row: dict[str, Any]) -> None:
    """Accounts have many of them; the other conversations of the file are read."""
    request = {"sender": "human", "text": "Q"}
    other = (
        {"uuid": "o", "chat_messages": [request]}
        if "uuid" in row
        else make_chatgpt_conversation(make_chatgpt_message("user", "Q"))
    )
    sessions, problems = read_source(make_source(json.dumps([row, other]), "conversations.json"))
    assert [list_flow(session) for session in sessions] == [[("user", "Q")]]
    assert [problem.wrong for problem in problems] == [False]


def test_a_row_of_a_chat_without_messages_is_a_fault() -> None:
    """An empty row in a set was written on purpose."""
    _, problems = read_rows({"messages": []}, {"messages": [{"role": "user", "content": "Q"}]})
    assert [problem.wrong for problem in problems] == [True]
