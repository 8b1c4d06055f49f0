"""Adapters of formats in which each row is a session.

The format of a file is the first format whose shape one of the first rows has. A row with the shape
of another format is read by that format, so that all rows of a mixed file are read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from review.session_imports.common.adapter import ReadSession
from review.session_imports.common.drafts import Draft
from review.session_imports.common.finishing import Finishing
from review.session_imports.common.reading import BadLine
from review.session_imports.common.source_file import Fields, SourceFile
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
class RowFormat:
    """A format of rows: its name, the check of the shape, and the reader."""

    name: str
    fits: Callable[[Fields], bool]
    read: Callable[[Fields], Draft]


_FORMATS: Final = (
    RowFormat(own_rows.NAME, own_rows.is_own_row, own_rows.read_own_row),
    RowFormat("chatgpt", is_chatgpt, read_chatgpt),
    RowFormat("claude_ai", is_claude_ai, read_claude_ai),
    RowFormat("openai_responses", is_response, read_response),
    RowFormat("anthropic", is_anthropic, read_anthropic),
    RowFormat("sharegpt", is_sharegpt, read_sharegpt),
    RowFormat("chat", is_chat, read_chat),
    RowFormat("dataset", is_dataset_row, read_dataset_row),
)
"""Formats in the order in which they are tried: the most special shape first."""


@dataclass(frozen=True, slots=True)
class RowAdapter:
    """The adapter of files of one format."""

    form: RowFormat

    @property
    def NAME(self) -> str:  # noqa: N802 - as in adapters that are modules
        """The name of the format."""
        return self.form.name

    def recognises(self, source: SourceFile) -> bool:
        """Return whether this is the first format whose shape one of the first rows has."""
        head = read_head_rows(source) if is_packed(source) or source.head else []
        fitting = (form for form in _FORMATS if any(map(form.fits, head)))
        return next(fitting, None) is self.form

    def read(self, source: SourceFile) -> Iterator[ReadSession | BadLine]:
        """Yield the session of each row, and each part that could not be read."""
        finish = Finishing(source)
        for number, row in read_rows(source):
            if isinstance(row, BadLine):
                yield row
            else:
                yield from finish.read(number, partial(self._read_draft, row))

    def _read_draft(self, row: Fields) -> Draft:
        """Return the conversation of a row; for a row of no format, this format reports why."""
        forms = (self.form, *_FORMATS)
        form = next((form for form in forms if form.fits(row)), self.form)
        return form.read(row)


ROW_ADAPTERS: Final = tuple(map(RowAdapter, _FORMATS))
