"""Claude Code transcripts: JSONL with a tree of records.

The branch that was kept is found by `claude_tree.py`, and its conversation is read here.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from records.foreign import fields
from records.foreign.usage import read_token_report
from records.shapes.totals import sum_tokens
from review.session_imports.coding_tools import claude_records
from review.session_imports.coding_tools.claude_tree import ClaudeTree, build_trees
from review.session_imports.common import drafts
from review.session_imports.common.source_file import SourceFile

NAME = "claude_code"
_KEPT_ONCE = ("text", "tool_use")
"""Types of parts that are kept once in an answer."""
_OF_TRANSCRIPTS = (claude_records.BOOKKEEPING - {"result"}) | {"attachment", "system"}
"""Kinds of records that only transcripts have. The end of a stream (`result`) is not among them,
because other programs have such records."""


def recognises(source: SourceFile) -> bool:
    """Return whether one of the first records is a record of a transcript."""
    return any(map(_is_known, source.head))


def _is_known(record: fields.Fields) -> bool:
    """Return whether a record is one of a transcript, most of which name a session."""
    kind = str(record.get("type"))
    if kind == "file-history-snapshot":
        return isinstance(record.get("snapshot"), dict)
    if kind == "summary":
        return isinstance(record.get("leafUuid"), str)
    if kind in claude_records.SPEAKING:
        is_named = isinstance(record.get("sessionId", record.get("session_id")), str)
        return is_named and isinstance(record.get("message"), dict)
    return kind in _OF_TRANSCRIPTS and isinstance(record.get("sessionId"), str)


def read(source: SourceFile) -> Iterator[drafts.Draft]:
    """Yield each session of the file, and report the parts that could not be read."""
    trees = build_trees(source.read_records())
    if not any(record.is_spoken for tree in trees for record in tree.records.values()):
        source.report_problem(0, "holds no message", wrong=False)
    for tree in trees:
        draft = _read_draft(source, tree)
        if draft.messages:
            yield draft


def _read_draft(source: SourceFile, tree: ClaudeTree) -> drafts.Draft:
    """Return the session of a tree; for a sub-agent's transcript, a session without messages."""
    spoken = [record for record in tree.records.values() if record.is_spoken]
    helpers = [record for record in spoken if record.is_of_a_helper]
    if helpers and all(r.is_of_a_helper for r in spoken if r.kind in claude_records.SPEAKING):
        session = next((r.session for r in helpers if r.session is not None), None)
        source.report_sub_agent(0, session)
        return drafts.Draft()
    tree.leave_out(helpers)
    live = tree.find_live_branch()
    draft = ClaudeConversation()
    draft.take(live, source)
    draft.leave_out("sub-agent record", len(helpers))
    draft.leave_out("message taken back", tree.taken_back)
    # Earlier records may have an earlier name of the session, or name its parent.
    names = [record.session for record in live if record.is_spoken and record.session is not None]
    draft.identity = names[-1] if names else None
    origins = (
        fields.get_object(record.fields, "forkedFrom").get("sessionId", record.session)
        for record in live
    )
    other_names = (name for name in origins if isinstance(name, str) and name != draft.identity)
    draft.forked_from = next(other_names, None)
    known_kinds = {*claude_records.SPEAKING, *_OF_TRANSCRIPTS, "result"}
    for record in tree.records.values():
        if record.kind == "custom-title":
            draft.title = fields.find_text(record.fields, "customTitle") or draft.title
        elif record.kind == "attachment" and not claude_records.is_queued_prompt(record.fields):
            draft.leave_out("attachment")
        elif record.kind not in known_kinds:
            draft.leave_out(f"record of kind {record.kind}")
    ends = [record for record in tree.records.values() if record.kind == "result"]
    counts = (read_token_report(end.fields.get("usage")).as_tokens() for end in ends)
    usages = [usage for usage in counts if usage is not None]
    draft.tokens = sum_tokens(usages) if usages else None
    draft.cost_usd = claude_records.find_last_number(ends, "total_cost_usd")
    return draft


@dataclass
class ClaudeConversation(drafts.Draft):
    """The conversation so far."""

    def take(self, live: Sequence[claude_records.ClaudeRecord], source: SourceFile) -> None:
        """Read the records of a branch of a file; records of one answer are read together."""
        # The records of an answer have its step, and any other record has its own number, too.
        for _, group in groupby(
            live, lambda record: (record.step, 0 if record.kind == "assistant" else record.number)
        ):
            records = list(group)
            first = records[0]
            self.project = self.project or drafts.find_folder_name(first.fields.get("cwd"))
            self.at = fields.parse_moment(first.fields.get("timestamp"))
            with source.catch_problems(first.number):
                if first.kind == "assistant":
                    self._take_answer(records)
                elif first.kind == "user":
                    self._take_message(first)
                elif first.kind == "system":
                    # A notice of the program; most records of this kind have no text.
                    content, error = first.fields.get("content"), first.fields.get("error")
                    reason = json.dumps(error, ensure_ascii=False)[:2000] if error else ""
                    self.add_spoken("program", content if isinstance(content, str) else reason)
                elif first.prompt is not None:
                    self.at = fields.parse_moment(first.prompt_time)
                    self._take_text(first.author, first.prompt)

    def _take_message(self, record: claude_records.ClaudeRecord) -> None:
        """Read a message on the user's side: results of calls, and texts."""
        content = fields.require_object(record.fields.get("message"), "message").get("content")
        for part in fields.list_objects(content):
            if part.get("type") == "tool_result":
                text = self.read_text(part.get("content"))
                self.add_result(text, call_id=fields.require_text(part, "tool_use_id"))
        self._take_text(record.fields, content)

    def _take_text(self, author: fields.Fields, content: object) -> None:
        """Read a content whose author other fields of the record may show."""
        if claude_records.is_by_program(author):
            self.add_spoken("program", self.read_text(content))
        elif claude_records.find_origin(author) == "human":
            self.add_spoken("user", self.read_text(content))
        else:
            # Only the texts of the parts show their authors.
            texts = [self.read_text(part) for part in fields.as_items(content) or [content]]
            spoken = [text for text in texts if text.strip()]
            for by_program, group in groupby(spoken, key=claude_records.is_program_text):
                self.add("program" if by_program else "user", "\n".join(group))

    def _take_answer(self, records: Sequence[claude_records.ClaudeRecord]) -> None:
        messages = [
            fields.require_object(record.fields.get("message"), "message") for record in records
        ]
        parts: list[object] = []
        earlier: set[str] = set()
        for message in messages:  # a later record may repeat texts and calls
            content = message.get("content")
            own = fields.as_items(content) or ([content] if content else [])
            repeatable = {
                index: json.dumps(part, sort_keys=True)
                for index, part in enumerate(own)
                if isinstance(part, str) or fields.as_fields(part).get("type") in _KEPT_ONCE
            }
            parts += [
                part for index, part in enumerate(own) if repeatable.get(index) not in earlier
            ]
            earlier.update(repeatable.values())
        texts = [self.read_text([part]) for part in parts]
        text = "\n".join(text for text in texts if text)
        models = [m["model"] for m in messages if isinstance(m.get("model"), str)]
        if (
            any(claude_records.is_by_program(record.fields) for record in records)
            or claude_records.SYNTHETIC in models
        ):
            self.add_spoken("program", text)
            return
        usages = [message["usage"] for message in messages if message.get("usage")]
        milliseconds = claude_records.find_last_number(records, "durationMs")
        calls = [part for part in fields.list_objects(parts) if part.get("type") == "tool_use"]
        self.add(
            "assistant",
            text,
            calls=[
                self.call(
                    fields.require_text(part, "name"),
                    part.get("input"),
                    fields.require_text(part, "id"),
                )
                for part in calls
            ],
            model=models[-1] if models else None,
            tokens=read_token_report(usages[-1]).as_tokens() if usages else None,
            cost_usd=claude_records.find_last_number(records, "costUSD"),
            duration_s=None if milliseconds is None else milliseconds / 1000,
        )
