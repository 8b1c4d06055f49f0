"""Base class of records (strict and immutable), and the types of their fields."""

import hashlib
import json
import re
from datetime import UTC, datetime
from operator import not_
from typing import Annotated, Any, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    JsonValue,
)
from pydantic_core import CoreSchema, core_schema

from records.files import name_patterns

LARGEST_COUNT = 2**53 - 1
"""The largest whole number that every program can read from JSON exactly."""


LARGEST_AMOUNT = 1e9
"""The most seconds, dollars or tokens that one attempt can have in a record, so that sums are
exact."""


_Value = TypeVar("_Value")
_LISTS = frozenset({"frozenset", "list", "set", "tuple"})
"""Types in the schemas of pydantic that have items."""


def _stop_at_first_fault(schema: object) -> None:
    if isinstance(schema, list | tuple):
        for part in cast("list[object]", schema):
            _stop_at_first_fault(part)
    elif isinstance(schema, dict):
        fields = cast("dict[str, Any]", schema)
        if fields.get("type") in _LISTS:
            fields["fail_fast"] = True
        for name, part in fields.items():
            if name != "metadata":
                _stop_at_first_fault(part)


class Record(BaseModel):
    """A record: an immutable value that refuses unknown fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
    )

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return a schema by which the validation of a list stops at its first fault.

        Each fault takes a kilobyte of memory, and a stranger's list may have a fault in each item.
        """
        schema = handler(source)
        _stop_at_first_fault(schema)
        return schema

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the JSON Schema, in which the docstring below a field describes the field."""
        from records.shapes.docstrings import describe_fields  # noqa: PLC0415 - only for schemas

        made = handler(schema)
        describe_fields(cls, handler.resolve_ref_schema(made).get("properties", {}))
        return made


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a time needs its offset, such as a trailing Z")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a time must lie in the years 1 to 9999, in UTC") from error


def replace_surrogates(text: object) -> object:
    """Replace halves of surrogate pairs, which JSON can have and UTF-8 cannot, by ``?``."""
    if isinstance(text, str) and not text.isascii() and re.search("[\ud800-\udfff]", text):
        return text.encode("utf-8", "replace").decode()
    return text


class _WithoutSurrogates:
    """The annotation of a text in which `replace_surrogates` applies to values of Python.

    pydantic refuses JSON with half a pair, so no function is called for each text of a file.
    """

    def __get_pydantic_core_schema__(
        self, source: type[str], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return a schema with a step before that of the text, for Python only."""
        text = handler(source)
        replaced = core_schema.no_info_before_validator_function(replace_surrogates, text)
        return core_schema.json_or_python_schema(text, replaced)


LeftOut = Annotated[_Value, Field(exclude_if=not_)]
"""A field that files leave out where it is null, false, 0 or empty."""

Moment = Annotated[datetime, AfterValidator(_in_utc)]
"""A time in UTC, written as ISO 8601."""

Seconds = Annotated[float, Field(ge=0, le=LARGEST_AMOUNT)]
"""A duration."""

Dollars = Annotated[float, Field(ge=0, le=LARGEST_AMOUNT)]
"""An amount of money in US dollars."""

Sum = Annotated[float, Field(ge=0)]
"""Seconds or dollars of many attempts together."""

Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
"""A number of things."""

Positive = Annotated[int, Field(ge=1)]
"""A whole number from 1 on."""

Seed = Annotated[int, Field(ge=0, lt=10**10)]
"""The seed of a drawing."""


def _check_finite(value: JsonValue) -> JsonValue:
    try:
        json.dumps(value, allow_nan=False)
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    return value


Parameter = Annotated[JsonValue, AfterValidator(_check_finite)]
"""The value of a parameter of a request: any JSON whose numbers are finite."""

OutsideText = Annotated[str, _WithoutSurrogates()]
"""Text from outside, with a question mark for each character that UTF-8 cannot encode."""

Name = Annotated[
    str, Field(max_length=200, pattern=name_patterns.VISIBLE_LINE), _WithoutSurrogates()
]
"""The name of a person or a thing: one line with at least one visible character."""

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 digest in lower-case hexadecimal."""


def compute_text_digest(text: str) -> Digest:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def compute_list_digest(*texts: str) -> Digest:
    """Return the SHA-256 of a list of texts; different lists differ.

    The digests in benchmark versions are made by `records.suites.benchmark.compute_texts_digest`.
    """
    return compute_text_digest(json.dumps(texts))


RunId = Annotated[str, Field(pattern=name_patterns.RUN_ID)]
"""The id of a run. This program makes ids of 32 characters in lower-case base32."""

ModelSlug = Annotated[str, Field(pattern=name_patterns.MODEL_SLUG)]
"""``provider/model``: two folder names, safe on every file system and in every URL."""

EvalName = Annotated[str, Field(pattern=name_patterns.EVAL_NAME)]
"""``category/name``, such as ``002-queries/009-text_search``."""

BenchmarkId = Annotated[str, Field(pattern=name_patterns.BENCHMARK_ID)]
"""A benchmark version: the first 12 hex digits of its digest, or a name for an imported one."""

SessionId = Annotated[str, Field(pattern=name_patterns.SESSION_ID)]
"""The id of a session: the id that its source gave it, if this is safe as a file name."""

EventId = Annotated[str, Field(pattern=name_patterns.EVENT_ID)]
"""The id of an event: a UUID of version 7."""

ExperimentName = Annotated[str, Field(pattern=name_patterns.EXPERIMENT_NAME)]
"""``default``, ``no_guidelines``, or the name of a guidelines file under test."""

Pseudonym = Annotated[str, Field(pattern=name_patterns.PSEUDONYM)]
"""The name of a reviewer, which need not be a person's own."""
