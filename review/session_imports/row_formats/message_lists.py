"""Files with one chat, of which each record is a message: ``{"role": ..., "content": ...}``."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from review.session_imports.common.adapter import ReadSession, take_records
from review.session_imports.common.drafts import Draft
from review.session_imports.common.finishing import Finishing
from review.session_imports.common.loose_fields import get_text
from review.session_imports.common.reading import BadLine
from review.session_imports.common.source_file import SourceFile
from review.session_imports.row_formats.anthropic_rows import is_anthropic, read_anthropic
from review.session_imports.row_formats.openai_messages import ROLES, add_message

NAME = "messages"


def recognises(source: SourceFile) -> bool:
    """Return whether all first records are messages."""
    return bool(source.head) and all(map(_is_message, source.head))


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of the file, and each message that could not be read."""
    if is_anthropic({"messages": source.head}):
        yield from _read_anthropic_list(source)
        return
    draft = Draft()
    yield from take_records(source, partial(add_message, draft=draft))
    yield from Finishing(source).finish(0, draft)


def _read_anthropic_list(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of a file with messages of Anthropic's API."""
    messages: list[Mapping[str, Any]] = []
    for _, record in source.read_records():
        if isinstance(record, BadLine):
            yield record
        else:
            messages.append(record)
    yield from Finishing(source).read(0, partial(read_anthropic, {"messages": messages}))


def _is_message(record: Mapping[str, Any]) -> bool:
    is_spoken = "content" in record or "tool_calls" in record
    return get_text(record, "role") in ROLES and is_spoken and "type" not in record
