"""The reader of server-sent events, by the rules of the HTML standard."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from runner.errors import ReplyTooLargeError

LARGEST_EVENT: Final = 32 * 1024 * 1024
"""The most bytes of one event, or of a reply that was not streamed."""

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event with data."""

    name: str
    """The name; empty if the event has none."""
    data: str


class EventReader:
    """Turns the bytes of a stream into events, by the rules of the HTML standard."""

    def __init__(self) -> None:
        """Begin a stream."""
        self._held: list[bytes] = []
        self._size = 0
        self._first = True
        self._half_ended = False
        self._name = ""
        self._data: list[str] = []

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yield the events that ``data``, the next bytes, completes.

        Raises:
            ReplyTooLargeError: an event is larger than the limit.
        """
        if self._half_ended and data.startswith(b"\n"):
            data = data[1:]  # the second half of a line end that came in two pieces
        if data:
            self._half_ended = data.endswith(b"\r")
        *lines, partial_line = _LINE_END.split(data)
        for line in lines:
            self._hold(line)
            whole = b"".join(self._held)
            self._held.clear()
            yield from self._take(whole)
        self._hold(partial_line)

    def _hold(self, part: bytes) -> None:
        self._held.append(part)
        self._size += len(part)
        if self._size > LARGEST_EVENT:
            raise ReplyTooLargeError(f"one event of the reply has more than {LARGEST_EVENT} bytes")

    def _take(self, line: bytes) -> Iterator[Event]:
        if self._first:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            self._first = False
        if not line:
            data = "\n".join(self._data)
            if data.strip():
                yield Event(self._name, data)
            self._name, self._data, self._size = "", [], 0
            return
        field, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        if field == b"data":
            self._data.append(text)
        elif field == b"event":
            self._name = text
        else:
            self._size -= len(line)  # a comment or an unused field, which is dropped
