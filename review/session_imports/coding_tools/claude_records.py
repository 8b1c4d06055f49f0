"""Records of Claude Code's transcripts, and the parent of each record.

A record names its parent in `parentUuid`, or after a compaction in `logicalParentUuid`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from records.foreign.fields import Fields, as_items, find_text, get_object, get_text, list_objects
from review.session_imports.common.drafts import Draft

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
"""Kinds of records without a part of the conversation, or with a repeated part."""
_MOST_BOUNDARIES: Final = 1000
"""The most compactions of a session that are examined for circles."""


@dataclass(slots=True)
class ClaudeRecord:
    """A record, together with its repetitions."""

    number: int
    """The number of the line of its last repetition."""
    key: str
    """The uuid of the record; if it has none, a name made of its number."""
    kind: str
    fields: Fields
    """The fields of its last repetition."""
    first: Fields
    """The fields of the first version, which has its position in the conversation."""
    parent: str | None = None
    """The key of the record before it; None for the beginning of a conversation."""
    depth: int = 0
    """The number of records before it on its branch."""
    is_linked_by_name: bool = False
    """Whether the record names its parent, or names none as the first of a conversation."""
    step: int = -1
    """The number of its step (`claude_tree.py`)."""
    prompt: object = None
    """The content of a prompt that waited in the queue (`claude_queue.py`); None for others."""
    prompt_time: object = None
    """The time at which that prompt was typed, as the file has it."""

    @property
    def has_uuid(self) -> bool:
        """Whether other records can name the record as their parent."""
        return isinstance(self.fields.get("uuid"), str)

    @property
    def message(self) -> Fields:
        """The message in the record; empty if there is none."""
        return get_object(self.fields, "message")

    @property
    def message_id(self) -> str | None:
        """The provider's id of the answer to which the record belongs; None for other records."""
        name = self.message.get("id")
        return name if self.kind == "assistant" and isinstance(name, str) else None

    @property
    def session(self) -> str | None:
        """The id of the session in the record; None if it has none."""
        return find_text(self.fields, "sessionId", "session_id")

    @property
    def is_of_a_helper(self) -> bool:
        """Whether the record belongs to a sub-agent's conversation."""
        return bool(self.fields.get("isSidechain") or self.fields.get("parent_tool_use_id"))

    @property
    def is_spoken(self) -> bool:
        """Whether the record may have a message of a person, a model or a tool."""
        return self.kind in SPEAKING or self.prompt is not None

    @property
    def content(self) -> object:
        """The content of the message or of the prompt in the record."""
        return self.message.get("content") if self.prompt is None else self.prompt

    @property
    def author(self) -> Fields:
        """The fields that show who wrote the record; those of an attachment are inside of it."""
        return {**self.fields, **get_object(self.fields, "attachment")}

    @property
    def answered_calls(self) -> list[str]:
        """The ids of the calls whose results are in the record."""
        return self._list_ids("tool_result", "tool_use_id") if self.kind == "user" else []

    @property
    def calls(self) -> list[str]:
        """The ids of the calls in the record."""
        return self._list_ids("tool_use", "id")

    def _list_ids(self, kind: str, field: str) -> list[str]:
        parts = list_objects(self.message.get("content"))
        names = (part.get(field) for part in parts if part.get("type") == kind)
        return [name for name in names if isinstance(name, str)]


def find_last_number(records: Iterable[ClaudeRecord], name: str) -> float | None:
    """Return the last number from 0 on in a field of records; None if there is none."""
    values = [record.fields.get(name) for record in records]
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return next((float(number) for number in reversed(numbers) if number >= 0), None)


def is_queued_prompt(fields: Fields) -> bool:
    """Return whether a record is a prompt that was sent while the model was answering."""
    kind = get_object(fields, "attachment").get("type")
    return fields.get("type") == "attachment" and kind == "queued_command"


def link_records(records: Mapping[str, ClaudeRecord]) -> None:
    """Set the parent of each record: the record that it names, or the record written before it.

    The second is used for records that name no parent, for beginnings that a compaction made, and
    if the named parent is missing, for example because its line is broken.
    """
    before: dict[tuple[str | None, bool], str] = {}
    session: str | None = None
    boundaries: list[tuple[ClaudeRecord, str | None]] = []
    for record in records.values():
        session = record.session or session
        fields, line = record.first, (session, record.is_of_a_helper)
        parent = fields.get("parentUuid") or fields.get("logicalParentUuid")
        if isinstance(parent, str) and parent in records:
            record.parent, record.is_linked_by_name = parent, True
        elif "parentUuid" not in fields or parent or _is_after_compaction(fields):
            record.parent = before.get(line)
        else:
            record.is_linked_by_name = True
        if fields.get("subtype") == "compact_boundary":
            boundaries.append((record, before.get(line)))
        before[line] = record.key
    for boundary, previous in boundaries[:_MOST_BOUNDARIES]:
        _free_from_circle(boundary, previous, records)


def _free_from_circle(
    boundary: ClaudeRecord, previous: str | None, records: Mapping[str, ClaudeRecord]
) -> None:
    """Give a compaction another parent if its own parent is a descendant of it.

    A compaction may write messages that it keeps again after it. Then its parent is the last of the
    other messages, or the record that was written before it.
    """
    if not _leads_to(boundary.parent, boundary, records):
        return
    preserved = get_object(get_object(boundary.fields, "compactMetadata"), "preservedMessages")
    names = as_items(preserved.get("uuids"))[::-1]
    for name in (*names, previous):
        if isinstance(name, str) and name in records and not _leads_to(name, boundary, records):
            boundary.parent = name
            return
    boundary.parent = None


def _leads_to(name: str | None, target: ClaudeRecord, records: Mapping[str, ClaudeRecord]) -> bool:
    """Return whether ``target`` is among a record and its ancestors."""
    seen: set[str] = set()
    while name is not None and name not in seen:
        if name == target.key:
            return True
        seen.add(name)
        name = records[name].parent
    return False


def _is_after_compaction(fields: Fields) -> bool:
    return bool(fields.get("isCompactSummary")) or get_text(fields, "subtype") in {
        "compact_boundary",
        "microcompact_boundary",
    }


def group_linked_sessions(records: Mapping[str, ClaudeRecord]) -> dict[str, str]:
    """Return the name of the group of linked sessions to which each record belongs.

    A record that names no session belongs to its parent's session, or else to the file's first.
    """
    joined: dict[str, str] = {}

    def find_root(name: str) -> str:
        while (above := joined.get(name, name)) != name:
            joined[name] = joined.get(above, above)
            name = above
        return name

    first = next((r.session for r in records.values() if r.session is not None), "")
    names = {record.key: record.session or first for record in records.values()}
    for record in records.values():
        if record.parent is not None:
            own, other = find_root(names[record.key]), find_root(names[record.parent])
            joined[own] = other
    return {key: find_root(name) for key, name in names.items()}


def measure(records: Mapping[str, ClaudeRecord]) -> None:
    """Set the depth of each record; a circle of parents is cut at its first visited record."""
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


def count_other_kinds(records: Iterable[ClaudeRecord], draft: Draft) -> None:
    """Count the records of unknown kinds, and attachments that are not prompts, as left out."""
    for record in records:
        if record.kind == "attachment" and not is_queued_prompt(record.fields):
            draft.leave_out("attachment")
        elif record.kind not in {*SPEAKING, *BOOKKEEPING, "attachment", "system"}:
            draft.leave_out(f"record of kind {record.kind}")
