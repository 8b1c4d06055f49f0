"""Adapters of formats in which each row is a session.

The format of a file is the first format whose shape one of the first rows has. A row with the shape
of another format is read by that format, so that all rows of a mixed file are read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from records.foreign.fields import Fields
from review.session_imports.common.drafts import Draft
from review.session_imports.common.source_file import SourceFile
from review.session_imports.row_formats import own_rows
from review.session_imports.row_formats.anthropic_rows import is_anthropic, read_anthropic
from review.session_imports.row_formats.chat_rows import is_chat, read_chat
from review.session_imports.row_formats.chatgpt_rows import is_chatgpt, read_chatgpt
from review.session_imports.row_formats.claude_ai_rows import is_claude_ai, read_claude_ai
from review.session_imports.row_formats.dataset_rows import is_dataset_row, read_dataset_row
from review.session_imports.row_formats.response_rows import is_response, read_response
from review.session_imports.row_formats.row_files import is_packed, read_head_rows, read_rows
from review.session_imports.row_formats.sharegpt_rows import is_sharegpt, read_sharegpt


@dataclass(frozen=True, slots=True)
class RowAdapter:
    """The adapter of files of one format: its name, the check of a row's shape, and the reader."""

    NAME: str
    fits: Callable[[Fields], bool]
    read_row: Callable[[Fields], Draft]

    def recognises(self, source: SourceFile) -> bool:
        """Return whether this is the first format whose shape one of the first rows has."""
        head = read_head_rows(source) if is_packed(source) or source.head else []
        fitting = (form for form in ROW_ADAPTERS if any(map(form.fits, head)))
        return next(fitting, None) is self

    def read(self, source: SourceFile) -> Iterator[Draft]:
        """Yield the session of each row; for a row of no format, this format reports why."""
        forms = (self, *ROW_ADAPTERS)
        for number, row in read_rows(source):
            with source.catch_problems(number):
                form = next((form for form in forms if form.fits(row)), self)
                draft = form.read_row(row)
                draft.place = number
                yield draft


ROW_ADAPTERS: Final = (
    RowAdapter(own_rows.NAME, own_rows.is_own_row, own_rows.read_own_row),
    RowAdapter("chatgpt", is_chatgpt, read_chatgpt),
    RowAdapter("claude_ai", is_claude_ai, read_claude_ai),
    RowAdapter("openai_responses", is_response, read_response),
    RowAdapter("anthropic", is_anthropic, read_anthropic),
    RowAdapter("sharegpt", is_sharegpt, read_sharegpt),
    RowAdapter("chat", is_chat, read_chat),
    RowAdapter("dataset", is_dataset_row, read_dataset_row),
)
"""Formats in the order in which they are tried: the most special shape first."""
