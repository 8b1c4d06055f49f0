"""The link from an attempt's page to its session, which only served pages have, not the files."""

import re
from typing import Final

_ATTEMPT: Final = re.compile(
    r"runs/(?P<run>[0-9a-z]{16,40})/"
    r"(?P<eval>[0-9]{3}-[a-z0-9_]{1,60}/[0-9]{3}-[a-z0-9_]{1,60})/"
    r"(?:(?P<sample>[1-9][0-9]{0,5})/)?index\.html"
)
_HEADING: Final = b"</h1>"


def with_review_link(path: str, page: bytes) -> bytes:
    """Return the HTML of a page; if it is the page of an attempt, with a link to review it.

    Args:
        path: the path of the page's file, relative to the site.
        page: the HTML of the page.
    """
    match = _ATTEMPT.fullmatch(path)
    if match is None:
        return page
    address = f"/review/attempts/{match['run']}/{match['eval']}/{match['sample'] or 1}"
    link = f'<p><a class="tag" href="{address}">Review this attempt</a></p>'
    return page.replace(_HEADING, _HEADING + link.encode(), 1)
