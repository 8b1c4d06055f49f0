"""Conversations of Cursor: Markdown exports, transcripts of its agent, and its CLI's stream."""

from collections.abc import Iterator
from typing import Final

from review.session_imports.coding_tools import cursor_markdown, specstory
from review.session_imports.coding_tools.cursor_agent import is_agent_record, read_agent
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile

NAME = "cursor"
_HEAD_BYTES: Final = 2000
_EXPORTS: Final = (cursor_markdown, specstory)


def recognises(source: SourceFile) -> bool:
    """Return whether the file is a Markdown export or a record of the agent."""
    head = _decode_text(source.text[:_HEAD_BYTES])
    is_export = any(form.is_export(head) for form in _EXPORTS)
    return is_export or any(map(is_agent_record, source.head))


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of a file, and report each part that could not be read."""
    head = _decode_text(source.text[:_HEAD_BYTES])
    for form in _EXPORTS:
        if form.is_export(head):
            yield form.read_export(_decode_text(source.text))
            return
    yield read_agent(source)


def _decode_text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")
