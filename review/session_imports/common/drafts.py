"""The draft of a session: its messages and parts left out, the texts of parts, and its record.

An adapter reads the files of one program and fills a draft. Each part of a source becomes text of a
message, a count in ``left_out``, or a problem. A part without text, such as an image, becomes a
mark in brackets and is counted. Reasoning is only counted. An object without a type, such as the
result of a tool, becomes JSON. Calls of tools and their results are left to the adapters.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVar, cast

from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    as_fields,
    as_items,
    get_text,
    list_objects,
    require_object,
    require_text,
)
from records.sessions.session import FromFile, Session, SessionMessage, SessionTotals, ToolCall
from records.shapes.attempt import Tokens
from records.shapes.totals import sum_known, sum_tokens
from records.text.visible import make_one_line
from review.session_imports.common import source_file

OWN_EXPORT = "huggingface"
"""The importer of the exports of this program that have whole sessions."""
_Id = TypeVar("_Id", str, int)
_MOST_KINDS = 50
"""Number of kinds that a draft counts by name; further kinds are counted as `_OTHER_KIND`."""
_OTHER_KIND = "other"
_LONGEST_TITLE = 120
"""Characters of a title."""
_BLANKS = re.compile(r"\s*")
_REASONING = frozenset(
    {"thinking", "redacted_thinking", "reasoning", "reasoning_text", "reasoning_content"}
)
_TOOL_PARTS = frozenset({"tool_use", "tool_result", "tool_call"})
"""Types of calls and results among the parts of a message."""
_KINDS = {
    "image": ("image", "image_url", "input_image", "local_image", "output_image"),
    "audio": ("audio", "input_audio", "output_audio"),
    "video": ("video",),
    "document": ("document",),
    "file": ("file", "input_file"),
}
_NAMES = {kind: name for name, kinds in _KINDS.items() for kind in kinds}
_LONGEST_KIND = 60
"""Characters of a kind in ``left_out``; a longer kind is cut off."""
_LONGEST = 200
"""Characters of the input of a server's tool in its mark."""


@dataclass
class Draft:
    """A conversation so far."""

    identity: str | None = None
    """The name that the source gives to the session, which is the same in all its files. The id is
    made of this name, so that a longer version of a session has the same id."""
    replaces_earlier: bool = False
    """True if it is a later version of an earlier session in the file with the same identity."""
    place: int = 0
    """The number of the record in the file. Without an identity, the id is made of it."""
    part: str | None = None
    """The file's name for its part that is the session; other files may have the same name."""
    session_id: str | None = None
    """The id of the session of this program from which the record was exported."""
    labels: Mapping[str, object] = field(default_factory=dict[str, object])
    """Labels in the record, by the names of fields of `Session`."""
    forked_from: str | None = None
    """The name of the session whose beginning is repeated; None if none is repeated."""
    title: str | None = None
    """The title in the source; None to use the first request."""
    project: str | None = None
    model: str | None = None
    """The model of the session, if no message names one."""
    epoch: int | None = None
    created_at: datetime | None = None
    """The time of the beginning; None to use the earliest time of a message."""
    updated_at: datetime | None = None
    """The time of the last change; None to use the latest time of a message."""
    tokens: Tokens | None = None
    """The usage of the whole session; None to use the sum over the messages."""
    cost_usd: float | None = None
    """The cost of the whole session; None to use the sum over the messages."""
    at: datetime | None = None
    """The time of the record that is read, which its messages have."""
    may_be_empty: bool = False
    """True if the source has conversations without messages, which are not a fault."""
    messages: list[SessionMessage] = field(default_factory=list[SessionMessage])
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Numbers of parts that are not kept, by kind."""
    problems: list[str] = field(default_factory=list[str])
    """Place and reason for each part that cannot be read."""
    _open_calls: dict[str, ToolCall] = field(default_factory=dict[str, ToolCall])
    """Calls without a result, by id, in order."""
    _calls_named: int = 0

    def add(self, role: str, text: str, *, calls: Sequence[ToolCall] = (), **facts: object) -> None:
        """Append a message; ``facts`` are further fields of `SessionMessage`.

        Raises:
            ValidationError: the role or a fact is not valid in a record.
        """
        message = {"role": role, "text": text, "tool_calls": tuple(calls), "at": self.at}
        self.messages.append(SessionMessage.model_validate(message | facts))

    def add_spoken(
        self, role: str, text: str, *, calls: Sequence[ToolCall] = (), **facts: object
    ) -> None:
        """Append a message as `add` does, unless it has neither a text nor calls."""
        if text.strip() or calls:
            self.add(role, text, calls=calls, **facts)

    def read_call(self, fields: Fields, arguments: str, call_id: str = "id") -> ToolCall:
        """Return the call in an object that has a name, and a field ``arguments``.

        Raises:
            UnknownShapeError: the name is not a text.
        """
        return self.call(require_text(fields, "name"), fields.get(arguments), fields.get(call_id))

    def call(self, name: str, arguments: object, call_id: object = None) -> ToolCall:
        """Return a call of a tool, and record it as open; a call without an id gets one."""
        if not isinstance(call_id, str) or not call_id:
            self._calls_named += 1
            call_id = f"call-{self._calls_named}"
        call = ToolCall(id=call_id, name=name, arguments=format_arguments(arguments))
        self._open_calls[call_id] = call
        return call

    def add_result(self, text: str, *, call_id: object = None, name: object = None) -> None:
        """Append the result of a tool.

        A result without an id answers the first open call of its name, or else the first open call.
        """
        if not isinstance(call_id, str) or not call_id:
            waiting = (call.id for call in self._open_calls.values() if call.name == name)
            call_id = next(waiting, next(iter(self._open_calls), None))
        self._open_calls.pop(call_id or "", None)
        self.add("tool", text, tool_call_id=call_id)

    def waits_for(self, call_id: object) -> bool:
        """Return whether the call with this id is open; without an id, whether any call is."""
        if isinstance(call_id, str) and call_id:
            return call_id in self._open_calls
        return bool(self._open_calls)

    def read_content(self, content: object, *, read: Collection[str] = ()) -> str:
        """Return the text of a content, with a mark for each part that is not kept.

        Calls and results of tools are counted as left out, except for the types in ``read``, which
        the caller makes messages of.

        Raises:
            UnknownShapeError: the content is neither a text nor parts.
        """
        for part in list_objects(as_items(content) or [content]):
            kind = get_text(part, "type")
            self.leave_out(kind.replace("_", " "), int(kind in _TOOL_PARTS and kind not in read))
        return self.read_text(content)

    def read_text(self, content: object) -> str:
        """Do the same as `read_content`, but count no calls and results of tools.

        The content is a text, nothing, a part, or a list of parts.

        Raises:
            UnknownShapeError: the content is something else.
        """
        if content is None or isinstance(content, str):
            return content or ""
        if not isinstance(content, dict | list):
            raise UnknownShapeError("content is neither a text nor a list of parts")
        parts = cast("list[object]", content if isinstance(content, list) else [content])
        texts = map(self._read_part_text, parts)
        return "\n".join(text for text in texts if text is not None)

    def _read_part_text(self, part: object) -> str | None:
        if isinstance(part, str):
            return part
        fields = cast("Fields", part if isinstance(part, dict) else {"type": "unknown part"})
        if fields and "type" not in fields and "text" not in fields:
            return json.dumps(fields, ensure_ascii=False)
        kind = str(fields.get("type", "text"))
        text: object = None
        if kind not in _NAMES and kind not in _REASONING and kind not in _TOOL_PARTS:
            # Unknown kinds may have a text, too.
            text = fields.get("refusal" if kind == "refusal" else "text")
            if isinstance(text, dict):
                text = cast("Fields", text).get("value")
            if text is None and kind in {"text", "input_text", "output_text", "refusal"}:
                text = ""
        if isinstance(text, str) or kind in _TOOL_PARTS:
            return text if isinstance(text, str) else None
        if kind in _REASONING or kind.endswith("_tool_result"):
            self.left_out["reasoning" if kind in _REASONING else "server tool result"] += 1
            return None
        if kind in {"server_tool_use", "mcp_tool_use"}:
            self.left_out["server tool call"] += 1
            values: object = fields.get("input", fields.get("arguments"))
            query = as_fields(values).get("query", values)
            words = query if isinstance(query, str) else json.dumps(values, ensure_ascii=False)
            return format_call_mark(str(fields.get("name", "tool")), words)
        name = _NAMES.get(kind) or _shorten_kind(kind)
        self.left_out[name] += 1
        return f"[{name}]"

    def read_each(
        self, items: Iterable[object], noun: str, read: Callable[[Fields, "Draft"], object]
    ) -> None:
        """Call ``read`` with each object of a list, and this draft.

        Raises:
            UnknownShapeError: an item is no object, or ``read`` raised it; the reason has its
                number.
        """
        for number, item in enumerate(items, 1):
            with source_file.locate_errors(f"{noun} {number}"):
                read(require_object(item, "it"), self)

    def catch_problems(self, location: str) -> AbstractContextManager[None]:
        """Turn an error in the block, which reads a part, into a problem at ``location``."""
        return source_file.catch_problems(self.problems.append, location)

    def leave_out(self, kind: str, number: int = 1) -> None:
        """Count parts that are not kept."""
        if number <= 0:
            return
        name = _shorten_kind(kind)
        if name not in self.left_out and len(self.left_out) >= _MOST_KINDS:
            name = _OTHER_KIND
        self.left_out[name] += number

    def mark(self, kind: str) -> str:
        """Count a part as left out, and return its mark for the text."""
        self.leave_out(kind)
        return f"[{kind}]"

    def mark_file(self, name: str | None, *, is_image: bool = False) -> str:
        """Do the same as `mark` for a file, whose mark has its name, or for a picture."""
        mark = self.mark("image" if is_image else "file")
        return mark if is_image else format_file_mark(name)

    def leave_out_fields(self, known_names: Iterable[str], *objects: Fields) -> None:
        """Count the fields of objects that have a value and are not in ``known_names``, by name.

        An object that is given twice is counted once.
        """
        field_names = frozenset(known_names)
        for fields in {id(each): each for each in objects}.values():
            for name in fields:
                if name not in field_names and fields[name] not in (None, "", [], {}, False):
                    self.leave_out(name)

    def take_back(self, begin: int) -> None:
        """Remove the messages from this index on, and count them."""
        self.leave_out("message taken back", len(self.messages) - begin)
        del self.messages[begin:]

    def mark_last_answer(
        self,
        *,
        model: str | None = None,
        tokens: Tokens | None = None,
        at: datetime | None = None,
    ) -> None:
        """Give the last answer the facts that a source has once for its whole record.

        An answer before the last request is not changed.
        """
        self.model = model or self.model
        for index in range(len(self.messages) - 1, -1, -1):
            message = self.messages[index]
            if message.role == "user":
                return
            if message.role == "assistant":
                facts = {
                    "model": message.model or model,
                    "tokens": message.tokens or tokens,
                    "at": message.at or at,
                }
                self.messages[index] = message.model_copy(update=facts)
                return


def format_value(value: object) -> str:
    """Return a text as it is, and any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def format_arguments(arguments: object) -> str:
    """Return the arguments of a call as the JSON text for a session."""
    return format_value({} if arguments is None else arguments)


def as_unique_name(value: object) -> str | None:
    """Return a name if it is long enough to be unique; None for short names, such as numbers."""
    long_enough = 16
    return value if isinstance(value, str) and len(value.strip()) >= long_enough else None


def find_folder_name(path: object) -> str | None:
    """Return the last name of a path, also of Windows; None if ``path`` is not a path."""
    if not isinstance(path, str):
        return None
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1] or None


def trace_branch(parents: Mapping[_Id, _Id | None], leaf: _Id) -> tuple[list[_Id], _Id | None]:
    """Return the ids from the root to ``leaf``, and the id of a parent that is missing, or None.

    In a circle of parents, each id is returned once.
    """
    branch: list[_Id] = []
    seen: set[_Id] = set()
    node: _Id | None = leaf
    while node is not None and node in parents and node not in seen:
        branch.append(node)
        seen.add(node)
        node = parents[node]
    missing = None if node is None or node in parents else node
    return branch[::-1], missing


def format_file_mark(name: str | None) -> str:
    """Return the mark of a file in a text."""
    return f"[file: {name}]" if name else "[file]"


def format_call_mark(name: str, query: str) -> str:
    """Return the mark of a call of a server's tool, such as ``[web search: weather in Rome]``."""
    return f"[{make_one_line(name, 60).replace('_', ' ')}: {make_one_line(query, _LONGEST)}]"


def _shorten_kind(kind: str) -> str:
    """Return the name of a kind for counts: one short line of visible characters."""
    return make_one_line(kind, _LONGEST_KIND) or "unknown"


def compile_block_opening(tags: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of the opening tags with these names, with or without attributes."""
    names = "|".join(re.escape(tag) for tag in tags)
    return re.compile(rf"<({names})(?:\s[^<>]*)?>")


def split_blocks(text: str, opening: str, closing: str) -> tuple[list[str], str]:
    """Return the texts inside of complete blocks of a text, and the text outside of them."""
    inside: list[str] = []
    outside: list[str] = []
    before, opened, after = text.partition(opening)
    while opened and closing in after:
        block, _, after = after.partition(closing)
        inside.append(block)
        outside.append(before)
        before, opened, after = after.partition(opening)
    return inside, "".join([*outside, before, opened, after])


def is_made_of_blocks(text: str, opening: re.Pattern[str]) -> bool:
    """Return whether a text has only blocks with an opening and a closing tag, and blanks.

    A text with any word outside of the blocks may quote them, and is not made of blocks.
    """
    stripped = text.strip()
    offset = 0
    while offset < len(stripped):
        begin = opening.match(stripped, offset)
        if begin is None:
            return False
        closing = f"</{begin[1]}>"
        end = stripped.find(closing, begin.end())
        if end < 0:
            return False
        blanks = _BLANKS.match(stripped, end + len(closing))
        offset = blanks.end() if blanks else len(stripped)
    return bool(stripped)


class Adapter(Protocol):
    """A module that reads the files of one program."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        """The name for `--format` and for records of sessions."""
        ...

    def recognises(self, source: source_file.SourceFile) -> bool:
        """Return whether the parsed records have the shape that the adapter reads."""
        ...

    def read(self, source: source_file.SourceFile) -> Iterator[Draft]:
        """Yield each session of a file, and report each part that could not be read."""
        ...


def build_session(draft: Draft, source: source_file.SourceFile, importer: str) -> Session:
    """Return the record of a session.

    Raises:
        ValidationError: the value of a field is not valid in a record.
    """
    messages = draft.messages
    moments = [message.at for message in messages if message.at is not None]
    models = [message.model for message in messages if message.model]
    usages = [message.tokens for message in messages if message.tokens is not None]
    cost = sum_known(message.cost_usd for message in messages)
    users = (message.text for message in messages if message.role == "user")
    first_request = next((text for text in users if text.strip()), "")
    known_as = draft.identity or f"{source.digest}/{draft.place}"
    session = Session(
        schema_version=1,
        id=draft.session_id or make_imported_session_id(importer, known_as),
        title=shorten_title(draft.title or first_request or source.path.stem),
        source=FromFile(
            kind="file",
            importer=importer,
            name=source.path.name,
            digest=source.digest,
            part=draft.part,
            epoch=draft.epoch,
            identity=draft.identity,
            forked_from=draft.forked_from,
        ),
        model=models[-1] if models else draft.model,
        project=draft.project,
        created_at=draft.created_at or min(moments, default=None),
        updated_at=draft.updated_at or max(moments, default=None),
        messages=tuple(messages),
        totals=SessionTotals(
            tokens=draft.tokens or sum_tokens(usages),
            cost_usd=cost if draft.cost_usd is None else draft.cost_usd,
            duration_s=sum_known(message.duration_s for message in messages),
        ),
        left_out=draft.left_out,
    )
    return Session.model_validate(dict(session) | dict(draft.labels)) if draft.labels else session


def make_imported_session_id(importer: str, known_as: str) -> str:
    """Return the id of a session, made of its importer and the name ``known_as``."""
    text = f"{importer}/{known_as}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def shorten_title(text: str) -> str:
    """Return a text as a title: one line of at most `_LONGEST_TITLE` characters."""
    return " ".join(text.split())[:_LONGEST_TITLE].rstrip()
