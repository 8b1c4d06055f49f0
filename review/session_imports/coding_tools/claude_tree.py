"""The tree of the records of a session of Claude Code, and its live branch.

If a person goes back to an earlier prompt, a second branch begins: the new prompt names the same
parent as an earlier record. The branch whose end was written last is the live branch, and the other
was taken back. The records of an answer and the results of its calls form one step, so that
parallel calls make no branches. All other side branches are kept at their places in the file: texts
of the program, records to which no other record can link, and an answer beside a prompt from the
queue.
"""

import heapq
import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from records.foreign.fields import Fields, as_fields, as_items, find_text, get_object, get_text
from review.session_imports.coding_tools.claude_records import (
    ClaudeRecord,
    is_by_program,
    is_conversation,
    is_entered,
    is_queued_prompt,
    join_groups,
    link_records,
    measure,
)
from review.session_imports.common.drafts import trace_branch

_FARTHEST = 1000
"""The most records between two records of the same answer."""
_OF_THE_QUEUE = frozenset({"attachment", "queue-operation"})
"""Kinds of records with prompts from the queue, which may have no uuid."""


@dataclass(slots=True)
class _Waiting:
    """A prompt in the queue."""

    content: object
    time: object
    place: int
    """The number of records before it was typed."""
    words: str
    taken_by: ClaudeRecord | None = None
    """The record that takes it out of the queue."""
    answers: int = 0
    """The number of answers before that record."""
    is_joined: bool = False
    """Whether the next request has it together with others, or in other words."""


class _OwnRecord(NamedTuple):
    """The position of a request that has a record of its own."""

    place: int
    answers: int
    is_typed: bool
    """Whether it is a message of the user, which need not come from the queue."""


@dataclass(slots=True)
class _Queue:
    """The prompts of a session, with the records that the file has for them."""

    waiting: deque[_Waiting] = field(default_factory=deque[_Waiting])
    """The prompts that were typed; those that were taken are removed when they are first."""
    by_words: dict[str, deque[_Waiting]] = field(default_factory=dict[str, deque[_Waiting]])
    taken: list[_Waiting] = field(default_factory=list[_Waiting])
    sent: dict[str, list[_Waiting]] = field(default_factory=dict[str, list[_Waiting]])
    """Prompts that left the queue for the next request, which did not come yet, by text."""
    own_records: dict[str, list[_OwnRecord]] = field(default_factory=dict[str, list[_OwnRecord]])
    """The requests with records of their own, by text."""
    answers: int = 0
    """The number of answers so far."""
    of_this_answer: dict[str, ClaudeRecord] = field(default_factory=dict[str, ClaudeRecord])
    """The requests since the last answer, by text."""

    def take_operation(self, place: int, record: ClaudeRecord) -> None:
        """Read a change of the queue."""
        operation = get_text(record.fields, "operation")
        content: object = record.fields.get("content")
        words = _read_words(content)
        named = _Waiting(content, record.fields.get("timestamp"), place, words)
        if operation == "enqueue" and content:
            self.waiting.append(named)
            self.by_words.setdefault(words, deque()).append(named)
        elif operation == "popAll":
            self.waiting.clear()
            self.by_words.clear()
        elif operation in {"dequeue", "remove"}:
            line = self.by_words.get(words, deque()) if content else self.waiting
            while line and line[0].taken_by is not None:
                line.popleft()
            prompt = line.popleft() if line else named
            if prompt is not named or (content and operation == "remove"):
                prompt.taken_by, prompt.answers = record, self.answers
                self.taken.append(prompt)
                if operation == "dequeue":
                    self.sent.setdefault(prompt.words, []).append(prompt)

    def take_request(self, place: int, record: ClaudeRecord) -> None:
        """Read a record that is a request; a request that has two records keeps the first."""
        text = _read_words(record.content)
        earlier = self.of_this_answer.setdefault(text, record)
        if text and earlier is not record and earlier.kind != record.kind:
            (record if record.prompt is not None else earlier).prompt = None
            self.of_this_answer[text] = record if record.is_spoken else earlier
            return
        for words in {text, *map(_read_words, as_items(record.content))}:
            own = _OwnRecord(place, self.answers, record.kind == "user")
            self.own_records.setdefault(words, []).append(own)
        is_typed = record.kind == "user" and is_entered(record.author, record.content)
        if is_typed and text not in self.sent:
            for prompts in self.sent.values():
                for prompt in prompts:
                    prompt.is_joined = True
            self.sent.clear()

    def take_answer(self) -> None:
        """Read an answer, behind which no request for earlier prompts comes."""
        self.answers += 1
        self.sent.clear()
        self.of_this_answer.clear()

    def give_prompts(self) -> None:
        """Give the prompts that have no record of their own to the records that took them."""
        for prompt in sorted(self.taken, key=lambda prompt: prompt.place, reverse=True):
            own = self.own_records.get(prompt.words, [])
            while own and own[-1].is_typed and own[-1].answers > prompt.answers:
                own.pop()
            if own and own[-1].place >= prompt.place:
                own.pop()
            elif prompt.taken_by is not None and not prompt.is_joined:
                prompt.taken_by.prompt = prompt.content
                prompt.taken_by.prompt_time = prompt.time


def find_prompts(records: Iterable[ClaudeRecord]) -> None:
    """Set the prompts of the records of a session, which come in the order of the file."""
    queue = _Queue()
    sources: set[str] = set()
    for place, record in enumerate(records):
        attachment = get_object(record.fields, "attachment")
        source = find_text(attachment, "source_uuid")
        if is_queued_prompt(record.fields) and source not in sources:
            # The prompt of a `queued_command`, unless a record before it has the same source.
            if source is not None:
                sources.add(source)
            record.prompt = attachment.get("prompt")
            times = (record.fields.get("timestamp"), attachment.get("timestamp"))
            record.prompt_time = next((time for time in times if time is not None), None)
        if record.is_of_a_helper:
            continue
        if record.kind == "queue-operation":
            queue.take_operation(place, record)
        elif record.kind == "assistant":
            queue.take_answer()
        elif record.is_spoken and not record.answered_calls:
            sources.add(record.key)
            queue.take_request(place, record)
    queue.give_prompts()


def _read_words(content: object) -> str:
    """Return the words of a content, by which the records of a prompt are recognised."""
    if isinstance(content, str):
        return content.strip()
    parts = as_items(content) or [content]
    texts = [part if isinstance(part, str) else as_fields(part).get("text") for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str)).strip()


@dataclass(slots=True)
class _Step:
    """An answer with the results of its calls, or another record."""

    records: list[ClaudeRecord]
    parent: int | None
    place: int
    """The number of records of the session that were first written before it."""
    talks: bool
    """Whether it has a text of a person, a model or a tool."""
    opening: str | None
    """How a branch goes on with it: "prompt", "answer", or None if it does not show that."""


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
        places = {key: place for place, key in enumerate(self.records)}
        grouped = _group_steps(records, self.records)
        steps: list[_Step] = []
        for step in grouped:
            # The step before has the first parent outside of this step.
            in_order = sorted(step, key=lambda record: record.depth)
            before = (self.records[r.parent] for r in in_order if r.parent is not None)
            parent = next((r.step for r in before if r.step != step[0].step), None)
            talks = any(r.is_spoken and is_conversation(r.author, r.content) for r in step)
            first, opening = step[0], None
            if first.kind == "assistant" or first.answered_calls:
                opening = "answer" if talks else None
            elif first.kind == "user" and not is_by_program(first.fields):
                opening = "prompt" if is_entered(first.fields, first.content) else None
            place = min(places[record.key] for record in step)
            steps.append(_Step(step, parent, place, talks, opening))
        parents = {index: step.parent for index, step in enumerate(steps)}
        find_tree = join_groups((i, parent) for i, parent in parents.items() if parent is not None)
        talking = {find_tree(index) for index, step in enumerate(steps) if step.talks}
        ends = [index for index in _find_ends(steps) if find_tree(index) in talking]
        written = [max(record.number for record in step.records) for step in steps]
        last = max(ends, key=written.__getitem__, default=None)
        line = [] if last is None else trace_branch(parents, last)[0]
        kept, taken_back = _sort_side_branches(steps, line)
        self.taken_back = sum(steps[index].talks for index in taken_back)
        return [record for index in _merge(steps, line, kept) for record in steps[index].records]


def build_trees(numbered: Iterable[tuple[int, Fields]]) -> list[ClaudeTree]:
    """Return the sessions of a file as trees, in the order of their last records.

    Records with different session ids are one session if they are linked, as in a session that was
    continued under another id.
    """
    records: dict[str, ClaudeRecord] = {}
    without_uuid: set[str] = set()
    is_repeated = False
    for number, fields in numbered:
        uuid = fields.get("uuid")
        key = uuid if isinstance(uuid, str) else f"line {number}"
        if isinstance(uuid, str):
            is_repeated = uuid in records
        elif get_text(fields, "type") in _OF_THE_QUEUE:
            text = json.dumps(fields, sort_keys=True)
            if is_repeated and text in without_uuid:
                continue
            without_uuid.add(text)
        record = ClaudeRecord(number, key, str(fields.get("type")), fields, fields)
        if key in records:
            records[key].fields, records[key].number = fields, number
        else:
            records[key] = record
    link_records(records)
    # A record that names no session belongs to its parent's session, or else to the file's first.
    first = next((r.session for r in records.values() if r.session is not None), "")
    names = {key: record.session or first for key, record in records.items()}
    find_group = join_groups(
        (names[key], names[record.parent])
        for key, record in records.items()
        if record.parent is not None
    )
    trees: dict[str, ClaudeTree] = {}
    for key, record in records.items():
        trees.setdefault(find_group(names[key]), ClaudeTree()).records[key] = record
    for tree in trees.values():
        measure(tree.records)
        find_prompts(tree.records.values())
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
    return [
        sorted(step, key=lambda record: (record.kind != "assistant", record.depth, record.number))
        for step in steps
    ]


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


def _find_ends(steps: Sequence[_Step]) -> list[int]:
    """Return the steps with messages after which no other step with messages comes.

    A step to which no other record can link is no end.
    """
    linked = [
        any(record.is_spoken for record in step.records)
        and any(isinstance(record.fields.get("uuid"), str) for record in step.records)
        for step in steps
    ]
    continued: set[int] = set()
    for step, is_linked in zip(steps, linked, strict=True):
        at = step.parent if is_linked else None
        while at is not None and at not in continued:
            continued.add(at)
            at = steps[at].parent
    return [index for index, is_end in enumerate(linked) if is_end and index not in continued]


def _sort_side_branches(
    steps: Sequence[_Step], line: Sequence[int]
) -> tuple[dict[int | None, list[list[int]]], list[int]]:
    """Return the side branches that are kept, by parent, and the steps that were taken back."""
    children: dict[int | None, list[int]] = {}
    on_line = set(line)
    for index in sorted(range(len(steps)), key=lambda index: steps[index].place):
        if index not in on_line:
            children.setdefault(steps[index].parent, []).append(index)
    kept: dict[int | None, list[list[int]]] = {}
    taken_back: list[int] = []
    next_on_line: int | None = None
    opening: int | None = None
    for parent in (*reversed(line), None):
        for root in children.get(parent, []):
            branch: list[int] = []
            waiting = [root]
            while waiting:
                branch.append(waiting.pop())
                waiting += reversed(children.get(branch[-1], ()))
            if next_on_line is not None and _is_taken_back(steps, branch, next_on_line, opening):
                taken_back += branch
            else:
                kept.setdefault(parent, []).append(branch)
        next_on_line = parent
        if parent is not None and steps[parent].opening is not None:
            opening = parent
    return kept, taken_back


def _is_taken_back(
    steps: Sequence[_Step], branch: Sequence[int], next_on_line: int, opening: int | None
) -> bool:
    """Return whether a person went back: to the parent of a side branch, or from there.

    Then the side branch or the live branch from ``next_on_line`` on begins with a prompt, was begun
    later, and names the parent.
    """
    own = next((index for index in branch if steps[index].opening is not None), None)
    if own is None or opening is None or not any(steps[index].talks for index in branch):
        return False
    is_later = steps[own].place > steps[opening].place
    first, decisive = (branch[0], own) if is_later else (next_on_line, opening)
    return steps[decisive].opening == "prompt" and steps[first].records[0].is_linked_by_name


def _merge(
    steps: Sequence[_Step], line: Sequence[int], kept: Mapping[int | None, list[list[int]]]
) -> list[int]:
    """Return a line of steps with the side branches that are kept, in the order of the file."""
    waiting = [(steps[branch[0]].place, branch) for branch in kept.get(None, [])]
    heapq.heapify(waiting)
    merged: list[int] = []
    for index in line:
        while waiting and waiting[0][0] < steps[index].place:
            merged += heapq.heappop(waiting)[1]
        merged.append(index)
        for branch in kept.get(index, []):
            heapq.heappush(waiting, (steps[branch[0]].place, branch))
    while waiting:
        merged += heapq.heappop(waiting)[1]
    return merged
