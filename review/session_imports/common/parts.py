"""Parts of a message's content as text, in the same way for all programs.

A part without text, such as an image, becomes a mark in brackets and is counted. Reasoning is only
counted. An object without a type, such as the result of a tool, becomes JSON. Calls of tools and
their results are left to the adapters.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, cast

from records.foreign.fields import UnknownShapeError, as_fields
from records.text.visible import make_one_line

FILE: Final = "file"
IMAGE: Final = "image"
REASONING: Final = "reasoning"
SERVER_TOOL_CALL: Final = "server tool call"
SERVER_TOOL_RESULT: Final = "server tool result"
_REASONING: Final = frozenset(
    {"thinking", "redacted_thinking", "reasoning", "reasoning_text", "reasoning_content"}
)
TOOL_PARTS: Final = frozenset({"tool_use", "tool_result", "tool_call"})
"""Types of calls and results among the parts of a message."""
_TEXTS: Final = frozenset({"text", "input_text", "output_text", "refusal"})
_KINDS: Final = {
    IMAGE: ("image", "image_url", "input_image", "local_image", "output_image"),
    "audio": ("audio", "input_audio", "output_audio"),
    "video": ("video",),
    "document": ("document",),
    FILE: ("file", "input_file"),
}
_NAMES: Final = {kind: name for name, kinds in _KINDS.items() for kind in kinds}
_LONGEST_KIND: Final = 60
"""Characters of a kind in ``left_out``; a longer kind is cut off."""
_LONGEST: Final = 200
"""Characters of the input of a server's tool in its mark."""


def read_content_text(content: object, left_out: Counter[str]) -> str:
    """Return the text of a content, which is a text, nothing, a part, or a list of parts.

    Parts that are not kept are added to ``left_out`` by kind.

    Raises:
        UnknownShapeError: the content is something else.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, dict | list):
        raise UnknownShapeError("content is neither a text nor a list of parts")
    parts = cast("list[object]", content if isinstance(content, list) else [content])
    texts = [_read_part_text(part, left_out) for part in parts]
    return "\n".join(text for text in texts if text is not None)


def format_file_mark(name: str | None) -> str:
    """Return the mark of a file in a text."""
    return f"[{FILE}: {name}]" if name else f"[{FILE}]"


def format_call_mark(name: str, query: str) -> str:
    """Return the mark of a call of a server's tool, such as ``[web search: weather in Rome]``."""
    return f"[{make_one_line(name, 60).replace('_', ' ')}: {make_one_line(query, _LONGEST)}]"


def shorten_kind(kind: str) -> str:
    """Return the name of a kind for counts: one short line of visible characters."""
    return make_one_line(kind, _LONGEST_KIND) or "unknown"


def _read_part_text(part: object, left_out: Counter[str]) -> str | None:
    if isinstance(part, str):
        return part
    fields = cast("Mapping[str, Any]", part if isinstance(part, dict) else {"type": "unknown part"})
    if fields and "type" not in fields and "text" not in fields:
        return json.dumps(fields, ensure_ascii=False)
    kind = str(fields.get("type", "text"))
    text = _read_text(kind, fields)
    if text is not None or kind in TOOL_PARTS:
        return text
    name, substitute = _name_left_out_part(kind, fields)
    left_out[name] += 1
    return substitute


def _name_left_out_part(kind: str, fields: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return the name of the kind of a part that is not kept, and the mark of the part, if any."""
    if kind in _REASONING:
        return REASONING, None
    if kind in {"server_tool_use", "mcp_tool_use"}:
        return SERVER_TOOL_CALL, _mark_server_call(fields)
    if kind.endswith("_tool_result"):
        return SERVER_TOOL_RESULT, None
    name = _NAMES.get(kind) or shorten_kind(kind)
    return name, f"[{name}]"


def _read_text(kind: str, fields: Mapping[str, Any]) -> str | None:
    """Return the text of a part; None if it has no text. Unknown kinds may have a text, too."""
    if kind in _NAMES or kind in _REASONING or kind in TOOL_PARTS:
        return None
    text = fields.get("refusal" if kind == "refusal" else "text")
    if isinstance(text, dict):
        text = cast("Mapping[str, Any]", text).get("value")
    if isinstance(text, str):
        return text
    return "" if kind in _TEXTS and text is None else None


def _mark_server_call(fields: Mapping[str, Any]) -> str:
    values: object = fields.get("input", fields.get("arguments"))
    query = as_fields(values).get("query", values)
    text = query if isinstance(query, str) else json.dumps(values, ensure_ascii=False)
    return format_call_mark(str(fields.get("name", "tool")), text)
