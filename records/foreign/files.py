"""A file of another program: its bytes, its JSON within limits, and its fields with reasons."""

import codecs
import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from records.errors import InvalidRecordError
from records.files.json_limits import LARGEST_LINE
from records.files.problems import describe_first_problem
from records.foreign.fields import (
    Fields,
    UnknownShapeError,
    parse_json,
    parse_moment,
    require_list,
    require_object,
)
from records.shapes.base import LARGEST_AMOUNT, Record
from records.text.visible import READ, make_one_line

MOST_ROWS = 500_000
"""Rows of a file of results, and attempts that the files of one command make."""
BLANKS = b" \t\r\n"
"""The blanks that JSON allows between its parts."""

Clean = Callable[[str], str]
"""Takes secrets out of a text."""
AnyFacts = TypeVar("AnyFacts", bound=Record)


class ForeignFile:
    """A file that is imported. Nothing of it is parsed before it is used."""

    def __init__(self, path: Path, data: bytes, clean: Clean = str) -> None:
        """Take the bytes of the file, and the function that cleans its texts before a cut."""
        self.path = path
        self.data = data
        """The bytes of the file."""
        self.clean = clean

    @property
    def name(self) -> str:
        """The file's name for records, one visible line."""
        return make_one_line(self.path.name, 200) or "file"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def decoded(self) -> bytes:
        """The text of the file in UTF-8, without a byte order mark; it may have been UTF-16."""
        data = self.data
        if data.startswith(codecs.BOM_UTF8):
            return data[len(codecs.BOM_UTF8) :]
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return data.decode("utf-16", "replace").encode("utf-8", "replace")
        for order, zeros in (("utf-16-le", (1, 3)), ("utf-16-be", (0, 2))):
            if len(data) >= 4 and all(data[at] == 0 for at in zeros) and any(data[:4]):  # noqa: PLR2004 - two letters
                return data.decode(order, "replace").encode("utf-8", "replace")
        return data

    @cached_property
    def text(self) -> bytes:
        """The decoded text without blanks at the beginning."""
        return self.decoded.lstrip(BLANKS)

    def number_lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield each line that is not blank with its number, as an editor numbers lines.

        No line is copied before its turn.
        """
        text, begin = self.text, 0
        number = 1 + self.decoded.count(b"\n", 0, len(self.decoded) - len(text))
        while begin < len(text):
            end = text.find(b"\n", begin)
            end = len(text) if end < 0 else end
            line = text[begin:end]
            if line.strip(BLANKS):
                yield number, line
            begin, number = end + 1, number + 1

    @cached_property
    def document(self) -> object:
        """The JSON value that the whole file is.

        Raises:
            InvalidRecordError: it is none, or holds too much.
        """
        return self.parse(self.decoded, "")

    @cached_property
    def fields(self) -> Fields:
        """The fields of the JSON object that the whole file is; none if it is no such object."""
        try:
            return self.root.fields if self.text[:1] == b"{" else {}
        except InvalidRecordError:
            return {}

    @cached_property
    def first_line(self) -> Fields:
        """The object on the first line of JSON Lines; none if there is no such object."""
        line = self.text.partition(b"\n")[0]
        try:
            return self.parse_part(line, "line 1").fields if line[:1] == b"{" else {}
        except InvalidRecordError:
            return {}

    @property
    def root(self) -> "FilePart":
        """The JSON object that the whole file is.

        Raises:
            InvalidRecordError: it is no JSON, no object, or holds too much.
        """
        return self.require_object(self.document, "")

    def read_lines(self) -> "Iterator[FilePart]":
        """Yield the object of each line of JSON Lines.

        Raises:
            InvalidRecordError: a line is no JSON object, or too long, or there are too many.
        """
        for rows, (number, line) in enumerate(self.number_lines(), 1):
            location = f"line {number}"
            self.check_row(rows, location)
            with self.refuse_unknown():
                fields = parse_line(line, location)
            yield FilePart(self, location, fields)

    def check_row(self, number: int, location: str) -> None:
        """Refuse the file if the row with this number is one too many."""
        if number > MOST_ROWS:
            raise self.make_error(location, f"more than {MOST_ROWS} rows")

    def check_json(self) -> None:
        """Refuse a file that begins like JSON, but is none, and has no object on its first line."""
        if self.text[:1] in {b"{", b"["} and not self.fields and not self.first_line:
            self.document  # noqa: B018 - raises the reason

    def parse(self, data: bytes, location: str) -> object:
        """Return a JSON value.

        Raises:
            InvalidRecordError: the bytes are no JSON, or hold too much.
        """
        with self.refuse_unknown():
            return parse_json(data, location)

    def parse_part(self, data: bytes, location: str) -> "FilePart":
        """Return a JSON object, or refuse the file."""
        return self.require_object(self.parse(data, location), location)

    def make_error(self, location: str, reason: str) -> InvalidRecordError:
        """Return the error that refuses the file because of one of its parts."""
        return InvalidRecordError(
            self.path, make_one_line(location, 300), make_one_line(reason, 600)
        )

    @contextmanager
    def refuse_unknown(self) -> Generator[None]:
        """Refuse the file if the block finds a value of an unknown shape."""
        try:
            yield
        except UnknownShapeError as error:
            raise self.make_error(error.place, error.reason) from error

    def validate_facts(self, shape: type[AnyFacts], location: str, /, **facts: Any) -> AnyFacts:  # noqa: ANN401 - checked by the shape
        """Return facts in their shape, or refuse the file."""
        try:
            return shape(**facts)
        except ValidationError as error:
            raise InvalidRecordError(self.path, location, describe_first_problem(error)) from error

    def shorten(self, text: object, longest: int) -> str | None:
        """Return a text as one visible line; None if there is nothing to be seen in it.

        Secrets are taken out before the text is cut: nothing recognises the half of a secret.
        """
        if not isinstance(text, str):
            return None
        beginning = text.strip()[: READ * longest + 1]
        return make_one_line(self.clean(beginning), longest) or None

    def require_object(self, value: object, location: str) -> "FilePart":
        """Return a value as an object, or refuse the file."""
        with self.refuse_unknown():
            return FilePart(self, location, require_object(value, location))

    def require_list(self, value: object, location: str) -> list[object]:
        """Return a value as a list, or refuse the file."""
        with self.refuse_unknown():
            return require_list(value, location)


@dataclass(frozen=True, slots=True)
class FilePart:
    """A JSON object in a file, with its place for messages."""

    file: ForeignFile
    place: str
    fields: Fields

    def get(self, name: str) -> Any:  # noqa: ANN401 - of another program
        """Return a field's value; None if it is missing."""
        return self.fields.get(name)

    def get_part(self, name: str) -> "FilePart":
        """Return a field's object, or refuse the file; without fields if the field is empty."""
        return self.file.require_object(self.get(name) or {}, self.name_place(name))

    def require_part(self, name: str) -> "FilePart":
        """Return a field's object, or refuse the file."""
        return self.file.require_object(self.get(name), self.name_place(name))

    def require_list(self, name: str) -> list[object]:
        """Return a field's list, or refuse the file."""
        return self.file.require_list(self.get(name), self.name_place(name))

    def list_parts(self, name: str) -> "Iterator[FilePart]":
        """Yield each object in a field's list, or refuse the file."""
        for number, item in enumerate(self.require_list(name)):
            yield self.file.require_object(item, f"{self.name_place(name)}.{number}")

    def get_text(self, name: str) -> str:
        """Return a field's text, or refuse the file."""
        value = self.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self.make_error(name, "is no text")
        return value

    def get_line(self, name: str, longest: int) -> str | None:
        """Return a field's text as `ForeignFile.shorten` does."""
        return self.file.shorten(self.get(name), longest)

    def get_number(self, name: str) -> float | None:
        """Return a field's number from 0 on; None if it is missing or null."""
        value = self.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error(name, "is no number")
        if not 0 <= value <= LARGEST_AMOUNT:
            raise self.make_error(name, f"is no number from 0 to {LARGEST_AMOUNT:.0f}")
        return value

    def get_count(self, name: str) -> int | None:
        """Return a field's whole number from 0 on; None if it is missing or null."""
        value = self.get_number(name)
        if value is None or value == int(value):
            return None if value is None else int(value)
        raise self.make_error(name, "is no whole number")

    def get_moment(self, name: str) -> datetime | None:
        """Return a field's moment, or refuse the file; None if the field is empty."""
        value = self.get(name)
        if value is None or value == "":
            return None
        if (moment := parse_moment(value)) is None:
            raise self.make_error(name, "is no time in ISO 8601, and none since 1970")
        return moment

    def select_fields(self, names: Iterable[str]) -> Fields:
        """Return the fields of these names that are not null."""
        return {name: self.get(name) for name in names if self.get(name) is not None}

    def name_place(self, name: str) -> str:
        """Return the place of a field for messages."""
        return f"{self.place}.{name}" if self.place else name

    def make_error(self, name: str, reason: str) -> InvalidRecordError:
        """Return the error that refuses the file because of a field."""
        return self.file.make_error(self.name_place(name), reason)


def parse_line(line: bytes, place: str = "") -> Fields:
    """Return the object on a line of JSON Lines.

    Raises:
        UnknownShapeError: the line is no JSON object, or holds too much.
    """
    if len(line) > LARGEST_LINE:
        raise UnknownShapeError(f"is longer than {LARGEST_LINE} bytes", place)
    return require_object(parse_json(line, place), place)
