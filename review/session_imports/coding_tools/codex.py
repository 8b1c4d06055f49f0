"""Codex rollouts: JSONL of response items, and of events with more facts about them.

The records of all versions get a common shape first, in which the author of each text is found.
"""

import json
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, cast

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    as_items,
    count_items,
    find_text,
    get_count,
    get_object,
    get_text,
    list_objects,
    parse_moment,
    require_text,
)
from records.sessions.session import ToolCall
from records.shapes.attempt import Tokens
from review.session_imports.common.drafts import (
    IMAGE,
    REASONING,
    SERVER_TOOL_RESULT,
    Draft,
    compile_block_opening,
    find_folder_name,
    is_made_of_blocks,
    read_content_text,
    sum_usages,
)
from review.session_imports.common.source_file import SourceFile

KINDS: Final = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
)
_BARE_ITEMS: Final = frozenset(
    {
        *("message", "reasoning", "function_call", "function_call_output", "local_shell_call"),
        *("custom_tool_call", "custom_tool_call_output", "web_search_call"),
    }
)
_INJECTED: Final = compile_block_opening(
    (
        *("environment_context", "user_instructions", "INSTRUCTIONS", "additional_context"),
        *("permissions instructions", "collaboration_mode", "multi_agent_mode", "model_switch"),
        *("apps_instructions", "plugins_instructions", "skills_instructions", "tools"),
        *("environments_instructions", "personality_spec", "context_window", "token_budget"),
        *("context_window_guidance", "rollout_budget", "recommended_plugins", "goal_context"),
        *("user_shell_command", "turn_aborted", "subagent_notification", "user_action"),
        *("skill", "hook_prompt", "codex_internal_context", "internal_model_context"),
    )
)
_AGENTS: Final = "# AGENTS.md instructions"
_EVENTS_OF_ITEMS: Final[Mapping[str, str]] = {
    "usermessage": "user_message",
    "agentmessage": "agent_message",
    "plan": "plan",
}
"""The type of the event for an item of a turn, by the item's type in small letters."""
_IMAGE_TAG: Final = compile_block_opening(("image", "/image"))
"""A text that is only the opening or closing tag of a picture."""


@dataclass(frozen=True, slots=True)
class CodexRecord:
    """A record in the same shape for all versions of the format."""

    number: int
    kind: str
    payload: Fields
    at: object = None

    @property
    def type(self) -> str:
        """The type of its payload."""
        return str(self.payload.get("type"))

    @property
    def is_typed(self) -> bool:
        """Whether the record is the event of a request that a person typed.

        Earlier versions have such events for instructions and the environment, too.
        """
        is_request = self.kind == "event_msg" and self.type == "user_message"
        return is_request and self.payload.get("kind") in (None, "plain")


def is_rollout(source: SourceFile) -> bool:
    """Return whether a file is a rollout, by the kinds and keys of its first records."""
    if source.is_one_object and _is_whole(source.one_object):
        return True
    return any(
        (record.get("type") in tuple(KINDS) and isinstance(record.get("payload"), dict))
        or _is_bare_item(record)
        for record in source.head
    )


def _is_bare_item(record: Fields) -> bool:
    if record.get("record_type") == "state":
        return True
    if record.get("type") not in tuple(_BARE_ITEMS):
        return False
    parts = {str(part.get("type")) for part in list_objects(record.get("content"))}
    return bool(parts & {"input_text", "output_text"}) or isinstance(record.get("call_id"), str)


def _is_whole(document: Fields) -> bool:
    return isinstance(document.get("session"), dict) and isinstance(document.get("items"), list)


def read_rollout_records(source: SourceFile) -> Iterator[CodexRecord]:
    """Yield each record of a rollout of any version once, in the common shape."""
    before: dict[str, CodexRecord] = {}
    for record in map(_with_plain_event, _read_raw_records(source)):
        if record.type in _EVENTS_OF_ITEMS.values():
            last = before.pop(record.type, None)
            if last is not None and _is_repetition(last, record):
                continue
            before[record.type] = record
        yield record


def _with_plain_event(record: CodexRecord) -> CodexRecord:
    """Return the event of a message in the shape of before August 2026; other records stay.

    Since then, such an event is the completion of an item of the turn.
    """
    if record.type != "item_completed":
        return record
    item = get_object(record.payload, "item")
    kind = _EVENTS_OF_ITEMS.get(get_text(item, "type").replace("_", "").lower())
    if kind is None:
        return record
    parts = list_objects(item.get("content"))
    texts = [get_text(item, "text"), *(get_text(part, "text") for part in parts)]
    payload = {
        "type": kind,
        "message": "".join(texts),
        "images": [part for part in parts if "image" in get_text(part, "type").lower()],
        "item": item,
    }
    return replace(record, payload=payload)


def _is_repetition(first: CodexRecord, second: CodexRecord) -> bool:
    is_same = first.payload.get("message") == second.payload.get("message")
    return is_same and ("item" in first.payload) != ("item" in second.payload)


def _read_raw_records(source: SourceFile) -> Iterator[CodexRecord]:
    if source.is_one_object and _is_whole(source.one_object):
        yield CodexRecord(0, "session_meta", cast("Fields", source.one_object["session"]))
        for number, payload in enumerate(list_objects(source.one_object["items"]), 1):
            yield CodexRecord(number, "response_item", payload, payload.get("timestamp"))
        return
    for number, record in source.read_records():
        payload, at, kind = record.get("payload"), record.get("timestamp"), record.get("type")
        if isinstance(payload, dict):
            yield CodexRecord(number, str(kind), cast("Fields", payload), at)
        elif kind is None and isinstance(record.get("id"), str):
            yield CodexRecord(number, "session_meta", record, at)
        elif kind in tuple(_BARE_ITEMS):
            yield CodexRecord(number, "response_item", record, at)
        elif "record_type" not in record:
            yield CodexRecord(number, str(kind), record, at)


def is_injected(text: str) -> bool:
    """Return whether the program wrote a text: instructions, the environment or notices."""
    stripped = text.strip()
    if stripped.startswith(_AGENTS):
        stripped = stripped[stripped.find("<INSTRUCTIONS>") :]
    return is_made_of_blocks(stripped, _INJECTED)


class Authors:
    """The authors of the texts on the user's side of a rollout.

    Events name the requests that a person typed. The form of a text decides in a file without such
    events, and before an answer that comes before the first event.
    """

    def __init__(self, records: Sequence[CodexRecord]) -> None:
        """Pair each event with the item that has the same text."""
        self.unpaired: set[int] = set()
        """Indexes of events whose request is in no item."""
        self._by_person: dict[int, list[bool]] = {}
        self._waiting: dict[str, deque[int]] = {}
        self._order: deque[tuple[int, str]] = deque()
        self._has_paired = False
        first_paired: int | None = None
        for index, record in enumerate(records):
            if record.is_typed:
                self.unpaired.add(index)
                words = str(record.payload.get("message") or "").strip()
                if words:
                    self._waiting.setdefault(words, deque()).append(index)
                    self._order.append((index, words))
        for index, record in enumerate(records):
            if record.kind == "response_item" and record.payload.get("role") == "user":
                with suppress(UnknownShapeError):  # the problem is reported when the item is read
                    self._by_person[index] = self._pair_texts(read_texts(record.payload))
                if self._has_paired and first_paired is None:
                    first_paired = index
        for index in _list_places_before(first_paired or 0, records):
            if index in self._by_person:
                self._by_person[index] = [False] * len(self._by_person[index])

    def are_by_person(self, index: int) -> list[bool]:
        """Return for each text of the item at ``index`` whether a person wrote it."""
        return self._by_person[index]

    def _pair_texts(self, texts: Sequence[str]) -> list[bool]:
        typed = [not is_injected(text) for text in texts]
        if self._has_own_event(texts) or self._has_event_text(texts, typed):
            self._has_paired = True
            return typed if any(typed) else [True] * len(texts)
        return [False] * len(texts) if self._has_paired else typed

    def _has_own_event(self, texts: Sequence[str]) -> bool:
        """Return whether an event has the whole text or one part; such an event is used once."""
        for candidate in ("\n".join(texts), *texts):
            indexes = self._waiting.get(candidate.strip())
            if indexes:
                self.unpaired.discard(indexes.popleft())
                return True
        return False

    def _has_event_text(self, texts: Sequence[str], typed: Sequence[bool]) -> bool:
        """Return whether the typed parts contain the text of the next event, which is used once."""
        while self._order and self._order[0][0] not in self.unpaired:
            self._order.popleft()
        words = "\n".join(text for text, is_typed in zip(texts, typed, strict=True) if is_typed)
        if not self._order or self._order[0][1] not in words:
            return False
        index, text = self._order.popleft()
        self._waiting[text].remove(index)
        self.unpaired.discard(index)
        return True


def _list_places_before(index: int, records: Sequence[CodexRecord]) -> Iterator[int]:
    """Yield the places before a record, back to the last answer."""
    for earlier in range(index - 1, -1, -1):
        if records[earlier].payload.get("role") == "assistant":
            return
        yield earlier


def read_texts(payload: Fields, left_out: Counter[str] | None = None) -> list[str]:
    """Return the texts of the parts of an item, without tags around pictures.

    Raises:
        UnknownShapeError: a part is neither a text nor an object.
    """
    content = payload.get("content")
    counts = Counter[str]() if left_out is None else left_out
    texts = [read_content_text(part, counts) for part in as_items(content) or [content]]
    return [text for text in texts if text.strip() and not _IMAGE_TAG.fullmatch(text.strip())]


def count_unknown(record: CodexRecord, draft: Draft) -> None:
    """Count a record of an unknown kind as left out."""
    kind = f"{record.kind} {record.type}" if record.kind in KINDS else record.kind
    draft.leave_out(f"record of kind {kind}")


NAME = "codex"
_ROLES: Final = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
_NOTHING: Final = frozenset(
    {
        *("ghost_snapshot", "additional_tools", "agent_reasoning", "agent_reasoning_raw_content"),
        *("agent_reasoning_section_break", "task_started", "task_complete", "turn_started"),
        *("turn_complete", "turn_aborted", "turn_diff", "plan_update", "context_compacted"),
        *("collab_tool_call", "view_image_tool_call", "background_event"),
        *("entered_review_mode", "exited_review_mode", "session_configured", "item_started"),
        *("item_completed", "thread_name_updated", "undo_started", "undo_completed"),
        *("shutdown_complete", "thread_settings_applied", "thread_goal_updated"),
        *("sub_agent_activity", "model_reroute"),
    }
)
"""Types of payloads that repeat others, or have no part of the conversation."""
_BOOKKEEPING: Final = frozenset(
    {
        *("session_meta", "world_state", "inter_agent_communication_metadata"),
        *("token_usage_record", "security_risk_score"),
    }
)
"""Kinds of records without a part of the conversation."""
_PARTS_OF_CALLS: Final = ("_begin", "_end", "_delta")
"""Endings of types of events on the progress of a call; the item of the call has all facts."""
_COUNTED: Final = {
    "reasoning": REASONING,
    "compaction": "compaction",
    "compaction_summary": "compaction",
    "context_compaction": "compaction",
}
_ERRORS: Final = frozenset({"error", "stream_error", "warning"})
_NOT_RECORDED: Final = "[the result is not in the rollout]"


@dataclass
class Rollout:
    """The conversation so far."""

    records: Sequence[CodexRecord]
    draft: Draft
    _place: int = -1
    _known: set[tuple[bool, str]] = field(default_factory=set[tuple[bool, str]])
    """The items that were read: whether an item is a result, and its id."""
    _counts: list[Tokens] = field(default_factory=list[Tokens])
    """The last cumulative usage of each process that wrote to the file."""

    def __post_init__(self) -> None:
        self._authors = Authors(self.records)
        self._answers = [
            json.dumps(record.payload.get("content"), ensure_ascii=False)
            for record in self.records
            if record.kind == "response_item" and record.payload.get("role") == "assistant"
        ]
        """The contents of answers among the items, which events repeat."""

    def compute_usage(self) -> Tokens | None:
        """Return the usage of the session; None if the file has no count."""
        return sum_usages(self._counts) if self._counts else None

    def take(self, record: CodexRecord) -> None:
        """Read the next record.

        Raises:
            UnknownShapeError: the record does not have the shape of its type.
        """
        self._place += 1
        match record.kind:
            case "response_item":
                self._take_item(record)
            case "event_msg":
                self._take_event(record)
            case "turn_context":
                self.draft.model = find_text(record.payload, "model") or self.draft.model
            case "compacted" | "inter_agent_communication":
                self._take_notice(record)
            case kind if kind in _BOOKKEEPING:
                pass
            case _:
                count_unknown(record, self.draft)

    def _take_item(self, record: CodexRecord) -> None:
        payload = record.payload
        name = payload.get("call_id") or payload.get("id")
        if isinstance(name, str):
            item = (record.type.endswith("_output"), name)
            if item in self._known:
                return
            self._known.add(item)
        readers = {
            "message": self._take_message,
            "function_call": self._take_call,
            "custom_tool_call": self._take_call,
            "tool_search_call": self._take_call,
            "local_shell_call": self._take_shell_call,
            "function_call_output": self._take_output,
            "custom_tool_call_output": self._take_output,
            "local_shell_call_output": self._take_output,
            "tool_search_output": self._take_output,
            "web_search_call": self._take_search,
            "image_generation_call": self._take_drawing,
            "agent_message": self._take_notice,
        }
        if record.type in readers:
            readers[record.type](record)
        elif record.type in _COUNTED:
            self.draft.leave_out(_COUNTED[record.type])
        elif record.type not in _NOTHING:
            count_unknown(record, self.draft)

    def _take_message(self, record: CodexRecord) -> None:
        role = _ROLES.get(require_text(record.payload, "role"))
        if role is None:
            raise UnknownShapeError(f"role {record.payload['role']} is not known")
        content = record.payload.get("content")
        if role != "user":
            self._add(role, read_content_text(content, self.draft.left_out), record)
            return
        texts = read_texts(record.payload, self.draft.left_out)
        typed = self._authors.are_by_person(self._place)
        for by_person, role in ((False, "program"), (True, "user")):
            own = [text for text, is_own in zip(texts, typed, strict=True) if is_own is by_person]
            self._add(role, "\n".join(own), record)

    def _take_call(self, record: CodexRecord) -> None:
        payload = record.payload
        arguments = payload.get("input" if record.type == "custom_tool_call" else "arguments")
        name = payload.get("name", "tool_search" if record.type == "tool_search_call" else None)
        if not isinstance(name, str):
            raise UnknownShapeError("name is no text")
        if record.type != "tool_search_call" and not isinstance(arguments, str):
            raise UnknownShapeError("the input of a call is no text")
        self._call(record, require_text(payload, "call_id"), name, arguments)

    def _take_shell_call(self, record: CodexRecord) -> None:
        self._call(record, _read_id(record.payload), "local_shell", record.payload.get("action"))

    def _take_output(self, record: CodexRecord) -> None:
        output = record.payload.get("output", record.payload.get("tools"))
        text = _read_output(output, self.draft.left_out)
        at = parse_moment(record.at)
        self.draft.add_result(text, call_id=_read_id(record.payload), at=at)

    def _take_drawing(self, record: CodexRecord) -> None:
        """Read a picture that the provider made."""
        self.draft.leave_out(IMAGE)
        name = _read_id(record.payload)
        self._call(record, name, "image_generation", record.payload.get("revised_prompt"))
        self._add_own_result(record, name, f"[{IMAGE}]")

    def _take_notice(self, record: CodexRecord) -> None:
        """Read a summary of a compaction, or a message between agents."""
        text = record.payload.get("message", record.payload.get("content"))
        self._add("program", read_content_text(text, self.draft.left_out), record)

    def _take_search(self, record: CodexRecord) -> None:
        """Read a search that the provider made, whose result is not in the file."""
        self.draft.leave_out(SERVER_TOOL_RESULT)
        payload = record.payload
        name = _read_id(payload, f"web_search_{record.number}")
        arguments = payload.get("action", payload.get("query"))
        self._call(record, name, "web_search", arguments)
        self._add_own_result(record, name, _NOT_RECORDED)

    def _add_own_result(self, record: CodexRecord, name: str, text: str) -> None:
        """Add the result of a call that the provider answered, unless the call has a result."""
        result = (True, name)
        if result not in self._known:
            self._known.add(result)
            self.draft.add_result(text, call_id=name, at=parse_moment(record.at))

    def _take_event(self, record: CodexRecord) -> None:
        words = get_text(record.payload, "message")
        match record.type:
            case "user_message":
                self._take_typed(record, words)
            case "agent_message" if not self._answers:
                self._add("assistant", words, record)
            case "plan" if not self._is_in_an_answer(words):
                self._add("assistant", words, record)
            case "token_count":
                self._take_count(record.payload)
            case "thread_rolled_back":
                self._roll_back(record.payload.get("num_turns"))
            case "thread_name_updated":
                self.draft.title = find_text(record.payload, "thread_name") or self.draft.title
            case kind if kind in _ERRORS:
                self._add("program", words, record)
            case kind if kind in _NOTHING or kind.endswith(_PARTS_OF_CALLS):
                pass
            case "agent_message" | "plan":
                pass
            case _:
                count_unknown(record, self.draft)

    def _is_in_an_answer(self, words: str) -> bool:
        written = json.dumps(words.strip(), ensure_ascii=False)[1:-1]
        return any(written in answer for answer in self._answers)

    def _take_typed(self, record: CodexRecord, words: str) -> None:
        """Read the event of a request, if the request itself is not among the items."""
        if self._place not in self._authors.unpaired:
            return
        pictures = sum(count_items(record.payload, name) for name in ("images", "local_images"))
        self.draft.leave_out(IMAGE, pictures)
        self._add("user", "\n".join([*[f"[{IMAGE}]"] * pictures, words]), record)

    def _take_count(self, payload: Fields) -> None:
        """Read the usage so far and that of the last answer; a repeated count is ignored."""
        info = get_object(payload, "info")
        total, last = (
            _read_usage(info.get("total_token_usage")),
            _read_usage(info.get("last_token_usage")),
        )
        if total is None or (self._counts and total == self._counts[-1]):
            return
        before = self._counts[-1].output if self._counts else None
        if before is not None and total.output is not None and total.output >= before:
            self._counts.pop()
        self._counts.append(total)
        messages = self.draft.messages
        index = len(messages) - 1
        while index >= 0 and messages[index].role != "assistant":
            index -= 1
        if index >= 0 and last is not None and messages[index].tokens is None:
            messages[index] = messages[index].model_copy(update={"tokens": last})

    def _roll_back(self, turns: object) -> None:
        """Remove the last requests, with all messages after them, and count these."""
        count, messages = turns if isinstance(turns, int) else 1, self.draft.messages
        requests = [index for index, message in enumerate(messages) if message.role == "user"]
        if count < 1 or not requests:
            return
        begin = requests[-count] if count <= len(requests) else requests[0]
        self.draft.leave_out("message taken back", len(messages) - begin)
        del messages[begin:]

    def _call(self, record: CodexRecord, name: str, tool: str, arguments: object) -> None:
        self._add("assistant", "", record, calls=[self.draft.call(tool, arguments, name)])

    def _add(
        self, role: str, text: str, record: CodexRecord, calls: Sequence[ToolCall] = ()
    ) -> None:
        if text.strip() or calls:
            model = self.draft.model if role == "assistant" else None
            self.draft.add(role, text, calls=calls, at=parse_moment(record.at), model=model)


def _read_id(payload: Fields, other: str | None = None) -> str:
    """Return the common id of a call and its result, or else the item's own id, or ``other``."""
    for name in ("call_id", "id"):
        if isinstance(payload.get(name), str):
            return str(payload[name])
    if other is None:
        raise UnknownShapeError("a call has no id")
    return other


def _read_output(output: object, left_out: Counter[str]) -> str:
    """Return the text of a result, which is a text, parts, or an object with either."""
    if fields := as_fields(output):
        inner = fields.get("content", fields.get("content_items"))
        return read_content_text(inner, left_out) if inner is not None else json.dumps(output)
    return read_content_text(output, left_out)


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


def recognises(source: SourceFile) -> bool:
    """Return whether the file is a rollout of any version of Codex."""
    return is_rollout(source)


def read(source: SourceFile) -> Iterator[Draft]:
    """Yield the session of the file, and report the parts that could not be read."""
    records = list(read_rollout_records(source))
    head = _find_head(records)
    if get_object(head, "source").get("subagent") or head.get("thread_source") == "subagent":
        spawn = get_object(get_object(get_object(head, "source"), "subagent"), "thread_spawn")
        source.report_sub_agent(
            0, find_text(spawn, "parent_thread_id") or find_text(head, "parent_thread_id")
        )
        return
    draft = Draft(
        may_be_empty=True,
        identity=find_text(head, "id", "session_id"),
        forked_from=_find_fork_parent(head, records),
        project=find_folder_name(head.get("cwd")),
        created_at=parse_moment(head.get("timestamp")),
    )
    rollout = Rollout(records, draft)
    for record in records:
        with source.catch_problems(record.number):
            rollout.take(record)
    draft.tokens = rollout.compute_usage()
    yield draft


def _find_head(records: Sequence[CodexRecord]) -> Fields:
    """Return the head of the file's own session, which comes before that of a fork's parent."""
    heads = [record.payload for record in records if record.kind == "session_meta"]
    return heads[0] if heads else {}


def _find_fork_parent(head: Fields, records: Sequence[CodexRecord]) -> str | None:
    """Return the session whose beginning a fork repeats, from the fork's head or a later head."""
    heads = [r.payload.get("id") for r in records if r.kind == "session_meta"]
    names = [head.get("forked_from_id"), *(name for name in heads if name != head.get("id"))]
    return next((name for name in names if isinstance(name, str)), None)
