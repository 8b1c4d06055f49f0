"""Codex rollouts: JSONL of response items, and of events with more facts about them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    count_items,
    find_text,
    get_count,
    get_object,
    get_text,
    parse_moment,
    require_text,
)
from records.sessions.session import ToolCall
from records.shapes.attempt import Tokens
from records.shapes.totals import sum_tokens
from review.session_imports.coding_tools.codex_records import (
    Authors,
    CodexRecord,
    count_unknown,
    is_rollout,
    read_rollout_records,
    read_texts,
)
from review.session_imports.common import drafts
from review.session_imports.common.source_file import SourceFile

NAME = "codex"
recognises = is_rollout
_ROLES = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
_NOTHING = frozenset(
    """
    ghost_snapshot additional_tools agent_reasoning agent_reasoning_raw_content
    agent_reasoning_section_break task_started task_complete turn_started turn_complete
    turn_aborted turn_diff plan_update context_compacted collab_tool_call view_image_tool_call
    background_event entered_review_mode exited_review_mode session_configured item_started
    item_completed thread_name_updated undo_started undo_completed shutdown_complete
    thread_settings_applied thread_goal_updated sub_agent_activity model_reroute
    """.split()  # noqa: SIM905 - words are read better without quotes
)
"""Types of payloads that repeat others, or have no part of the conversation."""
_PARTS_OF_CALLS = ("_begin", "_end", "_delta")
"""Endings of types of events on the progress of a call; the item of the call has all facts."""
_COUNTED = {
    "reasoning": "reasoning",
    "compaction": "compaction",
    "compaction_summary": "compaction",
    "context_compaction": "compaction",
}


@dataclass
class Rollout(drafts.Draft):
    """The conversation so far."""

    records: Sequence[CodexRecord] = ()
    _place: int = -1
    _known: set[tuple[bool, str]] = field(default_factory=set[tuple[bool, str]])
    """The items that were read: whether an item is a result, and its id."""
    counts: list[Tokens] = field(default_factory=list[Tokens])
    """The last cumulative usage of each process that wrote to the file."""

    def __post_init__(self) -> None:
        self._authors = Authors(self.records)
        self._answers = [
            json.dumps(record.payload.get("content"), ensure_ascii=False)
            for record in self.records
            if record.kind == "response_item" and record.payload.get("role") == "assistant"
        ]
        """The contents of answers among the items, which events repeat."""

    def take(self, record: CodexRecord) -> None:
        """Read the next record.

        Raises:
            UnknownShapeError: the record does not have the shape of its type.
        """
        self._place += 1
        self.at = parse_moment(record.at)
        match record.kind:
            case "response_item":
                self._take_item(record)
            case "event_msg":
                self._take_event(record)
            case "turn_context":
                self.model = find_text(record.payload, "model") or self.model
            case "compacted" | "inter_agent_communication":
                self._take_notice(record)
            case (
                "session_meta"
                | "world_state"
                | "inter_agent_communication_metadata"
                | "token_usage_record"
                | "security_risk_score"
            ):
                pass  # no part of the conversation
            case _:
                count_unknown(record, self)

    def _take_item(self, record: CodexRecord) -> None:
        payload = record.payload
        name = payload.get("call_id") or payload.get("id")
        if isinstance(name, str):
            item = (record.type.endswith("_output"), name)
            if item in self._known:
                return
            self._known.add(item)
        match record.type:
            case "message":
                self._take_message(record)
            case "function_call" | "custom_tool_call" | "tool_search_call":
                self._take_call(record)
            case "local_shell_call":
                self._call(_read_id(payload), "local_shell", payload.get("action"))
            case (
                "function_call_output"
                | "custom_tool_call_output"
                | "local_shell_call_output"
                | "tool_search_output"
            ):
                # A result is a text, parts, or an object with either.
                output: object = payload.get("output", payload.get("tools"))
                fields = as_fields(output)
                content = fields.get("content", fields.get("content_items")) if fields else output
                is_other = bool(fields) and content is None
                text = json.dumps(output) if is_other else self.read_text(content)
                self.add_result(text, call_id=_read_id(payload))
            case "web_search_call" | "image_generation_call":
                self._take_server_call(record)
            case "agent_message":
                self._take_notice(record)
            case kind if kind in _COUNTED:
                self.leave_out(_COUNTED[kind])
            case kind if kind in _NOTHING:
                pass
            case _:
                count_unknown(record, self)

    def _take_message(self, record: CodexRecord) -> None:
        role = _ROLES.get(require_text(record.payload, "role"))
        if role is None:
            raise UnknownShapeError(f"role {record.payload['role']} is not known")
        if role != "user":
            self._add(role, self.read_text(record.payload.get("content")))
            return
        texts = read_texts(record.payload, self)
        typed = self._authors.by_person[self._place]
        for by_person, role in ((False, "program"), (True, "user")):
            own = [text for text, is_own in zip(texts, typed, strict=True) if is_own is by_person]
            self._add(role, "\n".join(own))

    def _take_call(self, record: CodexRecord) -> None:
        payload = record.payload
        arguments = payload.get("input" if record.type == "custom_tool_call" else "arguments")
        name = payload.get("name", "tool_search" if record.type == "tool_search_call" else None)
        if not isinstance(name, str):
            raise UnknownShapeError("name is no text")
        if record.type != "tool_search_call" and not isinstance(arguments, str):
            raise UnknownShapeError("the input of a call is no text")
        self._call(require_text(payload, "call_id"), name, arguments)

    def _take_notice(self, record: CodexRecord) -> None:
        """Read a summary of a compaction, or a message between agents."""
        text = record.payload.get("message", record.payload.get("content"))
        self._add("program", self.read_text(text))

    def _take_server_call(self, record: CodexRecord) -> None:
        """Read a search or a picture that the provider made; the file has no result of a search."""
        payload = record.payload
        if record.type == "web_search_call":
            self.leave_out("server tool result")
            name = _read_id(payload, f"web_search_{record.number}")
            arguments = payload.get("action", payload.get("query"))
            tool, result = "web_search", "[the result is not in the rollout]"
        else:
            name, arguments = _read_id(payload), payload.get("revised_prompt")
            tool, result = "image_generation", self.mark("image")
        self._call(name, tool, arguments)
        if (True, name) not in self._known:  # the call may have a result of its own
            self._known.add((True, name))
            self.add_result(result, call_id=name)

    def _take_event(self, record: CodexRecord) -> None:
        words = get_text(record.payload, "message")
        match record.type:
            case "user_message":
                if self._place in self._authors.unpaired:  # no item has the request
                    names = ("images", "local_images")
                    pictures = sum(count_items(record.payload, name) for name in names)
                    self.leave_out("image", pictures)
                    self._add("user", "\n".join([*["[image]"] * pictures, words]))
            case "agent_message":
                if not self._answers:
                    self._add("assistant", words)
            case "plan":
                quoted = json.dumps(words.strip(), ensure_ascii=False)[1:-1]
                if not any(quoted in answer for answer in self._answers):
                    self._add("assistant", words)
            case "token_count":
                self._take_count(record.payload)
            case "thread_rolled_back":
                self._roll_back(record.payload.get("num_turns"))
            case "thread_name_updated":
                self.title = find_text(record.payload, "thread_name") or self.title
            case "error" | "stream_error" | "warning":
                self._add("program", words)
            case kind if kind in _NOTHING or kind.endswith(_PARTS_OF_CALLS):
                pass
            case _:
                count_unknown(record, self)

    def _take_count(self, payload: Fields) -> None:
        """Read the usage so far and that of the last answer; a repeated count is ignored."""
        info = get_object(payload, "info")
        total = _read_usage(info.get("total_token_usage"))
        last = _read_usage(info.get("last_token_usage"))
        if total is None or (self.counts and total == self.counts[-1]):
            return
        before = self.counts[-1].output if self.counts else None
        if before is not None and total.output is not None and total.output >= before:
            self.counts.pop()
        self.counts.append(total)
        messages = self.messages
        answers = [index for index, message in enumerate(messages) if message.role == "assistant"]
        if answers and last is not None and messages[answers[-1]].tokens is None:
            messages[answers[-1]] = messages[answers[-1]].model_copy(update={"tokens": last})

    def _roll_back(self, turns: object) -> None:
        """Take back the last requests, with all messages after the first of them."""
        count = turns if isinstance(turns, int) else 1
        requests = [i for i, message in enumerate(self.messages) if message.role == "user"]
        if count >= 1 and requests:
            self.take_back(requests[-min(count, len(requests))])

    def _call(self, name: str, tool: str, arguments: object) -> None:
        self._add("assistant", "", calls=[self.call(tool, arguments, name)])

    def _add(self, role: str, text: str, calls: Sequence[ToolCall] = ()) -> None:
        model = self.model if role == "assistant" else None
        self.add_spoken(role, text, calls=calls, model=model)


def _read_id(payload: Fields, other: str | None = None) -> str:
    """Return the common id of a call and its result, or else the item's own id, or ``other``."""
    for name in ("call_id", "id"):
        if isinstance(payload.get(name), str):
            return str(payload[name])
    if other is None:
        raise UnknownShapeError("a call has no id")
    return other


def _read_usage(usage: object) -> Tokens | None:
    fields = as_fields(usage)
    if not fields:
        return None
    return Tokens(
        input=get_count(fields, "input_tokens"),
        cached_input=get_count(fields, "cached_input_tokens"),
        output=get_count(fields, "output_tokens"),
        reasoning=get_count(fields, "reasoning_output_tokens"),
    )


def read(source: SourceFile) -> Iterator[drafts.Draft]:
    """Yield the session of the file, and report the parts that could not be read."""
    records = list(read_rollout_records(source))
    # The head of the file's own session comes before that of a fork's parent.
    heads = [record.payload for record in records if record.kind == "session_meta"]
    head: Fields = heads[0] if heads else {}
    if get_object(head, "source").get("subagent") or head.get("thread_source") == "subagent":
        spawn = get_object(get_object(get_object(head, "source"), "subagent"), "thread_spawn")
        source.report_sub_agent(
            0, find_text(spawn, "parent_thread_id") or find_text(head, "parent_thread_id")
        )
        return
    # A fork names the session whose beginning it repeats in its head, or has the parent's head.
    further_ids = (each.get("id") for each in heads if each.get("id") != head.get("id"))
    parents = (name for name in (head.get("forked_from_id"), *further_ids) if isinstance(name, str))
    rollout = Rollout(
        records=records,
        may_be_empty=True,
        identity=find_text(head, "id", "session_id"),
        forked_from=next(parents, None),
        project=drafts.find_folder_name(head.get("cwd")),
        created_at=parse_moment(head.get("timestamp")),
    )
    for record in records:
        with source.catch_problems(record.number):
            rollout.take(record)
    rollout.tokens = sum_tokens(rollout.counts) if rollout.counts else None
    yield rollout
