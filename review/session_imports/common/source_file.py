"""A file of another program, parsed record by record for its adapter, and the faults in it.

The records are the lines of JSONL, the items of a JSON array, or the only object of a JSON file. If
a record is a list of messages, it becomes an object with these messages. UTF-16, a byte order mark
and blank lines are accepted.
"""

import json
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, cast

from pydantic import ValidationError

from records.files.json_limits import LARGEST_LINE, MOST_ITEMS, find_excess
from records.files.problems import describe_first_problem
from records.foreign.fields import Fields, UnknownShapeError, list_objects
from records.foreign.files import BLANKS, ForeignFile, parse_line

HEAD = 100
"""Number of the first records, by which the shape of a file is recognised."""
_BLANK_TEXT = re.compile(r"[ \t\r\n]*")


class BadLine(NamedTuple):
    """A part of a file that was not read."""

    path: Path
    line: int
    """Number of the line, from 1; 0 for the whole file."""
    reason: str
    wrong: bool = True
    """True if the part is faulty; false if it is left out for another reason."""
    left_out: str | None = None
    """The kind of the part in counts of parts left out; None if it is not counted."""

    def __str__(self) -> str:
        location = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{location}: {self.reason}"


@contextmanager
def catch_problems(report: Callable[[str], object], location: str) -> Generator[None]:
    """Report why the part of a file cannot be read that the block reads, at ``location`` if any."""
    try:
        yield
    except (UnknownShapeError, ValidationError, RecursionError) as error:
        reason = str(error)
        if isinstance(error, ValidationError):
            reason = describe_first_problem(error)
        elif isinstance(error, RecursionError):
            reason = "is nested too deeply"
        report(f"{location}: {reason}" if location else reason)


@contextmanager
def locate_errors(location: str) -> Generator[None]:
    """Add ``location`` to the reason of an UnknownShapeError in the block.

    Raises:
        UnknownShapeError: the block raised it.
    """
    try:
        yield
    except UnknownShapeError as error:
        raise UnknownShapeError(f"{location}: {error}") from error


class SourceFile(ForeignFile):
    """A file that is imported."""

    def __init__(self, path: Path, data: bytes) -> None:
        """Take the bytes of the file; nothing is parsed yet."""
        super().__init__(path, data)
        self._problems: list[BadLine] = []

    @cached_property
    def head(self) -> list[Fields]:
        """The objects among the first 100 records."""
        records = (record for _, record in islice(self.parse_records(), HEAD))
        return [record for record in records if not isinstance(record, BadLine)]

    @cached_property
    def excess(self) -> str | None:
        """The limit of a JSON document that the file exceeds; None if it exceeds none."""
        return find_excess(self.text, MOST_ITEMS) if self._may_be_document else None

    def read_records(self) -> Iterator[tuple[int, Fields]]:
        """Yield each record with the number of its line or item, and report unreadable records."""
        for number, record in self.parse_records():
            if isinstance(record, BadLine):
                self.report(record)
            else:
                yield number, record

    def parse_records(self) -> Iterator[tuple[int, Fields | BadLine]]:
        """Yield each record, or its problem, with the number of its line or item."""
        document = self.document
        if document is None:
            for number, line in self.number_lines():
                try:
                    yield number, parse_line(line)
                except UnknownShapeError as error:
                    yield number, BadLine(self.path, number, str(error))
        elif isinstance(document, list):
            for number, item in enumerate(cast("list[object]", document), 1):
                messages = list_objects(item)
                if isinstance(item, dict):
                    yield number, cast("Fields", item)
                elif messages and all("role" in message for message in messages):
                    yield number, {"messages": item}
                else:
                    yield number, BadLine(self.path, 0, f"item {number}: is no JSON object")
        else:
            yield next(self.number_lines())[0], cast("Fields", document)

    def report(self, problem: BadLine) -> None:
        """Keep a problem until `take_problems`."""
        self._problems.append(problem)

    def report_problem(
        self, number: int, reason: str, *, wrong: bool = True, left_out: str | None = None
    ) -> None:
        """Report a problem of the record with this number, or of the whole file for 0."""
        if number and isinstance(self.document, list):
            number, reason = 0, f"item {number}: {reason}"
        self.report(BadLine(self.path, number, reason, wrong=wrong, left_out=left_out))

    def report_sub_agent(self, number: int, session: str | None) -> None:
        """Report that a sub-agent's transcript is left out; it belongs to ``session``."""
        owner = f"session {session}" if session else "another session"
        reason = f"left out: it is a sub-agent's part of {owner}"
        self.report_problem(number, reason, wrong=False, left_out="sub-agent transcript")

    def catch_problems(self, number: int, location: str = "") -> AbstractContextManager[None]:
        """Report an error in the block, which reads the record of this number, or ``location``."""
        return catch_problems(partial(self.report_problem, number), location)

    def take_problems(self) -> Sequence[BadLine]:
        """Return the reported problems, and forget them."""
        problems, self._problems = self._problems, []
        return problems

    @cached_property
    def _may_be_document(self) -> bool:
        """Whether the file may be one JSON array or object, and not JSONL."""
        begin = self.text[:1]
        if begin == b"[":
            return True
        first, _, below = self.text.partition(b"\n")
        return begin == b"{" and (not below.strip(BLANKS) or not _is_object(first))

    @cached_property
    def document(self) -> object:
        """The array or object that the whole file is; None if the file is JSONL.

        A sequence of objects over several lines each counts as an array.
        """
        if not self._may_be_document or self.excess:
            return None
        decoder, values, offset = json.JSONDecoder(), list[object](), 0
        try:
            text = self.text.decode().rstrip()
            while offset < len(text):
                value, end = decoder.raw_decode(text, offset)
                values.append(value)
                offset = cast("re.Match[str]", _BLANK_TEXT.match(text, end)).end()
        except (ValueError, RecursionError):
            return None
        return values if len(values) > 1 else values[0]


def _is_object(line: bytes) -> bool:
    if len(line) > LARGEST_LINE:
        return line.rstrip(BLANKS).endswith(b"}")
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
