"""Conversations of a Claude.ai account export (``conversations.json``): lists of ``chat_messages``.

In newer exports, messages name their parents. The live branch ends at
``current_leaf_message_uuid``, or if that is missing, at the last message of the conversation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from records.foreign.fields import (
    count_items,
    find_text,
    get_object,
    get_text,
    list_objects,
    parse_moment,
    require_list,
    require_text,
)
from records.sessions.session import ToolCall
from review.session_imports.common.drafts import Draft, format_file_mark, trace_branch

_ROOT: Final = "00000000-0000-4000-8000-000000000000"
"""The parent of first messages."""
_ROLES: Final[Mapping[str, str]] = {"human": "user", "user": "user", "assistant": "assistant"}
_SETTINGS: Final = frozenset({"token_budget", "flag"})
"""Types of parts without text of user or assistant."""


def is_claude_ai(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a conversation of Claude.ai."""
    return isinstance(row.get("chat_messages"), list)


def read_claude_ai(row: Mapping[str, Any]) -> Draft:
    """Return the live branch of a conversation.

    Raises:
        UnknownShapeError: the row has no list of messages.
    """
    listed = require_list(row.get("chat_messages"), "chat_messages")
    draft = Draft(
        may_be_empty=True,
        identity=find_text(row, "uuid"),
        title=find_text(row, "name"),
        model=find_text(row, "model"),
        project=find_text(get_object(row, "project"), "name"),
        created_at=parse_moment(row.get("created_at")),
    )
    messages = list_objects(listed)
    draft.problems += [
        f"message {number} is no object"
        for number, message in enumerate(listed, 1)
        if not isinstance(message, dict)
    ]
    branch = _select_live_messages(row, messages, draft)
    for message in branch:
        with draft.catch_problems(f"message {message.get('uuid')}"):
            _add_message(message, draft)
    draft.leave_out("message taken back", len(messages) - len(branch))
    return draft


def _select_live_messages(
    row: Mapping[str, Any], messages: list[Mapping[str, Any]], draft: Draft
) -> list[Mapping[str, Any]]:
    """Return the messages of the live branch; all messages if they name no parents."""
    by_id = {str(message.get("uuid")): message for message in messages}
    parents = {key: find_text(message, "parent_message_uuid") for key, message in by_id.items()}
    if len(by_id) < len(messages) or not any(parents.values()):
        return messages
    current = find_text(row, "current_leaf_message_uuid")
    leaf = current if current in by_id else list(by_id)[-1]
    branch, missing = trace_branch(parents, leaf or "")
    if missing and missing != _ROOT:
        draft.problems.append(f"message {missing} is missing: the branch begins below it")
    return [by_id[key] for key in branch]


def _add_message(message: Mapping[str, Any], draft: Draft) -> None:
    written = require_text(message, "sender")
    role = _ROLES.get(written)
    if role is None:
        draft.leave_out(f"role {written}")
        return
    before = len(draft.messages)
    turn = _Turn(role, parse_moment(message.get("created_at")), draft)
    parts = list_objects(message.get("content"))
    draft.leave_out("part without a type", count_items(message, "content") - len(parts))
    for part in parts:
        turn.take(part)
    if not parts and (text := find_text(message, "text")):
        turn.texts.append(text)
    turn.texts += _read_files(message, draft)
    turn.end_message()
    if len(draft.messages) == before:
        draft.leave_out("empty message")


@dataclass
class _Turn:
    """A message of the source, which may have results of tools between its texts."""

    role: str
    at: datetime | None
    draft: Draft
    texts: list[str] = field(default_factory=list[str])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])

    def take(self, part: Mapping[str, Any]) -> None:
        """Take a part of the content."""
        kind = get_text(part, "type")
        self.draft.leave_out("citation", count_items(part, "citations"))
        if kind == "tool_use":
            call = self.draft.call(require_text(part, "name"), part.get("input"), part.get("id"))
            self.calls.append(call)
        elif kind == "tool_result":
            self.end_message()
            text = self.draft.read_content(part.get("content"))
            call_id, name = part.get("tool_use_id"), part.get("name")
            self.draft.add_result(text, call_id=call_id, name=name, at=self.at)
        elif kind in _SETTINGS:
            self.draft.leave_out(kind)
        elif text := self.draft.read_content([part]):
            self.texts.append(text)

    def end_message(self) -> None:
        """Append the texts and calls so far as a message."""
        if self.texts or self.calls:
            text = "\n".join(self.texts)
            self.draft.add(self.role, text, calls=self.calls, at=self.at)
        self.texts, self.calls = [], []


def _read_files(message: Mapping[str, Any], draft: Draft) -> list[str]:
    """Return a text for each attached file: its name and text, or a mark if it has no text."""
    texts: list[str] = []
    for attachment in list_objects(message.get("attachments")):
        name = find_text(attachment, "file_name")
        text = find_text(attachment, "extracted_content")
        texts.append(f"{format_file_mark(name)}\n{text}" if text else draft.mark_file(name))
    files = list_objects(message.get("files_v2")) or list_objects(message.get("files"))
    for file in files:
        is_image = file.get("file_kind") == "image"
        texts.append(draft.mark_file(find_text(file, "file_name"), is_image=is_image))
    return texts
