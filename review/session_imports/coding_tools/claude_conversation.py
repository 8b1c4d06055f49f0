"""The conversation of a branch of a Claude Code transcript, read record by record.

Records with the same message id are one answer, whose usage and model are those of the last record.
Texts of the program have the role `program` (`claude_authors.py`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from records.foreign.fields import (
    Fields,
    as_fields,
    as_items,
    list_objects,
    parse_moment,
    require_object,
    require_text,
)
from records.foreign.usage import read_token_report
from records.sessions.session import ToolCall
from review.session_imports.coding_tools.claude_authors import (
    SYNTHETIC,
    find_origin,
    is_by_program,
    is_program_text,
)
from review.session_imports.coding_tools.claude_records import (
    ClaudeRecord,
    find_last_number,
)
from review.session_imports.common.drafts import Draft, find_folder_name
from review.session_imports.common.parts import read_content_text
from review.session_imports.common.source_file import SourceFile

_KEPT_ONCE: Final = ("text", "tool_use")
"""Types of parts that are kept once in an answer."""


@dataclass
class ClaudeConversation:
    """The conversation so far."""

    source: SourceFile
    draft: Draft = field(default_factory=Draft)

    def take(self, live: Sequence[ClaudeRecord]) -> None:
        """Read the records of a branch; records of one answer are read together."""
        for _, records in groupby(live, key=_get_answer):
            self._take_safely(list(records))

    def _take_safely(self, records: Sequence[ClaudeRecord]) -> None:
        first = records[0]
        self.draft.project = self.draft.project or find_folder_name(first.fields.get("cwd"))
        with self.source.catch_problems(first.number):
            if first.kind == "assistant":
                self._take_answer(records)
            elif first.kind == "user":
                self._take_user(first)
            elif first.prompt is not None:
                self._take_text(first.author, first.prompt, parse_moment(first.prompt_time))
            elif first.kind == "system":
                self._take_system(first)

    def _take_user(self, record: ClaudeRecord) -> None:
        at = parse_moment(record.fields.get("timestamp"))
        content = require_object(record.fields.get("message"), "message").get("content")
        for part in list_objects(content):
            if part.get("type") == "tool_result":
                text = self._read_text(part.get("content"))
                self.draft.add_result(text, call_id=require_text(part, "tool_use_id"), at=at)
        self._take_text(record.fields, content, at)

    def _take_text(self, author: Fields, content: object, at: object) -> None:
        """Read a content whose author other fields of the record may show."""
        if is_by_program(author):
            self._add_text("program", self._read_text(content), at)
        elif find_origin(author) == "human":
            self._add_text("user", self._read_text(content), at)
        else:
            self._take_parts(content, at)

    def _take_parts(self, content: object, at: object) -> None:
        """Read a content part by part, if only its texts show their authors."""
        parts = as_items(content) or [content]
        texts: list[tuple[str, str]] = []
        for part in parts:
            text = self._read_text(part)
            role = "program" if is_program_text(text) else "user"
            if not text.strip():
                continue
            if texts and texts[-1][0] == role:
                text = f"{texts.pop()[1]}\n{text}"
            texts.append((role, text))
        for role, text in texts:
            self._add_text(role, text, at)

    def _take_system(self, record: ClaudeRecord) -> None:
        """Read a notice of the program; most records of this kind have no text."""
        content = record.fields.get("content")
        if not isinstance(content, str):
            error = record.fields.get("error")
            content = json.dumps(error, ensure_ascii=False)[:2000] if error else ""
        self._add_text("program", content, parse_moment(record.fields.get("timestamp")))

    def _take_answer(self, records: Sequence[ClaudeRecord]) -> None:
        messages = [require_object(record.fields.get("message"), "message") for record in records]
        parts = _list_parts(messages)
        texts = [self._read_text([part]) for part in parts]
        text = "\n".join(text for text in texts if text)
        at = parse_moment(records[0].fields.get("timestamp"))
        models = [m["model"] for m in messages if isinstance(m.get("model"), str)]
        if any(is_by_program(record.fields) for record in records) or SYNTHETIC in models:
            self._add_text("program", text, at)
            return
        usages = [message["usage"] for message in messages if message.get("usage")]
        milliseconds = find_last_number(records, "durationMs")
        calls = [part for part in list_objects(parts) if part.get("type") == "tool_use"]
        self.draft.add(
            "assistant",
            text,
            calls=[self._read_call(part) for part in calls],
            at=at,
            model=models[-1] if models else None,
            tokens=read_token_report(usages[-1]).as_tokens() if usages else None,
            cost_usd=find_last_number(records, "costUSD"),
            duration_s=None if milliseconds is None else milliseconds / 1000,
        )

    def _read_call(self, part: Fields) -> ToolCall:
        call_id = require_text(part, "id")
        return self.draft.call(require_text(part, "name"), part.get("input"), call_id)

    def _read_text(self, content: object) -> str:
        return read_content_text(content, self.draft.left_out)

    def _add_text(self, role: str, text: str, at: object) -> None:
        if text.strip():
            self.draft.add(role, text, at=at)


def _get_answer(record: ClaudeRecord) -> tuple[int, int]:
    """Return what is the same for the records of an answer; other records have their number."""
    return record.step, 0 if record.kind == "assistant" else record.number


def _list_parts(messages: Sequence[Fields]) -> list[object]:
    """Return the parts of an answer, without texts and calls that a later record repeats."""
    parts: list[object] = []
    earlier: set[str] = set()
    for message in messages:
        content = message.get("content")
        own = as_items(content) or ([content] if content else [])
        repeatable = {
            index: json.dumps(part, sort_keys=True)
            for index, part in enumerate(own)
            if isinstance(part, str) or as_fields(part).get("type") in _KEPT_ONCE
        }
        parts += [part for index, part in enumerate(own) if repeatable.get(index) not in earlier]
        earlier.update(repeatable.values())
    return parts
