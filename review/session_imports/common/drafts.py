"""A conversation as an adapter gathers it: messages, and counts of the parts that it leaves out.

Every part of a source ends as text of a message, as a number in ``left_out``, or as a problem.
"""

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from records.sessions.session import SessionMessage, ToolCall
from records.shapes.attempt import Tokens
from review.session_imports.common.loose_fields import arguments_text, as_items, kind_name, word_at
from review.session_imports.common.parts import FILE, IMAGE, TOOL_PARTS, file_mark, text_of_content
from review.session_imports.common.reading import UNREADABLE, objects_in, reason_of

Role = Literal["system", "user", "assistant", "tool", "program"]

_MOST_KINDS: Final = 50
"""Kinds that a conversation counts by name; further kinds are counted as `_OTHER_KIND`."""
_OTHER_KIND: Final = "other"


@dataclass
class Draft:
    """The conversation so far."""

    identity: str | None = None
    """The name that the source gives the session, the same in each of its files."""
    part: str | None = None
    """The name that the file gives this part of it, where others may use the same name."""
    session_id: str | None = None
    """The id of a session of this program that the record is an export of."""
    labels: Mapping[str, object] = field(default_factory=dict[str, object])
    """Labels that the record has, by the names of the fields of `Session`."""
    title: str | None = None
    project: str | None = None
    model: str | None = None
    created_at: datetime | None = None
    tokens: Tokens | None = None
    """The usage of the whole conversation; None where it is the sum over the messages."""
    may_be_empty: bool = False
    """The source keeps conversations in which nobody spoke so far."""
    messages: list[SessionMessage] = field(default_factory=list[SessionMessage])
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Parts that are not kept, by kind."""
    problems: list[str] = field(default_factory=list[str])
    """Damaged parts, each with its place and the reason."""
    _open_calls: dict[str, ToolCall] = field(default_factory=dict[str, ToolCall])
    """Calls without a result so far, by id and in order."""
    _calls_named: int = 0

    def add(  # noqa: PLR0913 - the fields of a message
        self,
        role: Role,
        text: str,
        *,
        calls: Sequence[ToolCall] = (),
        call_id: str | None = None,
        at: datetime | None = None,
        model: str | None = None,
        tokens: Tokens | None = None,
    ) -> None:
        """Append a message."""
        self.messages.append(
            SessionMessage(
                role=role,
                text=text,
                tool_calls=tuple(calls),
                tool_call_id=call_id,
                at=at,
                model=model,
                tokens=tokens,
            )
        )

    def call(self, name: str, arguments: object, call_id: object = None) -> ToolCall:
        """Return a call of a tool, which waits for its result; without an id it gets a number."""
        if not isinstance(call_id, str) or not call_id:
            self._calls_named += 1
            call_id = f"call-{self._calls_named}"
        call = ToolCall(id=call_id, name=name, arguments=arguments_text(arguments))
        self._open_calls[call_id] = call
        return call

    def add_result(
        self, text: str, *, call_id: object = None, name: object = None, at: datetime | None = None
    ) -> None:
        """Append the result of a tool.

        A result without an id answers the first open call of its name, else the first open call.
        """
        if not isinstance(call_id, str) or not call_id:
            waiting = (call.id for call in self._open_calls.values() if call.name == name)
            call_id = next(waiting, next(iter(self._open_calls), None))
        self._open_calls.pop(call_id or "", None)
        self.add("tool", text, call_id=call_id, at=at)

    def waits_for(self, call_id: object) -> bool:
        """Return whether a call of this id has no result so far; any call, where there is no id."""
        if isinstance(call_id, str) and call_id:
            return call_id in self._open_calls
        return bool(self._open_calls)

    def text_of(self, content: object, *, read: Collection[str] = ()) -> str:
        """Return the text of a content, in which parts that are not kept are marked.

        Calls and results of tools among its parts are counted, but for those types that its reader
        takes as messages.

        Raises:
            UnknownShapeError: it is neither a text nor parts.
        """
        for part in objects_in(as_items(content) or [content]):
            kind = word_at(part, "type")
            self.leave_out(kind.replace("_", " "), int(kind in TOOL_PARTS and kind not in read))
        return text_of_content(content, self.left_out)

    @contextmanager
    def problems_at(self, place: str) -> Generator[None]:
        """Make an error of the reader of a part a problem with the name of its place."""
        try:
            yield
        except UNREADABLE as error:
            self.problems.append(f"{place}: {reason_of(error)}")

    def leave_out(self, kind: str, number: int = 1) -> None:
        """Count parts that are not kept."""
        if number <= 0:
            return
        name = kind_name(kind)
        if name not in self.left_out and len(self.left_out) >= _MOST_KINDS:
            name = _OTHER_KIND
        self.left_out[name] += number

    def mark_file(self, name: str | None, *, is_image: bool = False) -> str:
        """Count a file or a picture that is not kept, and return the mark in its place."""
        self.leave_out(IMAGE if is_image else FILE)
        return f"[{IMAGE}]" if is_image else file_mark(name)

    def leave_out_fields(self, fields: Mapping[str, Any], known: Iterable[str]) -> None:
        """Count the fields of an object that no reader knows, each by its name.

        Empty fields are not counted.
        """
        for name in fields.keys() - set(known):
            if fields[name] not in (None, "", [], {}, False):
                self.leave_out(name)

    def mark_last_answer(
        self,
        *,
        model: str | None = None,
        tokens: Tokens | None = None,
        at: datetime | None = None,
    ) -> None:
        """Give the last answer the facts that a source states once for its whole record.

        An answer before the last request is none of them.
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
