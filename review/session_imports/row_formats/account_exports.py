"""Conversations of account exports of ChatGPT and Claude.ai (``conversations.json``).

The live branch goes from the current message up to the root. Answers and requests that were taken
back are on other branches, and are only counted. Older exports of Claude.ai are plain lists.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    as_items,
    count_items,
    find_text,
    get_object,
    get_text,
    list_objects,
    parse_moment,
    require_list,
    require_object,
    require_text,
)
from records.sessions.session import ToolCall
from review.session_imports.common.drafts import Draft, format_file_mark, trace_branch

_CITATION = re.compile("\ue200[^\ue200\ue201]*\ue201")
"""A mark of a source in an answer, such as ``cite turn0search1``, between private characters."""
_POINTERS: Mapping[str, str] = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
    "real_time_user_audio_video_asset_pointer": "audio",
}
_CONTEXTS: Mapping[str, tuple[str, ...]] = {
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context",),
}
"""The fields with the texts of instructions and memories, by type of content."""
_TEXT_FIELDS = ("text", "result", "content", "name")
"""Fields with the text, for content without parts."""
_EVERYBODY = "all"


def is_chatgpt(row: Fields) -> bool:
    """Return whether a row is a conversation with a tree of messages."""
    mapping = get_object(row, "mapping")
    return bool(mapping) and (
        "current_node" in row
        or any(isinstance(node, dict) and "parent" in node for node in mapping.values())
    )


def read_chatgpt(row: Fields) -> Draft:
    """Return the live branch of a conversation.

    Raises:
        UnknownShapeError: the conversation has no messages.
    """
    mapping = require_object(row.get("mapping"), "mapping")
    if not mapping:
        raise UnknownShapeError("mapping is empty")
    nodes = {key: get_object(mapping, key) for key in mapping}
    draft = Draft(
        may_be_empty=True,
        identity=find_text(row, "conversation_id", "id"),
        title=find_text(row, "title"),
        model=find_text(row, "default_model_slug"),
        created_at=parse_moment(row.get("create_time")),
    )
    parents = {key: find_text(node, "parent") for key, node in nodes.items()}
    # The last message, or the newest leaf if the conversation names none.
    leaf = row.get("current_node")
    if not isinstance(leaf, str) or leaf not in nodes:
        leaves = [key for key, node in nodes.items() if not node.get("children")] or list(nodes)
        leaf = max(leaves, key=lambda key: _read_time(nodes[key]))
    branch, missing = trace_branch(parents, leaf)
    if missing:
        draft.problems.append(f"message {missing} is missing: the branch begins below it")
    for key in branch:
        if nodes[key].get("message") is not None:
            with draft.catch_problems(f"message {key}"):
                _add_message(require_object(nodes[key]["message"], "it"), draft)
    dead = [get_object(nodes[key], "message") for key in nodes.keys() - set(branch)]
    roles = [get_text(get_object(message, "author"), "role") for message in dead]
    draft.leave_out("message taken back", sum(role in {"user", "assistant"} for role in roles))
    return draft


def _read_time(node: Fields) -> float:
    at = parse_moment(get_object(node, "message").get("create_time"))
    return at.timestamp() if at is not None else 0.0


def _add_message(message: Fields, draft: Draft) -> None:
    author = require_object(message.get("author"), "author")
    role = require_text(author, "role")
    content = require_object(message.get("content"), "content")
    metadata = get_object(message, "metadata")
    draft.at = parse_moment(message.get("create_time"))
    if get_text(content, "content_type") in {"thoughts", "reasoning_recap"}:
        draft.leave_out("reasoning", max(1, count_items(content, "thoughts")))
        return
    clean, marks = _CITATION.subn("", _read_text(content, draft))
    draft.leave_out("citation", marks or count_items(metadata, "citations"))
    files = [  # pictures are parts of the content
        draft.mark_file(find_text(attachment, "name"))
        for attachment in list_objects(metadata.get("attachments"))
        if not (find_text(attachment, "mime_type", "mimeType") or "").startswith("image/")
    ]
    text = "\n".join(part for part in (clean, *files) if part)
    recipient = find_text(message, "recipient") or _EVERYBODY
    if role == "tool":
        draft.add_result(text, name=author.get("name"))
    elif not text.strip():
        draft.leave_out("empty message", int(role != "system"))
    elif role == "assistant" and get_text(content, "content_type") not in _CONTEXTS:
        model = find_text(metadata, "model_slug")
        if recipient == _EVERYBODY:
            draft.add("assistant", text, model=model)
        else:
            draft.add("assistant", "", calls=[draft.call(recipient, text)], model=model)
    elif role == "system" or get_text(content, "content_type") in _CONTEXTS:
        draft.add("system", text)
    elif role == "user":
        hidden = metadata.get("is_visually_hidden_from_conversation") is True
        draft.add("program" if hidden else "user", text)
    else:
        draft.leave_out(f"role {role}")


def _read_text(content: Fields, draft: Draft) -> str:
    """Return the text of a content; a content without text is counted and becomes a mark."""
    if isinstance(content.get("parts"), list):
        texts = [_read_part_text(part, draft) for part in as_items(content["parts"])]
        return "\n".join(text for text in texts if text)
    kind = str(content.get("content_type", "content without a type"))
    if names := _CONTEXTS.get(kind):
        return "\n\n".join(text for name in names if (text := find_text(content, name)))
    text = find_text(content, *_TEXT_FIELDS)
    if text is None and any(content.get(name) for name in content.keys() - {"content_type"}):
        return draft.mark(kind)
    return text or ""


def _read_part_text(part: object, draft: Draft) -> str:
    if isinstance(part, str):
        return part
    fields = as_fields(part)
    if text := find_text(fields, "text"):
        return text
    kind = str(fields.get("content_type", "part without a type"))
    return draft.mark(_POINTERS.get(kind, kind))


_ROOT = "00000000-0000-4000-8000-000000000000"
"""The parent of first messages."""
_ROLES: Mapping[str, str] = {"human": "user", "user": "user", "assistant": "assistant"}


def is_claude_ai(row: Fields) -> bool:
    """Return whether a row is a conversation of Claude.ai."""
    return isinstance(row.get("chat_messages"), list)


def read_claude_ai(row: Fields) -> Draft:
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
            _add_claude_ai_message(message, draft)
    draft.leave_out("message taken back", len(messages) - len(branch))
    return draft


def _select_live_messages(row: Fields, messages: list[Fields], draft: Draft) -> list[Fields]:
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


def _add_claude_ai_message(message: Fields, draft: Draft) -> None:
    written = require_text(message, "sender")
    role = _ROLES.get(written)
    if role is None:
        draft.leave_out(f"role {written}")
        return
    before = len(draft.messages)
    draft.at = parse_moment(message.get("created_at"))
    turn = _Turn(role, draft)
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
    draft: Draft
    texts: list[str] = field(default_factory=list[str])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])

    def take(self, part: Fields) -> None:
        """Take a part of the content."""
        kind = get_text(part, "type")
        self.draft.leave_out("citation", count_items(part, "citations"))
        if kind == "tool_use":
            self.calls.append(self.draft.read_call(part, "input"))
        elif kind == "tool_result":
            self.end_message()
            text = self.draft.read_content(part.get("content"))
            call_id, name = part.get("tool_use_id"), part.get("name")
            self.draft.add_result(text, call_id=call_id, name=name)
        elif kind in {"token_budget", "flag"}:
            self.draft.leave_out(kind)
        elif text := self.draft.read_content([part]):
            self.texts.append(text)

    def end_message(self) -> None:
        """Append the texts and calls so far as a message."""
        if self.texts or self.calls:
            text = "\n".join(self.texts)
            self.draft.add(self.role, text, calls=self.calls)
        self.texts, self.calls = [], []


def _read_files(message: Fields, draft: Draft) -> list[str]:
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
