"""The filter of a page: which sessions its address selects, and the address of a selection."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from typing import Final
from urllib.parse import parse_qsl, urlencode

from records.files.name_patterns import PSEUDONYM, SESSION_ID
from records.sessions.session import EvalStatus
from review.errors import FilterError
from review.selection import LIST_ORDERS, SessionSelection

STATUSES: Final = tuple(status.value for status in EvalStatus)
SOURCES: Final = re.compile(r"[a-z_]{1,40}")
LONGEST_TEXT: Final = 200
"""Characters of a search."""

_SINGLE: Final = ("model", "source", "since", "until", "ready", "q", "reviewer", "order")
_REPEATED: Final = ("status", "tag", "ids")
_MOST_FIELDS: Final = 1_000
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def parse_selection(query: str, *, also: Sequence[str] = ()) -> SessionSelection:
    """Return the selection in the query of an address; an empty value is no condition.

    Args:
        query: the query without the question mark.
        also: parameters of the page that are not part of the selection.

    Raises:
        FilterError: a parameter is unknown, repeated or wrong; the message names it.
    """
    parameters = _parse_values(query, also)
    single = {name: parameters[name][0] for name in _SINGLE if name in parameters}
    source = single.get("source")
    if source is not None and not SOURCES.fullmatch(source):
        raise FilterError(f"source: {source!r} is no source")
    ready = single.get("ready")
    if ready not in {None, "yes", "no"}:
        raise FilterError("ready: must be yes or no")
    reviewer, order = single.get("reviewer"), single.get("order", LIST_ORDERS[0])
    if reviewer is not None and not re.fullmatch(PSEUDONYM, reviewer):
        raise FilterError(f"reviewer: {reviewer!r} is no pseudonym")
    if order not in LIST_ORDERS:
        raise FilterError(f"order: must be one of {', '.join(LIST_ORDERS)}")
    text = single.get("q")
    if text is not None and len(text) > LONGEST_TEXT:
        raise FilterError(f"q: may have {LONGEST_TEXT} characters at most")
    ids = parameters.get("ids", ())
    for session_id in ids:
        if not re.fullmatch(SESSION_ID, session_id):
            raise FilterError(f"ids: {session_id!r} is no session's id")
    statuses = parameters.get("status", ())
    if not set(statuses) <= set(STATUSES):
        raise FilterError(f"status: must be one of {', '.join(STATUSES)}")
    return SessionSelection(
        ids=frozenset(ids),
        statuses=frozenset(map(EvalStatus, statuses)),
        tags=frozenset(parameters.get("tag", ())),
        model=single.get("model"),
        source=source,
        since=_parse_day("since", single),
        until=_parse_day("until", single),
        ready=None if ready is None else ready == "yes",
        text=text,
        judged_by=reviewer,
        order=order,
    )


def format_query(selection: SessionSelection, **more: str | int | None) -> str:
    """Return the query of an address for a selection, with those of ``more`` that are not None.

    It begins with a question mark, unless it is empty.
    """
    ready = {None: None, True: "yes", False: "no"}[selection.ready]
    pairs: list[tuple[str, str]] = [
        *(("status", status.value) for status in sorted(selection.statuses)),
        *(("tag", tag) for tag in sorted(selection.tags)),
        *(("ids", session_id) for session_id in sorted(selection.ids)),
    ]
    for name, value in (
        ("model", selection.model),
        ("source", selection.source),
        ("since", selection.since and selection.since.isoformat()),
        ("until", selection.until and selection.until.isoformat()),
        ("ready", ready),
        ("q", selection.text),
        ("reviewer", selection.judged_by),
        ("order", selection.order if selection.order != LIST_ORDERS[0] else None),
        *more.items(),
    ):
        if value is not None:
            pairs.append((name, str(value)))
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


def _parse_values(query: str, also: Sequence[str]) -> dict[str, list[str]]:
    try:
        pairs = parse_qsl(query, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise FilterError(f"the address cannot be read: {error}") from error
    parameters: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in {*_REPEATED, *_SINGLE, *also}:
            raise FilterError(f"{name}: is no parameter of this page")
        parameters.setdefault(name, []).append(value)
    for name in (*_SINGLE, *also):
        if len(parameters.get(name, ())) > 1:
            raise FilterError(f"{name}: stands more than once")
    return parameters


def _parse_day(name: str, values: dict[str, str]) -> date | None:
    value = values.get(name)
    if value is None:
        return None
    with suppress(ValueError):
        if _DAY.fullmatch(value):
            return date.fromisoformat(value)
    raise FilterError(f"{name}: must be a day, such as 2026-01-31")
