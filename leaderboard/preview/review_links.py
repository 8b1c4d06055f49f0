"""The links from attempts to their sessions, which only served pages have, not the files."""

import re
from typing import Final

_PAGE: Final = re.compile(
    r"runs/(?P<run>[0-9a-z]{16,40})/(?P<category>[0-9]{3}-[a-z0-9_]{1,60})/(?:.+/)?index\.html"
)
_ATTEMPT: Final = re.compile(
    rb'<div id="(?P<eval>[0-9]{3}-[a-z0-9_]{1,60})/(?:(?P<sample>[1-9][0-9]{0,5})/)?">'
)
"""The beginning of an attempt's section. No text of a model looks like it: texts are escaped."""


def with_review_links(path: str, page: bytes) -> bytes:
    """Return the HTML of a page; if it has attempts, each with a link to review it.

    Args:
        path: the path of the page's file, relative to the site.
        page: the HTML of the page.
    """
    match = _PAGE.fullmatch(path)
    if match is None:
        return page
    attempts = f"/review/attempts/{match['run']}/{match['category']}/"

    def add_link(section: re.Match[bytes]) -> bytes:
        address = f"{attempts}{section['eval'].decode()}/{int(section['sample'] or 1)}"
        link = f'<p><a class="tag" href="{address}">Review this attempt</a></p>'
        return section[0] + link.encode()

    return _ATTEMPT.sub(add_link, page)
