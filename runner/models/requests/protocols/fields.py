"""The strict reading of fields in a provider's JSON: a value of a wrong type is an error."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from runner.errors import ErrorInReplyError, MalformedReplyError
from runner.models.requests.heard import Heard
from runner.models.requests.protocols.events import Event

Fields = Mapping[str, Any]

QUOTED: Final = 64 * 1024
"""The most characters that are quoted of a body that is no reply.

Later, keys are hidden in the quote, and it is cut further.
"""


def parse_object(text: str, subject: str) -> Fields:
    """Return the JSON object in ``text``; ``subject`` names the text in messages.

    Raises:
        MalformedReplyError: the text is not a JSON object.
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedReplyError(f"{subject} is no JSON: {text[:QUOTED]}") from error
    if not isinstance(value, dict):
        raise MalformedReplyError(f"{subject} is no JSON object: {text[:QUOTED]}")
    return cast("Fields", value)


def read_fields(value: object) -> Fields:
    """Return the fields of an object; no fields if ``value`` is not an object."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def take_fields(event: Event, heard: Heard) -> Fields | None:
    """Return the fields of an event; at the end mark of a stream set ``closed`` and return None.

    The field ``type`` is the name of the event, unless the event has such a field.

    Raises:
        ErrorInReplyError: the event is an error.
        MalformedReplyError: the event is not a JSON object.
    """
    if event.data.strip() == "[DONE]":
        heard.closed = True
        return None
    fields = parse_object(event.data, "an event of the reply")
    if "error" in (event.name, fields.get("type")) or fields.get("error"):
        raise make_reply_error(fields.get("error") or fields)
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


def make_reply_error(error: object) -> ErrorInReplyError:
    """Return the exception for an error that came instead of a reply, or in the middle of one."""
    text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    return ErrorInReplyError(f"in place of a reply: {text[:QUOTED]}", error)


def _read_index(choice: Fields) -> int:
    """Return the index of a choice; 0 if it has none."""
    index = choice.get("index")
    return index if isinstance(index, int) else 0
