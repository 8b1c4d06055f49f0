# canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
"""Conversations about the sky with a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from runner.grader import FunctionFailed

if TYPE_CHECKING:
    from runner.grader import Convex

OPENAI = "https://api.openai.com/v1/"
INSTRUCTIONS = "You are the guide of a planetarium. Answer in one sentence."
KEY = "sk-of-the-planetarium"
REPLIES = {
    "responses": """{
        "id": "r", "object": "response", "created_at": 1, "model": "gpt-5-mini",
        "status": "completed", "usage": {"input_tokens": 1, "output_tokens": 1},
        "output": [{
            "type": "message", "id": "m", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "TEXT", "annotations": []}]
        }]
    }""",
    "chat/completions": """{
        "id": "c", "object": "chat.completion", "created": 1, "model": "gpt-5-mini",
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "TEXT"}
        }]
    }""",
}


def answer(convex: Convex, text: str) -> None:
    """Have the model answer, by either of OpenAI's two interfaces."""
    convex.set_env("OPENAI_API_KEY", KEY)
    for path, reply in REPLIES.items():
        body = reply.replace("TEXT", text)
        headers = {"Content-Type": "application/json"}
        convex.stub_fetch(OPENAI + path, method="POST", body=body, headers=headers)


def begin(visitor: Convex, title: str = "Moons") -> str:
    """Begin a conversation."""
    return cast("str", visitor.mutation("guide:begin", {"title": title}))


def ask(visitor: Convex, thread: str, question: str) -> object:
    """Ask a question."""
    return visitor.action("guide:ask", {"thread": thread, "question": question})


def messages(visitor: Convex, thread: str) -> object:
    """Read a conversation."""
    return visitor.query("guide:messages", {"thread": thread})


def test_an_answer_is_returned_and_kept(convex: Convex) -> None:
    """Question and answer are messages of the conversation, in their order."""
    ada = convex.as_user("ada")
    thread = begin(ada)
    assert messages(ada, thread) == []
    answer(convex, "Jupiter has four large moons.")
    assert ask(ada, thread, "How many moons?") == "Jupiter has four large moons."
    answer(convex, "Galileo saw them.")
    assert ask(ada, thread, "Who saw them?") == "Galileo saw them."
    assert messages(ada, thread) == [
        {"role": "user", "text": "How many moons?"},
        {"role": "assistant", "text": "Jupiter has four large moons."},
        {"role": "user", "text": "Who saw them?"},
        {"role": "assistant", "text": "Galileo saw them."},
    ]


def test_the_model_is_told_what_came_before(convex: Convex) -> None:
    """Each request has the model, the key, the instructions and the conversation so far."""
    ada = convex.as_user("ada")
    thread, other = begin(ada), begin(ada, "Stars")
    answer(convex, "Four large ones.")
    for conversation, question in ((other, "Why do stars twinkle?"), (thread, "How many moons?")):
        ask(ada, conversation, question)
    ask(ada, thread, "Who saw them?")
    requests = convex.fetches()
    assert len(requests) == 3
    last = requests[-1]
    assert last.headers["authorization"] == f"Bearer {KEY}"
    body = bytes(last.body).decode()
    # The earlier answer may stand there by its id.
    told = ("gpt-5-mini", INSTRUCTIONS, "How many moons?", "Who saw them?")
    assert [text for text in told if text not in body] == []
    assert "twinkle" not in body


def test_conversations_are_their_visitors_own(convex: Convex) -> None:
    """Nobody reads or goes on with the conversation of another visitor, and no model is asked."""
    ada, bo = convex.as_user("ada"), convex.as_user("bo")
    thread = begin(ada)
    answer(convex, "Four.")
    ask(ada, thread, "How many moons?")
    before = messages(ada, thread)
    for caller in (bo, convex.as_user("ada", issuer="https://other.test")):
        for call in (lambda: messages(caller, thread), lambda: ask(caller, thread, "And then?")):
            with pytest.raises(FunctionFailed) as refusal:
                call()
            assert refusal.value.data == "no such conversation"
    assert len(convex.fetches()) == 1
    assert messages(ada, thread) == before


@pytest.mark.parametrize("thread", ["", "none"], ids=["empty", "no_id"])
def test_what_is_no_conversation_is_refused(convex: Convex, thread: str) -> None:
    """A text that names no thread is refused like the thread of another."""
    ada = convex.as_user("ada")
    answer(convex, "Four.")
    for call in (lambda: messages(ada, thread), lambda: ask(ada, thread, "And then?")):
        with pytest.raises(FunctionFailed) as refusal:
            call()
        assert refusal.value.data == "no such conversation"
    assert convex.fetches() == []


def test_titles_are_listed(convex: Convex) -> None:
    """The caller's ten newest conversations are listed, the newest first."""
    ada = convex.as_user("ada")
    for n in range(12):
        begin(ada, f"title {n}")
    begin(convex.as_user("bo"), "other")
    assert ada.query("guide:titles") == [f"title {n}" for n in range(11, 1, -1)]


def test_the_newest_messages_are_read(convex: Convex) -> None:
    """Of a long conversation the twenty newest messages come, the oldest of them first."""
    ada = convex.as_user("ada")
    thread = begin(ada)
    answer(convex, "Four.")
    for n in range(11):
        ask(ada, thread, f"question {n}")
    found = cast("list[dict[str, object]]", messages(ada, thread))
    asked = [each["text"] for each in found if each["role"] == "user"]
    assert (len(found), asked) == (20, [f"question {n}" for n in range(1, 11)])


def test_an_error_of_the_service_is_told(convex: Convex) -> None:
    """When the service refuses, the visitor hears that there is no answer, and may go on."""
    ada = convex.as_user("ada")
    thread = begin(ada)
    convex.set_env("OPENAI_API_KEY", KEY)
    convex.stub_fetch(f"{OPENAI}*", status=401, json={"error": {"message": "wrong key"}})
    with pytest.raises(FunctionFailed) as refusal:
        ask(ada, thread, "How many moons?")
    assert refusal.value.data == "no answer"
    answer(convex, "Four.")
    assert ask(ada, thread, "How many moons?") == "Four."


def test_callers_who_are_not_signed_in_are_refused(convex: Convex) -> None:
    """All four functions demand somebody who is signed in."""
    thread = begin(convex.as_user("ada"))
    answer(convex, "Four.")
    calls = [
        lambda: begin(convex),
        lambda: ask(convex, thread, "How many?"),
        lambda: messages(convex, thread),
        lambda: convex.query("guide:titles"),
    ]
    for call in calls:
        with pytest.raises(FunctionFailed) as refusal:
            call()
        assert refusal.value.data == "not signed in"
    assert convex.fetches() == []


def test_there_are_four_functions(convex: Convex) -> None:
    """Nothing else is public, and the app has no table."""
    public = {path for path, each in convex.functions.items() if each.visibility == "public"}
    assert public == {f"guide:{name}" for name in ("begin", "ask", "messages", "titles")}
    assert dict(convex.schema.tables) == {}
