"""The records of Claude Code's transcripts, each with the record that it follows.

Each record names its parent (`parentUuid`; `logicalParentUuid` across a compaction).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from review.session_imports.common.loose_fields import as_items, object_at, optional_text
from review.session_imports.common.reading import objects_in
from review.session_imports.common.source_file import Fields

SPEAKING: Final = frozenset({"user", "assistant"})
BOOKKEEPING: Final = frozenset(
    {
        *("agent-color", "agent-name", "agent-setting", "ai-title", "custom-title"),
        *("file-history-delta", "file-history-snapshot", "last-prompt", "mode"),
        *("permission-mode", "pr-link", "progress", "queue-operation", "relocated", "result"),
        *("summary", "tag", "worktree-state", "task-summary", "content-replacement"),
        *("attribution-snapshot", "speculation-accept", "rate_limit_event", "stream_event"),
        *("marble-origami-commit", "marble-origami-snapshot", "tool_progress", "keep_alive"),
    }
)
"""Kinds of records that hold no part of the conversation, or repeat a part."""
_MOST_BOUNDARIES: Final = 1000
"""Compactions of a session that are looked at for circles."""


@dataclass(slots=True)
class ClaudeRecord:
    """One record; a repetition of it has been merged into it."""

    number: int
    """The number of its line, of the last repetition."""
    key: str
    """Its uuid, or a name made of its number where it has none."""
    kind: str
    fields: Fields
    """Of the last repetition."""
    first: Fields
    """As it was written first, with its place in the conversation."""
    parent: str | None = None
    """The key of the record before it; None for a beginning."""
    depth: int = 0
    """How many records stand before it on its branch."""
    step: int = -1
    """The number of the step that it is part of."""

    @property
    def message(self) -> Fields:
        """The message that it holds; nothing where it holds none."""
        return object_at(self.fields, "message")

    @property
    def message_id(self) -> str | None:
        """The provider's name of the answer that it is part of."""
        name = self.message.get("id")
        return name if self.kind == "assistant" and isinstance(name, str) else None

    @property
    def session(self) -> str | None:
        """The session that it names."""
        return optional_text(self.fields, "sessionId", "session_id")

    @property
    def is_of_a_helper(self) -> bool:
        """A sub-agent's conversation holds it."""
        return bool(self.fields.get("isSidechain") or self.fields.get("parent_tool_use_id"))

    @property
    def is_spoken(self) -> bool:
        """It may hold a message of a person, a model or a tool."""
        return self.kind in SPEAKING or is_queued_prompt(self.fields)

    @property
    def texts(self) -> list[str]:
        """The texts of the user's side that it holds."""
        if not self.is_spoken or self.kind == "assistant":
            return []
        attachment = object_at(self.fields, "attachment")
        content: object = self.message.get("content", attachment.get("prompt"))
        parts = [part.get("text") for part in objects_in(content)]
        return [text for text in (content, *parts) if isinstance(text, str)]

    @property
    def answered_calls(self) -> list[str]:
        """The ids of the calls whose results it holds."""
        if self.kind != "user":
            return []
        parts = objects_in(self.message.get("content"))
        names = (part.get("tool_use_id") for part in parts if part.get("type") == "tool_result")
        return [name for name in names if isinstance(name, str)]

    @property
    def calls(self) -> list[str]:
        """The ids of the calls that it makes."""
        parts = objects_in(self.message.get("content"))
        names = (part.get("id") for part in parts if part.get("type") == "tool_use")
        return [name for name in names if isinstance(name, str)]


def sent_meanwhile(fields: Fields) -> str | None:
    """Return the text that was taken from the queue while the model was at work; else None."""
    is_taken = fields.get("type") == "queue-operation" and fields.get("operation") == "remove"
    text = fields.get("content")
    return text if is_taken and isinstance(text, str) else None


def is_queued_prompt(fields: Fields) -> bool:
    """Return whether a record is a prompt that was sent while the model was at work."""
    kind = object_at(fields, "attachment").get("type")
    return fields.get("type") == "attachment" and kind == "queued_command"


def link(records: Mapping[str, ClaudeRecord]) -> None:
    """Give each record its parent: the record that it names, else the record written before it.

    The latter holds for records that name no parent, for beginnings that a compaction made, and
    where the named parent is missing, as after a broken line.
    """
    before: dict[tuple[str | None, bool], str] = {}
    boundaries: list[tuple[ClaudeRecord, str | None]] = []
    for record in records.values():
        fields, line = record.first, (record.session, record.is_of_a_helper)
        parent = fields.get("parentUuid") or fields.get("logicalParentUuid")
        if isinstance(parent, str) and parent in records:
            record.parent = parent
        elif "parentUuid" not in fields or parent or _is_after_compaction(fields):
            record.parent = before.get(line)
        if fields.get("subtype") == "compact_boundary":
            boundaries.append((record, before.get(line)))
        before[line] = record.key
    for boundary, previous in boundaries[:_MOST_BOUNDARIES]:
        _free_from_circle(boundary, previous, records)


def _free_from_circle(
    boundary: ClaudeRecord, previous: str | None, records: Mapping[str, ClaudeRecord]
) -> None:
    """Give a compaction another parent where its own one stands behind it.

    Messages that a compaction preserves may be written anew behind it. The last message before it
    is then the last of the others, or the record that was written before.
    """
    if not _leads_to(boundary.parent, boundary, records):
        return
    preserved = object_at(object_at(boundary.fields, "compactMetadata"), "preservedMessages")
    names = as_items(preserved.get("uuids"))[::-1]
    for name in (*names, previous):
        if isinstance(name, str) and name in records and not _leads_to(name, boundary, records):
            boundary.parent = name
            return
    boundary.parent = None


def _leads_to(name: str | None, target: ClaudeRecord, records: Mapping[str, ClaudeRecord]) -> bool:
    """Return whether the parents of a record lead to another one."""
    seen: set[str] = set()
    while name is not None and name not in seen:
        if name == target.key:
            return True
        seen.add(name)
        name = records[name].parent
    return False


def _is_after_compaction(fields: Fields) -> bool:
    return bool(fields.get("isCompactSummary")) or fields.get("subtype") in {
        "compact_boundary",
        "microcompact_boundary",
    }


def linked_sessions(records: Mapping[str, ClaudeRecord]) -> dict[str, str]:
    """Return the name of the group of sessions that each record belongs to.

    A record that names no session belongs to its parent's, else to the first session of the file.
    """
    joined: dict[str, str] = {}

    def root(name: str) -> str:
        while (above := joined.get(name, name)) != name:
            joined[name] = joined.get(above, above)
            name = above
        return name

    first = next((r.session for r in records.values() if r.session is not None), "")
    names = {record.key: record.session or first for record in records.values()}
    for record in records.values():
        if record.parent is not None:
            own, other = root(names[record.key]), root(names[record.parent])
            joined[own] = other
    return {key: root(name) for key, name in names.items()}


def measure(records: Mapping[str, ClaudeRecord]) -> None:
    """Give each record its depth; a circle of records is cut where it is entered."""
    measured: set[str] = set()
    for record in records.values():
        line: list[ClaudeRecord] = []
        entered: set[str] = set()
        at: ClaudeRecord | None = record
        while at is not None and at.key not in measured:
            if at.key in entered:
                line[-1].parent = None
                break
            entered.add(at.key)
            line.append(at)
            if at.parent is not None and at.parent not in records:
                at.parent = None
            at = records[at.parent] if at.parent is not None else None
        for deeper in reversed(line):
            above = records[deeper.parent] if deeper.parent is not None else None
            deeper.depth = above.depth + 1 if above is not None else 0
            measured.add(deeper.key)


def count_other_kinds(records: Iterable[ClaudeRecord], left_out: Counter[str]) -> None:
    """Count the records of kinds that are not known, and attachments."""
    for record in records:
        if record.kind == "attachment" and not is_queued_prompt(record.fields):
            left_out["attachment"] += 1
        elif record.kind not in {*SPEAKING, *BOOKKEEPING, "attachment", "system"}:
            left_out[f"record of kind {record.kind}"] += 1
