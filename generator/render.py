"""Jinja2 as this site uses it: strict, escaping, with filters for figures."""

import re
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from generator.contexts.shared import Frame

MISSING: Final = "\N{EN DASH}"
"""Shown where a value is not known."""


def environment(templates: Path) -> Environment:
    """Return the template environment over the folder ``templates``."""
    env = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printed,
    )
    env.filters.update(
        {
            "percent": percent,
            "points": points,
            "dollars": dollars,
            "seconds": seconds,
            "p_value": p_value,
        }
    )
    return env


class PageContext(Protocol):
    """What every page is given: a dataclass with a frame."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def frame(self) -> Frame:
        """What the layout needs."""
        ...


def render(env: Environment, template: str, page: PageContext, **site: Any) -> str:  # noqa: ANN401 - Jinja2 takes any value
    """Render ``page``, whose fields are the template's variables."""
    values = {field.name: getattr(page, field.name) for field in fields(page)}
    return env.get_template(template).render(**values, **site)


def _printed(value: object) -> object:
    """Make control characters visible in everything a template prints; refuse to print None."""
    if value is None:
        raise TypeError("a template prints a value that is not known")
    return visible(value) if type(value) is str else value


_TEN_CENTS: Final = 0.1
_TWO_MINUTES: Final = 120
_SMALLEST_P: Final = 0.001


def percent(value: float | None) -> str:
    """Write a percentage with one digit, as tables align it."""
    return MISSING if value is None else f"{value:.1f}"


def points(value: float | None) -> str:
    """Write a difference in percentage points with its sign, which is a true minus."""
    if value is None:
        return MISSING
    rounded = round(value, 1)
    return signed(f"{abs(rounded):.1f}", rounded)


def signed(text: str, value: float) -> str:
    """Put the sign of ``value`` before ``text``."""
    if value == 0:
        return text
    return ("+" if value > 0 else "\N{MINUS SIGN}") + text


def dollars(value: float | None) -> str:
    """Write an amount so that small ones still show two significant digits."""
    if value is None:
        return MISSING
    return f"${value:.2f}" if value == 0 or value >= _TEN_CENTS else f"${value:.2g}"


def seconds(value: float | None) -> str:
    """Write a duration in the unit a reader would choose."""
    if value is None:
        return MISSING
    if value < 1:
        return f"{value * 1000:.0f} ms"
    if value < _TWO_MINUTES:
        return f"{value:.1f} s"
    return f"{value / 60:.0f} min"


def p_value(value: float | None) -> str:
    """Write a p-value with two digits that count, and never as zero."""
    if value is None:
        return MISSING
    return "< 0.001" if value < _SMALLEST_P else f"{value:.2g}"


_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
"""Control characters other than tab and newline, bidirectional marks, and letters of no width."""


def visible(text: str) -> str:
    """Show control and bidirectional marks as their code points, so that nothing hides in text."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_named, text.replace("\r\n", "\n"))


def _named(match: re.Match[str]) -> str:
    return f"⟦U+{ord(match[0]):04X}⟧"


def trusted(html: str) -> str:
    """Mark HTML that this package made, and made safe, so that it is not escaped again."""
    return Markup(html)  # noqa: S704 - each caller escapes or sanitises what it puts in
