"""A file of another tool: its bytes, its JSON within limits, and its fields with reasons."""

import codecs
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
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
    def document(self) -> object:
        """The JSON value that the whole file is.

        Raises:
            InvalidRecordError: it is none, or holds too much.
        """
        return self.parse(self.data, "")

    @cached_property
    def fields(self) -> Fields:
        """The fields of the JSON object that the whole file is; none if it is no such object."""
        if self.body.text[:1] != b"{":
            return {}
        try:
            return self.required_fields
        except InvalidRecordError:
            return {}

    @property
    def required_fields(self) -> Fields:
        """The fields of the JSON object that the whole file is.

        Raises:
            InvalidRecordError: it is no JSON, no object, or holds too much.
        """
        return self.require_object(self.document, "")

    @cached_property
    def body(self) -> TextBody:
        """The bytes without a byte order mark and without blanks at the beginning."""
        return strip_beginning(self.data.removeprefix(codecs.BOM_UTF8))

    @cached_property
    def first_line(self) -> Fields:
        """The object on the first line of JSON Lines; none if there is no such object."""
        line = self.body.text.partition(b"\n")[0]
        try:
            value = self.parse(line, "line 1") if line[:1] == b"{" else None
        except InvalidRecordError:
            return {}
        return cast("Fields", value) if isinstance(value, dict) else {}

    def read_lines(self) -> Iterator[tuple[str, Fields]]:
        """Yield the place and the object of each line of JSON Lines.

        Raises:
            InvalidRecordError: a line is no JSON object, or too long, or there are too many.
        """
        for rows, (number, line) in enumerate(number_lines(self.body), 1):
            place = f"line {number}"
            self.check_row(rows, place)
            yield place, self.require_object(self.parse(line, place), place)

    def check_row(self, number: int, place: str) -> None:
        """Refuse the file if the row with this number is one too many."""
        if number > MOST_RESULTS:
            raise self.make_error(place, f"more than {MOST_RESULTS} rows")

    def check_json(self) -> None:
        """Refuse a file that begins like JSON, but is none, and has no object on its first line."""
        if self.body.text[:1] in {b"{", b"["} and not self.fields and not self.first_line:
            self.document  # noqa: B018 - raises the reason

    def parse(self, data: bytes, place: str) -> object:
        """Return a JSON value.

        Raises:
            InvalidRecordError: the bytes are no JSON, or hold too much.
        """
        if place.startswith("line") and len(data) > LARGEST_LINE:
            raise self.make_error(place, f"is longer than {LARGEST_LINE} bytes")
        if excess := find_excess(data, MOST_ITEMS):
            raise self.make_error(place, excess)
        try:
            value = json.loads(data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "strict"))
        except (ValueError, RecursionError) as error:
            raise InvalidRecordError(self.path, place, f"is not JSON: {error}") from error
        return _without_surrogates(value) if _SURROGATE.search(data) else value

    def make_error(self, place: str, reason: str) -> InvalidRecordError:
        """Return the error that refuses the file because of one of its parts."""
        return InvalidRecordError(self.path, make_one_line(place, 300), make_one_line(reason, 600))

    def validate_facts(self, shape: type[AnyFacts], place: str, /, **facts: Any) -> AnyFacts:  # noqa: ANN401 - checked by the shape
        """Return facts in their shape, or refuse the file."""
        try:
            return shape(**facts)
        except ValidationError as error:
            raise InvalidRecordError(self.path, place, describe_first_problem(error)) from error

    def shorten(self, text: object, longest: int) -> str | None:
        """Return a strange text as one visible line; None if there is nothing to be seen in it.

        Secrets are taken out before the text is cut: nothing recognises the half of a secret.
        """
        if not isinstance(text, str):
            return None
        beginning = text.strip()[: READ * longest + 1]
        return make_one_line(self.clean(beginning), longest) or None

    def require_object(self, value: object, place: str) -> Fields:
        """Return a value as an object, or refuse the file."""
        if not isinstance(value, dict):
            raise self.make_error(place, "is no JSON object")
        return cast("Fields", value)

    def require_list(self, value: object, place: str) -> list[object]:
        """Return a value as a list, or refuse the file."""
        if not isinstance(value, list):
            raise self.make_error(place, "is no list")
        return cast("list[object]", value)

    def get_text(self, fields: Fields, name: str, place: str) -> str:
        """Return a field's text, or refuse the file."""
        value = fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self.make_error(_join_place(place, name), "is no text")
        return value

    def get_number(self, fields: Fields, name: str, place: str) -> float | None:
        """Return a field's number from 0 on; None if it is missing or null."""
        value = fields.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error(_join_place(place, name), "is no number")
        if not 0 <= value <= LARGEST_AMOUNT:
            raise self.make_error(
                _join_place(place, name), f"is no number from 0 to {LARGEST_AMOUNT:.0f}"
            )
        return value

    def get_count(self, fields: Fields, name: str, place: str) -> int | None:
        """Return a field's whole number from 0 on; None if it is missing or null."""
        value = self.get_number(fields, name, place)
        if value is None or value == int(value):
            return None if value is None else int(value)
        raise self.make_error(_join_place(place, name), "is no whole number")

    def parse_moment(self, value: object, place: str) -> datetime | None:
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
        raise self.make_error(place, "is no time in ISO 8601, and none since 1970")


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


def _join_place(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
