"""The records of Claude Code's transcripts, as a tree, and the branch of it that was kept.

Each record names its parent (`parentUuid`; `logicalParentUuid` across a compaction). Going back to
an earlier prompt makes a second branch; the branch whose end was written last counts. Records of an
answer and the results of its calls are a single step: parallel calls make no branches.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from review.session_imports.reading import objects_in
from review.session_imports.source_file import Fields

SPEAKING: Final = frozenset({"user", "assistant"})
BOOKKEEPING: Final = frozenset(
    {
        *("agent-color", "agent-name", "agent-setting", "ai-title", "custom-title"),
        *("file-history-delta", "file-history-snapshot", "last-prompt", "mode"),
        *("permission-mode", "pr-link", "progress", "queue-operation", "relocated", "result"),
        *("summary", "tag", "worktree-state"),
    }
)
"""Kinds of records that hold no part of the conversation, or repeat a part."""
_FARTHEST: Final = 1000
"""The most records between two records of the same answer."""


@dataclass(slots=True)
class ClaudeRecord:
    """One record; a repetition of it has been merged into it."""

    number: int
    """The number of its line, of the last repetition."""
    key: str
    """Its uuid, or a name made of its number where it has none."""
    kind: str
    fields: Fields
    parent: str | None = None
    """The key of the record before it; None for a beginning."""
    depth: int = 0
    """How many records stand before it on its branch."""
    step: int = -1
    """The number of the step that it is part of."""

    @property
    def message(self) -> Fields:
        """The message that it holds; nothing where it holds none."""
        message = self.fields.get("message")
        return cast("Fields", message) if isinstance(message, dict) else {}

    @property
    def message_id(self) -> str | None:
        """The provider's name of the answer that it is part of."""
        name = self.message.get("id")
        return name if self.kind == "assistant" and isinstance(name, str) else None

    @property
    def session(self) -> str | None:
        """The session that it names."""
        name = self.fields.get("sessionId", self.fields.get("session_id"))
        return name if isinstance(name, str) else None

    @property
    def is_of_a_helper(self) -> bool:
        """A sub-agent's conversation holds it."""
        return bool(self.fields.get("isSidechain") or self.fields.get("parent_tool_use_id"))

    @property
    def is_spoken(self) -> bool:
        """It may hold a message of a person, a model or a tool."""
        return self.kind in SPEAKING or is_queued_prompt(self.fields)

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


@dataclass(slots=True)
class ClaudeTree:
    """The records of one session of a file."""

    records: dict[str, ClaudeRecord] = field(default_factory=dict[str, ClaudeRecord])
    """By their keys, in the order in which they were written first."""
    taken_back: int = 0
    """Requests and answers on branches that were left."""

    def leave_out(self, records: Iterable[ClaudeRecord]) -> None:
        """Remove records; those behind them hang on the records before them."""
        removed = {record.key: record.parent for record in records}
        self.records = {key: r for key, r in self.records.items() if key not in removed}
        for record in self.records.values():
            while record.parent in removed:
                record.parent = removed[record.parent]

    def live_branch(self) -> list[ClaudeRecord]:
        """Return the records of the branch that was kept, in order."""
        records = sorted(self.records.values(), key=lambda record: (record.depth, record.number))
        steps = _steps(records, self.records)
        parents = [_parent_of_step(step, self.records) for step in steps]
        spoken = [any(record.is_spoken for record in step) for step in steps]
        ends = _ends(parents, spoken)
        if not ends:
            return []
        end = max(ends, key=lambda index: max(record.number for record in steps[index]))
        live = _with_asides(_line_to(end, parents), parents, spoken)
        on_branch = set(live)
        lost = (step for index, step in enumerate(steps) if index not in on_branch)
        self.taken_back = sum(record.is_spoken for step in lost for record in step)
        return [record for index in live for record in steps[index]]


def is_queued_prompt(fields: Mapping[str, Any]) -> bool:
    """Return whether a record is a prompt that was sent while the model was at work."""
    attachment = fields.get("attachment")
    return (
        fields.get("type") == "attachment"
        and isinstance(attachment, dict)
        and cast("Fields", attachment).get("type") == "queued_command"
    )


def trees_of(numbered: Iterable[tuple[int, Fields]]) -> list[ClaudeTree]:
    """Return the sessions of a file, each as a tree, in the order of their last records.

    Records of several session ids are one session where they are linked to one another, as where a
    session was continued under another id.
    """
    records: dict[str, ClaudeRecord] = {}
    for number, fields in numbered:
        uuid = fields.get("uuid")
        key = uuid if isinstance(uuid, str) else f"line {number}"
        record = ClaudeRecord(number, key, str(fields.get("type")), fields)
        if key in records:
            records[key].fields, records[key].number = fields, number
        else:
            records[key] = record
    _link(records)
    groups = _linked_sessions(records)
    trees: dict[str, ClaudeTree] = {}
    for record in records.values():
        trees.setdefault(groups[record.key], ClaudeTree()).records[record.key] = record
    for tree in trees.values():
        _measure(tree.records)
    return sorted(trees.values(), key=lambda tree: max(r.number for r in tree.records.values()))


def _link(records: Mapping[str, ClaudeRecord]) -> None:
    """Give each record its parent: the record that it names, else the record written before it.

    The latter holds for records that name no parent, for beginnings that a compaction made, and
    where the named parent is missing, as after a broken line.
    """
    before: dict[tuple[str | None, bool], str] = {}
    for record in records.values():
        fields, line = record.fields, (record.session, record.is_of_a_helper)
        named = fields.get("parentUuid") or fields.get("logicalParentUuid")
        if isinstance(named, str) and named in records:
            record.parent = named
        elif "parentUuid" not in fields or named or _is_after_compaction(fields):
            record.parent = before.get(line)
        before[line] = record.key


def _is_after_compaction(fields: Fields) -> bool:
    return bool(fields.get("isCompactSummary")) or fields.get("subtype") in {
        "compact_boundary",
        "microcompact_boundary",
    }


def _linked_sessions(records: Mapping[str, ClaudeRecord]) -> dict[str, str]:
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


def _measure(records: Mapping[str, ClaudeRecord]) -> None:
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


def _steps(
    ordered: Sequence[ClaudeRecord], records: Mapping[str, ClaudeRecord]
) -> list[list[ClaudeRecord]]:
    """Return the steps: an answer with the results of its calls, or any other record alone."""
    steps: list[list[ClaudeRecord]] = []
    of_message: dict[str, list[int]] = {}
    of_call: dict[str, list[int]] = {}
    for record in ordered:
        name = record.message_id
        candidates = of_message.get(name, []) if name is not None else []
        if record.kind == "assistant":
            index = _nearest(record, candidates, records)
            record.step = len(steps) if index is None else index
            if index is None:
                steps.append([])
                of_message.setdefault(name or record.key, []).append(record.step)
            for call in record.calls:
                of_call.setdefault(call, []).append(record.step)
            steps[record.step].append(record)
    for record in ordered:
        if record.kind == "assistant":
            continue
        called = [index for call in record.answered_calls for index in of_call.get(call, [])]
        index = _nearest(record, called, records)
        record.step = len(steps) if index is None else index
        if index is None:
            steps.append([])
        steps[record.step].append(record)
    return [sorted(step, key=_place_in_step) for step in steps]


def _place_in_step(record: ClaudeRecord) -> tuple[bool, int, int]:
    return record.kind != "assistant", record.depth, record.number


def _nearest(
    record: ClaudeRecord, candidates: Sequence[int], records: Mapping[str, ClaudeRecord]
) -> int | None:
    """Return the step among ``candidates`` that the record's branch holds last.

    An answer is never continued behind another request: where copies of a history stand in one
    file, each keeps its own steps.
    """
    if not candidates:
        return None
    steps = set(candidates)
    at = record
    for _ in range(_FARTHEST):
        if at.parent is None:
            break
        at = records[at.parent]
        if at.step in steps:
            return at.step
    return candidates[-1] if record.kind == "user" else None


def _parent_of_step(
    step: Sequence[ClaudeRecord], records: Mapping[str, ClaudeRecord]
) -> int | None:
    """Return the step before a step: that of the first parent outside of it."""
    for record in sorted(step, key=lambda record: record.depth):
        parent = records[record.parent] if record.parent is not None else None
        if parent is not None and parent.step != record.step:
            return parent.step
    return None


def _ends(parents: Sequence[int | None], spoken: Sequence[bool]) -> list[int]:
    """Return the spoken steps that no other spoken step comes after."""
    continued: set[int] = set()
    for index, is_spoken in enumerate(spoken):
        at = parents[index] if is_spoken else None
        while at is not None and at not in continued:
            continued.add(at)
            at = parents[at]
    return [index for index, is_spoken in enumerate(spoken) if is_spoken and index not in continued]


def _line_to(end: int, parents: Sequence[int | None]) -> list[int]:
    line: list[int] = []
    seen: set[int] = set()
    at: int | None = end
    while at is not None and at not in seen:
        seen.add(at)
        line.append(at)
        at = parents[at]
    return line[::-1]


def _with_asides(
    line: Sequence[int], parents: Sequence[int | None], spoken: Sequence[bool]
) -> list[int]:
    """Return the steps of a line, each followed by the unspoken steps that only it leads to."""
    on_line = set(line)
    asides: dict[int, list[int]] = {}
    for index, parent in enumerate(parents):
        if parent is not None and index not in on_line and not spoken[index]:
            asides.setdefault(parent, []).append(index)
    ordered: list[int] = []
    waiting = list(reversed(line))
    while waiting:
        index = waiting.pop()
        ordered.append(index)
        waiting += reversed(asides.pop(index, []))
    return ordered


def count_other_kinds(records: Iterable[ClaudeRecord], left_out: Counter[str]) -> None:
    """Count the records of kinds that are not known, and attachments."""
    for record in records:
        if record.kind == "attachment" and not is_queued_prompt(record.fields):
            left_out["attachment"] += 1
        elif record.kind not in {*SPEAKING, *BOOKKEEPING, "attachment", "system"}:
            left_out[f"record of kind {record.kind}"] += 1
