"""Records of Codex rollouts of all versions in one shape, and the author of each text."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_items,
    get_object,
    get_text,
    list_objects,
)
from review.session_imports.common import drafts
from review.session_imports.common.source_file import SourceFile

KINDS = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_BARE_ITEMS = (
    *("message", "reasoning", "function_call", "function_call_output", "local_shell_call"),
    *("custom_tool_call", "custom_tool_call_output", "web_search_call"),
)
_INJECTED = drafts.compile_block_opening(
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
_EVENTS_OF_ITEMS: Mapping[str, str] = {
    "usermessage": "user_message",
    "agentmessage": "agent_message",
    "plan": "plan",
}
"""The type of the event for an item of a turn, by the item's type in small letters."""
_IMAGE_TAG = drafts.compile_block_opening(("image", "/image"))
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
    if _is_whole(source.fields):
        return True
    return any(
        (record.get("type") in KINDS and isinstance(record.get("payload"), dict))
        or _is_bare_item(record)
        for record in source.head
    )


def _is_bare_item(record: Fields) -> bool:
    if record.get("record_type") == "state":
        return True
    if record.get("type") not in _BARE_ITEMS:
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
            if (
                last is not None
                and last.payload.get("message") == record.payload.get("message")
                and ("item" in last.payload) != ("item" in record.payload)
            ):
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


def _read_raw_records(source: SourceFile) -> Iterator[CodexRecord]:
    if _is_whole(source.fields):
        yield CodexRecord(0, "session_meta", get_object(source.fields, "session"))
        for number, payload in enumerate(list_objects(source.fields["items"]), 1):
            yield CodexRecord(number, "response_item", payload, payload.get("timestamp"))
        return
    for number, record in source.read_records():
        payload, at, kind = record.get("payload"), record.get("timestamp"), record.get("type")
        if isinstance(payload, dict):
            yield CodexRecord(number, str(kind), cast("Fields", payload), at)
        elif kind is None and isinstance(record.get("id"), str):
            yield CodexRecord(number, "session_meta", record, at)
        elif kind in _BARE_ITEMS:
            yield CodexRecord(number, "response_item", record, at)
        elif "record_type" not in record:
            yield CodexRecord(number, str(kind), record, at)


def is_injected(text: str) -> bool:
    """Return whether the program wrote a text: instructions, the environment or notices."""
    stripped = text.strip()
    if stripped.startswith("# AGENTS.md instructions"):
        stripped = stripped[stripped.find("<INSTRUCTIONS>") :]
    return drafts.is_made_of_blocks(stripped, _INJECTED)


class Authors:
    """The authors of the texts on the user's side of a rollout.

    Events name the requests that a person typed. The form of a text decides in a file without such
    events, and before an answer that comes before the first event.
    """

    def __init__(self, records: Sequence[CodexRecord]) -> None:
        """Pair each event with the item that has the same text."""
        self.unpaired: set[int] = set()
        """Indexes of events whose request is in no item."""
        self.by_person: dict[int, list[bool]] = {}
        """For each item of the user's side, whether a person wrote each of its texts."""
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
                    self.by_person[index] = self._pair_texts(
                        read_texts(record.payload, drafts.Draft())
                    )
                if self._has_paired and first_paired is None:
                    first_paired = index
        for index in range((first_paired or 0) - 1, -1, -1):  # back to the last answer
            if records[index].payload.get("role") == "assistant":
                break
            if index in self.by_person:
                self.by_person[index] = [False] * len(self.by_person[index])

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


def read_texts(payload: Fields, draft: drafts.Draft) -> list[str]:
    """Return the texts of the parts of an item, without tags around pictures.

    The parts that are not kept are counted in ``draft``.

    Raises:
        UnknownShapeError: a part is neither a text nor an object.
    """
    content = payload.get("content")
    texts = map(draft.read_text, as_items(content) or [content])
    return [text for text in texts if text.strip() and not _IMAGE_TAG.fullmatch(text.strip())]


def count_unknown(record: CodexRecord, draft: drafts.Draft) -> None:
    """Count a record of an unknown kind as left out."""
    kind = f"{record.kind} {record.type}" if record.kind in KINDS else record.kind
    draft.leave_out(f"record of kind {kind}")
