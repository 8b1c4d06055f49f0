"""Draft of a conversation, to which an adapter adds messages, and counts of parts left out.

Each part of a source becomes text of a message, a count in ``left_out``, or a problem.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from records.foreign.fields import as_items, get_text, list_objects
from records.sessions.session import SessionMessage, ToolCall
from records.shapes.attempt import Tokens
from review.session_imports.common.parts import (
    FILE,
    IMAGE,
    TOOL_PARTS,
    format_file_mark,
    read_content_text,
    shorten_kind,
)
from review.session_imports.common.source_file import UNREADABLE, describe_error

_MOST_KINDS: Final = 50
"""Number of kinds that a draft counts by name; further kinds are counted as `_OTHER_KIND`."""
_OTHER_KIND: Final = "other"


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
        message = {"role": role, "text": text, "tool_calls": tuple(calls), **facts}
        self.messages.append(SessionMessage.model_validate(message))

    def call(self, name: str, arguments: object, call_id: object = None) -> ToolCall:
        """Return a call of a tool, and record it as open; a call without an id gets one."""
        if not isinstance(call_id, str) or not call_id:
            self._calls_named += 1
            call_id = f"call-{self._calls_named}"
        call = ToolCall(id=call_id, name=name, arguments=format_arguments(arguments))
        self._open_calls[call_id] = call
        return call

    def add_result(
        self, text: str, *, call_id: object = None, name: object = None, at: datetime | None = None
    ) -> None:
        """Append the result of a tool.

        A result without an id answers the first open call of its name, or else the first open call.
        """
        if not isinstance(call_id, str) or not call_id:
            waiting = (call.id for call in self._open_calls.values() if call.name == name)
            call_id = next(waiting, next(iter(self._open_calls), None))
        self._open_calls.pop(call_id or "", None)
        self.add("tool", text, tool_call_id=call_id, at=at)

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
            self.leave_out(kind.replace("_", " "), int(kind in TOOL_PARTS and kind not in read))
        return read_content_text(content, self.left_out)

    @contextmanager
    def catch_problems(self, location: str) -> Generator[None]:
        """Turn an error in the block, which reads a part, into a problem at ``location``."""
        try:
            yield
        except UNREADABLE as error:
            self.problems.append(f"{location}: {describe_error(error)}")

    def leave_out(self, kind: str, number: int = 1) -> None:
        """Count parts that are not kept."""
        if number <= 0:
            return
        name = shorten_kind(kind)
        if name not in self.left_out and len(self.left_out) >= _MOST_KINDS:
            name = _OTHER_KIND
        self.left_out[name] += number

    def mark_file(self, name: str | None, *, is_image: bool = False) -> str:
        """Count a file or a picture as left out, and return its mark for the text."""
        self.leave_out(IMAGE if is_image else FILE)
        return f"[{IMAGE}]" if is_image else format_file_mark(name)

    def leave_out_fields(self, known_names: Iterable[str], *objects: Mapping[str, Any]) -> None:
        """Count the fields of objects that have a value and are not in ``known_names``, by name.

        An object that is given twice is counted once.
        """
        for fields in {id(each): each for each in objects}.values():
            for name in fields.keys() - set(known_names):
                if fields[name] not in (None, "", [], {}, False):
                    self.leave_out(name)

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


def format_arguments(arguments: object) -> str:
    """Return the arguments of a call as the JSON text for a session."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps({} if arguments is None else arguments, ensure_ascii=False)


def as_unique_name(value: object) -> str | None:
    """Return a name if it is long enough to be unique; None for short names, such as numbers."""
    long_enough: Final = 16
    return value if isinstance(value, str) and len(value.strip()) >= long_enough else None


def find_folder_name(path: object) -> str | None:
    """Return the last name of a path, also of Windows; None if ``path`` is not a path."""
    if not isinstance(path, str):
        return None
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1] or None
