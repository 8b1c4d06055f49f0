"""Claude Code transcripts: JSONL, a tree of records by several authors.

First the records are put in order (`claude_tree.py`), then the conversation is read from the
branch that was kept. Records that share a message id are one answer; usage and model are those of
the last of them. Texts of the program have the role `program` (`claude_authors.py`).
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from records.attempt import Tokens
from records.session import SessionMessage, ToolCall
from review.session_imports.adapter import ReadSession, left_out_sub_agent, summed
from review.session_imports.anthropic_rows import read_message_usage
from review.session_imports.claude_authors import (
    SYNTHETIC,
    is_by_program,
    is_program_text,
    origin_of,
)
from review.session_imports.claude_records import (
    BOOKKEEPING,
    SPEAKING,
    ClaudeRecord,
    count_other_kinds,
    is_queued_prompt,
    sent_meanwhile,
)
from review.session_imports.claude_tree import ClaudeTree, trees_of
from review.session_imports.loose_fields import arguments_text, as_fields, as_items, object_at
from review.session_imports.parts import text_of_content
from review.session_imports.reading import (
    UNREADABLE,
    BadLine,
    folder_name,
    moment,
    object_of,
    objects_in,
    reason_of,
    text_at,
)
from review.session_imports.source_file import Fields, SourceFile

NAME = "claude_code"
_KEPT_ONCE: Final = ("text", "tool_use")
"""Types of parts that stand once in an answer."""
_OF_TRANSCRIPTS: Final = (BOOKKEEPING - {"result"}) | {"attachment", "system"}
"""Kinds of records of transcripts; the end of a stream has a shape that other programs use."""


def recognises(source: SourceFile) -> bool:
    """Return whether a record names its session and its kind, or is of a kind that only they have.

    Snapshots of files and summaries name no session.
    """
    return any(map(_is_known, source.head))


def _is_known(record: Fields) -> bool:
    kind = str(record.get("type"))
    if kind == "file-history-snapshot":
        return isinstance(record.get("snapshot"), dict)
    if kind == "summary":
        return isinstance(record.get("leafUuid"), str)
    if kind in SPEAKING:
        is_named = isinstance(record.get("sessionId", record.get("session_id")), str)
        return is_named and isinstance(record.get("message"), dict)
    return kind in _OF_TRANSCRIPTS and isinstance(record.get("sessionId"), str)


def read(source: SourceFile) -> Iterator[ReadSession | BadLine]:
    """Yield each session of the file, and the problems of parts that could not be read."""
    numbered: list[tuple[int, Fields]] = []
    for number, record in source.records():
        if isinstance(record, BadLine):
            yield record
        else:
            numbered.append((number, record))
    trees = trees_of(numbered)
    if not any(record.is_spoken for tree in trees for record in tree.records.values()):
        yield source.problem(0, "holds no message", wrong=False)
        return
    for tree in trees:
        yield from _sessions_of(source, tree)


def _sessions_of(source: SourceFile, tree: ClaudeTree) -> Iterator[ReadSession | BadLine]:
    """Yield the session of a tree; nothing where it has no messages."""
    spoken = [record for record in tree.records.values() if record.is_spoken]
    helpers = [record for record in spoken if record.is_of_a_helper]
    if spoken and len(helpers) == len(spoken):
        session = next((r.session for r in helpers if r.session is not None), None)
        yield left_out_sub_agent(source, 0, session)
        return
    reading = _ClaudeConversation(source)
    tree.leave_out(helpers)
    live = tree.live_branch()
    reading.delivered = {text for record in live for text in record.texts}
    reading.take(live)
    yield from reading.problems
    if not reading.messages:
        return
    reading.left_out["sub-agent record"] += len(helpers)
    reading.left_out["message taken back"] += tree.taken_back
    count_other_kinds(tree.records.values(), reading.left_out)
    yield ReadSession(
        reading.messages,
        identity=_identity(live),
        forked_from=_parent_of_fork(live),
        title=_last_text(tree, "custom-title", "customTitle"),
        project=reading.project,
        tokens=_usage_of_stream(tree),
        cost_usd=_last_cost(tree),
        left_out=reading.left_out,
    )


def _identity(live: Sequence[ClaudeRecord]) -> str | None:
    """Return the session of the last record: a continued session ends under its own name."""
    names = [record.session for record in live if record.is_spoken and record.session is not None]
    return names[-1] if names else None


def _parent_of_fork(live: Sequence[ClaudeRecord]) -> str | None:
    """Return the session whose beginning is repeated: named by a fork, or the earlier name."""
    own = _identity(live)
    for record in live:
        name = object_at(record.fields, "forkedFrom").get("sessionId", record.session)
        if isinstance(name, str) and name != own:
            return name
    return None


def _last_text(tree: ClaudeTree, kind: str, name: str) -> str | None:
    records = (record for record in tree.records.values() if record.kind == kind)
    texts = [record.fields.get(name) for record in records]
    titles = [text for text in texts if isinstance(text, str) and text.strip()]
    return titles[-1] if titles else None


def _usage_of_stream(tree: ClaudeTree) -> Tokens | None:
    """Return the usage of the turns of a stream, whose answers hold placeholders."""
    ends = (record.fields for record in tree.records.values() if record.kind == "result")
    usages = [usage for end in ends if (usage := read_message_usage(end.get("usage"))) is not None]
    return summed(usages) if usages else None


def _last_cost(tree: ClaudeTree) -> float | None:
    """Return the cost at the end of a stream; transcripts have none."""
    records = (record for record in tree.records.values() if record.kind == "result")
    costs = [record.fields.get("total_cost_usd") for record in records]
    amounts = [cost for cost in costs if isinstance(cost, int | float) and cost >= 0]
    return float(amounts[-1]) if amounts else None


@dataclass
class _ClaudeConversation:
    """The conversation so far."""

    source: SourceFile
    messages: list[SessionMessage] = field(default_factory=list[SessionMessage])
    problems: list[BadLine] = field(default_factory=list[BadLine])
    left_out: Counter[str] = field(default_factory=Counter[str])
    project: str | None = None
    delivered: set[str] = field(default_factory=set[str])
    """Texts of requests that stand in records of their own."""

    def take(self, live: Sequence[ClaudeRecord]) -> None:
        """Read the records of a branch; the records of a step that are an answer go together."""
        index = 0
        while index < len(live):
            end = index + 1
            if live[index].kind == "assistant":
                while (
                    end < len(live)
                    and live[end].kind == "assistant"
                    and live[end].step == live[index].step
                ):
                    end += 1
            self._take_safely(live[index:end])
            index = end

    def _take_safely(self, records: Sequence[ClaudeRecord]) -> None:
        first = records[0]
        self.project = self.project or folder_name(first.fields.get("cwd"))
        try:
            if first.kind == "assistant":
                self._take_answer(records)
            elif first.kind == "user":
                self._take_user(first)
            elif is_queued_prompt(first.fields):
                self._take_queued(first)
            elif first.kind == "system":
                self._take_system(first)
            elif (text := sent_meanwhile(first.fields)) and text not in self.delivered:
                self._take_parts(text, moment(first.fields.get("timestamp")))
        except UNREADABLE as error:
            self.problems.append(self.source.problem(first.number, reason_of(error)))

    def _take_user(self, record: ClaudeRecord) -> None:
        at = moment(record.fields.get("timestamp"))
        content = object_of(record.fields.get("message"), "message").get("content")
        for part in objects_in(content):
            if part.get("type") == "tool_result":
                text = text_of_content(part.get("content"), self.left_out)
                self._add("tool", text, at, tool_call_id=text_at(part, "tool_use_id"))
        if is_by_program(record.fields):
            self._add_text("program", text_of_content(content, self.left_out), at)
        elif origin_of(record.fields) == "human":
            self._add_text("user", text_of_content(content, self.left_out), at)
        else:
            self._take_parts(content, at)

    def _take_parts(self, content: object, at: object) -> None:
        """Read a content whose author is only seen from its texts, part by part."""
        parts = as_items(content) or [content]
        texts: list[tuple[str, str]] = []
        for part in parts:
            text = text_of_content([part] if isinstance(part, str) else part, self.left_out)
            role = "program" if is_program_text(text) else "user"
            if not text.strip():
                continue
            if texts and texts[-1][0] == role:
                text = f"{texts.pop()[1]}\n{text}"
            texts.append((role, text))
        for role, text in texts:
            self._add_text(role, text, at)

    def _take_queued(self, record: ClaudeRecord) -> None:
        """Read a prompt that was sent while the model was at work."""
        fields = object_of(record.fields.get("attachment"), "attachment")
        text = text_of_content(fields.get("prompt"), self.left_out)
        by_program = fields.get("commandMode", "prompt") != "prompt" or is_by_program(fields)
        is_tagged = origin_of(fields) is None and is_program_text(text)
        role = "program" if by_program or is_tagged else "user"
        self._add_text(role, text, moment(record.fields.get("timestamp")))

    def _take_system(self, record: ClaudeRecord) -> None:
        """Read a notice of the program; most records of this kind have no text."""
        content = record.fields.get("content")
        if not isinstance(content, str):
            error = record.fields.get("error")
            content = json.dumps(error, ensure_ascii=False)[:2000] if error else ""
        self._add_text("program", content, moment(record.fields.get("timestamp")))

    def _take_answer(self, records: Sequence[ClaudeRecord]) -> None:
        messages = [object_of(record.fields.get("message"), "message") for record in records]
        parts = _parts_of(messages)
        texts = [text_of_content([part], self.left_out) for part in parts]
        text = "\n".join(text for text in texts if text)
        at = moment(records[0].fields.get("timestamp"))
        models = [m["model"] for m in messages if isinstance(m.get("model"), str)]
        if any(is_by_program(record.fields) for record in records) or SYNTHETIC in models:
            self._add_text("program", text, at)
            return
        usages = [message["usage"] for message in messages if message.get("usage")]
        self._add(
            "assistant",
            text,
            at,
            tool_calls=tuple(_calls(parts)),
            model=models[-1] if models else None,
            tokens=read_message_usage(usages[-1]) if usages else None,
            cost_usd=_last_number(records, "costUSD"),
            duration_s=_seconds(_last_number(records, "durationMs")),
        )

    def _add_text(self, role: str, text: str, at: object) -> None:
        if text.strip():
            self._add(role, text, at)

    def _add(self, role: str, text: str, at: object, **more: object) -> None:
        message = {"role": role, "text": text, "at": at, **more}
        self.messages.append(SessionMessage.model_validate(message))


def _parts_of(messages: Sequence[Fields]) -> list[object]:
    """Return the parts of an answer; a text or a call that a later record repeats counts once."""
    contents = [message.get("content") for message in messages]
    parts = [part for content in contents if content for part in as_items(content) or [content]]
    unique: dict[object, object] = {}
    for number, part in enumerate(parts):
        is_known = isinstance(part, str) or as_fields(part).get("type") in _KEPT_ONCE
        unique.setdefault(json.dumps(part, sort_keys=True) if is_known else number, part)
    return list(unique.values())


def _calls(parts: Sequence[object]) -> Iterator[ToolCall]:
    for part in map(as_fields, parts):
        if part.get("type") == "tool_use":
            yield ToolCall(
                id=text_at(part, "id"),
                name=text_at(part, "name"),
                arguments=arguments_text(part.get("input")),
            )


def _last_number(records: Sequence[ClaudeRecord], name: str) -> float | None:
    values = [record.fields.get(name) for record in records]
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return float(numbers[-1]) if numbers and numbers[-1] >= 0 else None


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
