"""Jinja2 as this site uses it: strict, escaping, with filters for figures."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MISSING = "\N{EN DASH}"
"""Shown where a value is not known."""


def environment(templates: Path) -> Environment:
    """Return the template environment over the folder ``templates``."""
    env = Environment(
        loader=FileSystemLoader(templates),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {
        "percent": percent,
        "dollars": dollars,
        "seconds": seconds,
        "visible": visible,
    }
    return env


def render(env: Environment, template: str, page: "DataclassInstance", **site: Any) -> str:  # noqa: ANN401 - Jinja2 takes any value
    """Render ``page``, whose fields are the template's variables."""
    values = {field.name: getattr(page, field.name) for field in fields(page)}
    return env.get_template(template).render(**values, **site)


_TEN_CENTS = 0.1
_TWO_MINUTES = 120


def percent(value: float | None) -> str:
    """Write a percentage with one digit, as tables align it."""
    return MISSING if value is None else f"{value:.1f}"


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


_BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C])


def visible(text: str) -> str:
    """Show control and bidirectional marks as their code points, so that nothing hides in text."""
    return "".join(
        f"⟦U+{ord(char):04X}⟧"
        if ord(char) in _BIDI or (char < " " and char not in "\n\t")
        else char
        for char in text.replace("\r\n", "\n")
    )
