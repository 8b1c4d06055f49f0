"""A file of another program, decoded and parsed record by record for its adapter.

The records are the lines of JSONL, the items of a JSON array, or the only object of a JSON file. If
a record is a list of messages, it becomes an object with these messages. UTF-16, a byte order mark
and blank lines are accepted.
"""

import codecs
import hashlib
import json
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final, cast

from records.files.json_limits import MOST_ITEMS, find_excess
from records.files.json_lines import BLANKS, LARGEST_LINE, number_lines, strip_beginning
from review.session_imports.common.reading import (
    UNREADABLE,
    BadLine,
    UnknownShapeError,
    describe_error,
    list_objects,
)

HEAD: Final = 100
"""Number of the first records, by which the shape of a file is recognised."""
_BLANK_TEXT: Final = re.compile(r"[ \t\r\n]*")

Fields = Mapping[str, Any]
"""One record: a JSON object."""


class SourceFile:
    """A file that is imported."""

    def __init__(self, path: Path, data: bytes) -> None:
        """Take the bytes of the file; nothing is parsed yet."""
        self.path = path
        self.raw = data
        """The bytes of the file."""
        decoded = _decode(data)
        self._body = strip_beginning(decoded)
        self.data = self._body.text
        """The text of the file in UTF-8, without a byte order mark and blanks at the beginning."""
        self._problems: list[BadLine] = []

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the bytes of the file."""
        return hashlib.sha256(self.raw).hexdigest()

    @cached_property
    def head(self) -> list[Fields]:
        """The objects among the first 100 records."""
        records = (record for _, record in islice(self.parse_records(), HEAD))
        return [record for record in records if not isinstance(record, BadLine)]

    @property
    def is_one_object(self) -> bool:
        """Whether the whole file is one JSON object."""
        return isinstance(self._document, dict)

    @property
    def one_object(self) -> Fields:
        """The JSON object that the whole file is.

        Raises:
            UnknownShapeError: the file is not one JSON object.
        """
        document = self._document
        if not isinstance(document, dict):
            raise UnknownShapeError("is no JSON object")
        return cast("Fields", document)

    @cached_property
    def excess(self) -> str | None:
        """The limit of a JSON document that the file exceeds; None if it exceeds none."""
        return find_excess(self.data, MOST_ITEMS) if self._may_be_document else None

    def read_records(self) -> Iterator[tuple[int, Fields]]:
        """Yield each record with the number of its line or item, and report unreadable records."""
        for number, record in self.parse_records():
            if isinstance(record, BadLine):
                self.report(record)
            else:
                yield number, record

    def parse_records(self) -> Iterator[tuple[int, Fields | BadLine]]:
        """Yield each record, or its problem, with the number of its line or item."""
        document = self._document
        if document is None:
            yield from self._parse_lines()
        elif isinstance(document, list):
            for number, item in enumerate(cast("list[object]", document), 1):
                record = _read_record(item)
                if record is None:
                    yield number, BadLine(self.path, 0, f"item {number}: is no JSON object")
                else:
                    yield number, record
        else:
            yield self._body.blank_lines + 1, cast("Fields", document)

    def report(self, problem: BadLine) -> None:
        """Keep a problem until `take_problems`."""
        self._problems.append(problem)

    def report_problem(
        self, number: int, reason: str, *, wrong: bool = True, left_out: str | None = None
    ) -> None:
        """Report a problem of the record with this number, or of the whole file for 0."""
        if number and isinstance(self._document, list):
            number, reason = 0, f"item {number}: {reason}"
        self.report(BadLine(self.path, number, reason, wrong=wrong, left_out=left_out))

    def report_sub_agent(self, number: int, session: str | None) -> None:
        """Report that a sub-agent's transcript is left out; it belongs to ``session``."""
        owner = f"session {session}" if session else "another session"
        reason = f"left out: it is a sub-agent's part of {owner}"
        self.report_problem(number, reason, wrong=False, left_out="sub-agent transcript")

    @contextmanager
    def catch_problems(self, number: int, location: str = "") -> Generator[None]:
        """Report an error in the block, which reads the record of this number, or ``location``."""
        try:
            yield
        except UNREADABLE as error:
            reason = describe_error(error)
            self.report_problem(number, f"{location}: {reason}" if location else reason)

    def take_problems(self) -> Sequence[BadLine]:
        """Return the reported problems, and forget them."""
        problems, self._problems = self._problems, []
        return problems

    @cached_property
    def _may_be_document(self) -> bool:
        """Whether the file may be one JSON array or object, and not JSONL."""
        begin = self.data[:1]
        if begin == b"[":
            return True
        first, _, below = self.data.partition(b"\n")
        return begin == b"{" and (not below.strip(BLANKS) or not _is_object(first))

    @cached_property
    def _document(self) -> object:
        """The array or object that the whole file is; None if the file is JSONL.

        A sequence of objects over several lines each counts as an array.
        """
        if not self._may_be_document or self.excess:
            return None
        decoder, values, offset = json.JSONDecoder(), list[object](), 0
        try:
            text = self.data.decode().rstrip()
            while offset < len(text):
                value, end = decoder.raw_decode(text, offset)
                values.append(value)
                offset = cast("re.Match[str]", _BLANK_TEXT.match(text, end)).end()
        except (ValueError, RecursionError):
            return None
        return values if len(values) > 1 else values[0]

    def _parse_lines(self) -> Iterator[tuple[int, Fields | BadLine]]:
        for number, line in number_lines(self._body):
            yield number, self._parse_line(number, line)

    def _parse_line(self, number: int, line: bytes) -> Fields | BadLine:
        if len(line) > LARGEST_LINE:
            return BadLine(self.path, number, f"is longer than {LARGEST_LINE} bytes")
        if reason := find_excess(line, MOST_ITEMS):
            return BadLine(self.path, number, reason)
        try:
            value: object = json.loads(line)
        except (ValueError, RecursionError) as error:
            return BadLine(self.path, number, f"is not JSON: {error}")
        if not isinstance(value, dict):
            return BadLine(self.path, number, "is no JSON object")
        return cast("Fields", value)


def _read_record(item: object) -> Fields | None:
    """Return an item of an array as a record; None if it cannot be a record."""
    if isinstance(item, dict):
        return cast("Fields", item)
    messages = list_objects(item)
    is_chat = bool(messages) and all("role" in message for message in messages)
    return {"messages": item} if is_chat else None


def _decode(data: bytes) -> bytes:
    """Return UTF-16 as UTF-8, and other data without a byte order mark."""
    if data.startswith(codecs.BOM_UTF8):
        return data[len(codecs.BOM_UTF8) :]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    for order, zeros in (("utf-16-le", (1, 3)), ("utf-16-be", (0, 2))):
        if len(data) >= 4 and all(data[offset] == 0 for offset in zeros) and any(data[:4]):  # noqa: PLR2004 - two letters
            return data.decode(order, "replace").encode("utf-8", "replace")
    return data


def _is_object(line: bytes) -> bool:
    if len(line) > LARGEST_LINE:
        return line.rstrip(BLANKS).endswith(b"}")
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
