"""Reader of parts of messages of the Gemini API: texts, data, calls of functions, responses."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from records.foreign.fields import (
    UnknownShapeError,
    as_fields,
    as_items,
    find_text,
    get_object,
    require_text,
)
from records.sessions.session import ToolCall
from review.session_imports.common.drafts import Draft

_MEDIA: Final = frozenset({"image", "audio", "video"})
_DATA: Final = ("inlineData", "fileData")
_TEXTS: Final = ("executableCode", "codeExecutionResult")


@dataclass(frozen=True, slots=True)
class FunctionResult:
    """The response of a function."""

    text: str
    call_id: object
    name: object


@dataclass
class ReadParts:
    """The parts of a message."""

    texts: list[str] = field(default_factory=list[str])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    results: list[FunctionResult] = field(default_factory=list[FunctionResult])

    @property
    def text(self) -> str:
        """All texts, and marks of parts that are not kept, in order."""
        return "\n".join(text for text in self.texts if text)


def read_parts(content: object, draft: Draft) -> ReadParts:
    """Return the parts of a content, which is a text, a part, or a list of both.

    Raises:
        UnknownShapeError: the content is something else, or a call has no name.
    """
    parts = ReadParts()
    for part in as_items(content) or [content]:
        if isinstance(part, str):
            parts.texts.append(part)
        elif fields := as_fields(part):
            _take_part(fields, parts, draft)
        elif part and part is content:
            raise UnknownShapeError("content is neither a text nor parts")
        elif part:
            parts.texts.append(_leave_out_part("part without a type", draft))
    return parts


def read_result(result: object, draft: Draft) -> str:
    """Return the text of the result of a call: of its responses, then of its other parts."""
    parts = read_parts(result, draft)
    return "\n".join([*(response.text for response in parts.results), *parts.texts])


def _take_part(part: Mapping[str, Any], parts: ReadParts, draft: Draft) -> None:
    call, response = get_object(part, "functionCall"), get_object(part, "functionResponse")
    if part.get("thought") is True:
        draft.leave_out("reasoning")
    elif isinstance(part.get("text"), str):
        parts.texts.append(part["text"])
    elif call:
        parts.calls.append(draft.call(require_text(call, "name"), call.get("args"), call.get("id")))
    elif response:
        text = _read_response_text(response, draft)
        parts.results.append(FunctionResult(text, response.get("id"), response.get("name")))
    else:
        parts.texts.append(_read_other_text(part, draft))


def _read_response_text(response: Mapping[str, Any], draft: Draft) -> str:
    """Return the output or the error of a response, or else the whole response as JSON."""
    fields = get_object(response, "response")
    text = find_text(fields, "output", "error", "result", "content")
    if text is None:
        text = json.dumps(fields, ensure_ascii=False) if fields else ""
    marks = read_parts(as_items(response.get("parts")), draft).texts
    return "\n".join(part for part in (text, *marks) if part)


def _read_other_text(part: Mapping[str, Any], draft: Draft) -> str:
    for name in _DATA:
        if name in part:
            kind = str(get_object(part, name).get("mimeType", "")).partition("/")[0]
            return _leave_out_part(kind if kind in _MEDIA else "file", draft)
    for name in _TEXTS:
        if text := find_text(get_object(part, name), "code", "output"):
            return text
    return _leave_out_part(next(iter(part), "part without a type"), draft)


def _leave_out_part(kind: str, draft: Draft) -> str:
    draft.leave_out(kind)
    return f"[{kind}]"
