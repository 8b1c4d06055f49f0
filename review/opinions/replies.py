"""Reader of the status in a judge's reply. A reply that is not clear gives no verdict."""

import json
import re
from collections.abc import Iterator
from typing import Final, cast

from records.sessions.opinions import OpinionStatus

_STATUSES: Final = {
    status.value: status for status in OpinionStatus if status is not OpinionStatus.UNREADABLE
}
_DECORATION: Final = re.compile(r"[*_`\"']")
_STATUS_LINE: Final = re.compile(
    r"\s*+(?:[#>-]{1,6}\s*+)?(?:final )?status\s*+[:=]\s*+(.*)", re.IGNORECASE
)
_FENCE: Final = re.compile(r"\s*```(?:json)?[ \t]*\n(.*)\n```\s*", re.DOTALL)


def read_status(reply: str) -> OpinionStatus:
    """Return the status in a reply; UNREADABLE if it has none, or several that differ.

    A status can be in a line ``Status: golden``, alone in the reply, or the value of ``status`` in
    a reply that is one JSON object. Emphasis, a full stop and capital letters have no effect.
    """
    words = set(_list_status_words(reply))
    if len(words) != 1:
        return OpinionStatus.UNREADABLE
    return _STATUSES.get(words.pop(), OpinionStatus.UNREADABLE)


def _list_status_words(reply: str) -> Iterator[str]:
    """Yield the words of a reply at which a status is expected."""
    fence = _FENCE.fullmatch(reply)
    status = _parse_status(fence[1] if fence else reply)
    if status is not None:
        yield _strip_decoration(status)
        return
    lines = [_DECORATION.sub("", line) for line in reply.splitlines()]
    stated = [match[1] for line in lines if (match := _STATUS_LINE.fullmatch(line))]
    yield from map(_strip_decoration, stated or [reply])


def _parse_status(text: str) -> str | None:
    """Return the value of ``status`` in a JSON object; None if ``text`` is no object.

    A value that is no text, or is missing, is returned as an empty text.
    """
    if not text.lstrip().startswith("{"):
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    status = cast("dict[str, object]", value).get("status")
    return status if isinstance(status, str) else ""


def _strip_decoration(text: str) -> str:
    return _DECORATION.sub("", text).strip().removesuffix(".").strip().casefold()
