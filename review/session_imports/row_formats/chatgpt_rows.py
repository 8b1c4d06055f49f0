"""Conversations of a ChatGPT account export (``conversations.json``): trees of messages.

The live branch goes from ``current_node`` up to the root. Answers and requests that were taken back
are on other branches, and are only counted.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from records.foreign.fields import (
    UnknownShapeError,
    as_fields,
    as_items,
    count_items,
    find_text,
    get_object,
    get_text,
    list_objects,
    parse_moment,
    require_object,
    require_text,
)
from review.session_imports.common.drafts import Draft, trace_branch

_CITATION: Final = re.compile("\ue200[^\ue200\ue201]*\ue201")
"""A mark of a source in an answer, such as ``cite turn0search1``, between private characters."""
_POINTERS: Final[Mapping[str, str]] = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
    "real_time_user_audio_video_asset_pointer": "audio",
}
_REASONING: Final = frozenset({"thoughts", "reasoning_recap"})
_CONTEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context",),
}
"""The fields with the texts of instructions and memories, by type of content."""
_TEXT_FIELDS: Final = ("text", "result", "content", "name")
"""Fields with the text, for content without parts."""
_EVERYBODY: Final = "all"


def is_chatgpt(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a conversation with a tree of messages."""
    mapping = get_object(row, "mapping")
    return bool(mapping) and ("current_node" in row or _has_nodes(mapping))


def read_chatgpt(row: Mapping[str, Any]) -> Draft:
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
    branch, missing = trace_branch(parents, _find_leaf(row, nodes))
    if missing:
        draft.problems.append(f"message {missing} is missing: the branch begins below it")
    for key in branch:
        _add_node(key, nodes[key], draft)
    dead_nodes = [nodes[key] for key in nodes.keys() - set(branch)]
    draft.leave_out("message taken back", sum(map(_speaks, dead_nodes)))
    return draft


def _has_nodes(mapping: Mapping[str, Any]) -> bool:
    return any(isinstance(node, dict) and "parent" in node for node in mapping.values())


def _find_leaf(row: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the id of the last message, or of the newest leaf if the conversation names none."""
    current = row.get("current_node")
    if isinstance(current, str) and current in nodes:
        return current
    leaves = [key for key, node in nodes.items() if not node.get("children")] or list(nodes)
    return max(leaves, key=lambda key: _read_time(nodes[key]))


def _read_time(node: Mapping[str, Any]) -> float:
    at = parse_moment(get_object(node, "message").get("create_time"))
    return at.timestamp() if at is not None else 0.0


def _speaks(node: Mapping[str, Any]) -> bool:
    return get_text(get_object(get_object(node, "message"), "author"), "role") in {
        "user",
        "assistant",
    }


def _add_node(key: str, node: Mapping[str, Any], draft: Draft) -> None:
    if node.get("message") is None:
        return
    with draft.catch_problems(f"message {key}"):
        _add_message(require_object(node["message"], "it"), draft)


def _add_message(message: Mapping[str, Any], draft: Draft) -> None:
    author = require_object(message.get("author"), "author")
    role = require_text(author, "role")
    content = require_object(message.get("content"), "content")
    metadata = get_object(message, "metadata")
    at = parse_moment(message.get("create_time"))
    if get_text(content, "content_type") in _REASONING:
        draft.leave_out("reasoning", max(1, count_items(content, "thoughts")))
        return
    text = _without_citations(_read_text(content, draft), metadata, draft)
    text = "\n".join(part for part in (text, *_mark_files(metadata, draft)) if part)
    recipient = find_text(message, "recipient") or _EVERYBODY
    if role == "tool":
        draft.add_result(text, name=author.get("name"), at=at)
    elif not text.strip():
        draft.leave_out("empty message", int(role != "system"))
    elif role == "assistant" and get_text(content, "content_type") not in _CONTEXTS:
        model = find_text(metadata, "model_slug")
        if recipient == _EVERYBODY:
            draft.add("assistant", text, at=at, model=model)
        else:
            draft.add("assistant", "", calls=[draft.call(recipient, text)], at=at, model=model)
    elif role == "system" or get_text(content, "content_type") in _CONTEXTS:
        draft.add("system", text, at=at)
    elif role == "user":
        hidden = metadata.get("is_visually_hidden_from_conversation") is True
        draft.add("program" if hidden else "user", text, at=at)
    else:
        draft.leave_out(f"role {role}")


def _read_text(content: Mapping[str, Any], draft: Draft) -> str:
    """Return the text of a content; a content without text is counted and becomes a mark."""
    if isinstance(content.get("parts"), list):
        texts = [_read_part_text(part, draft) for part in as_items(content["parts"])]
        return "\n".join(text for text in texts if text)
    kind = str(content.get("content_type", "content without a type"))
    if names := _CONTEXTS.get(kind):
        return "\n\n".join(text for name in names if (text := find_text(content, name)))
    text = find_text(content, *_TEXT_FIELDS)
    if text is None and any(content.get(name) for name in content.keys() - {"content_type"}):
        draft.leave_out(kind)
        return f"[{kind}]"
    return text or ""


def _read_part_text(part: object, draft: Draft) -> str:
    if isinstance(part, str):
        return part
    fields = as_fields(part)
    if text := find_text(fields, "text"):
        return text
    kind = str(fields.get("content_type", "part without a type"))
    kind = _POINTERS.get(kind, kind)
    draft.leave_out(kind)
    return f"[{kind}]"


def _without_citations(text: str, metadata: Mapping[str, Any], draft: Draft) -> str:
    clean, marks = _CITATION.subn("", text)
    draft.leave_out("citation", marks or count_items(metadata, "citations"))
    return clean


def _mark_files(metadata: Mapping[str, Any], draft: Draft) -> list[str]:
    """Return the marks of attached files without pictures, which are parts of the content."""
    marks: list[str] = []
    for attachment in list_objects(metadata.get("attachments")):
        kind = str(attachment.get("mime_type") or attachment.get("mimeType") or "")
        if not kind.startswith("image/"):
            marks.append(draft.mark_file(find_text(attachment, "name")))
    return marks
