"""The tree of the records of a session of Claude Code, and its live branch.

If a person goes back to an earlier prompt, a second branch begins. The branch whose end was written
last is the live branch. The records of an answer and the results of its calls form one step, so
that parallel calls make no branches. A branch with only texts of the program, such as a command
before the first prompt, is not another version of the conversation, and is kept, too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from review.session_imports.coding_tools.claude_authors import is_conversation
from review.session_imports.coding_tools.claude_records import (
    ClaudeRecord,
    group_linked_sessions,
    link_records,
    measure,
)
from review.session_imports.common.branches import trace_branch
from review.session_imports.common.source_file import Fields

_FARTHEST: Final = 1000
"""The most records between two records of the same answer."""


@dataclass(slots=True)
class ClaudeTree:
    """The records of one session of a file."""

    records: dict[str, ClaudeRecord] = field(default_factory=dict[str, ClaudeRecord])
    """Records by key, in the order in which they were first written."""
    taken_back: int = 0
    """Number of requests and answers on other branches than the live branch."""

    def leave_out(self, records: Iterable[ClaudeRecord]) -> None:
        """Remove records; the parents of removed records become the parents of their children."""
        removed = {record.key: record.parent for record in records}
        self.records = {key: r for key, r in self.records.items() if key not in removed}
        for record in self.records.values():
            while record.parent in removed:
                record.parent = removed[record.parent]

    def find_live_branch(self) -> list[ClaudeRecord]:
        """Return the records of the live branch, in order."""
        records = sorted(self.records.values(), key=lambda record: (record.depth, record.number))
        steps = _group_steps(records, self.records)
        parents = [_find_parent_step(step, self.records) for step in steps]
        spoken = [any(record.is_spoken for record in step) for step in steps]
        talks = [any(map(_is_conversation, step)) for step in steps]
        inside = _with_conversation(parents, talks)
        ends = [index for index in _find_ends(parents, spoken) if inside[index]]
        written = [max(record.number for record in step) for step in steps]
        last = max(ends, key=written.__getitem__, default=None)
        line = [] if last is None else trace_branch(dict(enumerate(parents)), last)[0]
        live = _with_asides(line, parents, talks)
        on_branch = set(live)
        asides = [index for index in range(len(steps)) if not inside[index]]
        asides.sort(key=written.__getitem__)
        self.taken_back = sum(
            talks[index] and index not in on_branch for index in range(len(steps))
        )
        first = min((written[index] for index in live), default=0)
        before = [index for index in asides if written[index] < first]
        behind = [index for index in asides if written[index] >= first]
        return [record for index in (*before, *live, *behind) for record in steps[index]]


def build_trees(numbered: Iterable[tuple[int, Fields]]) -> list[ClaudeTree]:
    """Return the sessions of a file as trees, in the order of their last records.

    Records with different session ids are one session if they are linked, as in a session that was
    continued under another id.
    """
    records: dict[str, ClaudeRecord] = {}
    for number, fields in numbered:
        uuid = fields.get("uuid")
        key = uuid if isinstance(uuid, str) else f"line {number}"
        record = ClaudeRecord(number, key, str(fields.get("type")), fields, fields)
        if key in records:
            records[key].fields, records[key].number = fields, number
        else:
            records[key] = record
    link_records(records)
    groups = group_linked_sessions(records)
    trees: dict[str, ClaudeTree] = {}
    for record in records.values():
        trees.setdefault(groups[record.key], ClaudeTree()).records[record.key] = record
    for tree in trees.values():
        measure(tree.records)
    return sorted(trees.values(), key=lambda tree: max(r.number for r in tree.records.values()))


def _group_steps(
    ordered: Sequence[ClaudeRecord], records: Mapping[str, ClaudeRecord]
) -> list[list[ClaudeRecord]]:
    """Return the steps. A step is an answer with the results of its calls, or another record."""
    steps: list[list[ClaudeRecord]] = []
    of_message: dict[str | None, list[int]] = {}
    of_call: dict[str, list[int]] = {}
    for record in sorted(ordered, key=lambda record: record.kind != "assistant"):
        candidates = list(of_message.get(record.message_id, []))
        for call in record.answered_calls:
            candidates += of_call.get(call, [])
        index = _find_nearest_step(record, candidates, records)
        record.step = len(steps) if index is None else index
        if index is None:
            steps.append([])
        steps[record.step].append(record)
        if record.kind == "assistant":
            if index is None:
                of_message.setdefault(record.message_id or record.key, []).append(record.step)
            for call in record.calls:
                of_call.setdefault(call, []).append(record.step)
    return [sorted(step, key=_get_place_in_step) for step in steps]


def _get_place_in_step(record: ClaudeRecord) -> tuple[bool, int, int]:
    return record.kind != "assistant", record.depth, record.number


def _find_nearest_step(
    record: ClaudeRecord, candidates: Sequence[int], records: Mapping[str, ClaudeRecord]
) -> int | None:
    """Return the last step among ``candidates`` on the branch of a record.

    An answer does not continue after another request. So if a file has copies of a history, each
    copy has its own steps.
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


def _find_parent_step(
    step: Sequence[ClaudeRecord], records: Mapping[str, ClaudeRecord]
) -> int | None:
    """Return the step before a step, which has the first parent outside of it; None if none has."""
    for record in sorted(step, key=lambda record: record.depth):
        parent = records[record.parent] if record.parent is not None else None
        if parent is not None and parent.step != record.step:
            return parent.step
    return None


def _find_ends(parents: Sequence[int | None], spoken: Sequence[bool]) -> list[int]:
    """Return the steps with messages after which no other step with messages comes."""
    continued: set[int] = set()
    for index, is_spoken in enumerate(spoken):
        at = parents[index] if is_spoken else None
        while at is not None and at not in continued:
            continued.add(at)
            at = parents[at]
    return [index for index, is_spoken in enumerate(spoken) if is_spoken and index not in continued]


def _with_asides(
    line: Sequence[int], parents: Sequence[int | None], talks: Sequence[bool]
) -> list[int]:
    """Return the steps of a line, each followed by branches with only texts of the program."""
    on_line = set(line)
    asides: dict[int, list[int]] = {}
    for index, parent in enumerate(parents):
        if parent is not None and index not in on_line and not talks[index]:
            asides.setdefault(parent, []).append(index)
    ordered: list[int] = []
    waiting = list(reversed(line))
    while waiting:
        index = waiting.pop()
        ordered.append(index)
        waiting += reversed(asides.pop(index, []))
    return ordered


def _is_conversation(record: ClaudeRecord) -> bool:
    return record.is_spoken and is_conversation(record.fields)


def _with_conversation(parents: Sequence[int | None], talks: Sequence[bool]) -> list[bool]:
    """Return for each step whether its tree has a text of a person or a model."""
    roots: dict[int, int] = {}
    for index in range(len(parents)):
        line: list[int] = []
        at = index
        while at not in roots:
            roots[at] = index
            line.append(at)
            above = parents[at]
            if above is None:
                break
            at = above
        root = at if parents[at] is None else roots[at]
        roots |= dict.fromkeys(line, root)
    talking = {roots[index] for index, is_talk in enumerate(talks) if is_talk}
    return [roots[index] in talking for index in range(len(parents))]
