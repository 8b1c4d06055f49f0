"""The base class of records (strict, immutable) and the small types that fields are made of."""

import json
import re
from datetime import UTC, datetime
from typing import Annotated, Any, Final, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    JsonValue,
)
from pydantic_core import CoreSchema

from records.files.name_patterns import (
    BENCHMARK_ID,
    EVAL_NAME,
    EVENT_ID,
    EXPERIMENT_NAME,
    MODEL_SLUG,
    RUN_ID,
    SESSION_ID,
    VISIBLE_LINE,
)

LARGEST_COUNT: Final = 2**53 - 1
"""The largest whole number that every reader of JSON holds exactly."""


LARGEST_AMOUNT: Final = 1e9
"""The most seconds, dollars or tokens that are believed of one attempt: sums of them stay exact."""


_LISTS: Final = frozenset({"frozenset", "list", "set", "tuple"})
"""Types of a schema of pydantic that hold items."""


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
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
    )

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema in which a list ends at its first fault.

        A fault costs a kilobyte of memory, and a stranger's list may have one in every item.
        """
        schema = handler(source)
        _stop_at_first_fault(schema)
        return schema


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a time needs its offset, such as a trailing Z")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a time must lie in the years 1 to 9999, in UTC") from error


def _well_formed(text: object) -> object:
    """Replace halves of surrogate pairs, which a provider's JSON may hold and UTF-8 cannot."""
    if isinstance(text, str) and not text.isascii():
        return text.encode("utf-8", "replace").decode() if _has_surrogates(text) else text
    return text


def _has_surrogates(text: str) -> bool:
    return re.search("[\ud800-\udfff]", text) is not None


Moment = Annotated[datetime, AfterValidator(_in_utc)]
"""A time in UTC, written as ISO 8601."""

Seconds = Annotated[float, Field(ge=0, le=LARGEST_AMOUNT)]
"""A duration."""

Dollars = Annotated[float, Field(ge=0, le=LARGEST_AMOUNT)]
"""An amount of money in US dollars."""

Sum = Annotated[float, Field(ge=0)]
"""Seconds or dollars of many attempts together."""

Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
"""How many there are of something."""


def _finite(value: JsonValue) -> JsonValue:
    try:
        json.dumps(value, allow_nan=False)
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    return value


Parameter = Annotated[JsonValue, AfterValidator(_finite)]
"""The value of a parameter of a request: any JSON, of finite numbers."""

OutsideText = Annotated[str, BeforeValidator(_well_formed)]
"""Text that came from outside: what UTF-8 cannot hold is replaced by a question mark."""

Name = Annotated[str, Field(max_length=200, pattern=VISIBLE_LINE), BeforeValidator(_well_formed)]
"""The name of a person or a thing: one line of a table, with something in it to be seen."""

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 digest in lower-case hexadecimal."""

RunId = Annotated[str, Field(pattern=RUN_ID)]
"""A run's identity: lower-case base32, 32 characters where this program drew it."""

ModelSlug = Annotated[str, Field(pattern=MODEL_SLUG)]
"""``provider/model``: two folder names, safe on every file system and in every URL."""

EvalName = Annotated[str, Field(pattern=EVAL_NAME)]
"""``category/name``, such as ``002-queries/009-text_search``."""

BenchmarkId = Annotated[str, Field(pattern=BENCHMARK_ID)]
"""A benchmark version: the first 12 hex digits of its digest, or a name for an imported one."""

SessionId = Annotated[str, Field(pattern=SESSION_ID)]
"""A session's identity, as its source named it where that is safe as a file name."""

EventId = Annotated[str, Field(pattern=EVENT_ID)]
"""An event's identity: a UUID of version 7."""

ExperimentName = Annotated[str, Field(pattern=EXPERIMENT_NAME)]
"""``default``, ``no_guidelines``, or the name of a guidelines file under test."""
