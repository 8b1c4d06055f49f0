"""Conversations of Cursor: Markdown exports, transcripts of its agent, and its CLI's stream."""

from collections.abc import Iterator
from typing import Final

from review.session_imports.coding_tools import cursor_markdown, specstory
from review.session_imports.coding_tools.cursor_agent import is_agent_record, read_agent
from review.session_imports.common.adapter import ReadSession
from review.session_imports.common.finishing import Finishing
from review.session_imports.common.reading import BadLine
from review.session_imports.common.source_file import SourceFile

NAME = "cursor"
_HEAD_BYTES: Final = 2000


def recognises(source: SourceFile) -> bool:
    """Return whether the file is a Markdown export or a record of the agent."""
    head = _decode_text(source.data[:_HEAD_BYTES])
    is_export = cursor_markdown.is_export(head) or specstory.is_export(head)
    return is_export or any(map(is_agent_record, source.head))


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield the session of a file, and each part that could not be read."""
    head = _decode_text(source.data[:_HEAD_BYTES])
    if cursor_markdown.is_export(head):
        yield from Finishing(source).finish(
            0, cursor_markdown.read_export(_decode_text(source.data))
        )
    elif specstory.is_export(head):
        yield from Finishing(source).finish(0, specstory.read_export(_decode_text(source.data)))
    else:
        yield from read_agent(source)


def _decode_text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n")
