"""Files with one chat, of which each record is a message: ``{"role": ..., "content": ...}``."""

from collections.abc import Iterator

from records.foreign.fields import get_text
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile
from review.session_imports.row_formats.chat_rows import (
    ROLES,
    add_message,
    is_anthropic,
    read_anthropic,
)

NAME = "messages"


def recognises(source: SourceFile) -> bool:
    """Return whether all first records are messages."""
    return bool(source.head) and all(
        get_text(record, "role") in ROLES
        and ("content" in record or "tool_calls" in record)
        and "type" not in record
        for record in source.head
    )


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of the file, and report each message that could not be read."""
    if is_anthropic({"messages": source.head}):
        messages = [record for _, record in source.read_records()]
        with source.catch_problems(0):
            yield read_anthropic({"messages": messages})
        return
    draft = Draft()
    for number, record in source.read_records():
        with source.catch_problems(number):
            add_message(record, draft)
    yield draft
