"""A file of another tool: its bytes, its JSON within limits, and its fields with reasons."""

import codecs
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from pydantic import ValidationError

from records.errors import InvalidRecordError
from records.files.json_limits import MOST_ITEMS, find_excess
from records.files.json_lines import LARGEST_LINE, TextBody, number_lines, strip_beginning
from records.files.problems import describe_first_problem
from records.reader import read_bytes
from records.shapes.base import LARGEST_AMOUNT, Record, replace_surrogates
from records.text.visible import READ, make_one_line

MOST_RESULTS: Final = 500_000
"""Rows of a file, and attempts that the files of one command make."""
_MILLISECONDS: Final = 1e11
"""A larger number since 1970 counts milliseconds: as seconds it would be the year 5138."""
_FIRST_SECOND: Final = 1e8
"""A smaller number since 1970, before 1973, is no time of a run, but a date such as 20261127."""
_SINCE_1970: Final = re.compile(r"[0-9]{9,30}(?:\.[0-9]{0,30})?")
_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
"""The escape of a half of a surrogate pair in JSON."""

Clean = Callable[[str], str]
"""Takes secrets out of a text."""

AnyFacts = TypeVar("AnyFacts", bound=Record)

Fields = Mapping[str, Any]
"""A JSON object of a strange program."""


@dataclass(frozen=True, eq=False)
class ResultFile:
    """A file that is imported."""

    path: Path
    data: bytes
    clean: Clean

    @property
    def name(self) -> str:
        """The file's name for records, one visible line."""
        return make_one_line(self.path.name, 200) or "file"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def utf8(self) -> bytes:
        """The bytes without a byte order mark; UTF-16 with such a mark as UTF-8."""
        if self.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return self.data.decode("utf-16", "replace").encode("utf-8", "replace")
        return self.data.removeprefix(codecs.BOM_UTF8)

    @cached_property
    def document(self) -> object:
        """The JSON value that the whole file is.

        Raises:
            InvalidRecordError: it is none, or holds too much.
        """
        return self.parse(self.utf8, "")

    @cached_property
    def fields(self) -> Fields:
        """The fields of the JSON object that the whole file is; none if it is no such object."""
        try:
            return self.root.fields if self.body.text[:1] == b"{" else {}
        except InvalidRecordError:
            return {}

    @cached_property
    def body(self) -> TextBody:
        """The bytes without a byte order mark and without blanks at the beginning."""
        return strip_beginning(self.utf8)

    @cached_property
    def first_line(self) -> Fields:
        """The object on the first line of JSON Lines; none if there is no such object."""
        line = self.body.text.partition(b"\n")[0]
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
        for rows, (number, line) in enumerate(number_lines(self.body), 1):
            location = f"line {number}"
            self.check_row(rows, location)
            yield self.parse_part(line, location)

    def check_row(self, number: int, location: str) -> None:
        """Refuse the file if the row with this number is one too many."""
        if number > MOST_RESULTS:
            raise self.make_error(location, f"more than {MOST_RESULTS} rows")

    def check_json(self) -> None:
        """Refuse a file that begins like JSON, but is none, and has no object on its first line."""
        if self.body.text[:1] in {b"{", b"["} and not self.fields and not self.first_line:
            self.document  # noqa: B018 - raises the reason

    def parse(self, data: bytes, location: str) -> object:
        """Return a JSON value.

        Raises:
            InvalidRecordError: the bytes are no JSON, or hold too much.
        """
        if location.startswith("line") and len(data) > LARGEST_LINE:
            raise self.make_error(location, f"is longer than {LARGEST_LINE} bytes")
        if excess := find_excess(data, MOST_ITEMS):
            raise self.make_error(location, excess)
        try:
            value = json.loads(data.decode("utf-8", "strict"))
        except (ValueError, RecursionError) as error:
            raise InvalidRecordError(self.path, location, f"is not JSON: {error}") from error
        return _without_surrogates(value) if _SURROGATE.search(data) else value

    def parse_part(self, data: bytes, location: str) -> "FilePart":
        """Return a JSON object, or refuse the file."""
        return self.require_object(self.parse(data, location), location)

    def make_error(self, location: str, reason: str) -> InvalidRecordError:
        """Return the error that refuses the file because of one of its parts."""
        return InvalidRecordError(
            self.path, make_one_line(location, 300), make_one_line(reason, 600)
        )

    def validate_facts(self, shape: type[AnyFacts], location: str, /, **facts: Any) -> AnyFacts:  # noqa: ANN401 - checked by the shape
        """Return facts in their shape, or refuse the file."""
        try:
            return shape(**facts)
        except ValidationError as error:
            raise InvalidRecordError(self.path, location, describe_first_problem(error)) from error

    def shorten(self, text: object, longest: int) -> str | None:
        """Return a strange text as one visible line; None if there is nothing to be seen in it.

        Secrets are taken out before the text is cut: nothing recognises the half of a secret.
        """
        if not isinstance(text, str):
            return None
        beginning = text.strip()[: READ * longest + 1]
        return make_one_line(self.clean(beginning), longest) or None

    def require_object(self, value: object, location: str) -> "FilePart":
        """Return a value as an object, or refuse the file."""
        if not isinstance(value, dict):
            raise self.make_error(location, "is no JSON object")
        return FilePart(self, location, cast("Fields", value))

    def require_list(self, value: object, location: str) -> list[object]:
        """Return a value as a list, or refuse the file."""
        if not isinstance(value, list):
            raise self.make_error(location, "is no list")
        return cast("list[object]", value)

    def parse_moment(self, value: object, location: str) -> datetime | None:
        """Return a moment in ISO 8601 or since 1970; None for null and empty texts."""
        if value is None or value == "":
            return None
        try:
            if isinstance(value, str) and not _SINCE_1970.fullmatch(value):
                moment = datetime.fromisoformat(value)
                return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                return _convert_to_moment(float(value))
        except (ValueError, OverflowError, OSError):
            pass
        raise self.make_error(location, "is no time in ISO 8601, and none since 1970")


@dataclass(frozen=True, slots=True)
class FilePart:
    """A JSON object in a file, with its place for messages."""

    file: ResultFile
    place: str
    fields: Fields

    def get(self, name: str) -> Any:  # noqa: ANN401 - of a strange program
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
        """Return a field's text as `ResultFile.shorten` does."""
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

    def select_fields(self, names: Iterable[str]) -> Fields:
        """Return the fields of these names that are not null."""
        return {name: self.get(name) for name in names if self.get(name) is not None}

    def get_moment(self, name: str) -> datetime | None:
        """Return a field's moment, as `ResultFile.parse_moment` does."""
        return self.file.parse_moment(self.get(name), self.name_place(name))

    def name_place(self, name: str) -> str:
        """Return the place of a field for messages."""
        return f"{self.place}.{name}" if self.place else name

    def make_error(self, name: str, reason: str) -> InvalidRecordError:
        """Return the error that refuses the file because of a field."""
        return self.file.make_error(self.name_place(name), reason)


def read_result_file(path: Path, clean: Clean) -> ResultFile:
    """Read a file of another tool; its texts are cleaned before they are cut.

    Raises:
        MissingRecordError: there is no such file.
        InvalidRecordError: it is no plain file, or too large.
    """
    return ResultFile(path, read_bytes(path), clean)


def _convert_to_moment(number: float) -> datetime:
    """Return the moment that a number of seconds or milliseconds since 1970 names."""
    if number < _FIRST_SECOND:
        raise ValueError("no time of a run")
    return datetime.fromtimestamp(number / 1000 if number > _MILLISECONDS else number, UTC)


def _without_surrogates(value: object) -> object:
    """Return a JSON value with ``?`` for each half of a surrogate pair, which no file can hold."""
    if isinstance(value, list):
        return [_without_surrogates(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {
            str(replace_surrogates(name)): _without_surrogates(each)
            for name, each in fields.items()
        }
    return replace_surrogates(value)
