"""HTML pages that come in place of a reply: of a sign-in, of a gateway, of a network's portal."""

import html
import re
from typing import Final

from runner.errors import ErrorInReplyError, NotAskedError

_START: Final = re.compile(r"\s*+<(?:!doctype html|html|head|body|!--)", re.IGNORECASE)
_STATUS: Final = re.compile(r"<(?:title|h1)[^<>]*+>[^<0-9]{0,40}?\b([45]\d\d)\b", re.IGNORECASE)
_SIGN_IN: Final = re.compile(
    r"type=[\"']?password|\b(?:sign|log)(?:ging|ing)?[- ]?in\b|\bsso\b|authenticat|unauthori[sz]ed",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"<[^<>]*+>")

_SEARCHED: Final = 64 * 1024
"""The most characters of a page that are searched."""

_QUOTED: Final = 300
"""The most characters of a page's words that are quoted."""


def check_no_page(text: str, kind: str) -> None:
    """Check that the body of a reply of the media type ``kind`` is no HTML page.

    Raises:
        ErrorInReplyError: it is a page with an HTTP status in its title, or one to sign in, which
            counts as the status 401.
        NotAskedError: it is any other page.
    """
    if not (kind.lower() == "text/html" or _START.match(text)):
        return
    page = text[:_SEARCHED]
    words = " ".join(html.unescape(_TAG.sub(" ", page)).split())[:_QUOTED]
    evidence = f"an HTML page in place of a reply: {words}"
    status = _STATUS.search(page)
    if status is not None:
        raise ErrorInReplyError(evidence, {"code": int(status[1])})
    if _SIGN_IN.search(page):
        raise ErrorInReplyError(evidence, {"code": 401})
    raise NotAskedError(evidence)
