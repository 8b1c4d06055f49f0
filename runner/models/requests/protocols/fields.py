"""Fields of a provider's JSON, read strictly: a value of another type is no reply."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from runner.errors import ErrorInReplyError, MalformedReplyError
from runner.models.requests.heard import Heard
from runner.models.requests.protocols.events import Event

Fields = Mapping[str, Any]

QUOTED: Final = 64 * 1024
"""Characters quoted of a body that is no reply; keys are taken out before most of it is cut."""

_STATUSES: Final[Mapping[str, str]] = {
    # Anthropic
    "invalid_request_error": "400",
    "authentication_error": "401",
    "billing_error": "402",
    "permission_error": "403",
    "not_found_error": "404",
    "request_too_large": "413",
    "rate_limit_error": "429",
    "api_error": "500",
    "timeout_error": "504",
    "overloaded_error": "529",
    # OpenAI
    "invalid_prompt": "400",
    "invalid_api_key": "401",
    "insufficient_quota": "429",
    "rate_limit_exceeded": "429",
    "server_error": "500",
    # Google
    "INVALID_ARGUMENT": "400",
    "FAILED_PRECONDITION": "400",
    "UNAUTHENTICATED": "401",
    "PERMISSION_DENIED": "403",
    "NOT_FOUND": "404",
    "RESOURCE_EXHAUSTED": "429",
    "INTERNAL": "500",
    "UNAVAILABLE": "503",
    "DEADLINE_EXCEEDED": "504",
}
"""HTTP statuses of errors in a stream, by the names that stand for them outside of streams."""


def object_in(text: str, place: str) -> Fields:
    """Return the JSON object in ``text``; ``place`` is its name in messages.

    Raises:
        MalformedReplyError: the text is no JSON object.
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedReplyError(f"{place} is no JSON: {text[:QUOTED]}") from error
    if not isinstance(value, dict):
        raise MalformedReplyError(f"{place} is no JSON object: {text[:QUOTED]}")
    return cast("Fields", value)


def fields_of(value: object) -> Fields:
    """Return an object's fields; none where the value is no object."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def take_fields(event: Event, heard: Heard) -> Fields | None:
    """Return the fields of an event; None at the end of the stream, which is noted.

    Raises:
        ErrorInReplyError: the event is an error.
        MalformedReplyError: the event is no JSON object.
    """
    if event.data.strip() == "[DONE]":
        heard.closed = True
        return None
    fields = object_in(event.data, "an event of the reply")
    if "error" in {event.name, fields.get("type")} or fields.get("error"):
        raise error_of(fields.get("error") or fields)
    return fields


def text_of(value: object, name: str) -> str:
    """Return a piece of text, which may be null.

    Raises:
        MalformedReplyError: the value is something else.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise MalformedReplyError(f"the {name} of the reply is no text: {value!r}"[:QUOTED])
    return value


def objects_of(value: object, name: str) -> Sequence[Fields]:
    """Return a list of objects, or a single object as a list.

    Raises:
        MalformedReplyError: the value holds something else.
    """
    if value is None:
        return ()
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    if not all(isinstance(item, dict) for item in items):
        raise MalformedReplyError(f"the {name} of the reply are no objects: {items!r}"[:QUOTED])
    return cast("Sequence[Fields]", items)


def first_of(choices: Iterable[Fields]) -> Fields | None:
    """Return the requested choice among all choices of a reply."""
    return next((choice for choice in choices if _index(choice) == 0), None)


def unknown_content(fields: Fields, known: frozenset[str]) -> str | None:
    """Return the first unknown field with content, as JSON."""
    for name, value in fields.items():
        if name not in known and value and isinstance(value, str | list | dict):
            return json.dumps({name: value}, ensure_ascii=False)[:QUOTED]
    return None


def error_of(error: object) -> ErrorInReplyError:
    """Return the exception for an error that came in place of a reply, or amid it."""
    codes: set[str] = set()
    if isinstance(error, dict):
        fields = cast("Mapping[str, object]", error)
        names = (fields.get(name) for name in ("code", "type", "status"))
        codes = {str(code)[:QUOTED] for code in names if isinstance(code, str | int)}
    if not any(code.isdecimal() for code in codes):
        codes |= set(sorted({_STATUSES[code] for code in codes & _STATUSES.keys()})[:1])
    text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
    return ErrorInReplyError(f"in place of a reply: {text[:QUOTED]}", codes)


def _index(choice: Fields) -> int:
    """Return the number of a choice: the first, unless it has another."""
    index = choice.get("index")
    return index if isinstance(index, int) else 0
