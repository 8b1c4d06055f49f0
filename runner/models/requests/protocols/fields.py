"""The strict reading of fields in a provider's JSON: a value of a wrong type is an error."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from runner.errors import ErrorInReplyError, MalformedReplyError
from runner.models.requests.error_codes import find_status, read_codes
from runner.models.requests.heard import END_MARK, Heard
from runner.models.requests.protocols.events import Event

Fields = Mapping[str, Any]

_MESSAGES: Final = ("message", "errors", "detail", "msg", "error_message", "error_msg")
"""The fields with the words of a refusal, in bodies that have no field ``error``."""

QUOTED: Final = 64 * 1024
"""The most characters that are quoted of a body that is no reply.

Later, keys are hidden in the quote, and it is cut further.
"""


def parse_object(text: str, subject: str) -> Fields:
    """Return the JSON object in ``text``; ``subject`` names the text in messages.

    Raises:
        ErrorInReplyError: the text is a list of objects, and one of them is an error.
        MalformedReplyError: the text is not a JSON object.
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedReplyError(f"{subject} is no JSON: {text[:QUOTED]}") from error
    if isinstance(value, list):
        for item in cast("list[object]", value):
            check_no_error(read_fields(item))
    if not isinstance(value, dict):
        raise MalformedReplyError(f"{subject} is no JSON object: {text[:QUOTED]}")
    return cast("Fields", value)


def read_fields(value: object) -> Fields:
    """Return the fields of an object; no fields if ``value`` is not an object."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def take_fields(event: Event, heard: Heard) -> Fields | None:
    """Return the fields of an event; at the end mark of a stream close ``heard``, return None.

    The field ``type`` is the name of the event, unless the event has such a field.

    Raises:
        ErrorInReplyError: the event is an error.
        MalformedReplyError: the event is not a JSON object.
    """
    if event.data.strip() == END_MARK:
        heard.close()
        return None
    fields = parse_object(event.data, "an event of the reply")
    if event.name == "error":
        raise make_reply_error(fields)
    check_no_error(fields)
    return fields if fields.get("type") else {**fields, "type": event.name}


def read_text(value: object, name: str) -> str:
    """Return a piece of text; empty for null. ``name`` names the value in messages.

    Raises:
        MalformedReplyError: the value is neither text nor null.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise MalformedReplyError(f"the {name} of the reply is no text: {value!r}"[:QUOTED])
    return value


def read_objects(value: object, name: str) -> Sequence[Fields]:
    """Return a list of objects; a single object becomes a list, and null an empty one.

    Raises:
        MalformedReplyError: the value is something else, or the list has another item.
    """
    if value is None:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    if not all(isinstance(item, dict) for item in items):
        raise MalformedReplyError(f"the {name} of the reply are no objects: {items!r}"[:QUOTED])
    return cast("Sequence[Fields]", items)


def find_first_choice(choices: Iterable[Fields]) -> Fields | None:
    """Return the first choice by index, which is the requested one; None if it is missing."""
    return next((choice for choice in choices if _read_index(choice) == 0), None)


def find_unknown_content(fields: Fields, known_names: frozenset[str]) -> str | None:
    """Return the first field with content that is not in ``known_names``, as JSON; else None."""
    for name, value in fields.items():
        if name not in known_names and value and isinstance(value, str | list | dict):
            return json.dumps({name: value}, ensure_ascii=False)[:QUOTED]
    return None


def check_no_error(fields: Fields) -> None:
    """Check that an object is not marked as an error, by its type or a field of its own.

    Raises:
        ErrorInReplyError: the object is an error, or contains one.
    """
    if fields.get("type") == "error" or fields.get("error"):
        raise make_reply_error(fields)


def check_no_code(fields: Fields) -> None:
    """Check that an object which is no part of a reply has no code of an error.

    Raises:
        ErrorInReplyError: the object has such a code.
    """
    if find_status(read_codes(fields)) is not None:
        raise make_reply_error(fields)


def has_message(body: Fields) -> bool:
    """Return whether a body that is no reply has words for a reader, as an error has them."""
    return any(body.get(name) for name in _MESSAGES)


def make_reply_error(holder: Fields) -> ErrorInReplyError:
    """Return the exception for an error that came instead of a reply, or in the middle of one.

    ``holder`` is the error, or the object with the error and perhaps with codes beside it.
    """
    text = json.dumps(holder.get("error") or holder, ensure_ascii=False)
    return ErrorInReplyError(f"in place of a reply: {text[:QUOTED]}", holder)


def _read_index(choice: Fields) -> int:
    """Return the index of a choice; 0 if it has none."""
    index = choice.get("index")
    return index if isinstance(index, int) else 0
