"""The filter of a page: which sessions its address selects, and the address of a selection."""

import json
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, cast
from urllib.parse import parse_qsl, urlencode

from pydantic import TypeAdapter, ValidationError

from records.files.problems import list_error_details
from records.sessions.session import EvalStatus
from review.errors import FilterError
from review.selection import SessionSelection

STATUSES = tuple(status.value for status in EvalStatus)
_PARAMETERS = {"statuses": "status", "tags": "tag", "text": "q", "judged_by": "reviewer"}
"""The parameters of fields whose names differ."""
_FIELDS = {
    _PARAMETERS.get(field.name, field.name): field
    for field in fields(SessionSelection)
    if field.name not in {"without", "run_shown", "limit"}
}
"""The fields of a selection by their parameters, in the order of addresses."""
_SELECTION = TypeAdapter(SessionSelection)
_MOST_FIELDS = 1_000


def parse_selection(query: str, *, also: Sequence[str] = ()) -> SessionSelection:
    """Return the selection in the query of an address; an empty value is no condition.

    Args:
        query: the query without the question mark.
        also: parameters of the page that are not part of the selection.

    Raises:
        FilterError: a parameter is unknown, repeated or wrong; the message names it.
    """
    try:
        pairs = parse_qsl(query, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise FilterError(f"the address cannot be read: {error}") from error
    values: dict[str, Any] = {}
    for name, value in pairs:
        field = _FIELDS.get(name)
        if field is None and name not in also:
            raise FilterError(f"{name}: is no parameter of this page")
        key = name if field is None else field.name
        if field is not None and field.default == frozenset():
            values.setdefault(key, []).append(value)
        elif key in values:
            raise FilterError(f"{name}: stands more than once")
        else:
            values[key] = {"yes": True, "no": False}.get(value, value) if key == "ready" else value
    selected = {key: value for key, value in values.items() if key not in also}
    try:
        return _SELECTION.validate_json(json.dumps(selected), strict=True)
    except ValidationError as error:
        (problem, *_) = list_error_details(error)
        name = str(problem["loc"][0])
        raise FilterError(f"{_PARAMETERS.get(name, name)}: {problem['msg']}") from error


def format_query(selection: SessionSelection, **more: str | int | None) -> str:
    """Return the query of an address for a selection, with those of ``more`` that are not None.

    It begins with a question mark, unless it is empty.
    """
    pairs: list[tuple[str, object]] = []
    for parameter, field in _FIELDS.items():
        value: object = getattr(selection, field.name)
        if isinstance(value, bool):
            value = "yes" if value else "no"
        if isinstance(value, frozenset):
            pairs += [(parameter, each) for each in sorted(cast("frozenset[str]", value))]
        elif value != field.default:
            pairs.append((parameter, value))
    pairs += [(name, value) for name, value in more.items() if value is not None]
    return f"?{urlencode(pairs)}" if pairs else ""


def describe_selection(selection: SessionSelection) -> str:
    """Return a selection in words for readers; empty if it selects all."""
    ready = {None: "", True: "eval-ready", False: "not eval-ready"}[selection.ready]
    statuses = " or ".join(sorted(selection.statuses)).replace("_", " ")
    ids = f"{len(selection.ids)} chosen" if selection.ids else ""
    parts = [
        ids,
        statuses,
        ready,
        *(f"tag {tag}" for tag in sorted(selection.tags)),
        f"model {selection.model}" if selection.model else "",
        f"source {selection.source}" if selection.source else "",
        f"from {selection.since}" if selection.since else "",
        f"to {selection.until}" if selection.until else "",
        f"judged by {selection.judged_by}" if selection.judged_by else "",
        f"“{selection.text}”" if selection.text else "",
    ]
    return ", ".join(part for part in parts if part)


def parse_number(query: str, name: str, largest: int) -> int:
    """Return the number of a parameter in a query, from 1; 1 if the parameter is missing.

    Raises:
        FilterError: the value is not a number in the range.
    """
    digits = dict(parse_qsl(query)).get(name, "1")
    if not re.fullmatch(r"[0-9]{1,7}", digits) or not 1 <= int(digits) <= largest:
        raise FilterError(f"{name}: must be a number from 1 to {largest}")
    return int(digits)
