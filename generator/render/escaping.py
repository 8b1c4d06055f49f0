"""Text that came from outside, made safe to stand on a page."""

import re
from functools import lru_cache
from typing import Final

from markupsafe import Markup, escape

from records.showing import visible

_STROKES: Final = re.compile(r"(?<=[_/])(?=\w)")
"""Behind a stroke within a name."""


SHORT: Final = 200
"""Characters of a text that is likely to be shown again: a name, a path, a reason."""


def escaped(text: str) -> str:
    """Return text as it stands in a page: as plain text for whoever puts HTML together."""
    return _escaped_again(text) if len(text) < SHORT else _escaped(text)


def _escaped(text: str) -> str:
    return str(escape(visible(text)))


_escaped_again = lru_cache(maxsize=1 << 14)(_escaped)


def breakable(name: str) -> str:
    """Return a name as it stands in a page, whose line may end after a stroke in it."""
    return trusted(_STROKES.sub("<wbr>", escaped(name)))


def trusted(html: str) -> str:
    """Mark HTML that this package made, and made safe, so that it is not escaped again."""
    return Markup(html)  # noqa: S704 - each caller escapes or sanitises what it puts in
