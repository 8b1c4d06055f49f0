"""Small transcripts of coding tools, written record by record after their public descriptions."""

from typing import Any

from records.sessions.session import Session

Record = dict[str, Any]
SESSION = "11111111-2222-3333-4444-555555555555"


def make_user_record(uuid: str, parent: str | None, content: object, **more: object) -> Record:
    """Return a record of the user's side of Claude Code."""
    message = {"role": "user", "content": content}
    return _make_claude_record(uuid, parent) | {"type": "user", "message": message} | more


def make_answer_record(
    uuid: str, parent: str | None, name: str, *parts: object, output: int = 20, **more: object
) -> Record:
    """Return a record of an answer of Claude Code; a text is a part of type text."""
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 1000,
        "output_tokens": output,
    }
    content = [{"type": "text", "text": p} if isinstance(p, str) else p for p in parts]
    message = {"id": name, "role": "assistant", "model": "claude-sonnet-4-5", "usage": usage}
    return (
        _make_claude_record(uuid, parent)
        | {"type": "assistant", "message": message | {"content": content}}
        | more
    )


def make_other_record(uuid: str, parent: str | None, kind: str, **more: object) -> Record:
    """Return a record of another kind of Claude Code that is part of the tree."""
    return _make_claude_record(uuid, parent) | {"type": kind} | more


def _make_claude_record(uuid: str, parent: str | None) -> Record:
    return {
        "uuid": uuid,
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/projects/shop",
        "sessionId": SESSION,
        "version": "2.1.40",
        "timestamp": "2026-10-01T10:00:00.000Z",
    }


def make_call_part(name: str, tool: str = "Read", **arguments: object) -> Record:
    """Return a part that calls a tool."""
    return {"type": "tool_use", "id": name, "name": tool, "input": arguments}


def make_result_part(name: str, content: object = "ok") -> Record:
    """Return a part that holds the result of a call."""
    return {"type": "tool_result", "tool_use_id": name, "content": content}


def make_turn(number: int, asked: str, answer: str, parent: str | None = "") -> list[Record]:
    """Return a request and its answer in Claude Code, behind the turn before them."""
    before = f"a{number - 1}" if number > 1 else None
    return [
        make_user_record(f"u{number}", before if parent == "" else parent, asked),
        make_answer_record(f"a{number}", f"u{number}", f"m{number}", answer),
    ]


HELLO = make_turn(1, "Why is the page slow?", "It reads all.")
"""A whole conversation of Claude Code."""


def make_response_item(**payload: object) -> Record:
    """Return a response item of a rollout of Codex."""
    return {"timestamp": "2026-10-01T10:00:00Z", "type": "response_item", "payload": payload}


def make_event(name: str, **payload: object) -> Record:
    """Return an event of a rollout of Codex."""
    return {
        "timestamp": "2026-10-01T10:00:00Z",
        "type": "event_msg",
        "payload": {"type": name, **payload},
    }


def make_session_meta(name: str = SESSION, **more: object) -> Record:
    """Return the head of a rollout of Codex."""
    payload = {"id": name, "cwd": "/projects/shop", "cli_version": "0.120.0", **more}
    return {"timestamp": "2026-10-01T10:00:00Z", "type": "session_meta", "payload": payload}


def make_request_item(*texts: str) -> Record:
    """Return an item of the user's side of a rollout: each text is a part."""
    parts = [{"type": "input_text", "text": text} for text in texts]
    return make_response_item(type="message", role="user", content=parts)


def make_reply_item(text: str) -> Record:
    """Return an answer in a rollout of Codex."""
    return make_response_item(
        type="message", role="assistant", content=[{"type": "output_text", "text": text}]
    )


def list_texts(session: Session, role: str) -> list[str]:
    """Return the texts of a role that are not empty."""
    return [
        message.text
        for message in session.messages
        if message.role == role and message.text.strip()
    ]


def list_flow(session: Session) -> list[tuple[str, str]]:
    """Return role and text of each message; the names of the tools where the text is empty."""
    return [
        (message.role, message.text or " ".join(call.name for call in message.tool_calls))
        for message in session.messages
    ]
