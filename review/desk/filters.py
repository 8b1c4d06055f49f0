"""The filter of a page: which sessions its address selects, and the address of a selection."""

import json
import re
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal, cast
from urllib.parse import parse_qsl, urlencode

from pydantic import BaseModel, Field, ValidationError

from records.files.name_patterns import PSEUDONYM
from records.files.problems import list_error_details
from records.sessions.session import EvalStatus
from records.shapes.base import SessionId
from review.errors import FilterError
from review.selection import LIST_ORDERS, ListOrder, SessionSelection

STATUSES = tuple(status.value for status in EvalStatus)
LONGEST_TEXT = 200
"""Characters of a search."""

_REPEATED = ("status", "tag", "ids")
_MOST_FIELDS = 1_000


class _Address(BaseModel):
    """The parameters of an address, in the order of addresses, for the fields of a selection."""

    statuses: frozenset[EvalStatus] = Field(frozenset(), alias="status")
    tags: frozenset[str] = Field(frozenset(), alias="tag")
    ids: frozenset[SessionId] = frozenset()
    model: str | None = None
    source: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")] | None = None
    since: date | None = None
    until: date | None = None
    ready: Literal["yes", "no"] | None = None
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] | None = Field(None, alias="q")
    judged_by: Annotated[str, Field(pattern=PSEUDONYM)] | None = Field(None, alias="reviewer")
    order: ListOrder = LIST_ORDERS[0]


def _list_parameters() -> list[tuple[str, str, object]]:
    """Return for each field of a selection its name, its parameter and its default."""
    fields = _Address.model_fields.items()
    return [(name, field.alias or name, field.default) for name, field in fields]


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
    single: dict[str, str] = {}
    repeated: dict[str, list[str]] = {name: [] for name in _REPEATED}
    parameters = {*also, *(parameter for _, parameter, _ in _list_parameters())}
    for name, value in pairs:
        if name not in parameters:
            raise FilterError(f"{name}: is no parameter of this page")
        if name in _REPEATED:
            repeated[name].append(value)
        elif name in single:
            raise FilterError(f"{name}: stands more than once")
        else:
            single[name] = value
    try:
        address = _Address.model_validate_json(json.dumps({**single, **repeated}), strict=True)
    except ValidationError as error:
        (problem, *_) = list_error_details(error)
        raise FilterError(f"{problem['loc'][0]}: {problem['msg']}") from error
    fields: dict[str, Any] = dict(address)
    fields["ready"] = None if address.ready is None else address.ready == "yes"
    return SessionSelection(**fields)


def format_query(selection: SessionSelection, **more: str | int | None) -> str:
    """Return the query of an address for a selection, with those of ``more`` that are not None.

    It begins with a question mark, unless it is empty.
    """
    pairs: list[tuple[str, object]] = []
    for name, parameter, default in _list_parameters():
        value: object = getattr(selection, name)
        if isinstance(value, bool):
            value = "yes" if value else "no"
        if isinstance(value, frozenset):
            pairs += [(parameter, each) for each in sorted(cast("frozenset[str]", value))]
        elif value != default:
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


def parse_number(query: str, name: str, smallest: int, largest: int) -> int:
    """Return the number of a parameter in a query; ``smallest`` if the parameter is missing.

    Raises:
        FilterError: the value is not a number in the range.
    """
    digits = dict(parse_qsl(query)).get(name, str(smallest))
    if not re.fullmatch(r"[0-9]{1,7}", digits) or not smallest <= int(digits) <= largest:
        raise FilterError(f"{name}: must be a number from {smallest} to {largest}")
    return int(digits)
